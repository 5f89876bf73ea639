/*
 * explain.c - .explain: the expansion of a statement, and what its estimates rest on.
 *
 * The expansion is itself a query with the same answer.
 */
#include <stdio.h>
#include <string.h>

#include "engine/query.h"
#include "engine/session.h"
#include "engine/gstages/gstage.h"
#include "engine/sources/source.h"
#include "engine/lang/keywords.h"
#include "index/base/err.h"
#include "index/base/out.h"

struct explain {
	struct session *s;
	struct str text;
	struct arena *a;
	struct str *out;
	struct err *err;
	struct out o;
	struct check_env env; /* of the current statement */
	uint32_t event;
};

static void put_slice(struct explain *e, struct span s)
{
	if (s.at + s.len <= e->text.n)
		out_bytes(&e->o, e->text.p + s.at, s.len);
}

static void put_set(struct explain *e, const char *word, const struct set *s)
{
	if (!s)
		return;
	out_printf(&e->o, "%s%s ", *word ? " " : "", word);
	put_slice(e, s->span);
}

static void put_source(struct explain *e, const struct source *s)
{
	if (s->kind == S_PATH) {
		out_printf(&e->o, "%s ", path_words[s->path]);
		if (s->has_n)
			out_printf(&e->o, "%llu ", (unsigned long long)s->n);
	}
	out_c(&e->o, verb_of_kind(s->kind)->word);
	for (size_t i = 0; i < SOURCE_SETS; i++)
		put_set(e,
			!i && (s->kind == S_FIND || s->kind == S_INFO)
				? ""
				: clause_words[i].word,
			s->sets[i]);
	if (s->depth_all)
		out_c(&e->o, " depth all");
	else if (s->has_depth)
		out_printf(&e->o, " depth %llu", (unsigned long long)s->depth);
	if (s->has_max)
		out_printf(&e->o, " max %llu", (unsigned long long)s->max);
	if (s->has_min)
		out_printf(&e->o, " min %g%s", s->min, s->min_percent ? "%" : "");
	if (e->event != e->env.event) {
		struct str word = check_event_word(&e->env, e->event);

		out_printf(&e->o, " by %.*s", STR_ARG(word));
	}
	if (s->vs.n)
		out_printf(&e->o, " vs %.*s", STR_ARG(s->vs));
}

static void put_stage(struct explain *e, const struct tstage *st)
{
	out_c(&e->o, " | ");
	if (st->kind == T_TAKE || st->kind == T_SKIP) {
		out_printf(&e->o, "%s %llu", st->kind == T_TAKE ? "take" : "skip",
			   (unsigned long long)st->n);
		return;
	}
	if (st->kind != T_SORT) {
		put_slice(e, st->span);
		return;
	}
	out_c(&e->o, "sort ");
	for (const struct expr *k = st->exprs; k; k = k->next)
		out_printf(
			&e->o, "%.*s%s%s",
			STR_ARG(k->op == EX_COL && !k->event.n && !k->let && !k->percent
					? k->text
					: k->as),
			k->asc				     ? " asc"
			: k->written && col_is_text(k->type) ? " desc"
							     : "",
			k->next ? ", " : "");
}

/* Say what the estimates are made from, if the source follows calls or a stage shares
 * costs. */
static void put_estimates(struct explain *e, const struct query *q, struct store *st,
			  const struct gstage *stages, bool parts)
{
	const enum source_kind k = q->source.kind;
	const struct store_info *i = store_info(st);
	bool any = k == S_CALLERS || k == S_CALLEES || k == S_CALLTREE || k == S_PATH ||
		   k == S_COST,
	     merged = false, collapsed = false;
	const char *before = "";
	struct store_tree tree;

	for (const struct gstage *g = stages; g; g = g->next) {
		any |= g->kind == G_FOCUS || g->kind == G_IGNORE || g->kind == G_HIDE ||
		       g->kind == G_CUT;
		merged |= g->kind == G_HIDE || g->kind == G_CUT || g->kind == G_INLINED;
		/* Trees are made of the functions before they are collapsed. */
		collapsed |= (g->kind == G_COLLAPSE || g->kind == G_COLLAPSE_BY) &&
			     (k == S_PATH || k == S_COST);
	}
	if (!any)
		return;
	out_c(&e->o, "estimates: ");
	store_tree(st, &tree);
	if (tree.whole && !stages) {
		out_c(&e->o, "none, the stacks are measured\n");
		return;
	}
	if (i->events > 1 && !i->negative && !merged && !collapsed && !tree.whole) {
		out_printf(&e->o, "%s events", GROUPED(i->events));
		before = ", ";
	}
	if (i->parts > 1 && !parts) {
		out_printf(&e->o, "%s%s dumps", before, GROUPED(i->parts));
		before = ", ";
	}
	if (store_any_grouped(st) && !collapsed) {
		out_printf(&e->o, "%scontexts", before);
		before = ", ";
	}
	out_c(&e->o, *before ? "\n" : "proportional\n");
}

