/*
 * folder.h - the profiles below a folder, or of a pattern: which files are one, what each is
 * called, and which is the base of which.
 *
 * A file is a profile by its text.  gungraun has a folder for each, CodSpeed a part of a file; tak has
 * BENCH/base.MORE as the base of BENCH/SUBJECT.MORE; elsewhere a file is a member, and FILE.old is
 * its base.  Several files of one run, by their names and pid: lines, are one member.
 *
 * A member's name is its path without what all paths begin and end with.  Links are followed, a
 * file that is met twice is taken once.
 */
#ifndef QUERN_FOLDER_H
#define QUERN_FOLDER_H

#include <stdatomic.h>

#include "index/base/arena.h"

struct err;

struct folder_files {
	const char **at;
	size_t n;
};

struct folder_member {
	struct str name; /* shown; no other has it */
	struct str
		key; /* its path below the folder: the same in another folder is its base */
	struct str cmd, creator;       /* the header's, or empty */
	struct folder_files now, base; /* none now: it is gone */
	int64_t written_s;	       /* when the newest of its files was */
	bool bench;		       /* a part of a file of CodSpeed */
	bool paired;
	bool told,
		unread; /* its user's: what is wrong with it was said; it cannot be opened */
};

struct folder {
	struct arena a;		  /* all texts are in it */
	struct str own;		  /* the name of the folder */
	struct folder_member *at; /* by key */
	size_t n, cap;
	size_t gone;	/* so many of them: only the base has them */
	size_t others;	/* files that are no profiles */
	size_t again;	/* files that were met before, by another name */
	size_t unnamed; /* parts that are no benchmark, of files that have some */
	/* What may be a profile and cannot be looked at, in words: the answer lacks it. */
	struct str *problem;
	size_t nproblems, problems_cap;
	struct folder *bases; /* of folder_pair() */
};

/* Is it a pattern of names, and none itself? */
bool folder_is_pattern(const char *path);
/* Folders, files and patterns of files.  ERR_PROFILE: none can be read, or no profile is there. */
int folder_find(struct folder *f, const char *const *path, size_t n,
		const atomic_int *cancel, struct err *err);
/* The members of `base`, which is f's from now on, become the bases of those with their key, or
 * else with their command, if it is no other's.  Those that are nobody's are members that are
 * gone. */
int folder_pair(struct folder *f, struct folder *base, struct err *err);
void folder_free(struct folder *f);

#endif
