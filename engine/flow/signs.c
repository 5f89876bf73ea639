/*
 * signs.c - see signs.h.
 *
 * The rate of an event is its cost for each unit of event 0.  A callee has not the same rate
 * for all its callers; how much it varies is seen in the calls into it (`noise`).  At f, each
 * way in i (with cost r_i and rates d_i) has a share of each way out j (c_j, D_j), at first
 * q_j = c_j / sum c.  The shares are tilted towards ways out with the rates of i:
 *
 *	P_ij ~ q_j exp(b_j + L_i . D_j)
 *
 * L_i maximises the likelihood of d_i, less |L_i|^2 / 2 PHI, if the rates vary by noise;
 * b_j makes the columns add up.  All rates are taken in units of the noise (its Cholesky
 * factor) along the directions in which the ways out differ most (eigenvectors).  What is
 * left is scaled to the exact sums.
 */
#include "engine/flow/signs.h"

#include <math.h>
#include <string.h>

#include "engine/flow/dense.h"
#include "index/base/need.h"
#include "index/base/err.h"

enum {
	SEEN_MOST = 4096, /* functions that are looked at, the costliest */
	CELLS_MOST = 200000,
	DIRECTIONS = 6, /* twelve are no better */
	ROUNDS = 20,
	FITS = 500,
	POLL = 64,
};
#define LEAST 1e-5   /* of all cost: the least through a function */
#define PHI 0.3	     /* how far a caller may differ from the others */
#define PART 0.03    /* of the noise of one callee counts for all of them */
#define FLOOR 1e-3   /* the least noise of an event, of its mean */
#define DIFFERS 1e-3 /* the least variance of a direction, in units of the noise */
#define KNOWN 3	     /* the mean counts like so many callers */
#define EXACT 1e-15  /* of the cost: what a sum may be off, */
#define AT_MOST 1e-9 /* at the end */

struct seen {
	double weight; /* as many callers, all equal, less one */
	double cov[];  /* of the rates between callers */
};

struct signs {
	struct store *st;
	const struct flow *fl;
	struct arena *a, scratch;
	uint32_t events; /* but the first */
	double least;
	struct seen **seen; /* [functions]; NULL: not looked at */
	double noise[DENSE_MOST * DENSE_MOST], own[DENSE_MOST * DENSE_MOST];
};

/* The ways in or out of a function. */
struct ways {
	uint32_t n, *at;     /* their numbers in the answer */
	double *cost, *rate; /* [n], [n * events] */
	double sum;
};

static double rate(int64_t cost, double of)
{
	return cost > 0 ? (double)cost / of : 0;
}

static void make_ways(struct signs *s, size_t most, struct ways *w)
{
	w->at = NEED_ARRAY(&s->scratch, uint32_t, most);
	w->cost = NEED_ARRAY(&s->scratch, double, most);
	w->rate = NEED_ARRAY(&s->scratch, double, most * s->events);
}

static double *add_way(const struct signs *s, struct ways *w, uint32_t at, double cost)
{
	w->at[w->n] = at;
	w->cost[w->n] = cost;
	w->sum += cost;
	return &w->rate[s->events * w->n++];
}

static void add_call(const struct signs *s, struct ways *w, uint32_t at, uint32_t i)
{
	const double cost = flow_cost(s->fl, i);
	double *to;

	if (!(cost > 0))
		return;
	to = add_way(s, w, at, cost);
	for (uint32_t e = 0; e < s->events; e++)
		to[e] = rate(store_edge_incl(s->st, i, e + 1), (double)s->fl->in.incl[i]);
}

/* The calls into f. */
static void ways_in(struct signs *s, uint32_t f, struct ways *w)
{
	const struct flow_input *in = &s->fl->in;
	const uint32_t first = in->in_first[f], n = in->in_first[f + 1] - first;

	make_ways(s, (size_t)n + 1, w);
	for (uint32_t k = 0; k < n; k++)
		add_call(s, w, k, in->in_edge[first + k]);
}