/* How the functions of two profiles are paired, by rule. */
static int explain_pairs(struct explain *e, size_t profile, const struct source *src,
			 const struct gstage *stages)
{
	struct session *s = e->s;
	struct err *err = e->err;
	const size_t base = src->vs_profile.n ? check_profile(&e->env, src->vs_profile,
							      src->vs_span, err)
					      : profile;
	const struct pairing *p;
	uint32_t by[1 << PAIR_RULES] = {0}, alone[2] = {0};
	struct store *st[2];

	if (base == profile) {
		out_printf(&e->o, "pairs: each function with itself\n");
		return 0;
	}
	st[0] = s->stores[profile];
	st[1] = s->stores[base];
	cancel_after(&s->cancel, s->limits.seconds);
	if (pair_cached(&s->pairs, st, gstage_contexts(stages),
			(size_t)s->limits.arena_bytes, &s->cancel, &p, err))
		return err->kind;
	for (unsigned side = 0; side < 2; side++)
		for (uint32_t f = 0; f < p->functions[side]; f++) {
			if (!gstage_contexts(stages) &&
			    store_group_fn(st[side], store_group_of(st[side], f), 0) != f)
				continue;
			alone[side] += p->of[side][f] == PAIR_NONE;
			if (side == 0 && p->of[0][f] != PAIR_NONE)
				by[p->rules[f]]++;
		}
	out_printf(&e->o, "pairs: %s equal", GROUPED(by[0]));
	for (unsigned r = 1; r < 1 << PAIR_RULES; r++) {
		struct str names = by[r] ? pair_rule_names(r, e->a) : STR("");

		if (!names.p)
			return arena_full(e->a, err);
		if (by[r])
			out_printf(&e->o, "; %s by %.*s", GROUPED(by[r]), STR_ARG(names));
	}
	out_printf(&e->o, "; %s new, %s gone\n", GROUPED(alone[0]), GROUPED(alone[1]));
	return 0;
}

static int explain_query(struct explain *e, struct stmt *st)
{
	struct session *s = e->s;
	struct arena *a = e->a;
	struct err *err = e->err;
	struct gstage *stages;
	bool parts = false;
	size_t profile;

	if (s->n == 0)
		return err_set(err, ERR_QUERY, st->span.at, "no profile is open");
	if (session_gstages(s, &st->query, a, &stages, &profile, err) ||
	    session_env(s, profile, a, &e->env, err) ||
	    check_query(&e->env, &st->query, a, &e->event, err))
		return err->kind;
	for (size_t i = 0; i < s->nfilters; i++) {
		out_str(&e->o, s->filters[i]);
		out_c(&e->o, " | ");
	}
	for (const struct gstage *g = st->query.gstages; g; g = g->next) {
		put_slice(e, g->span);
		out_c(&e->o, " | ");
	}
	put_source(e, &st->query.source);
	for (const struct tstage *t = st->query.tstages; t; t = t->next)
		put_stage(e, t);
	for (const struct gstage *g = stages; g; g = g->next)
		parts |= g->kind == G_PART || g->kind == G_THREAD;
	out_char(&e->o, '\n');
	put_estimates(e, &st->query, s->stores[profile], stages, parts);
	return st->query.source.vs.n
		       ? explain_pairs(e, profile, &st->query.source, stages)
		       : 0;
}

static int explain_guarded(void *arg)
{
	struct explain *e = arg;
	struct parse_limits l = session_parse_limits(e->s);
	struct stmt *st;
	int rc = parse_text(e->text, &l, e->a, &st, e->err);

	for (; !rc && st; st = st->next) {
		if (st->is_let)
			out_printf(&e->o,
				   "let %.*s: kept as text, read where it is used\n",
				   STR_ARG(st->let.name));
		else
			rc = session_check_lone(e->s, st, e->text, e->a, e->err) ||
					     explain_query(e, st)
				     ? e->err->kind
				     : 0;
	}
	if (!rc && e->o.failed)
		rc = err_no_memory(e->err, NULL);
	if (!rc) {
		*e->out = arena_str(e->a, (struct str){e->o.buf ? e->o.buf : "", e->o.n});
		rc = e->out->p ? 0 : arena_full(e->a, e->err);
	}
	return rc;
}

int query_explain(struct session *s, struct str text, struct arena *a, struct str *out,
		  struct err *err)
{
	struct explain e = {.s = s, .text = text, .a = a, .out = out, .err = err};

	out_mem(&e.o);
	if (!session_query_scope(s, text, err))
		session_guard(explain_guarded, &e, err);
	out_close(&e.o);
	session_scope_end(s);
	return err->kind;
}
