/*
 * dense.h - small symmetric matrices: a Cholesky factor, eigenvectors.
 *
 * A matrix of n * n is in rows, one after the other.  All results are the same on every run:
 * the steps depend on the numbers alone.
 */
#ifndef QUERN_DENSE_H
#define QUERN_DENSE_H

#include <stdbool.h>
#include <stddef.h>

enum { DENSE_MOST = 16 }; /* the most n of dense_eigen() */

/* Replace the lower half of a by L, a = L L'.  false: a is not positive definite. */
bool dense_cholesky(double *a, size_t n);
/* x becomes the solution of L y = x, or of L L' y = x. */
void dense_forward(const double *l, size_t n, double *x);
void dense_solve(const double *l, size_t n, double *x);
/* value[]: the eigenvalues of a, the largest first; row k of vector: the vector of value[k].
 * a is overwritten. */
void dense_eigen(double *a, size_t n, double *value, double *vector);

#endif
