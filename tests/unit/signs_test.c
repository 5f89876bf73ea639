/*
 * signs_test.c - small matrices, and the pairs of a flow: their sums are those of the flow,
 * they are the same in each run, and they find the callees that a caller's events tell of.
 */
#include <malloc.h>
#include <math.h>
#include <string.h>

#include "engine/flow/dense.h"
#include "engine/flow/pairs.h"
#include "engine/flow/signs.h"
#include "engine/flow/way_flow.h"
#include "index/base/arena.h"
#include "index/base/err_kind.h"
#include "index/base/err_struct.h"
#include "index/base/out.h"
#include "index/build.h"
#include "tests/support/dice.h"
#include "tests/support/fuzzing.h"
#include "tests/support/tap.h"
#include "index/base/map.h"

/* ---- matrices ---- */

/* A random x x'. */
static void draw_matrix(size_t n, double *a)
{
	double x[DENSE_MOST * DENSE_MOST];

	for (size_t i = 0; i < n * n; i++)
		x[i] = dice_below(2000) / 1000.0 - 1;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			a[i * n + j] = 0;
			for (size_t k = 0; k < n; k++)
				a[i * n + j] += x[i * n + k] * x[j * n + k];
		}
}

/* How far a v is from value v. */
static double off_vector(size_t n, const double *a, const double *v, double value)
{
	double off = 0;

	for (size_t i = 0; i < n; i++) {
		double sum = 0;

		for (size_t k = 0; k < n; k++)
			sum += a[i * n + k] * v[k];
		off = fmax(off, fabs(sum - value * v[i]));
	}
	return off;
}

static void test_matrices(void)
{
	double off_eigen = 0, off_solve = 0;
	bool ordered = true, factored = true;

	for (unsigned round = 0; round < 1000; round++) {
		const size_t n = 1 + dice_below(DENSE_MOST);
		double a[DENSE_MOST * DENSE_MOST], was[DENSE_MOST * DENSE_MOST];
		double value[DENSE_MOST], v[DENSE_MOST * DENSE_MOST], x[DENSE_MOST];

		draw_matrix(n, was);
		memcpy(a, was, sizeof(a));
		dense_eigen(a, n, value, v);
		for (size_t k = 0; k < n; k++) {
			off_eigen =
				fmax(off_eigen, off_vector(n, was, &v[k * n], value[k]));
			ordered &= !k || value[k] <= value[k - 1];
		}
		for (size_t i = 0; i < n; i++) {
			was[i * n + i] += 1;
			x[i] = v[i] * (value[0] + 1);
		}
		memcpy(a, was, sizeof(a));
		factored &= dense_cholesky(a, n);
		dense_solve(a, n, x); /* the first vector */
		for (size_t i = 0; i < n; i++)
			off_solve = fmax(off_solve, fabs(x[i] - v[i]));
	}
	ok(off_eigen < 1e-7, "eigenvectors: off by %g", off_eigen);
	ok(ordered, "the largest value is first");
	ok(factored && off_solve < 1e-7, "equations: off by %g", off_solve);
	ok(!dense_cholesky((double[]){1, 2, 2, 1}, 2), "not positive definite");
}

/* ---- pairs ---- */

enum { WAYS = 4, KINDS = 3 }; /* of reading, of jumping, of both */

/* main calls a0 .. a3; these call f; f calls b0 .. b2, which have rates of their own.  part[i][j]:
 * what f costs below a_i in b_j. */
static void write_profile(struct out *o, uint64_t (*part)[KINDS], unsigned events)
{
	static const unsigned rate[KINDS][3] = {{1, 5, 1}, {1, 1, 5}, {1, 3, 3}};
	uint64_t at_f[KINDS][3] = {{0}};

	out_c(o, "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\n");
	out_printf(o, "positions: line\nevents: Ir%s\n", events > 1 ? " Dr Bc" : "");
	for (unsigned i = 0; i < WAYS; i++) {
		uint64_t sum[3] = {0};

		for (unsigned j = 0; j < KINDS; j++)
			for (unsigned e = 0; e < 3; e++) {
				sum[e] += part[i][j] * rate[j][e];
				at_f[j][e] += part[i][j] * rate[j][e];
			}
		out_printf(o, "fn=a%u\ncfn=f\ncalls=1 1\n%u", i, i + 1);
		for (unsigned e = 0; e < events; e++)
			out_printf(o, " %" PRIu64, sum[e]);
		out_printf(o, "\nfn=main\ncfn=a%u\ncalls=1 1\n%u", i, i + 1);
		for (unsigned e = 0; e < events; e++)
			out_printf(o, " %" PRIu64, sum[e]);
		out_c(o, "\n");
	}
	for (unsigned j = 0; j < KINDS; j++)
		for (int call = 0; call < 2; call++) {
			out_printf(o, call ? "fn=f\ncfn=b%u\ncalls=1 1\n9" : "fn=b%u\n9",
				   j);
			for (unsigned e = 0; e < events; e++)
				out_printf(o, " %" PRIu64, at_f[j][e]);
			out_c(o, "\n");
		}
}

