/*
 * folder.h - the profiles below a folder, or of a pattern: which files are one, what each is
 * called, and which is the base of which.
 *
 * A file is a profile by its text.  One row each of the table in folder.c are the layouts of
 * gungraun, CodSpeed and tak; elsewhere a file is a member, and FILE.old is the base of FILE.
 * Several files of one run, by their names and pid: lines, are one member.
 *
 * A member's name is its path without what all paths begin and end with.  Links are followed, a
 * file that is met twice is taken once.
 */
#ifndef QUERN_FOLDER_H
#define QUERN_FOLDER_H

#include <stdatomic.h>

#include "index/base/str.h"

struct err;

struct folder_files {
	char **at;
	size_t n, cap;
};

struct folder_member {
	char *name; /* shown; no other has it */
	char *key; /* its path below the folder: the same in another folder is its base */
	char *cmd; /* the header's, or empty */
	struct folder_files now, base;
	const struct folder_member
		*before;   /* of folder_pair(): the one that `base` is of */
	int64_t written_s; /* when the newest of its files was */
	uint64_t bytes;
	bool empty;   /* its profile is: a program that crashed */
	bool indexed; /* only an index is there */
};

struct folder {
	struct folder_member *at; /* by key */
	size_t n, cap;
	size_t others; /* files that are no profiles */
	size_t again;  /* files that were met before, by another name */
	/* What may be a profile and cannot be looked at, in words: the answer lacks it. */
	char **problem;
	size_t nproblems, problems_cap;
};

/* Folders, files and patterns of files.  ERR_PROFILE: none can be read, or no profile is there. */
int folder_find(struct folder *f, const char *const *path, size_t n,
		const atomic_int *cancel, struct err *err);
/* The members of `base` become the bases of those with their key, or else with their command, if
 * it is no other's.  Those of `base` that are nobody's have `before` set to themselves. */
int folder_pair(struct folder *f, struct folder *base, struct err *err);
void folder_free(struct folder *f);

#endif
