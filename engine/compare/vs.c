/*
 * vs.c - run one source on two profiles, and show their rows as one table.
 *
 * pair.h tells which functions, files and objects are the same; vs_join.c joins the rows
 * that mean the same.  The columns are in vs_cols.c.
 */
#include "engine/compare/vs.h"

#include "engine/flow/flow.h"
#include "engine/path/path.h"
#include "engine/sources/source.h"
#include "engine/sources/sources.h"
#include "engine/gstages/gstage.h"
#include "engine/lang/keywords.h"
#include "engine/compare/vs_in.h"
#include "engine/rows/doubt.h"
#include "index/base/err.h"
#include "index/base/hash.h"
#include "index/base/need.h"
#include "index/format/meta_code.h"

/* ---- the other side ---- */

/* The base may have other events, or the same ones under other numbers.  So a query is
 * checked against its names while it runs there. */
static void base_events(struct exec *x, struct vs *v, struct store *st)
{
	uint32_t n = store_info(st)->all_events;
	struct str *names = EXEC_ARRAY(x, struct str, (size_t)n + 1);
	struct unit *units = EXEC_ARRAY(x, struct unit, (size_t)n + 1);

	for (uint32_t e = 0; e < n; e++) {
		struct store_event ev;
		uint32_t here;

		store_event(st, e, &ev);
		names[e] = ev.name;
		here = check_find_event(x->env, ev.name);
		if (here < x->env->nevents)
			units[e] = x->env->units[here];
	}
	v->env = *x->env;
	v->env.events = names;
	v->env.long_names = NULL;
	v->env.units = units;
	v->env.nevents = n;
}

/* `vs part 2` names no profile: then the base is in the same store. */
static struct store *base_store(struct exec *x, const struct source *s)
{
	return !s->vs_profile.n ? x->g->st
				: x->open->stores[check_profile(x->env, s->vs_profile,
								s->vs_span, x->err)];
}

/* Opened twice, by any names? */
static bool of_same_files(const struct store *one, const struct store *two)
{
	uint32_t n, m;
	const struct input_file *is = store_inputs(one, &n),
				*other = store_inputs(two, &m);

	if (n != m)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct source_id *a = &is[i].id, *b = &other[i].id;

		if (a->dev != b->dev || a->inode != b->inode || a->hash != b->hash ||
		    a->mtime_ns != b->mtime_ns)
			return false;
	}
	return true;
}

/* The profile that is asked, or parts of it, with themselves: nothing ever changed. */
static void doubt_itself(struct exec *x, const struct source *s)
{
	exec_doubt(x, DOUBT_ITSELF,
		   need_printf(x->a,
			       "'%.*s' is the profile that is asked: it is compared with "
			       "itself",
			       STR_ARG(s->vs_profile)));
}

/* The stages in force, but parts and threads, calls, or a span only as `vs` names them, if it
 * does: `part 1 | hide f | functions vs part 2` runs `part 2 | hide f` for the base. */
static void base_stages(struct exec *x, const struct source *s, const struct gstage *all,
			const struct gstage **out)
{
	struct gstage *first = s->vs_parts, **tail = &first;
	const bool span = first && first->kind == G_BETWEEN;

	*out = all;
	if (!s->vs_parts)
		return;
	tail = &first->next;
	for (const struct gstage *g = all; g; g = g->next) {
		if (gstage_opens(s->vs_parts)
			    ? gstage_opens(g) && (g->kind == G_BETWEEN) == span
			    : g->kind == G_PART || g->kind == G_THREAD)
			continue;
		*tail = EXEC_ARRAY(x, struct gstage, 1);
		**tail = *g;
		(*tail)->next = NULL;
		tail = &(*tail)->next;
	}
	*out = first;
}

/* The run of the base: as x, but with its own events and notes.  Parts and inlined code are
 * unset: the stages set them when they run on the base. */
static struct exec base_exec(const struct exec *x, struct vs *v)
{
	struct exec b = *x;

	b.env = &v->env;
	b.parts = NULL;
	b.inlined = NULL;
	b.notes = &v->notes;
	b.hints = &v->hints;
	return b;
}

/* Pair the functions of both sides.  From now on a name in a set may be one that only the
 * other profile has: each side finds it there and takes the same function here. */
