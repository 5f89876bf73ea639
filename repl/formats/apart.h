/*
 * apart.h - different names that would be cut to the same text, cut where they differ.
 *
 *	std::map<int, char>::find(…)      std::map<…char>::find(…)
 *	std::map<int, long>::find(…)      std::map<…long>::find(…)
 */
#ifndef QUERN_APART_H
#define QUERN_APART_H

#include "repl/render/fit.h"

struct arena;

struct apart {
	struct str whole; /* the name; p NULL: never cut */
	size_t width;	  /* screen columns that it has */
	struct str cut;	  /* out: what to write, already escaped; p NULL: as fit_put() */
};

/* Fill in cut of the n names that are cut to the text of another one.  -1: no memory. */
int apart_cut(struct apart *names, size_t n, enum emit_form form, enum fit_kind kind,
	      struct arena *a);

#endif
