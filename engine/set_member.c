/* set_member.c - the members of a set: which is open, and asking it; see set.h. */
#include "engine/set.h"

#include <stdlib.h>
#include <string.h>

#include "engine/compare/vs.h"
#include "engine/set_in.h"
#include "engine/stages/stage.h"
#include "engine/statement.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/read/folder.h"

static void free_set(struct profile_set *set)
{
	strset_free(&set->texts);
	free(set->unread);
	free(set);
}

int session_set_members(struct session *s, const struct session_members *of,
			struct err *err)
{
	struct profile_set *set = calloc(1, sizeof(*set));

	if (!set || !(set->unread = calloc(of->folder->n + 1, sizeof(bool)))) {
		free(set);
		return err_no_memory(err, NULL);
	}
	set->of = *of;
	set->now = SIZE_MAX;
	s->set = set;
	s->set_free = free_set;
	return 0;
}

/* ---- open and close ---- */

size_t set_members(const struct session *s)
{
	return s->set->of.folder->n;
}

const struct folder_member *set_member(const struct session *s, size_t i)
{
	return &s->set->of.folder->at[i];
}

static struct str name_at(const struct session *s, size_t i)
{
	return set_member(s, i)->name;
}

/* Those that only the base has, or of which nothing but an index is left, cannot be asked. */
bool set_can_ask(const struct session *s, size_t i)
{
	return set_member(s, i)->now.n && !s->set->unread[i];
}

/* The event of all is that of the first. */
static int choose_event(struct session *s, struct err *err)
{
	if (s->event || !session_event(s).n)
		return 0;
	s->event_usual = true;
	return (s->event = session_copy(session_event(s))) ? 0 : err_no_memory(err, NULL);
}

/* Open a member in place of the one that is open.  What is wrong with it has been said. */
int set_open(struct session *s, size_t i, struct err *err)
{
	struct profile_set *set = s->set;

	if (set->now == i)
		return 0;
	set->now = SIZE_MAX;
	set->of.close(set->of.arg);
	if (set->of.open(set->of.arg, i, err)) {
		if (err->kind != ERR_CANCEL && err->kind != ERR_LIMIT) {
			set->unread[i] = true;
			set->nunread++;
		}
		return err->kind;
	}
	set->now = i;
	return choose_event(s, err) ? err->kind : session_share_costs(s, err);
}

int session_any_open(struct session *s, struct err *err)
{
	struct err last = {0};

	for (size_t i = 0; s->set->now == SIZE_MAX && i < set_members(s); i++) {
		if (!set_can_ask(s, i))
			continue;
		last = (struct err){0};
		if (set_open(s, i, &last) && !s->set->unread[i])
			break;
	}
	if (s->set->now == SIZE_MAX)
		*err = last;
	if (s->set->now == SIZE_MAX && !err->kind)
		err_set(err, ERR_PROFILE, ERR_NOWHERE,
			"no profile of the set can be read");
	return err->kind;
}

static size_t find_member(const struct session *s, struct str name)
{
	size_t i = 0;

	while (i < set_members(s) &&
	       (!set_member(s, i)->now.n ||
		(!str_eq(name_at(s, i), name) && !str_eq(set_member(s, i)->key, name))))
		i++;
	return i;
}

int set_open_named(struct session *s, const struct query *q, bool *plain, struct err *err)
{
	size_t i = set_members(s);

	*plain = q->source.kind == S_LAST;
	for (const struct gstage *g = q->gstages; g && i == set_members(s); g = g->next) {
		if (g->kind != G_IN || str_eq(g->name, s->set->of.base))
			continue;
		i = find_member(s, g->name);
		if (i < set_members(s))
			continue;
		err_set(err, ERR_QUERY, g->span.at,
			"no profile of the folder is called '%.*s'", STR_ARG(g->name));
		err->len = (uint32_t)g->span.len;
		return err_hint(err, "profiles lists them");
	}
	if (i == set_members(s))
		return 0;
	*plain = true;
	return set_open(s, i, err);
}

int session_unread(const struct session *s, struct err *err)
{
	const struct session_members *of = s->set ? &s->set->of : NULL;
	const size_t n =
		!of ? 0
		    : s->set->nunread + of->folder->nproblems +
				(of->folder->bases ? of->folder->bases->nproblems : 0);

	return n ? err_set(err, ERR_PROFILE, ERR_NOWHERE,
			   "the answers are without %s that cannot be read",
			   n == 1 ? "a profile" : "profiles")
		 : 0;
}