/* The calls by f, and its own cost. */
static void ways_out(struct signs *s, uint32_t f, struct ways *w)
{
	const struct flow_input *in = &s->fl->in;
	const uint32_t first = in->out_first[f], n = in->out_first[f + 1] - first;
	double *to;

	make_ways(s, (size_t)n + 1, w);
	for (uint32_t k = 0; k < n; k++)
		add_call(s, w, k, first + k);
	if (in->self[f] <= 0)
		return;
	to = add_way(s, w, n, (double)in->self[f]);
	for (uint32_t e = 0; e < s->events; e++)
		to[e] = rate(store_fn_self(s->st, f, e + 1), (double)in->self[f]);
}

/* Add the way of a root, which no call leads to: it has the costs that no call brings. */
static void add_root(const struct signs *s, uint32_t f, struct ways *w)
{
	const struct flow_input *in = &s->fl->in;
	double *to;

	if (!(s->fl->root[f] > 0))
		return;
	to = add_way(s, w, in->in_first[f + 1] - in->in_first[f], s->fl->root[f]);
	for (uint32_t e = 0; e < s->events; e++) {
		double left = (double)store_fn_self(s->st, f, e + 1);

		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
			left += (double)store_edge_incl(s->st, i, e + 1);
		for (uint32_t k = in->in_first[f]; k < in->in_first[f + 1]; k++)
			left -= (double)store_edge_incl(s->st, in->in_edge[k], e + 1);
		to[e] = left > 0 ? left / s->fl->root[f] : 0;
	}
}

/* Take the mean out of the rates. */
static void centre(struct ways *w, uint32_t events)
{
	for (uint32_t e = 0; e < events; e++) {
		double mean = 0;

		for (uint32_t i = 0; i < w->n; i++)
			mean += w->cost[i] / w->sum * w->rate[i * events + e];
		for (uint32_t i = 0; i < w->n; i++)
			w->rate[i * events + e] -= mean;
	}
}

static void add_square(double *to, const double *x, uint32_t n, double weight)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j <= i; j++)
			to[i * n + j] += weight * x[i] * x[j];
}

static void add_matrix(double *to, const double *x, uint32_t n, double weight)
{
	for (uint32_t i = 0; i < n * n; i++)
		to[i] += weight * x[i];
}

/* ---- the noise ---- */

/* See how the rates of h vary between its callers; 0 in *even: one of them has almost all
 * calls.  Matrices have their lower half. */
static void look_at(struct signs *s, uint32_t h, double *even)
{
	const uint32_t k = s->events;
	struct ways w = {0};
	struct seen *seen;
	double same = 0;

	*even = 0;
	arena_reset(&s->scratch);
	ways_in(s, h, &w);
	for (uint32_t i = 0; i < w.n; i++)
		same += w.cost[i] / w.sum * (w.cost[i] / w.sum);
	if (w.n < 2 || 1 / same < 1.05)
		return;
	seen = need_array(s->a, 1, sizeof(*seen) + (size_t)k * k * sizeof(double));
	centre(&w, k);
	for (uint32_t i = 0; i < w.n; i++)
		add_square(seen->cov, &w.rate[i * k], k, w.cost[i] / w.sum / (1 - same));
	seen->weight = 1 / same - 1;
	s->seen[h] = seen;
	*even = w.sum * (1 - same);
}

/* The least cost of a function that is looked at: so much that they are not too many. */
static void find_least(struct signs *s)
{
	const struct flow *fl = s->fl;
	double total = 0;
	uint32_t n = UINT32_MAX;

	for (uint32_t f = 0; f < fl->in.functions; f++)
		total += (double)fl->in.self[f];
	for (s->least = total * LEAST / 1.5; n > SEEN_MOST;) {
		s->least *= 1.5;
		n = 0;
		for (uint32_t f = 0; f < fl->in.functions; f++)
			n += fl->through[f] >= s->least;
	}
}

