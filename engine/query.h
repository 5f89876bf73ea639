/*
 * query.h - the public interface of the engine: a session of open profiles, and queries
 * as text.
 *
 * A session borrows the stores added to it; they must outlive it.  One thread uses it.
 */
#ifndef QUERN_QUERY_H
#define QUERN_QUERY_H

#include <stdatomic.h>

#include "engine/lang/expected.h"
#include "engine/rows/reading.h"
#include "index/base/str.h"

struct arena;
struct cancel;
struct err;
struct graph;
struct listing;
struct path_tree;
struct result;
struct roots;
struct session;
struct store;

struct session_limits { /* 0: the default (session.c) */
	uint64_t rows, arena_bytes, seconds, nesting, text_bytes;
};

int session_new(struct session **out, struct err *err);
void session_free(struct session *s);
/* Queries ask the first profile added; `in` and `vs` name the others. */
int session_add(struct session *s, struct str name, struct store *st, struct err *err);
/* Queries that name no profile ask this one. */
int session_use(struct session *s, struct str name, struct err *err);
int session_remove(struct session *s, struct str name, struct err *err);
/* Queries ask all members of a folder, which is borrowed.  One is open at a time, with its base:
 * open() adds both to the session and says what is wrong with them, close() removes them. */
struct folder;
struct session_members {
	struct folder *folder;
	struct str base; /* the name of a base in `vs`, and in the session */
	int (*open)(void *arg, size_t member, struct err *err);
	void (*close)(void *arg);
	void *arg;
};
int session_set_members(struct session *s, const struct session_members *of,
			struct err *err);
/* ERR_PROFILE: some of them could not be read, so the answers lack them. */
int session_unread(const struct session *s, struct err *err);
/* Queries ask the member of this name alone, until session_all().  ERR_QUERY: none has it. */
int session_only(struct session *s, struct str name, struct err *err);
void session_all(struct session *s);
/* One is open now, whose names and events Tab knows. */
int session_any_open(struct session *s, struct err *err);
size_t session_profiles(const struct session *s);
struct str session_profile_name(const struct session *s, size_t i);
struct store *session_profile(const struct session *s, size_t i);
/* Give all profiles the events that lets are; queries do it. */
int session_share_costs(struct session *s, struct err *err);
/* People read the next answers, unless a query says where they go: a tree without min and
 * max ends where rows fall under half a per cent. */
void session_for_people(struct session *s, bool people);
/* No query follows, so the next answer is not kept as `_`. */
void session_ends(struct session *s);
/* Set the event of costs that name none.  ERR_QUERY with a list of events if it does not
 * exist. */
int session_set_event(struct session *s, struct str event, struct err *err);
/* "EVENT=us": costs of the event have this unit, in all profiles. */
int session_set_unit(struct session *s, struct str rule, struct err *err);
struct str session_event(const struct session *s);
/* Was it set?  If not, it is the first of the profile that costs something in any profile. */
bool session_event_set(const struct session *s);
void session_set_cancel(struct session *s, const atomic_int *cancel);
/* For a sink that writes the answer: what stops it, with the time that its query has left; and
 * the deadline of what it asks of the session meanwhile (0: none). */
struct cancel session_answering(const struct session *s);
void session_set_due(struct session *s, uint64_t deadline_ns);
void session_set_limits(struct session *s, const struct session_limits *l);
const struct session_limits *session_limits(const struct session *s); /* the limits in
									 force: none is
									 0 */
/* How to read a profile again: of some things the index has only sums. */
void session_set_reading(struct session *s, const struct session_reading *r);
void session_set_safe(struct session *s, bool safe); /* refuse `>` and `!` */
/* Where `source of` and `lines of` may read text, and `asm of` objects (roots.h).
 * Borrowed.  NULL: nowhere. */
void session_set_roots(struct session *s, const struct roots *sources,
		       const struct roots *objects);
/* The profile that was added last is only an index.  The profile itself was not looked at
 * and may be of another run by now, so an `expect` about it fails. */
void session_as_index(struct session *s);
/* Keep the inlined calls that are read for the last profile added beside its index, for later
 * sessions (inline/inlines.h); trust: use them even if others could have written them.  Index
 * empty: keep none. */
int session_keep_inlines(struct session *s, const char *index, bool trust,
			 struct err *err);
/* Compare names after s/RE/TO/, too (compare/rename.h).  ERR_USAGE if it is not of this form. */
int session_rename(struct session *s, struct str rule, struct err *err);
void session_rename_none(struct session *s);
/* The i-th rule as given; p NULL: there are no more. */
struct str session_renames(const struct session *s, size_t i);
/* Accept the doubts that these words name, such as "cut,runs": an `expect` may hold in
 * spite of them.  ERR_USAGE lists the words. */
int session_accept(struct session *s, struct str words, struct err *err);
/* Was this word accepted? */
bool session_accepts(const struct session *s, const char *word);
/* The i-th word of --accept, and what it accepts; false: there are no more. */
bool session_accept_at(size_t i, const char **word, const char **help);
/* $name stands for text in queries, as after `let $name = text`: until the session ends,
 * or inside a scope until that ends.  ERR_USAGE: no name. */
int session_set_value(struct session *s, struct str name, struct str text,
		      struct err *err);
/*
 * A scope is for the values of one script: those set in it hide others of the same name
 * until it ends.  session_defaults() sets NAME to TEXT for each ${NAME:=TEXT} in the
 * script, unless NAME has a value.  Scopes nest.
 */
