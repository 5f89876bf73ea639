/*
 * sqlite_profiles.c - the open profiles of a connection; see sqlite_in.h.
 *
 * To open a profile takes some milliseconds, and a join asks a table many times, so a few
 * stay open.  Whoever begins to use one finds out whether its files have changed.
 *
 * sqlite3_interrupt() stops whatever runs.  Before SQLite 3.41 nothing tells that it was
 * called; but then SQLite refuses to run any statement until all are done.
 */
#include <string.h>

#include "engine/sqlite/sqlite_in.h"

enum { KEPT = 8 }; /* profiles that nobody uses */

char *profiles_say(const quern_error *err)
{
	return err->hint[0] ? sqlite3_mprintf("%s (%s)", err->message, err->hint)
			    : sqlite3_mprintf("%s", err->message);
}

int profiles_code(int status)
{
	return status == QUERN_INTERRUPTED ? SQLITE_INTERRUPT : SQLITE_ERROR;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool profiles_same(const struct profile_entry *e, const struct profile_key *key)
{
	return same_text(e->path, key->path) && same_text(e->index, key->index) &&
	       e->no_build == key->no_build;
}

static int interrupted(void *db)
{
#if SQLITE_VERSION_NUMBER >= 3041000
	if (sqlite3_libversion_number() >= 3041000)
		return sqlite3_is_interrupted(db);
#endif
	return sqlite3_exec(db, "SELECT 1", NULL, NULL, NULL) == SQLITE_INTERRUPT;
}

static void entry_free(struct profile_entry *e)
{
	quern_close(e->profile);
	sqlite3_free(e->path);
	sqlite3_free(e->index);
	sqlite3_free(e);
}

/* Close those that are stale or were used longest ago, and that nobody uses. */
static void trim(struct profiles *p)
{
	struct profile_entry **at = &p->first;
	int kept = 0;

	while (*at) {
		struct profile_entry *e = *at;

		if (!e->users && (e->stale || ++kept > KEPT)) {
			*at = e->next;
			entry_free(e);
		} else {
			at = &e->next;
		}
	}
}

/* How many functions it has: a greater number names none. */
static int count_functions(struct profile_entry *e, quern_error *err)
{
	quern_answer *a =
		quern_query(e->profile, "contexts | info | show functions", err);

	if (a && quern_load(a, 0, err))
		e->functions = quern_uints(a, 0)[0];
	quern_free(a);
	return err->status;
}

static int open_entry(sqlite3 *db, struct profile_entry *e, const struct profile_key *key,
		      quern_error *err)
{
	const quern_options o = {.size = sizeof(o),
				 .index = key->index,
				 .flags = key->no_build ? QUERN_NO_BUILD : 0,
				 .interrupted = interrupted,
				 .interrupted_arg = db};

	e->profile = quern_open(key->path, &o, err);
	return e->profile ? count_functions(e, err) : err->status;
}

static struct profile_entry *entry_new(sqlite3 *db, const struct profile_key *key,
				       int *rc, char **why)
{
	struct profile_entry *e = sqlite3_malloc(sizeof(*e));
	quern_error err = {0};

	*rc = SQLITE_NOMEM;
	if (!e)
		return NULL;
	*e = (struct profile_entry){.no_build = key->no_build};
	e->path = sqlite3_mprintf("%s", key->path);
	e->index = key->index ? sqlite3_mprintf("%s", key->index) : NULL;
	if (e->path && (e->index || !key->index) && !open_entry(db, e, key, &err)) {
		*rc = SQLITE_OK;
		return e;
	}
	if (err.status) {
		*rc = profiles_code(err.status);
		*why = profiles_say(&err);
	}
	entry_free(e);
	return NULL;
}

struct profile_entry *profiles_take(struct profiles *p, const struct profile_key *key,
				    int *rc, char **why)
{
	struct profile_entry **at = &p->first, *e;

	while (*at && ((*at)->stale || !profiles_same(*at, key)))
		at = &(*at)->next;
	e = *at;
	if (e && quern_changed(e->profile)) {
		e->stale = true;
		trim(p);
		at = NULL;
		e = NULL;
	}
	if (e)
		*at = e->next;
	else if (!(e = entry_new(p->db, key, rc, why)))
		return NULL;
	e->next = p->first;
	p->first = e;
	e->users++;
	*rc = SQLITE_OK;
	return e;
}

void profiles_give(struct profiles *p, struct profile_entry *e)
{
	if (!e)
		return;
	e->users--;
	trim(p);
}

void profiles_free(struct profiles *p)
{
	while (p->first) {
		struct profile_entry *e = p->first;

		p->first = e->next;
		entry_free(e);
	}
}
