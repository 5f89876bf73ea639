/*
 * build.h - from a profile to its index: the one way in.
 *
 * build_open() finds the index of a profile, opens it when it is fresh, and otherwise
 * builds it: in a temporary file beside the final one, synced, renamed.  A build that fails
 * or is cancelled leaves nothing behind and an older index as it was.
 *
 * A profile may be packed (unpack.h) or a pipe, "-" is standard input: an index of a pipe is
 * kept only where index_path says.  A profile that is an index itself is opened as it is.
 */
#ifndef QUERN_BUILD_H
#define QUERN_BUILD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "index/base/err.h"
#include "index/store/store.h"

struct build_progress {
	uint64_t done, total; /* bytes of the profile */
	const char *stage;    /* "reading", "writing" */
};

struct build_opts {
	/* NULL: PROFILE.quern beside it, else the cache directory */
	const char *index_path;
	/* Read no file but those that are named here, now or later: an index that others made
	 * could record any path (--safe). */
	bool only_named;
	bool rebuild;	/* even when fresh */
	bool no_write;	/* keep no index: a temporary one, gone at close */
	bool no_wait;	/* ERR_LOCKED at once when another process builds it */
	bool merge;	/* a set may be of different programs */
	bool trust;	/* accept an index that others could have written */
	unsigned jobs;	/* threads; 0: one per core */
	size_t run;	/* rows of a function held at once (detail.h); 0: many (tests) */
	size_t stretch; /* bytes read at once by one thread; 0: shared out (tests) */
	size_t piece;	/* bytes of the file copied at once; 0: 256 KiB (tests) */
	size_t give;	/* bytes worth giving to another thread; 0: stretch.h (tests) */
	uint64_t mem;	/* bytes to work in; 0: the default (256 MiB) */
	const atomic_int *cancel; /* non-zero: stop with ERR_CANCEL; may be NULL */
	/* Called about ten times a second from the calling thread; may be NULL. */
	void (*progress)(void *arg, const struct build_progress *p);
	void *progress_arg;
	/* Told in a line of words what is to be known meanwhile; may be NULL. */
	void (*note)(void *arg, const char *text);
	void *note_arg;
};

enum build_how {
	BUILD_FRESH,   /* the index was up to date */
	BUILD_AS_IS,   /* the profile given is an index itself */
	BUILD_NEW,     /* there was none */
	BUILD_STALE,   /* the profile changed, or the index is of another version */
	BUILD_FORCED,  /* --rebuild */
	BUILD_DAMAGED, /* the old one could not be read */
};

struct build_report {
	enum build_how how;
	uint32_t read;	  /* files that were read, of those in the profile */
	char note[300];	  /* what of a set was left out; may be empty */
	char why[400];	  /* one sentence; may be empty */
	char index[4200]; /* path; empty with no_write */
	uint64_t took_ns; /* wall time of open and build */
};

int build_open(const char *profile, const struct build_opts *opts, struct store **out,
	       struct build_report *report, struct err *err);

/* The same for a set of files that are one profile (input.h). */
int build_open_set(const char *const *path, size_t n, const struct build_opts *opts,
		   struct store **out, struct build_report *report, struct err *err);

#endif