static struct store *indexed(const struct out *o)
{
	const struct build_opts opts = {.no_write = true, .jobs = 1};
	struct build_report report;
	struct store *st = NULL;
	struct err err = {0};
	char path[96];
	FILE *file;

	snprintf(path, sizeof(path), "%s/signs", fuzz_directory());
	file = fopen(path, "w");
	if (!file || fwrite(o->buf, 1, o->n, file) != o->n || fclose(file) ||
	    build_open(path, &opts, &st, &report, &err))
		fuzz_fail("%s", err.text);
	return st;
}

static uint32_t find_fn(struct store *st, const char *name)
{
	for (fn_id f = 0; f < store_info(st)->functions; f++)
		if (str_eq(store_fn_name(st, f), str_c(name)))
			return f;
	fuzz_fail("no function %s", name);
	return 0;
}

/* The largest part by which sums of the pairs of f are off, of all that passes it. */
static double off_sums(const struct flow *fl, uint32_t f, const double *x)
{
	const uint32_t rows = pairs_in(fl, f), columns = pairs_out(fl, f);
	double off = 0, sum;

	for (uint32_t i = 0; i < rows; i++) {
		sum = i + 1 < rows
			      ? -flow_cost(fl, fl->in.in_edge[fl->in.in_first[f] + i])
			      : -fl->root[f];
		for (uint32_t j = 0; j < columns; j++)
			sum += x[i * columns + j];
		off = fmax(off, fabs(sum));
	}
	for (uint32_t j = 0; j < columns; j++) {
		sum = j + 1 < columns ? -flow_cost(fl, fl->in.out_first[f] + j)
				      : -(double)fl->in.self[f];
		for (uint32_t i = 0; i < rows; i++)
			sum += x[i * columns + j];
		off = fmax(off, fabs(sum));
	}
	return off / fl->through[f];
}

/* The share of the cost that stands at the wrong pair, and in proportion. */
static void add_wrong(struct store *st, const struct flow *fl, const double *x,
		      uint64_t (*part)[KINDS], double *wrong, double *simple)
{
	const uint32_t f = find_fn(st, "f");
	double row[WAYS] = {0}, column[KINDS] = {0}, all = 0, off[2] = {0};

	for (unsigned i = 0; i < WAYS; i++)
		for (unsigned j = 0; j < KINDS; j++) {
			row[i] += (double)part[i][j];
			column[j] += (double)part[i][j];
			all += (double)part[i][j];
		}
	for (uint32_t i = 0; i + 1 < pairs_in(fl, f); i++)
		for (uint32_t j = 0; j + 1 < pairs_out(fl, f); j++) {
			const uint32_t in = fl->in.in_edge[fl->in.in_first[f] + i];
			char a[4] = "a0", b[4] = "b0";
			unsigned from = 0, to = 0;

			for (; find_fn(st, a) != fl->in.caller[in]; from++)
				a[1]++;
			for (; find_fn(st, b) != fl->in.callee[fl->in.out_first[f] + j];
			     to++)
				b[1]++;
			off[0] += fabs((double)part[from][to] -
				       (x ? x[i * pairs_out(fl, f) + j]
					  : row[from] * column[to] / all));
			off[1] += fabs((double)part[from][to] -
				       row[from] * column[to] / all);
		}
	*wrong += off[0] / all;
	*simple += off[1] / all;
}

/* A vertex of the flow of ways has what comes by its way, and they add up to the function. */
static bool ways_add_up(const struct flow *fl, struct arena *a)
{
	struct way_flow *w;

	way_flow_new(fl, NULL, a, NULL, &w);
	if (!w)
		return false;
	for (uint32_t f = 0; f < fl->in.functions; f++) {
		double sum = 0;

		for (uint32_t v = w->first[f]; v < w->first[f + 1]; v++)
			sum += w->flow.through[v];
		if (way_flow_split(w, f))
			sum -= w->flow.through[w->first[f + 1] - 1];
		if (fabs(sum / w->scale - fl->through[f]) > 1e-9 * fl->through[f])
			return false;
	}
	return true;
}

