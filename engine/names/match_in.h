/* match_in.h - one compiled pattern: of match.c, match_regex.c and match_store.c. */
#ifndef QUERN_MATCH_IN_H
#define QUERN_MATCH_IN_H

#define PCRE2_CODE_UNIT_WIDTH 8

#include <pcre2.h>

#include "engine/names/match.h"
#include "engine/names/name.h"

struct match {
	struct match_atom atom;
	struct arena *arena;
	/* bare: */
	struct name pat, as_path; /* the pattern; how it is read for a path */
	bool anchored, tail;	  /* leading "::"; trailing "::" */
	bool no_files;		  /* a glob of names, not of paths: A\B* */
	bool transparent;  /* some component is transparent, see is_transparent() */
	bool path;	   /* match components of a path, for files and objects */
	bool by_base;	   /* exact, without a "/": try base names if nothing is
				equal */
	struct str needle; /* part of every name that matches; may be empty */
	bool plain;	   /* regex: it is the needle */
	bool word;	   /* the needle is a whole component and an identifier */
	/* regex: */
	pcre2_general_context *general;
	pcre2_code *code, *letters; /* of bytes; of UTF-8, or NULL: not needed yet */
	bool ascii;		    /* the expression is */
	bool at_start;		    /* it matches only from the start of a name on */
	bool jit;		    /* `code` is compiled to instructions */
	pcre2_compile_context *compile;
	pcre2_match_data *data;
	pcre2_match_context *limits;
	pcre2_match_data *groups; /* for match_replace(); NULL: not yet */
	char *scratch;		  /* of scratch_cap bytes, too */
	size_t scratch_cap;
};

/* Compile a regular expression.  ERR_QUERY: it is bad; or ERR_LIMIT. */
int match_regex_new(struct match *m, struct err *err);
/* May a name match that begins so?  For at_start. */
bool match_regex_begins(struct match *m, struct str start);
/* 1 if the name matches, 0 if not, -1: ERR_LIMIT, it took too long. */
int match_regex(struct match *m, struct str name, struct err *err);

#endif