static void pair_sides(struct exec *x, struct vs *v, bool recorded)
{
	struct exec *b = &v->base;

	need(pair_cached(x->open->pairs, (struct store *[2]){x->g->st, b->g->st},
			 recorded, x->a->cap, x->open->cancel, &v->pairing, x->err),
	     x->err);
	v->user = &x->open->pairs->rules;
	v->other[0] = (struct exec_other){b->g->st, v->pairing->of[1], false, &v->found};
	v->other[1] = (struct exec_other){x->g->st, v->pairing->of[0], true, &v->found};
	x->other = &v->other[0];
	b->other = &v->other[1];
}

void exec_vs_base(struct exec *x, const struct source *s, const struct gstage *gstages,
		  struct vs **out)
{
	struct vs *v = EXEC_ARRAY(x, struct vs, 1);
	struct store *st = base_store(x, s);
	struct exec *b;
	uint32_t e;

	need(!st, x->err);
	if (!s->vs_parts && of_same_files(st, x->g->st))
		doubt_itself(x, s);
	base_events(x, v, st);
	b = &v->base;
	*b = base_exec(x, v);
	v->a.x = x;
	e = vs_base_event(v, x->event);
	if (e == GRAPH_NONE) {
		exec_wrong(x, s->vs_span, "'%.*s' has no event '%.*s'", STR_ARG(s->vs),
			   STR_ARG(x->env->events[x->event]));
		need_hint(x->err, "choose an event that both profiles have with 'by'");
	}
	b->event = e;
	graph_plain(st, x->open->flows, x->a, x->open->cancel, &b->g);
	pair_sides(x, v, s->kind == S_CONTEXTS || gstage_contexts(gstages));
	base_stages(x, s, gstages, &gstages);
	exec_gstages(b, gstages, x->text);
	exec_part_stacks(b, s);
	graph_event(b->g, e);
	exec_doubt_total(x, b->g, e);
	*out = v;
}

/* The rows of a tree are parts of others, on either side. */
static uint32_t joined_part_of(const struct table *t, uint32_t ref)
{
	const struct vs *v = t->vs;
	const bool base = v->ia[ref] == GRAPH_NONE;
	const struct table *of = base ? &v->b : &v->a;
	const uint32_t up = of->part_of(of, base ? v->ib[ref] : v->ia[ref]);

	return up >= ROW_UNCOUNTED ? up : base ? v->of_base[up] : v->of_here[up];
}

/* Keep the notes of the base that the first profile does not repeat. */
void vs_note_base(struct exec *x, const struct source *s, const struct vs *v)
{
	const size_t own = x->notes->n;

	for (size_t i = 0; i < v->notes.n; i++) {
		const struct str text = v->notes.at[i];
		size_t k = 0;

		while (k < own && !str_eq(x->notes->at[k], text))
			k++;
		if (k == own)
			exec_notef(x, "%.*s: %.*s", STR_ARG(s->vs), STR_ARG(text));
	}
}

/* Show the columns that the source itself added, as `info f` does. */
static void show_as(struct table *t, const struct table *a)
{
	for (size_t i = 0; i < a->ncols; i++) {
		const struct table_col *from = a->cols[i];
		struct table_col *c;

		if (!from->machine && !from->table)
			continue;
		table_add(t, str_c(from->def->name), from->event, from->percent, &c);
		c->name = from->name;
		c->machine = from->machine;
		c->table = from->table;
	}
}

/* Set *several if a side has more runs than one that can be told apart.  If the sides
 * have different numbers of runs, their sums cannot be compared.  Parts and threads are
 * rows of their own, so they can. */
void vs_count_runs(struct exec *x, struct table *t, bool *several)
{
	const struct vs *v = t->vs;
	uint32_t n[2];

	*several = false;
	if (t->src == &source_parts || t->src == &source_threads ||
	    (v->a.g->st == v->b.g->st && !vs_has_runs(t->src)))
		return;
	vs_runs_count(x, v, true, n);
	*several = vs_has_runs(t->src) && (n[0] > 1 || n[1] > 1) && vs_runs_known(v);
}

/* Set *any if some row may stand for another function in the base.  That changes no sum
 * of all rows. */
