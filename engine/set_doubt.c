/*
 * set_doubt.c - which members an answer is of, and which of them an `expect` fails for; see set.h.
 *
 * A doubt is of one member: its rows are left out, and it breaks the expectation for itself.
 */
#include <string.h>

#include "engine/set_in.h"
#include "engine/statement.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/read/folder.h"

enum { NAMED = 3 }; /* members in a sentence */

struct str set_list_members(const struct session *s, struct arena *a, bool gone,
			    size_t *n)
{
	struct str list = STR("");

	*n = 0;
	for (size_t i = 0; i < set_members(s); i++) {
		const struct folder_member *m = set_member(s, i);

		if (gone ? m->now.n > 0 : !set_can_ask(s, i) || m->base.n)
			continue;
		if (++*n <= NAMED)
			list = need_printf(a, "%.*s%s%.*s", STR_ARG(list),
					   *n > 1 ? ", " : "", STR_ARG(m->name));
	}
	return *n > NAMED
		       ? need_printf(a, "%.*s, +%s", STR_ARG(list), GROUPED(*n - NAMED))
		       : list;
}

void set_add_asked(struct set_rows *all, struct str name)
{
	need_grow(all->a, &all->asked, &all->asked_cap, all->nasked, all->nasked + 1,
		  sizeof(*all->asked));
	all->asked[all->nasked++] = name;
}

bool set_expects(const struct query *q)
{
	for (const struct tstage *st = q->tstages; st; st = st->next)
		if (st->kind == T_EXPECT)
			return true;
	return false;
}

/* ---- doubts ---- */

void set_add_doubt(struct set_rows *all, struct str member, enum doubt kind,
		   struct str why)
{
	if (all->s->accepted & 1u << kind)
		return;
	need_grow(all->a, &all->doubted, &all->doubted_cap, all->ndoubted,
		  all->ndoubted + 1, sizeof(*all->doubted));
	all->doubted[all->ndoubted++] =
		(struct set_doubt){member, need_str(all->a, why), kind};
}

/* Members that are gone break an `expect`, each for itself. */
void set_doubt_gone(struct statement *run, bool expects, bool listed)
{
	struct set_rows *all = run->set;
	struct session *s = all->s;
	struct exec *x = &run->x;
	size_t gone;
	const struct str list = set_list_members(s, x->a, true, &gone);

	if (!gone)
		return;
	(s->set->told ? exec_doubt_quietly
		      : exec_doubt)(x, DOUBT_GONE,
				    need_printf(x->a, "%s only in the base: %.*s",
						GROUPED(gone), STR_ARG(list)));
	for (size_t i = 0; i < set_members(s) && expects; i++) {
		const struct folder_member *m = set_member(s, i);

		if (m->now.n)
			continue;
		set_add_doubt(all, m->name, DOUBT_GONE, STR("only the base has it"));
		if (!listed)
			set_add_asked(all, m->name);
	}
	if (expects)
		x->doubts->why[DOUBT_GONE] = STR("");
}

static const struct table_col *profile_column(const struct table *t)
{
	for (size_t i = 0; i < t->ncols; i++)
		if (str_eq(t->cols[i]->name, STR("profile")) &&
		    t->cols[i]->type == COL_STR && t->cols[i]->filled)
			return t->cols[i];
	return NULL;
}

void set_unsure(struct statement *run, const struct table *t)
{
	const struct table_col *c = profile_column(t);

	for (size_t i = 0; i < t->n && c; i++)
		if (!i || !str_eq(c->s[i], c->s[i - 1]))
			set_add_doubt(run->set, c->s[i], DOUBT_UNSURE,
				      STR("it hangs on pairs that are not certain"));
	run->set->rows_hold = true;
}

void set_broken(struct statement *run)
{
	struct set_rows *all = run->set;
	const struct table *t = &run->t;
	const struct table_col *c = profile_column(t);
	const size_t n = all->nasked;
	uint8_t *breaks = NEED_ARRAY(run->x.a, uint8_t, n + 1);
	struct strset names = {0};

	for (size_t i = 0; i < n; i++)
		strset_add(&names, all->asked[i]);
	/* Rows that hold are those that are left, too. */
	for (size_t i = 0; i < t->n && c && !all->rows_hold; i++) {
		const uint32_t at = strset_add(&names, c->s[i]);

		if (at < n)
			breaks[at] = 1;
	}
	all->broken = NEED_ARRAY(run->x.a, struct broken, n + all->ndoubted + 1);
	for (size_t i = 0; i < n; i++)
		if (breaks[i])
			all->broken[all->nbroken++].profile = all->asked[i];
	for (size_t i = 0; i < all->ndoubted; i++) {
		const struct set_doubt *d = &all->doubted[i];
		const uint32_t at = strset_add(&names, d->profile);

		if (at >= n || !breaks[at])
			all->broken[all->nbroken++] = (struct broken){d->profile, d->why};
		if (at < n)
			breaks[at] = 1;
	}
	strset_free(&names);
}

int set_doubted(struct statement *run, const struct tstage *expect)
{
	const struct set_doubt *d = run->set ? run->set->doubted : NULL;
	struct exec *x = &run->x;

	if (!d)
		return 0;
	run->unsure = run->set->rows_hold = true;
	err_set(x->err, ERR_EXPECT, expect->span.at, "%.*s%s%.*s",
		STR_ARG(str_starts(d->why, d->profile) ? STR("") : d->profile),
		str_starts(d->why, d->profile) ? "" : ": ", STR_ARG(d->why));
	return err_hint(x->err, "--accept %s: for %s", doubt_kinds[d->kind].word,
			doubt_kinds[d->kind].help);
}
