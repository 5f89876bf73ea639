/*
 * dense.c - see dense.h.
 *
 * Eigenvectors by Jacobi's method: a rotation of two rows and columns makes one element 0;
 * sweeps over all of them shrink what is beside the diagonal faster and faster.
 */
#include "engine/flow/dense.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 30 };

bool dense_cholesky(double *a, size_t n)
{
	for (size_t j = 0; j < n; j++) {
		double d = a[j * n + j];

		for (size_t k = 0; k < j; k++)
			d -= a[j * n + k] * a[j * n + k];
		if (!(d > 0))
			return false;
		a[j * n + j] = d = sqrt(d);
		for (size_t i = j + 1; i < n; i++) {
			double sum = a[i * n + j];

			for (size_t k = 0; k < j; k++)
				sum -= a[i * n + k] * a[j * n + k];
			a[i * n + j] = sum / d;
		}
	}
	return true;
}

void dense_forward(const double *l, size_t n, double *x)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			x[i] -= l[i * n + k] * x[k];
		x[i] /= l[i * n + i];
	}
}

void dense_solve(const double *l, size_t n, double *x)
{
	dense_forward(l, n, x);
	for (size_t i = n; i-- > 0;) {
		for (size_t k = i + 1; k < n; k++)
			x[i] -= l[k * n + i] * x[k];
		x[i] /= l[i * n + i];
	}
}

/* x, y = c x - s y, s x + c y */
static void rotate(double *x, double *y, double c, double s)
{
	const double was = *x;

	*x = c * was - s * *y;
	*y = s * was + c * *y;
}

static void clear_element(double *a, double *vector, size_t n, size_t p, size_t q)
{
	const double half = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
	const double t = (half < 0 ? -1 : 1) / (fabs(half) + sqrt(half * half + 1));
	const double c = 1 / sqrt(t * t + 1), s = t * c;

	const double by = t * a[p * n + q];

	a[p * n + p] -= by;
	a[q * n + q] += by;
	for (size_t k = 0; k < n; k++) {
		rotate(&vector[p * n + k], &vector[q * n + k], c, s);
		if (k == p || k == q)
			continue;
		rotate(&a[p * n + k], &a[q * n + k], c, s);
		a[k * n + p] = a[p * n + k];
		a[k * n + q] = a[q * n + k];
	}
	a[p * n + q] = a[q * n + p] = 0;
}

/* The sum of the squares beside the diagonal, and of all. */
static double beside(const double *a, size_t n, double *all)
{
	double off = 0;

	*all = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			*all += a[i * n + j] * a[i * n + j];
			off += i != j ? a[i * n + j] * a[i * n + j] : 0;
		}
	return off;
}

static void swap_vectors(double *value, double *vector, size_t n, size_t i, size_t j)
{
	double was[DENSE_MOST], v = value[i];

	memcpy(was, &vector[i * n], n * sizeof(*was));
	memcpy(&vector[i * n], &vector[j * n], n * sizeof(*was));
	memcpy(&vector[j * n], was, n * sizeof(*was));
	value[i] = value[j];
	value[j] = v;
}

void dense_eigen(double *a, size_t n, double *value, double *vector)
{
	double all;

	for (size_t i = 0; i < n * n; i++)
		vector[i] = i % (n + 1) == 0;
	for (int sweep = 0; sweep < SWEEPS && beside(a, n, &all) > 1e-18 * all; sweep++)
		for (size_t p = 0; p < n; p++)
			for (size_t q = p + 1; q < n; q++)
				if (a[p * n + q] != 0)
					clear_element(a, vector, n, p, q);
	for (size_t i = 0; i < n; i++)
		value[i] = a[i * n + i];
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (value[j] > value[i])
				swap_vectors(value, vector, n, i, j);
}