static void doubt_pairs(struct exec *x, struct table *t, size_t rows, bool *any)
{
	enum { NAME_SHOWN = 30 };
	const struct vs *v = t->vs;
	struct str name = {"", 0};
	size_t n = 0;

	for (uint32_t r = 0; r < rows; r++) {
		const struct table *side = v->ia[r] == GRAPH_NONE ? &v->b : &v->a;
		const uint32_t row = v->ia[r] == GRAPH_NONE ? v->ib[r] : v->ia[r];

		if (!vs_unsure(v, r))
			continue;
		if (!n++)
			name = graph_name(side->g,
					  side->src->fn(side, row_ref(side, row)));
	}
	*any = n > 0;
	if (!n || v->of_sum)
		return;
	if (name.n > NAME_SHOWN)
		name = arena_printf(x->a, "%.*s...", NAME_SHOWN, name.p);
	exec_doubt(x, DOUBT_UNSURE,
		   arena_printf(x->a,
				"%zu numbered function%s: which is which is not "
				"certain, as of %.*s",
				n, n == 1 ? "" : "s", STR_ARG(name)));
}

/* `was` is of use to people only if there is some. */
static void show_vs(struct exec *x, struct table *t, size_t rows)
{
	const bool renamed = vs_any_renamed(t->vs, rows);
	const struct col_def *d;
	bool several, unsure;

	vs_count_runs(x, t, &several);
	doubt_pairs(x, t, rows, &unsure);
	for (size_t i = 0; (d = vs_col_at(t->src, i)); i++) {
		const bool percent = d->flags & OF_TOTAL, run = d->flags & OF_RUN;
		struct str name = str_c(d->name);
		struct table_col *c;

		if (run ? !several
		    : d->type == COL_BOOL
			    ? !unsure
			    : !(d->flags & SHOW_M) && !vs_on_card(t->src, d))
			continue;
		name.n -= percent;
		table_add(t, name, t->event, percent, &c);
		c->machine = true;
		/* Those of info are shown though they are on request elsewhere. */
		c->table = d->flags & SHOW_T ? run || d->type == COL_BOOL || renamed ||
						       d->type != COL_NAME
					     : !run && !(d->flags & SHOW_M);
	}
}

/* ---- parts of one profile ---- */

/* Without a stage for parts or threads a run has all parts. */
static bool has_part(const struct exec *x, uint32_t part)
{
	return !x->parts || x->parts[part];
}

/* Another part, or thread, than those of the base: the next one, or else the first. */
static bool other_part(const struct exec *b, const struct gstage *of, uint64_t *number)
{
	struct store *st = b->g->st;
	bool any = false, behind = false;

	for (uint32_t i = 0; i < store_info(st)->parts; i++) {
		struct part p;

		if (has_part(b, i)) {
			behind = true;
			continue;
		}
		store_part(st, i, &p);
		if (!any || behind)
			*number = of->kind == G_THREAD ? p.thread : p.part;
		any = true;
		if (behind)
			break;
	}
	return any;
}

/* functions vs part 2: is the base in what it is compared with?  Then each cost of the base
 * is subtracted from a cost that it is part of, which is rarely meant. */
static void note_contained(struct exec *x, const struct source *s, const struct vs *v)
{
	const struct exec *b = &v->base;
	const struct str vs = s->vs, source = {x->text.p + s->span.at, s->span.len};
	uint32_t more = 0;
	uint64_t number;

	if (x->g->st != b->g->st || !s->vs_parts || gstage_opens(s->vs_parts))
		return;
	for (uint32_t i = 0; i < store_info(x->g->st)->parts; i++) {
		if (has_part(b, i) && !has_part(x, i))
			return;
		more += has_part(x, i) && !has_part(b, i);
	}
	if (!more || !other_part(b, s->vs_parts, &number))
		return;
	exec_notef(x,
		   "%s compared with %.*s, which is in %s; to compare two: %s "
		   "%llu | %.*s vs %.*s",
		   x->parts ? "the parts chosen are" : "the whole profile is",
		   STR_ARG(vs), x->parts ? "them" : "it",
		   s->vs_parts->kind == G_THREAD ? "thread" : "part",
		   (unsigned long long)number, STR_ARG(source), STR_ARG(vs));
}

/* The parts of one profile have no key that two of them share: they are compared in their
 * order, which takes as many on either side. */
static void check_parts(struct exec *x, const struct source *s, const struct vs *v)
{
	const struct exec *b = &v->base;
	const char *word = s->kind == S_PARTS ? "part" : "thread";
	uint64_t number;

	if ((s->kind != S_PARTS && s->kind != S_THREADS) || x->g->st != b->g->st ||
	    v->a.n == v->b.n)
		return;
	exec_wrong(
		x, s->vs_span,
		"%zu %s%s here, %zu in %.*s: those of one profile are compared in their "
		"order",
		v->a.n, word, v->a.n == 1 ? "" : "s", v->b.n, STR_ARG(s->vs));
	if (!s->vs_parts || !other_part(b, s->vs_parts, &number) ||
	    (s->kind == S_THREADS) != (s->vs_parts->kind == G_THREAD))
		map_leave(x->err);
	need_hint(x->err, "as many of them: %s %llu | %ss vs %.*s",
		  s->vs_parts->kind == G_THREAD ? "thread" : "part",
		  (unsigned long long)number, word, STR_ARG(s->vs));
}

