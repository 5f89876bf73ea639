/*
 * build.h - from a profile to its index: the one way in.
 *
 * build_open() opens the index of a profile if it is up to date, and otherwise builds it
 * in a temporary file beside the final one, syncs it and renames it.  A build that fails
 * or is cancelled removes its temporary file and leaves an older index unchanged.
 *
 * A profile may be packed (unpack.h) or a pipe ("-" is standard input); the index of a
 * pipe is kept only if index_path is given.  A profile that is an index itself is opened
 * as it is.
 */
#ifndef QUERN_BUILD_H
#define QUERN_BUILD_H

#include <stdatomic.h>

#include "index/store/store.h"

enum { BUILD_SMALL = 4 << 20 }; /* for build_opts.small: 0.01 s */

struct build_progress {
	uint64_t done, total; /* bytes of the profile */
	const char *stage;    /* "reading", "writing" */
};

struct build_opts {
	/* NULL: PROFILE.quern beside it, else the cache directory */
	const char *index_path;
	/* Read only the files named here, now and later: an index from others could
	 * record any path (--safe). */
	bool only_named;
	bool rebuild;  /* build even if the index is up to date */
	bool no_write; /* use a temporary index, removed when it is closed */
	/* no_write for profiles of fewer bytes of text, unless index_path or rebuild asks for an
	 * index, or an old one lies there: they are read faster than a person notices. */
	uint64_t small;
	bool no_build; /* fail with ERR_STALE unless the index is up to date; small ones are read */
	bool no_wait;  /* fail with ERR_LOCKED if another process builds the index */
	bool regular;  /* no pipes: nothing that could keep us waiting */
	bool merge;    /* a set may be of different programs, tools and runs */
	bool trust;    /* accept an index that other users could have written */
	unsigned jobs; /* threads; 0: one per core */
	size_t run; /* rows of a function held at once (detail.h); 0: default (tests) */
	size_t stretch; /* bytes one thread reads at once; 0: shared out evenly (tests) */
	size_t at_once; /* bytes of the file copied at once; 0: 256 KiB (tests) */
	size_t give;  /* bytes worth giving to another thread; 0: see stretch.h (tests) */
	uint64_t mem; /* bytes of working memory; 0: the default (256 MiB) */
	const atomic_int *cancel; /* non-zero: stop with ERR_CANCEL; may be NULL */
	/* Called about ten times a second from the calling thread; may be NULL. */
	void (*progress)(void *arg, const struct build_progress *p);
	void *progress_arg;
	/* Called with one line of text about a delay; may be NULL. */
	void (*note)(void *arg, const char *text);
	void *note_arg;
};

enum build_how {
	BUILD_FRESH,   /* the index was up to date */
	BUILD_AS_IS,   /* the given file is itself an index */
	BUILD_NEW,     /* there was no index */
	BUILD_READ,    /* there is none: the profile is small */
	BUILD_STALE,   /* the profile changed, or the index has another version */
	BUILD_FORCED,  /* --rebuild */
	BUILD_DAMAGED, /* the old index could not be read */
};

struct build_report {
	enum build_how how;
	uint32_t read;	 /* files read in this build */
	char note[300];	 /* which files of a set were left out; may be empty */
	char why[400];	 /* one sentence; may be empty */
	char runs[1000]; /* the files are several runs (runs.h); may be empty */
	char index
		[4200]; /* path; of a small profile, one in the cache that is not there; empty with no_write */
	uint64_t took_ns; /* wall time of open and build */
};

int build_open(const char *profile, const struct build_opts *opts, struct store **out,
	       struct build_report *report, struct err *err);

/* Open a set of files that form one profile (input.h). */
int build_open_set(const char *const *path, size_t n, const struct build_opts *opts,
		   struct store **out, struct build_report *report, struct err *err);

/*
 * Read the files of st again, as they were when they were indexed, and merge them: *p is the
 * profile, whose numbers are those of st, without contexts, until build_kept_free().
 * ERR_PROFILE: it came through a pipe, is gone or has changed; what: what is read from it, for
 * the hint.
 */
struct profile;
struct build_kept;
int build_keep(struct store *st, const struct build_opts *opts, const char *what,
	       struct build_kept **out, struct profile **p, struct err *err);
void build_kept_free(struct build_kept *k); /* may be NULL */

typedef int build_use(void *arg, struct profile *p, struct err *err);
/* Read files as one profile and make no index: `use` gets it, without contexts.  *truncated: the
 * end of a file is missing.  Several threads may do so at once. */
int build_look(const char *const *path, size_t n, const struct build_opts *opts,
	       build_use *use, void *arg, bool *truncated, struct err *err);

#endif
