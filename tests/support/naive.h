/*
 * naive.h - a second, deliberately simple reader of the format, to compare with.
 *
 * It knows nothing of index/: the whole file in memory, one line after the other, every sum
 * in one table of facts.  A fact is a key that spells out what is counted (a function, a call
 * edge, a cost line, a call site, a jump, a part's share) and its numbers.  naive_compare()
 * derives the same facts from a store, and the two tables must be equal.
 */
#ifndef QUERN_TESTS_NAIVE_H
#define QUERN_TESTS_NAIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/arena.h"
#include "tests/support/facts.h"
#include "tests/support/pack.h"

struct store;

struct naive {
	struct arena arena;
	struct facts facts;
	const char *refused; /* why it is no profile, or NULL */
	bool odd;	     /* something deserves a diagnostic */
	bool unsure;	     /* odd or not: formulas, header values, inclusive overflow */
	bool mixed; /* sums depend on their order: of both signs, and too large */
	size_t nevent, nfn, npart;
};

/* Read text[0..n).  Dies when memory is out: this is for tests. */
void naive_read(struct naive *r, const char *text, size_t n);
void naive_free(struct naive *r);

/* True when the store says the same, or sums are `mixed`; otherwise why holds the first
 * difference. */
bool naive_compare(const struct naive *r, struct store *st, char *why, size_t size);

/* The whole: build an index of the text, read in stretches of so many bytes (0: in one) by
 * two threads; read it naively; compare. */
bool naive_agree(const char *text, size_t n, size_t stretch, char *why, size_t size);

enum { NAIVE_FILES = 8 }; /* of a set, at most */

struct naive_way {
	unsigned jobs;	  /* threads */
	size_t stretch;	  /* bytes; 0: shared out evenly */
	size_t give;	  /* bytes worth giving to a thread that waits; 0: as usual */
	uint64_t mem;	  /* bytes to work in; 0: any, by the stretch */
	unsigned members; /* of a packed file; 0: not packed */
	enum pack pack;
	void (*then)(void *arg, struct store *st); /* when they agree; may be NULL */
	void *arg;
};
bool naive_agree_by(const char *text, size_t n, const struct naive_way *way, char *why,
		    size_t size);
/* The same for a text that naive_read() has read, so that it can be indexed in many ways. */
bool naive_agrees(const struct naive *r, const char *text, size_t n,
		  const struct naive_way *way, char *why, size_t size);
/* The same with every instruction set by one thread, and then in each of the nways ways; *how
 * names the last that was tried, the one that does not agree. */
struct naive_named_way {
	const char *name;
	struct naive_way way;
};
bool naive_agrees_each(const char *text, size_t n, const struct naive_named_way *ways,
		       size_t nways, const char **how, char *why, size_t size);
/* The same for files that are one profile: one behind the other, with "NEW PROFILING FILE"
 * between, they say the same.  The first `before` of them are indexed first, then the others
 * are added to that index.  Also true when there is nothing to compare: a file is no profile,
 * or they are in another order by what they say of themselves. */
bool naive_set_agrees(const struct str *text, size_t n, size_t before,
		      const struct naive_way *way, char *why, size_t size);

#endif