void session_scope(struct session *s);
int session_defaults(struct session *s, struct str script, struct err *err);
void session_scope_end(struct session *s);
/* The graph stages applied to every query (.push .pop .filters). */
int session_push(struct session *s, struct str gstage, struct err *err);
int session_pop(struct session *s, struct err *err);
size_t session_filters(const struct session *s);
struct str session_filter(const struct session *s, size_t i);

/* Call fn(arg) and turn a fault in a mapped index, which another process changed, into
 * ERR_INDEX.  query_run() does so itself.  A sink that must not stop half way guards its
 * own reads. */
int session_guard(int (*fn)(void *), void *arg, struct err *err);
/* ERR_INDEX if damaged data was read from the index of an open profile. */
int session_check(const struct session *s, struct err *err);

/* Called once per query of the text, in order.  Non-zero, with err set, stops the
 * script. */
typedef int query_sink(void *arg, const struct result *r, struct err *err);

/* The whole program as a tree of at most `rows` frames, or the callees (up: the callers) of
 * one function, in a graph of a result.  unparted: estimated from the sums of all parts. */
int session_program_tree(struct session *s, struct graph *g, uint32_t event,
			 bool unparted, uint32_t rows, struct arena *a,
			 struct path_tree *out, struct err *err);
int session_near(struct session *s, struct graph *g, uint32_t event, bool unparted,
		 uint32_t f, bool up, struct arena *a, struct path_tree *out,
		 struct err *err);
/* All of these at once where the stacks are known: of each call, what it takes of its caller's
 * cost, shares[0], and what it brings to the callee's, shares[1].  NULL: they are not. */
int session_shares(struct session *s, struct graph *g, uint32_t event, struct arena *a,
		   int64_t *shares[2], struct err *err);

/* A page calls these for graph_event(), graph_need_calls() and path_tree_left_out(): they
 * return the error that ends a query elsewhere. */
struct path_left_out;
int session_graph_event(struct graph *g, uint32_t event, struct err *err);
int session_graph_calls(struct graph *g, struct err *err);
int session_left_out(const struct path_tree *t, struct path_left_out *out,
		     struct err *err);

/* The listing of n functions of a graph of a result, which has costs of lines (g->detail);
 * see listing.h.  ahead: listing_ahead(), for listings of each of them that follow. */
int session_listing(struct session *s, struct graph *g, const uint32_t *f, size_t n,
		    bool ahead, struct listing *l, struct arena *a, struct err *err);
/* Is there a file to read for that source file of a profile? */
bool session_has_text(const struct session *s, struct str path, struct arena *a);

/* Is text one query or more, with a source that is no name alone, or at least begun as
 * one?  Its names need not be known. */
bool query_reads(struct str text);
/* The query that the words mean: that of another tool, or themselves; NULL: none is known.
 * buf holds HABIT_MAX bytes of habits.h. */
const char *query_meant(struct str words, char *buf);

/* The query of the hint of an error in text: "here that is: QUERY", or text with the name of "did
 * you mean 'NAME'?".  Empty if the hint has no query, or only an example. */
struct str query_hinted(struct str text, const struct err *err, struct arena *a);

/* Run every statement of text.  err->at and err->len are bytes of text.  Results live
 * in `a` until the caller resets it; `_` is copied into the session.  Pages of a result are
 * read as long as err lives, too, and those of another graph than the plain one until the
 * next query. */
int query_run(struct session *s, struct str text, struct arena *a, query_sink *sink,
	      void *arg, struct err *err);
/* The question that goes on from a row of the last answer, from 1, in the arena: down, what its
 * function calls; up, who calls it.  row 0: up from the functions that the last question was
 * about. */
int query_step(struct session *s, bool down, uint64_t row, struct arena *a,
	       struct str *text, struct err *err);
/* The text of the last question that had an answer; empty: none. */
struct str query_last(const struct session *s);
/* The expansion of the statements and what estimates rest on, as text (.explain). */
int query_explain(struct session *s, struct str text, struct arena *a, struct str *out,
		  struct err *err);
/* The end of the statement at byte `at` of text, or after the blanks there, whether it is
 * right or wrong: to run the statements of a text one by one. */
size_t query_statement(struct str text, size_t at);
/* True if text ends inside brackets, or after "|" "," "\": the shell then asks for
 * another line. */
bool query_incomplete(struct str text);

/* Possible continuations at the end of text (Tab). */
void query_context(struct session *s, struct str text, struct query_context *out);
/* The names of the columns of a source, and with `vs` those that a comparison has.  Returns
 * how many, at most max. */
struct verb;
size_t query_columns(const struct verb *v, bool vs, const char **names, size_t max);
/* The i-th column of all, and what it means; false: there are no more. */
bool query_column_at(size_t i, const char **name, const char **means);
/* What a column means; NULL: there is none of this name. */
const char *query_column_means(struct str name);
/* How soon a narrow screen drops a column of an answer.  1: it is the subject of the rows,
 * and goes last; the higher the sooner; 0: it is there because the query asks for it.
 * `file` and `line` as one are "file:line". */
unsigned query_column_place(const struct result *r, struct str name);
/* The name of the i-th value ($NAME), the sets that are always there last; empty: there
 * are no more. */
struct str session_value(const struct session *s, size_t i);
/* The i-th value that was set, by `let` for example; false: there are no more. */
bool session_let_at(const struct session *s, size_t i, struct str *name,
		    struct str *text);
bool session_has_let(const struct session *s, struct str name);
/* Functions whose name, or the part of it after any ::, starts with prefix, hottest
 * first by the event of the session.  At most max names (unique), in the arena. */
int query_complete_function(struct session *s, struct str prefix, size_t max,
			    struct arena *a, struct str **names, size_t *n,
			    struct err *err);

#endif
