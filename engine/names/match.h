/*
 * match.h - find the functions that a name in a query means (engine/LANGUAGE.md, names).
 *
 *	bare	GDB's rule: parameters, return type, template arguments, missing leading
 *		namespaces, clone and version suffixes and 'N are ignored, unless the pattern
 *		has them.  "::" "->" "." are one separator; a path is not split at ".".  A leading "::" fixes the start.
 *		A "*" inside a component stays in it (mem*); a component that is only "*"
 *		stands for one or more (std::*).
 *		Files and objects: the base name or the last components of the path.
 *	exact	byte for byte
 *	regex	PCRE2, bytes, unanchored, with limits on matches, depth and heap
 *	id	the number of the function
 *
 * Each name is tested once, and then expanded to its functions.  Names are those without
 * contexts (store.h, groups), or else those of contexts; the functions have all their
 * contexts in any case.
 */
#ifndef QUERN_MATCH_H
#define QUERN_MATCH_H

#include "engine/names/name.h"
#include "index/base/str.h"
#include "index/store/store.h"

/* In the order of token_fields[]; the last two are sets that have no names (exec_set.c). */
enum match_field {
	MATCH_FN,
	MATCH_FILE,
	MATCH_OBJ,
	MATCH_CLASS,
	MATCH_CYCLE,
	MATCH_LINE
};
enum match_form { MATCH_BARE, MATCH_EXACT, MATCH_REGEX, MATCH_ID };

/* How the regular expression ends that dir:D stands for: a name without a directory. */
#define MATCH_IN_DIR "[^/\\\\]+$"

struct match_atom {
	enum match_field field;
	enum match_form form;
	struct str text; /* bare; unescaped string; between the slashes; digits of #N */
	bool nocase;	 /* /.../i, or of a part */
	bool recorded;	 /* names as recorded: a context is no function (store.h) */
	bool part;	 /* bare: be content with a part of a component of the name */
	bool once;	 /* match_replace() replaces the first match alone */
	uint64_t at;	 /* byte of the query where text starts, for err->at */
	uint32_t len;	 /* bytes of text as written in the query */
};

struct match_found {
	struct fn_set *fns; /* may be empty, never NULL on success */
	uint32_t functions; /* members; contexts of one function count once */
	uint32_t names;	    /* unique names matched (or files, objects, classes) */
	bool contexts;	    /* no name of a function matched, but that of a context */
};

/* Resolve an atom.  Finding nothing is no error here: see match_none().  ERR_QUERY: a
 * bad regex (err->at is where PCRE2 found the error), or a number after the last
 * function.  ERR_LIMIT: the regex hit its limits, or the arena is full.  Or
 * ERR_CANCEL. */
int match_find(struct store *st, const struct match_atom *atom,
	       const struct cancel *cancel, struct arena *a, struct match_found *out,
	       struct err *err);

/* The files that an atom with the field MATCH_FILE means: *hit, a byte for each, and *n of
 * them.  Errors are those of match_find(). */
int match_files(struct store *st, const struct match_atom *atom,
		const struct cancel *cancel, struct arena *a, const uint8_t **hit,
		uint32_t *n, struct err *err);

/* Report that the atom matched nothing: ERR_QUERY with the most similar names as hint. */
int match_none(struct store *st, const struct match_atom *atom, uint32_t event,
	       const struct cancel *cancel, struct err *err);

/* One compiled atom, matched against one name (for `~` in expressions, and tests). */
struct fn_set;
struct match;
int match_new(const struct match_atom *atom, struct arena *a, struct match **out,
	      struct err *err);
void match_free(struct match *m); /* NULL is fine */
/* 1: matches; 0: does not; -1: a limit was hit (err is set). */
int match_name(struct match *m, struct str name, struct err *err);
/* Does a name that is read in this way match? */
int match_name_as(struct match *m, struct str name, enum name_reading how,
		  struct err *err);
/* In the name, put `to` in place of what a regular expression matches: $1 and ${name} are
 * its groups, $$ is "$".  *out: the name itself, or a copy in the arena.  ERR_QUERY: `to` is
 * wrong (at: its place in the query); or ERR_LIMIT. */
int match_replace(struct match *m, struct str name, struct str to, uint64_t at,
		  struct arena *a, struct str *out, struct err *err);
/* A text that every name which the atom matches contains; empty: none is known.  *all:
 * every name with the text matches. */
struct str match_needle(const struct match *m, bool *all);
/* Mark in has[] the names of the store, none of which is mangled, that may match: all, but
 * those that begin as no match does.  false: nothing is known of their beginnings. */
bool match_begins(struct match *m, struct store *st, uint8_t *has);

#endif