static bool is_leaf(const struct flow_input *in, uint32_t f)
{
	for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
		if (in->incl[i] > 0)
			return false;
	return true;
}

/* The mean noise of calls, and of own costs: that of functions which call nothing. */
static void measure(struct signs *s, const struct cancel *cancel)
{
	const uint32_t k = s->events;
	double all = 0, leaves = 0, even;

	for (uint32_t h = 0; h < s->fl->in.functions; h++) {
		if (h % POLL == 0)
			need_time(cancel);
		if (!(s->fl->through[h] >= s->least))
			continue;
		look_at(s, h, &even);
		if (!(even > 0))
			continue;
		add_matrix(s->noise, s->seen[h]->cov, k, even);
		all += even;
		if (!is_leaf(&s->fl->in, h))
			continue;
		add_matrix(s->own, s->seen[h]->cov, k, even);
		leaves += even;
	}
	for (uint32_t i = 0; i < k * k; i++) {
		s->noise[i] /= all > 0 ? all : 1;
		s->own[i] = leaves > 0 ? s->own[i] / leaves : s->noise[i];
	}
}

void signs_new(struct store *st, const struct flow *fl, struct arena *a,
	       const struct cancel *cancel, struct signs **out)
{
	const uint32_t events = store_info(st)->events;
	struct signs *s;

	*out = NULL;
	if (events < 2 || fl->mixed)
		return;
	s = NEED_NEW(a, struct signs);
	s->seen = NEED_ARRAY(a, struct seen *, (size_t)fl->in.functions + 1);
	s->st = st;
	s->fl = fl;
	s->a = a;
	s->events = events > DENSE_MOST ? DENSE_MOST : events - 1;
	arena_init(&s->scratch, a->cap);
	*out = s;
	find_least(s);
	measure(s, cancel);
	store_sound(st);
}

void signs_free(struct signs *s)
{
	if (s)
		arena_free(&s->scratch);
}

/* ---- one function ---- */

struct solving {
	struct ways in, out;
	uint32_t k;		 /* directions */
	double *tilt, *shift;	 /* [in.n * k], [out.n]: L, b */
	double *x, *sums;	 /* [in.n * out.n], [out.n] */
	double most[DENSE_MOST]; /* the largest step of a tilt */
};

bool signs_apply(const struct signs *s, uint32_t f)
{
	const struct flow_input *in = &s->fl->in;
	const uint64_t rows = (uint64_t)in->in_first[f + 1] - in->in_first[f] + 1,
		       columns = (uint64_t)in->out_first[f + 1] - in->out_first[f] + 1;

	return s->fl->through[f] >= s->least && rows * columns <= CELLS_MOST &&
	       rows + (s->fl->root[f] > 0) > 2 && columns + (in->self[f] > 0) > 2;
}

/* The noise of the mean of the callees, as its Cholesky factor. */
static bool factor_noise(const struct signs *s, uint32_t f, const struct ways *out,
			 double *to)
{
	const struct flow_input *in = &s->fl->in;
	const uint32_t k = s->events, calls = in->out_first[f + 1] - in->out_first[f];

	memset(to, 0, sizeof(*to) * k * k);
	for (uint32_t j = 0; j < out->n; j++) {
		const double q = out->cost[j] / out->sum, part = PART * q * q;
		const bool own = out->at[j] == calls;
		const struct seen *seen =
			own ? NULL : s->seen[in->callee[in->out_first[f] + out->at[j]]];
		const double weight = seen ? seen->weight : 0;

		add_matrix(to, own ? s->own : s->noise, k,
			   part * KNOWN / (KNOWN + weight));
		if (seen)
			add_matrix(to, seen->cov, k, part * weight / (KNOWN + weight));
	}
	for (uint32_t e = 0; e < k; e++)
		to[e * k + e] += FLOOR * s->noise[e * k + e] + 1e-12;
	return dense_cholesky(to, k);
}

