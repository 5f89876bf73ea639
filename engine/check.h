/*
 * check.h - look up what a query names: events, columns, profiles, lets.
 *
 * Columns are followed through the stages (group and sum replace them), so a wrong name is
 * found before anything is computed.  Function names are matched later, by exec.
 */
#ifndef QUERN_CHECK_H
#define QUERN_CHECK_H

#include "engine/ast.h"
#include "engine/parse.h"
#include "engine/result.h"
#include "index/base/arena.h"
#include "index/base/err.h"

struct check_let {
	struct str name, text;
	bool is_set;
};

struct check_env {
	const struct str *events; /* of the profile asked, derived ones too */
	size_t nevents;
	const char *event_scope; /* "this profile" */
	uint32_t event;		 /* of unqualified costs */
	const struct str *profiles;
	size_t nprofiles;
	const struct check_let *lets;
	size_t nlets;
	const struct result *last; /* columns of `_`; NULL: no result yet */
	struct parse_limits limits;
	bool safe; /* refuse ">" and "!" */
};

/* Resolve and type every expression of q, in place.  `top` and `sort EVENT` are expanded
 * first; *event is the event of unqualified costs. */
int check_query(const struct check_env *env, struct query *q, struct arena *a,
		uint32_t *event, struct err *err);
/* A let's right side: unknown names are errors now, not when it is used. */
int check_let(const struct check_env *env, struct let *let, struct arena *a,
	      struct err *err);
/* The profile `in` or `vs` names; env->nprofiles when there is none (err is set). */
size_t check_profile(const struct check_env *env, struct str name, struct span at,
		     struct err *err);
const struct check_let *check_let_find(const struct check_env *env, struct str name,
				       bool is_set);
/* Event number, or nevents with err set. */
/* An event that callgrind can record, whether or not this profile has it. */
bool check_known_event(struct str name);
/* The event's name as a query can have it: without its unit where that is enough. */
struct str check_event_word(const struct check_env *env, uint32_t e);
uint32_t check_event(const struct check_env *env, struct str name, struct span at,
		     struct err *err);
/* The aggregates of `group`. */
bool is_aggregate(struct str name);

#endif