/* Keys are made of the pairs, so the copy computes its own. */
void exec_vs_dissolved(struct exec *x, const struct vs *v, struct vs **out)
{
	*out = EXEC_ARRAY(x, struct vs, 1);
	**out = *v;
	(*out)->dissolve = true;
	(*out)->chain[0] = (*out)->chain[1] = NULL;
	(*out)->runs[0] = (*out)->runs[1] = NULL;
}

/* ---- inlined code ---- */

/* How the inlined code of objects with number `place` of the pairing is known: the bits of
 * exec.inlined, or-ed, as several objects of a profile may be one of the other. */
static unsigned known_code(const struct exec *x, const uint32_t *places, uint32_t place)
{
	unsigned known = 0;

	for (obj_id o = 0; x->inlined && o < store_info(x->g->st)->objects; o++)
		known |= places[o] == place ? x->inlined[o] : 0;
	return known;
}

bool vs_inlined_differs(const struct exec *x, const struct vs *v)
{
	const struct pairing *p = v->pairing;
	const struct exec *b = &v->base;

	for (obj_id o = 0; x->inlined && o < store_info(x->g->st)->objects; o++) {
		const unsigned here = known_code(x, p->obj[0], p->obj[0][o]);
		const unsigned there = known_code(b, p->obj[1], p->obj[0][o]);

		if (here && there && (here & 2) != (there & 2))
			return true;
	}
	return false;
}

/* ---- both sides ---- */

/* Parts sharpen an estimate.  With parts on one side only, trees of equal programs would
 * differ: then both are estimated from the sums. */
static void part_alike(struct exec *x, struct vs *v)
{
	struct exec *b = &v->base;

	x->unparted = b->unparted =
		graph_part_count(x->g) < 2 || graph_part_count(b->g) < 2;
}

/* An inner row has no estimate of its own, as it is in no sum: its recorded cost stands
 * for it. */
static int64_t tree_weight(const struct table *t, uint32_t row)
{
	const struct path_tree_row *r = row == GRAPH_NONE ? NULL : &t->paths->rows[row];

	return !r ? 0 : r->inner ? r->incl : r->est;
}

/* Drop the rows that are below `min` on both sides. */
static void keep_min(struct exec *x, struct table *t)
{
	const struct vs *v = t->vs;
	uint32_t *keep, n = 0;

	if (!(v->a.min > 0 || v->b.min > 0))
		return;
	keep = EXEC_ARRAY(x, uint32_t, t->n + 1);
	for (uint32_t i = 0; i < t->n; i++)
		if (!path_under_min((double)tree_weight(&v->a, v->ia[i]), v->a.min) ||
		    !path_under_min((double)tree_weight(&v->b, v->ib[i]), v->b.min))
			keep[n++] = i;
	t->rows_before = n;
	if (!(n == t->n))
		table_select(t, keep, n);
}

/* Drop the functions that both sides have and whose self cost and calls are the same. */
static void keep_changed(struct exec *x, struct table *t)
{
	const struct vs *v = t->vs;
	const struct exec *base = &v->base;
	uint32_t *keep = EXEC_ARRAY(x, uint32_t, t->n + 1), n = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t f, of;

		keep[n++] = i;
		if (v->ia[i] == GRAPH_NONE || v->ib[i] == GRAPH_NONE)
			continue;
		f = t->src->fn(&v->a, row_ref(&v->a, v->ia[i]));
		of = t->src->fn(&v->b, row_ref(&v->b, v->ib[i]));
		n -= graph_self(x->g, f, x->event) ==
			     graph_self(base->g, of, base->event) &&
		     graph_calls(x->g, f) == graph_calls(base->g, of);
	}
	t->rows_before = t->n;
	t->min_usual = true;
	table_select(t, keep, n);
}

/* Is it a column about the costs of single runs (vs_runs.c)? */
static bool is_run_col(struct str name)
{
	for (size_t i = 0; i < VS_COLS; i++)
		if (vs_cols[i].flags & OF_RUN && str_eq(name, str_c(vs_cols[i].name)))
			return true;
	return false;
}

