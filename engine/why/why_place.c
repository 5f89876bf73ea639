/*
 * why_place.c - the line of a cause: the call that is new or made more often, or the line
 * inside the function that costs more than any on the other side; see why.h.
 *
 * Lines have no names, and an edit moves all below it.  So the lines of the two sides are
 * compared by what they cost in one run of the function: what has an equal on the other side
 * did not change.
 */
#include "engine/why/why_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/rows/exec.h"
#include "engine/rows/fn_detail.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/order.h"

/* A line, or a call site, and its cost or calls in one run. */
struct place {
	file_id file;
	uint32_t number; /* of the file, the same on both sides */
	uint32_t line;
	double per_run;
	bool matched;
};

struct places {
	struct place *at;
	size_t n;
};

/* Is it a header of the system?  The cause is rarely there. */
static bool of_system(struct str path)
{
	return str_starts(path, STR("/usr/include/")) ||
	       str_starts(path, STR("/usr/lib/")) ||
	       str_starts(path, STR("/usr/local/include/"));
}

static int set_place(struct why *w, unsigned side, const struct place *p,
		     struct why_place *out)
{
	const struct str file = store_file(w->g[side]->st, p->file);

	if (!str_eq(file, STR("???"))) /* a line of no file leads nowhere */
		*out = (struct why_place){file, p->line};
	return 0;
}

static int by_per_run(const void *pa, const void *pb)
{
	const struct place *a = *(const struct place *const *)pa,
			   *b = *(const struct place *const *)pb;
	const int c = order_double(a->per_run, b->per_run);

	return c ? c : order_u64((uint64_t)a->line, (uint64_t)b->line);
}

static struct place **sorted(struct exec *x, const struct places *p)
{
	struct place **at = EXEC_ARRAY(x, struct place *, p->n + 1);

	for (size_t i = 0; at && i < p->n; i++)
		at[i] = &p->at[i];
	if (at && p->n)
		qsort(at, p->n, sizeof(struct place *), by_per_run);
	return at;
}

/* Mark in both what has an equal in the other, each once. */
static int match_equals(struct exec *x, const struct places *a, const struct places *b)
{
	static const double near = 1e-3;
	struct place **pa = sorted(x, a), **pb = sorted(x, b);
	size_t i = 0, j = 0;

	if (!pa || !pb)
		return x->err->kind;
	while (i < a->n && j < b->n) {
		const double d = pa[i]->per_run - pb[j]->per_run;

		if (fabs(d) <= near * pb[j]->per_run)
			pa[i++]->matched = pb[j++]->matched = true;
		else if (d < 0)
			i++;
		else
			j++;
	}
	return 0;
}

/* The largest that is not matched, of the program rather than of the system. */
static const struct place *largest(const struct why *w, unsigned side,
				   const struct places *p)
{
	const struct place *best[2] = {NULL, NULL};

	for (size_t i = 0; i < p->n; i++) {
		const struct place *one = &p->at[i];
		const struct place **to =
			&best[of_system(store_file(w->g[side]->st, one->file))];

		if (!one->matched && (!*to || one->per_run > (*to)->per_run))
			*to = one;
	}
	return best[0] ? best[0] : best[1];
}

/* ---- calls ---- */

static int place_of_site(struct why *w, unsigned side, const struct why_site *s,
			 struct why_place *out)
{
	return set_place(w, side, &(struct place){.file = s->file_id, .line = s->line},
			 out);
}

static int list_sites(struct why *w, unsigned side, uint32_t g, const struct why_sites *s,
		      struct places *out)
{
	struct exec *x = w->run[HERE];

	out->n = s->n;
	if (!(out->at = EXEC_ARRAY(x, struct place, s->n + 1)))
		return x->err->kind;
	for (size_t i = 0; i < s->n; i++)
		out->at[i] = (struct place){
			.file = s->at[i].file_id,
			.line = s->at[i].line,
			.per_run = why_per_run(s->at[i].calls, w->runs[side][g])};
	return 0;
}

/* The site with the number of the cause's edge. */
static const struct why_site *numbered(const struct why_sites *s, const uint32_t *of,
				       uint32_t number)
{
	for (size_t i = 0; i < s->n; i++)
		if (of[i] == number)
			return &s->at[i];
	return NULL;
}

static int place_of_call(struct why *w, const struct why_cause *c, struct why_place *out)
{
	struct exec *x = w->run[HERE];
	struct why_sites all[SIDES] = {{0}}, s[SIDES] = {{0}};
	struct places p[SIDES] = {{0}};
	uint32_t *of[SIDES], numbers;
	const struct place *best;
	int rc;

	for (unsigned k = 0; k < SIDES; k++)
		if (w->fn[k][c->fn] != WHY_NONE) {
			if (why_sites_of(w, k, c->fn, x->a, &all[k]))
				return x->err->kind;
			s[k] = why_sites_to(&all[k], c->callee);
		}
	if (c->edge && !c->edge->caller &&
	    why_align(w, c->fn, s, x->a, of, &numbers, &rc)) {
		for (unsigned k = SIDES; k-- > 0;) {
			const struct why_site *one =
				numbered(&s[k], of[k], c->edge->site);

			if (one)
				return place_of_site(w, k, one, out);
		}
		return 0;
	}
	for (unsigned k = 0; k < SIDES; k++)
		if (list_sites(w, k, c->fn, &s[k], &p[k]))
			return x->err->kind;
	if (match_equals(x, &p[BASE], &p[HERE]))
		return x->err->kind;
	for (unsigned k = SIDES; k-- > 0;)
		if ((best = largest(w, k, &p[k])))
			return set_place(w, k, best, out);
	/* If no site has changed, take the first one of this side. */
	return s[HERE].n ? place_of_site(w, HERE, &s[HERE].at[0], out) : 0;
}

