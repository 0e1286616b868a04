/*-------------------------------------------------------------------------
 *
 * lsh_optimum.c
 *	  The bands and rows that fit a threshold best.
 *
 * A banding makes two kinds of mistakes: candidates below the threshold t,
 * the integral of the S-curve P(s) = 1 - (1 - s^rows)^bands from 0 to t, and
 * pairs above it that are missed, the integral of 1 - P(s) from t to 1.  The
 * optimum minimises their weighted sum over all bands * rows <= k, which is
 * the choice of datasketch and of the tools that follow it.
 *
 * Limits: it takes similarities to be spread evenly, and promises no recall
 * at the threshold (0.4 at t = 0.8 with 128 hashes).  Searches in this
 * extension use the plan of bands.c instead.
 *
 * The integrals are computed by Gauss-Legendre quadrature with 8 points on
 * each of 32 panels: exact for polynomials of degree 15 on a panel, and good
 * for about 12 digits here.
 *
 *-------------------------------------------------------------------------
 */
#include "lsh_optimum.h"

#include "bands.h"

#define PANELS 32
#define POINTS 4				/* each at both sides of a panel's middle */

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

/* Try all numbers of rows with a number of bands; keep the best of all. */
void
lsh_optimum_try(LshOptimum *best, int bands, int max_rows)
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
