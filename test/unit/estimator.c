/*-------------------------------------------------------------------------
 *
 * estimator.c
 *	  Bias and mean squared error of the estimated similarity.
 *
 * Random pairs of sets, of every size of the union and every similarity in
 * the tables below, each with a hash seed of its own.
 *
 * Bias: the mean error of n trials must be less than 4 of its standard errors
 * (sd / sqrt(n)) from 0, at every similarity and over all of them.  A true
 * mean of 0 fails that once in 16,000.
 *
 * Mean squared error: a trial's squared error in units of J (1 - J) / k,
 * averaged over all trials at all similarities.  Errors are nearly normal, so
 * the squared ones have a standard deviation of sqrt(2) times their mean, and
 * the mean of 20,000 trials (2,000 at 10 similarities) one of 1 %.  The k
 * permutations are slow, and get half as many.  What must hold, 1.05 and
 * 0.70, is checked as it stands.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "unit.h"

static const int all_unions[] = {5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000};
static const int some_unions[] = {10, 100, 1000};
static const int percents[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 95};

/* Results of the trials at one size of the union. */
typedef struct Errors
{
	int			trials;			/* all together */
	double		squared;		/* sum of squared errors over J (1 - J) / k */
	double		sum;			/* of errors */
	double		variance;		/* of that sum */
	double		worst;			/* the greatest mean error, in standard errors */
	int			worst_percent;	/* at this similarity */
} Errors;

/* Estimate the similarity of one random pair. */
static double
estimate_once(SketchMethod method, int num_hashes, int union_size, int common)
{
	static Pair pair;
	int			equal;
	int			compared;

	random_pair(method, num_hashes, union_size, common, &pair);
	slots_compare(pair.a, pair.b, num_hashes, &equal, &compared);
	return (double) equal / compared;
}

/* Run the trials at one similarity. */
static void
measure_similarity(SketchMethod method, int num_hashes, int union_size,
				   int percent, int trials, Errors *errors)
{
	int			common = union_size * percent / 100;
	double		similarity = percent / 100.0;
	double		sum = 0;
	double		squares = 0;
	double		variance;

	for (int i = 0; i < trials; i++)
	{
		double		error = estimate_once(method, num_hashes, union_size, common) -
			similarity;

		sum += error;
		squares += error * error;
	}
	variance = squares - sum * sum / trials;
	if (fabs(sum / sqrt(variance)) > fabs(errors->worst))
	{
		errors->worst = sum / sqrt(variance);
		errors->worst_percent = percent;
	}
	errors->trials += trials;
	errors->sum += sum;
	errors->variance += variance;
	errors->squared += squares * num_hashes / (similarity * (1 - similarity));
}

/* Run the trials at all similarities that a union of this size can have. */
static Errors
measure_union(SketchMethod method, int num_hashes, int union_size, int trials)
{
	Errors		errors = {0};

	for (int i = 0; i < lengthof(percents); i++)
		if (union_size * percents[i] % 100 == 0)
			measure_similarity(method, num_hashes, union_size, percents[i], trials,
							   &errors);
	return errors;
}

/* Check a method and a number of hashes at one size of the union. */
static void
check_union(SketchMethod method, int num_hashes, int union_size, int trials)
{
	Errors		errors = measure_union(method, num_hashes, union_size, trials);
	double		bias = errors.sum / sqrt(errors.variance);
	double		ratio = errors.squared / errors.trials;
	bool		one = method == SKETCH_ONE_PERMUTATION;
	double		limit = one && num_hashes == 128 && union_size <= 200 ? 0.70 : 1.05;
	char		what[64];

	snprintf(what, sizeof(what), "%s-permutation, %d hashes, union of %d",
			 one ? "one" : "k", num_hashes, union_size);
	ok(fabs(bias) < 4 && fabs(errors.worst) < 4,
	   "no bias: %s (mean %+.5f, %+.1f standard errors; "
	   "worst %+.1f, at %d %%)", what, errors.sum / errors.trials, bias,
	   errors.worst, errors.worst_percent);
	ok(ratio <= limit,
	   "mean squared error: %s (%.3f J(1-J)/k of %.2f, %d trials)",
	   what, ratio, limit, errors.trials);
}

int
main(void)
{
	for (int method = 1; method <= 2; method++)
	{
		int			trials = method == SKETCH_ONE_PERMUTATION ? 2000 : 1000;

		for (int i = 0; i < lengthof(all_unions); i++)
			check_union(method, 128, all_unions[i], trials);
		for (int i = 0; i < lengthof(some_unions); i++)
		{
			check_union(method, 64, some_unions[i], trials);
			check_union(method, 256, some_unions[i], trials);
		}
	}
	return done_testing();
}