/* ---- lines inside ---- */

static int by_place(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;
	const int c = order_u64(a->number, b->number);

	return c ? c : order_u64(a->line, b->line);
}

/* The lines of a recorded function. */
static int add_lines(struct why *w, unsigned side, uint32_t f, fn_id fn,
		     struct places *out)
{
	struct exec *x = w->run[side];
	struct store *st = w->g[side]->st;
	const uint32_t events = store_info(st)->events;
	struct store_line *row = NULL;
	int64_t *costs = NULL;
	size_t n = 0;
	struct place *all;

	if (fn_lines(x, fn, x->a, &row, &costs, &n))
		return x->err->kind;
	if (!(all = EXEC_ARRAY(x, struct place, out->n + n + 1)))
		return x->err->kind;
	if (out->n)
		memcpy(all, out->at, out->n * sizeof(*all));
	out->at = all;
	for (size_t i = 0; i < n; i++) {
		const int64_t cost =
			store_event_of(st, w->event[side], &costs[i * events]);

		if (cost)
			all[out->n++] = (struct place){
				.file = row[i].file,
				.number = w->file[side][row[i].file],
				.line = (uint32_t)row[i].line,
				.per_run = why_per_run((double)cost, w->runs[side][f])};
	}
	return 0;
}

static int list_lines(struct why *w, unsigned side, uint32_t f, struct places *out)
{
	const struct graph *g = w->g[side], *apart = g->apart ? g->apart : g;
	const uint32_t v = w->fn[side][f];
	double sum = 0;
	size_t k;

	if (v == WHY_NONE || !why_has_detail(g, v))
		return 0;
	for (uint32_t m = 0; m < graph_members_count(g, v); m++)
		if (add_lines(w, side, f, graph_origin(apart, graph_member(g, v, m)),
			      out))
			return w->run[side]->err->kind;
	k = out->n;
	for (size_t i = 0; i < k; i++)
		sum += out->at[i].per_run * w->runs[side][f];
	/* A stage gave it costs of others, which are in no line of it. */
	if ((double)graph_self(g, v, w->event[side]) > sum + 1) {
		out->n = 0;
		return 0;
	}
	if (k)
		qsort(out->at, k, sizeof(*out->at), by_place);
	out->n = 0;
	for (size_t i = 0; i < k; i++) {
		if (out->n && !by_place(&out->at[out->n - 1], &out->at[i]))
			out->at[out->n - 1].per_run += out->at[i].per_run;
		else
			out->at[out->n++] = out->at[i];
	}
	return 0;
}

/* A line that stands where it stood, and costs nearly the same, is taken for its change. */
static void less_of_same(const struct places *a, struct places *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct place *same =
			a->n ? bsearch(&b->at[i], a->at, a->n, sizeof(*same), by_place)
			     : NULL;

		if (same && !b->at[i].matched &&
		    fabs(same->per_run - b->at[i].per_run) < 0.5 * b->at[i].per_run)
			b->at[i].per_run -= same->per_run;
	}
}

static int place_inside(struct why *w, const struct why_cause *c, struct why_place *out)
{
	struct places p[SIDES] = {{0}};
	const struct place *best;

	for (unsigned k = 0; k < SIDES; k++)
		if (list_lines(w, k, c->fn, &p[k]))
			return w->run[HERE]->err->kind;
	if (match_equals(w->run[HERE], &p[BASE], &p[HERE]))
		return w->run[HERE]->err->kind;
	less_of_same(&p[BASE], &p[HERE]);
	for (unsigned k = SIDES; k-- > 0;)
		if ((best = largest(w, k, &p[k])))
			return set_place(w, k, best, out);
	return 0;
}

int why_place(struct why *w, const struct why_cause *c, struct why_place *out)
{
	struct why_place inside = {0};

	*out = (struct why_place){0};
	if (c->fn == w->root)
		return 0;
	if (c->callee == WHY_NONE)
		return place_inside(w, c, out);
	if (place_of_call(w, c, out))
		return w->run[HERE]->err->kind;
	/* If the call is in inlined code of a header, a line of the program's own says
	 * more. */
	if (of_system(out->file) && place_inside(w, c, &inside))
		return w->run[HERE]->err->kind;
	if (inside.file.n && !of_system(inside.file))
		*out = inside;
	return 0;
}