/* Does an expression use costs of single runs, or their sums? */
static void costs_asked(const struct expr *e, bool *runs, bool *sums)
{
	for (; e; e = e->next) {
		const bool cost = e->type == COL_COST || e->type == COL_DELTA ||
				  e->type == COL_PERCENT || e->type == COL_BOOL;

		if (e->op == EX_COL && !e->let && cost) {
			const bool run = is_run_col(e->text);

			*runs |= run;
			*sums |= !run;
		}
		costs_asked(e->let, runs, sums);
		costs_asked(e->a, runs, sums);
		costs_asked(e->b, runs, sums);
	}
}

/* Does an `expect` depend on the costs of single runs alone?  Then it may compare sides with
 * different numbers of runs; the sums of a group or of `sum` may not. */
static bool asks_runs(const struct tstage *s)
{
	bool runs = false, sums = false;

	for (; s; s = s->next)
		switch (s->kind) {
		case T_WHERE:
		case T_ADD:
		case T_EXPECT: costs_asked(s->exprs, &runs, &sums); break;
		case T_GROUP:
		case T_SUM: sums = true; break;
		default: break;
		}
	return runs && !sums;
}

/* Doubt parts and threads that have no partner: a run that dumped more often than the other
 * has more parts, which says nothing about their cost. */
static void doubt_parts(struct exec *x, const struct source *s, struct vs *v, size_t rows)
{
	struct row_subject first = {.fn = {GRAPH_NONE, GRAPH_NONE}};
	size_t here = 0, there = 0;

	if (s->kind != S_PARTS && s->kind != S_THREADS)
		return;
	for (size_t i = 0; i < rows; i++) {
		struct table *t = v->ib[i] == GRAPH_NONE ? &v->a : &v->b;
		const uint32_t row = v->ib[i] == GRAPH_NONE ? v->ia[i] : v->ib[i];

		if (v->ia[i] != GRAPH_NONE && v->ib[i] != GRAPH_NONE)
			continue;
		if (!here && !there)
			t->src->subject(t, row_ref(t, row), &first);
		here += v->ib[i] == GRAPH_NONE;
		there += v->ia[i] == GRAPH_NONE;
	}
	if (!here && !there)
		return;
	exec_doubt(x, DOUBT_PARTS,
		   arena_printf(x->a,
				"%ss without a partner: %zu here, %zu in %.*s%s"
				"%.*s",
				s->kind == S_PARTS ? "part" : "thread", here, there,
				STR_ARG(s->vs), first.name.n ? "; the first: " : "",
				STR_ARG(first.name)));
}

void exec_vs(struct exec *x, const struct source *s, const struct tstage *stages,
	     struct vs *v, struct table *t)
{
	struct exec *base = &v->base;
	size_t rows = 0;

	part_alike(x, v);
	v->of_runs = asks_runs(stages);
	v->of_sum = stages && stages->kind == T_SUM;
	v->found.n = 0; /* the graph stages recorded some */
	/* The base goes first: it collects the names that match there, and a name that
	 * matches nothing here is looked for among them (struct exec_found). */
	sources_open(base, s, &v->b);
	need(store_check(base->g->st, x->err), x->err);
	sources_open(x, s, &v->a);
	v->other[0].found = NULL; /* names in table stages are this profile's */
	if (vs_inlined_differs(x, v))
		exec_doubt(x, DOUBT_INLINED,
			   STR("the names of inlined code are known on one side only"));
	check_parts(x, s, v);
	vs_join_rows(x, v, &rows);
	doubt_parts(x, s, v, rows);
	vs_note_base(x, s, v);
	note_contained(x, s, v);
	vs_same_formula(v, x->event);
	vs_measure_paired(x, s, v, t);
	t->vs = v;
	t->joined = &vs_joined;
	table_init(x, t, v->a.src, x->g, rows);
	show_as(t, &v->a);
	t->ordered = v->a.ordered;
	t->part_of = v->a.part_of ? joined_part_of : NULL;
	t->card = v->a.card;
	t->truncated = v->a.truncated || v->b.truncated;
	t->tree = v->a.tree;
	t->upward = v->a.upward;
	show_vs(x, t, rows);
	keep_min(x, t);
	if (s->min_usual && vs_base_event(v, x->event) != GRAPH_NONE)
		keep_changed(x, t);
}
