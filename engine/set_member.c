/* set_member.c - the members of a set: which is open, and asking it; see set.h. */
#include "engine/set.h"

#include <stdio.h>
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
	free(set);
}

int session_set_members(struct session *s, const struct session_members *of,
			struct err *err)
{
	struct profile_set *set = calloc(1, sizeof(*set));

	if (!set)
		return err_no_memory(err, NULL);
	*set = (struct profile_set){.of = *of, .now = SIZE_MAX};
	s->set = set;
	s->set_free = free_set;
	return 0;
}

/* ---- open and close ---- */

size_t set_members(const struct session *s)
{
	return s->set->of.folder->n;
}

struct folder_member *set_member(const struct session *s, size_t i)
{
	return &s->set->of.folder->at[i];
}

/* Those that only the base has, or of which nothing but an index is left, cannot be asked. */
bool set_can_ask(const struct session *s, size_t i)
{
	return set_member(s, i)->now.n && !set_member(s, i)->unread;
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
			set_member(s, i)->unread = true;
			set->nunread++;
		}
		return err->kind;
	}
	set->now = i;
	return choose_event(s, err) ? err->kind : session_share_costs(s, err);
}

int session_any_open(struct session *s, struct err *err)
{
	for (size_t i = 0; s->set->now == SIZE_MAX && i < set_members(s); i++) {
		if (!set_can_ask(s, i))
			continue;
		err_clear(err);
		if (set_open(s, i, err) && set_can_ask(s, i))
			break;
	}
	if (s->set->now != SIZE_MAX)
		err_clear(err);
	else if (!err->kind)
		err_set(err, ERR_PROFILE, ERR_NOWHERE,
			"no profile of the set can be read");
	return err->kind;
}

/* Is it the name as answers show it, with \xHH for control bytes? */
static bool is_shown(struct str name, struct str as)
{
	char shown[5];

	for (size_t i = 0; i < name.n; i++) {
		const unsigned char c = (unsigned char)name.p[i];

		snprintf(shown, sizeof(shown), c < ' ' || c == 0x7f ? "\\x%02X" : "%c",
			 c);
		if (!str_starts(as, str_c(shown)))
			return false;
		as = str_from(as, strlen(shown));
	}
	return !as.n;
}

static int open_named(struct session *s, struct str name, struct err *err)
{
	for (size_t i = 0; i < set_members(s); i++) {
		const struct folder_member *m = set_member(s, i);

		if (m->now.n && (str_eq(m->name, name) || str_eq(m->key, name) ||
				 is_shown(m->name, name)))
			return set_open(s, i, err);
	}
	err_set(err, ERR_QUERY, 0, "no profile of the folder is called '%.*s'",
		STR_ARG(name));
	return err_hint(err, "profiles lists them");
}

int set_open_named(struct session *s, struct query *q, bool *plain, struct err *err)
{
	*plain = q->source.kind == S_LAST;
	for (struct gstage *g = q->gstages; g && !err->kind; g = g->next) {
		if (g->kind != G_IN || str_eq(g->name, s->set->of.base))
			continue;
		*plain = true;
		if (!open_named(s, g->name, err)) {
			g->name = s->names[0];
		} else if (err->kind == ERR_QUERY) {
			err->at = g->span.at;
			err->len = (uint32_t)g->span.len;
		}
	}
	return err->kind;
}

int session_only(struct session *s, struct str name, struct err *err)
{
	if (open_named(s, name, err))
		return err->kind;
	s->whole = s->set;
	s->set = NULL;
	return 0;
}

void session_all(struct session *s)
{
	s->set = s->whole;
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