/* Turn rates into distances along the directions: the first k of each row. */
static void project(struct ways *w, uint32_t events, const double *vector, uint32_t k)
{
	for (uint32_t i = 0; i < w->n; i++) {
		double *x = &w->rate[i * events], y[DENSE_MOST];

		for (uint32_t c = 0; c < k; c++) {
			y[c] = 0;
			for (uint32_t e = 0; e < events; e++)
				y[c] += vector[c * events + e] * x[e];
		}
		memcpy(&w->rate[i * k], y, k * sizeof(*y));
	}
}

/* Find the directions in which the ways out differ; k is 0 if they do not. */
static void find_directions(const struct signs *s, uint32_t f, struct solving *v)
{
	const uint32_t events = s->events;
	double factor[DENSE_MOST * DENSE_MOST], var[DENSE_MOST * DENSE_MOST] = {0};
	double value[DENSE_MOST], vector[DENSE_MOST * DENSE_MOST];

	centre(&v->in, events);
	centre(&v->out, events);
	if (!factor_noise(s, f, &v->out, factor))
		return;
	for (uint32_t i = 0; i < v->in.n; i++)
		dense_forward(factor, events, &v->in.rate[i * events]);
	for (uint32_t j = 0; j < v->out.n; j++) {
		dense_forward(factor, events, &v->out.rate[j * events]);
		add_square(var, &v->out.rate[j * events], events,
			   v->out.cost[j] / v->out.sum);
	}
	for (uint32_t i = 0; i < events; i++)
		for (uint32_t j = i + 1; j < events; j++)
			var[i * events + j] = var[j * events + i];
	dense_eigen(var, events, value, vector);
	while (v->k < DIRECTIONS && v->k < events && value[v->k] > DIFFERS)
		v->k++;
	project(&v->in, events, vector, v->k);
	project(&v->out, events, vector, v->k);
}

/* The shares of row i, into to[]. */
static void share_row(const struct solving *v, uint32_t i, double *to)
{
	const double *tilt = &v->tilt[i * v->k];
	double most = -INFINITY, sum = 0;

	for (uint32_t j = 0; j < v->out.n; j++) {
		double z = v->shift[j];

		for (uint32_t c = 0; c < v->k; c++)
			z += tilt[c] * v->out.rate[j * v->k + c];
		to[j] = z;
		most = z > most ? z : most;
	}
	for (uint32_t j = 0; j < v->out.n; j++)
		sum += to[j] = exp(to[j] - most);
	for (uint32_t j = 0; j < v->out.n; j++)
		to[j] /= sum;
}

/* Tilt row i, whose shares are p[], towards its own rates: a step of Newton's method. */
static void tilt_row(struct solving *v, uint32_t i, const double *p)
{
	const uint32_t k = v->k;
	double h[DENSE_MOST * DENSE_MOST] = {0}, step[DENSE_MOST], mean[DENSE_MOST] = {0};
	double *tilt = &v->tilt[i * k];

	for (uint32_t j = 0; j < v->out.n; j++) {
		const double *d = &v->out.rate[j * k];

		for (uint32_t c = 0; c < k; c++)
			mean[c] += p[j] * d[c];
		add_square(h, d, k, p[j]);
	}
	add_square(h, mean, k, -1);
	for (uint32_t c = 0; c < k; c++) {
		step[c] = mean[c] - v->in.rate[i * k + c] + tilt[c] / PHI;
		h[c * k + c] += 1 / PHI;
	}
	if (!dense_cholesky(h, k))
		return;
	dense_solve(h, k, step);
	for (uint32_t c = 0; c < k; c++)
		tilt[c] -= .8 * fmax(-v->most[c], fmin(v->most[c], step[c]));
}

/* Move the shifts towards the sums of the columns. */
static void shift_columns(struct solving *v)
{
	for (uint32_t j = 0; j < v->out.n; j++) {
		const double base = log(v->out.cost[j] / v->out.sum);
		double wanted = v->out.cost[j] / v->out.sum * v->in.sum;
		double b = v->shift[j] - base + log(wanted / fmax(v->sums[j], 1e-300));

		v->shift[j] = base + fmax(-30, fmin(30, b));
	}
}

