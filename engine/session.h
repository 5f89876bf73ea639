/* session.h - the inside of a session, for the files of this room. */
#ifndef QUERN_SESSION_H
#define QUERN_SESSION_H

#include "engine/check/check.h"
#include "engine/compare/pair.h"
#include "engine/names/found.h"
#include "engine/query.h"
#include "index/base/cancel.h"
#include "index/format/event.h"

struct flow_cache;
struct graph_cache;
struct inlines;
struct part_cache;
struct profile_set;

struct session {
	struct store **stores;
	struct str *names; /* malloc'd: the names of the stores */
	bool *as_index;	   /* [n]: an index was opened in place of the profile */
	size_t n, cap, names_cap, as_index_cap;
	char *event;	  /* NULL: the first event of the profile that costs something */
	bool event_usual; /* it was not asked for: it is that of a set's first profile */
	struct unit_rules units; /* --unit; its names are malloc'd */
	size_t units_cap;
	/* Names and texts are malloc'd.  Scope 0: until the session ends; else it goes with
	 * this scope. */
	struct parse_value *lets;
	size_t nlets, lets_cap;
	bool costs_due; /* a profile does not have the events that lets are yet */
	unsigned scope; /* how many are open */
	struct str *filters;
	size_t nfilters, filters_cap;
	struct cancel cancel; /* of the current statement */
	uint64_t due_ns;      /* its deadline, while its answer is given */
	struct session_limits limits;
	struct session_reading reading;
	bool safe;
	const struct roots *roots, *objects;
	struct flow_cache *flows;
	struct graph_cache *graphs;
	struct part_cache *part_cache;
	struct inlines *inlines;
	struct pair_cache pairs; /* for `vs` */
	struct found_cache found;
	bool people;	   /* session_for_people() */
	bool told;	   /* what stands below a tree has been said in full */
	bool ends;	   /* session_ends() */
	unsigned accepted; /* doubts (rows/doubt.h), bit by bit */
	struct str *
		wanted; /* "profile:NAME", "fn:NAME": rows that an `expect` leaves out; malloc'd */
	size_t nwanted, wanted_cap;
	struct arena kept[2]; /* `_` is in kept[now]; the next one goes to the other */
	unsigned now;
	struct profile_set *set; /* its members are opened one after the other; or NULL */
	struct profile_set *whole; /* of session_only(), which has set this aside */
	void (*set_free)(struct profile_set *set);
	bool joins; /* the statement is asked of all of them */
	struct result *last;
	uint64_t last_rows; /* of a result that was too large to keep; 0: none */
};

struct parse_limits session_parse_limits(const struct session *s);
/* The names that a query on profile p may use; in the arena. */
int session_env(struct session *s, size_t p, struct arena *a, struct check_env *env,
		struct err *err);
/* The filters in force and then the query's own graph stages; *profile is the one it
 * asks.  After `contexts` the source lists stacks, where the profile knows them. */
int session_gstages(struct session *s, struct query *q, struct arena *a,
		    struct gstage **out, size_t *profile, struct err *err);

/* A copy that the caller frees; NULL: memory is out. */
char *session_copy(struct str s);
/* ---- costs.c ---- */
/* *is_cost: the let is a sum of events of the first profile; it is an event now of all that
 * have these. */
int session_let_cost(struct session *s, const struct let *let, struct arena *a,
		     bool *is_cost, struct err *err);
/* ---- values.c ---- */
int session_set_let(struct session *s, const struct let *let, struct err *err);
void session_free_lets(struct session *s);
/* Open the scope of a query: with the defaults in its text, in lets and in filters.  It is
 * open even if this fails. */
int session_query_scope(struct session *s, struct str text, struct err *err);
/* ERR_QUERY if the statement is a name alone that is no function's. */
int session_check_lone(struct session *s, const struct stmt *st, struct str text,
		       struct arena *a, struct err *err);
/* Make r the result that `_` is (last.c). */
void session_keep_last(struct session *s, const struct result *r);

#endif