static void test_pairs(void)
{
	double off = 0, wrong = 0, simple = 0;
	bool same = true, add_up = true;
	uint32_t solved = 0;

	for (unsigned round = 0; round < 100; round++) {
		uint64_t part[WAYS][KINDS];
		const double *x[2] = {NULL, NULL};
		struct flow_cache *cache[2];
		const struct flow *fl[2];
		struct out o;
		struct store *st;
		struct err err = {0};
		struct arena a;
		uint32_t f;

		arena_init(&a, 0);
		out_mem(&o);
		for (unsigned i = 0; i < WAYS; i++)
			for (unsigned j = 0; j < KINDS; j++)
				part[i][j] = dice_below(3) ? dice_below(1000) + 1 : 1;
		write_profile(&o, part, 3);
		st = indexed(&o);
		f = find_fn(st, "f");
		for (int k = 0; k < 2; k++) {
			if (flow_cache_new(&cache[k], &err))
				fuzz_fail("%s", err.text);
			flow_of(cache[k], st, 0, NULL, &fl[k]);
			pairs_of(fl[k], f, &x[k]);
		}
		if (x[0]) {
			solved++;
			off = fmax(off, off_sums(fl[0], f, x[0]));
			same &= x[1] && !memcmp(x[0], x[1],
						pairs_in(fl[0], f) * pairs_out(fl[0], f) *
							sizeof(double));
		}
		add_wrong(st, fl[0], x[0], part, &wrong, &simple);
		add_up &= ways_add_up(fl[0], &a);
		for (uint32_t e = 1; e < 3; e++) {
			flow_of(cache[0], st, e, NULL, &fl[1]);
			pairs_of(fl[1], f, &x[1]);
			off = x[1] ? fmax(off, off_sums(fl[1], f, x[1])) : off;
		}
		flow_cache_free(cache[0]);
		flow_cache_free(cache[1]);
		store_close(st);
		out_close(&o);
		arena_free(&a);
	}
	ok(solved > 50, "%" PRIu32 " of 100 are solved", solved);
	ok(off < 1e-9, "sums are those of the flow, of other events, too: off by %g",
	   off);
	ok(same, "the same in each run");
	ok(add_up, "the ways into a function add up to it");
	ok(wrong < simple / 2,
	   "%.1f %% of the cost at the wrong pair, in proportion %.1f %%", wrong, simple);
}

static void test_one_event(void)
{
	uint64_t part[WAYS][KINDS] = {{1, 2, 3}, {3, 2, 1}, {5, 5, 5}, {9, 1, 1}};
	struct flow_cache *cache;
	const struct flow *fl;
	struct store *st;
	struct err err = {0};
	struct out o;

	out_mem(&o);
	write_profile(&o, part, 1);
	st = indexed(&o);
	if (flow_cache_new(&cache, &err))
		fuzz_fail("%s", err.text);
	flow_of(cache, st, 0, NULL, &fl);
	ok(!fl->pairs, "one event: no pairs");
	flow_cache_free(cache);
	store_close(st);
	out_close(&o);
}

struct made_signs {
	struct store *st;
	const struct flow *fl;
	struct arena *a;
	struct signs *s;
};

static int make_signs(void *arg)
{
	struct made_signs *m = arg;

	signs_new(m->st, m->fl, m->a, NULL, &m->s);
	return 0;
}

/* Wherever memory ends, all of it is given back. */
static void test_refused(void)
{
	uint64_t part[WAYS][KINDS] = {{1, 2, 3}, {3, 2, 1}, {5, 5, 5}, {9, 1, 1}};
	unsigned refused = 0;
	struct flow_cache *cache;
	const struct flow *fl;
	struct store *st;
	struct err err = {0};
	struct out o;
	size_t before, cap = 0;
	int rc = ERR_LIMIT;

	out_mem(&o);
	write_profile(&o, part, 3);
	st = indexed(&o);
	if (flow_cache_new(&cache, &err))
		fuzz_fail("%s", err.text);
	flow_of(cache, st, 0, NULL, &fl);
	before = mallinfo2().uordblks;
	for (; rc == ERR_LIMIT; cap += 16) {
		struct arena a;
		struct made_signs m = {st, fl, &a, NULL};

		err = (struct err){0};
		arena_init(&a, cap + 1);
		rc = map_guard(make_signs, &m, ERR_INDEX, &err);
		refused += rc == ERR_LIMIT;
		signs_free(m.s);
		arena_free(&a);
	}
	ok(!rc && refused > 20, "refused %u times up to %zu bytes", refused, cap);
	ok(mallinfo2().uordblks == before, "and all memory is given back");
	flow_cache_free(cache);
	store_close(st);
	out_close(&o);
}

int main(void)
{
	test_matrices();
	test_pairs();
	test_one_event();
	test_refused();
	return done_testing();
}