static void find_shares(struct solving *v)
{
	const uint32_t n = v->in.n, m = v->out.n;

	for (uint32_t c = 0; c < v->k; c++) {
		double most = 1e-9;

		for (uint32_t j = 0; j < m; j++)
			most = fmax(most, fabs(v->out.rate[j * v->k + c]));
		v->most[c] = 4 / most;
	}
	for (uint32_t j = 0; j < m; j++)
		v->shift[j] = log(v->out.cost[j] / v->out.sum);
	for (int round = 0; round <= ROUNDS; round++) {
		memset(v->sums, 0, m * sizeof(*v->sums));
		for (uint32_t i = 0; i < n; i++) {
			double *p = &v->x[(size_t)i * m];

			share_row(v, i, p);
			if (round < ROUNDS)
				tilt_row(v, i, p);
			for (uint32_t j = 0; j < m; j++)
				v->sums[j] += v->in.cost[i] * p[j];
		}
		if (round < ROUNDS)
			shift_columns(v);
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < m; j++)
			v->x[(size_t)i * m + j] *= v->in.cost[i];
}

bool signs_fit(double *x, size_t n, size_t m, const double *r, const double *c,
	       double *sums)
{
	double in = 0, out = 0, off = 0;

	for (size_t i = 0; i < n; i++)
		in += r[i];
	for (size_t j = 0; j < m; j++)
		out += c[j];
	for (int round = 0; round < FITS; round++) {
		off = 0;
		memset(sums, 0, m * sizeof(*sums));
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < m; j++)
				sums[j] += x[i * m + j];
		for (size_t j = 0; j < m; j++) {
			const double wanted = c[j] / out * in;

			off = fmax(off, fabs(sums[j] - wanted));
			sums[j] = sums[j] > 0 ? wanted / sums[j] : 0;
		}
		if (round && off <= EXACT * in)
			return true;
		for (size_t i = 0; i < n; i++) {
			double sum = 0;

			for (size_t j = 0; j < m; j++)
				sum += x[i * m + j] *= sums[j];
			for (size_t j = 0; j < m; j++)
				x[i * m + j] *= sum > 0 ? r[i] / sum : 0;
		}
	}
	return off <= AT_MOST * in;
}

static void solve(struct signs *s, uint32_t f, struct solving *v)
{
	struct arena *a = &s->scratch;
	size_t n, m;

	arena_reset(a);
	ways_in(s, f, &v->in);
	ways_out(s, f, &v->out);
	add_root(s, f, &v->in);
	n = v->in.n;
	m = v->out.n;
	if (n < 2 || m < 2)
		return;
	find_directions(s, f, v);
	v->tilt = NEED_ARRAY(a, double, n * v->k + 1);
	v->shift = NEED_ARRAY(a, double, m);
	v->sums = NEED_ARRAY(a, double, m);
	v->x = NEED_ARRAY(a, double, n *m);
	if (!v->k)
		return;
	find_shares(v);
	if (!signs_fit(v->x, n, m, v->in.cost, v->out.cost, v->sums))
		v->k = 0;
}

void signs_solve(struct signs *s, uint32_t f, double **out)
{
	const struct flow_input *in = &s->fl->in;
	const size_t rows = (size_t)in->in_first[f + 1] - in->in_first[f] + 1,
		     columns = (size_t)in->out_first[f + 1] - in->out_first[f] + 1;
	struct solving v = {0};
	double *x;

	*out = NULL;
	if (!signs_apply(s, f))
		return;
	solve(s, f, &v);
	store_sound(s->st);
	if (!v.k)
		return;
	x = NEED_ARRAY(s->a, double, rows *columns);
	for (uint32_t i = 0; i < v.in.n; i++)
		for (uint32_t j = 0; j < v.out.n; j++)
			x[v.in.at[i] * columns + v.out.at[j]] =
				v.x[(size_t)i * v.out.n + j];
	*out = x;
}
