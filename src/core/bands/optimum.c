/*-------------------------------------------------------------------------
 *
 * optimum.c
 *	  Integrate the errors of a banding.
 *
 * A banding makes two kinds of errors: false positives, pairs below the
 * threshold t, which are the integral of the S-curve
 * P(s) = 1 - (1 - s^rows)^bands from 0 to t, and false negatives, pairs above
 * t, which are the integral of 1 - P(s) from t to 1.  The optimum minimizes
 * their weighted sum over all bands * rows <= k, as datasketch and related
 * tools do.
 *
 * Limits: it assumes that similarities are uniformly distributed, and does not
 * ensure any recall at the threshold (0.4 at t = 0.8 with 128 hashes).
 * Searches in this extension use the plan of bands.c instead.
 *
 * The integrals are computed by Gauss-Legendre quadrature with 8 points on
 * each of 32 panels: exact for polynomials of degree 15 on a panel, and
 * accurate to about 12 digits here.
 *
 *-------------------------------------------------------------------------
 */
#include "optimum.h"

#include "bands.h"

#define PANELS 32
#define POINTS 4				/* on each side of the middle of a panel */

/* Points and weights of the Gauss-Legendre rule with 8 points on (-1, 1). */
static const double points[POINTS] = {
	0.1834346424956498, 0.5255324099163290,
	0.7966664774136267, 0.9602898564975363
};
static const double weights[POINTS] = {
	0.3626837833783620, 0.3137066458778873,
	0.2223810344533745, 0.1012285362903763
};

/* Integrate the S-curve between two similarities. */
static double
integrate_curve(double from, double to, int bands, int rows)
{
	double		half = (to - from) / PANELS / 2;
	double		sum = 0;

	for (int panel = 0; panel < PANELS; panel++)
	{
		double		middle = from + half * (2 * panel + 1);

		for (int i = 0; i < POINTS; i++)
			sum += weights[i] *
				(band_probability(middle - half * points[i], bands, rows, 1) +
				 band_probability(middle + half * points[i], bands, rows, 1));
	}
	return sum * half;
}

/* Try 1 to max_rows rows with a number of bands, and keep the best banding. */
void
optimum_try(LshOptimum *best, int bands, int max_rows)
{
	double		t = best->threshold;

	for (int rows = 1; rows <= max_rows; rows++)
	{
		double		error = best->fp_weight * integrate_curve(0, t, bands, rows) +
			best->fn_weight * (1 - t - integrate_curve(t, 1, bands, rows));

		if (best->bands == 0 || error < best->error)
		{
			best->error = error;
			best->bands = bands;
			best->rows = rows;
		}
	}
}
