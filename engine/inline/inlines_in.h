/* inlines_in.h - the inside of struct inlines, for inlines*.c. */
#ifndef QUERN_INLINES_IN_H
#define QUERN_INLINES_IN_H

#include "engine/inline/inline_code.h"
#include "engine/inline/inlines.h"
#include "engine/inline/inlines_file.h"
#include "index/base/strset.h"

struct inlined_address {
	uint64_t address;
	const struct inline_frame *frame; /* NULL: not inlined, or not known */
	bool known;
	bool other; /* its line is not that of the profile */
};

/* Frames that were read at once. */
struct inlined_frames {
	struct inline_frame *at;
	size_t n;
	struct inlined_frames *next; /* read before */
};

/* The addresses of an object that were read. */
struct inlined_object {
	const struct store *st;
	obj_id obj;
	struct str name;
	struct inlined_address *at; /* [n], sorted */
	size_t n, last;		    /* last: found there */
	struct inlined_frames *frames;
	uint32_t nframes;
	uint64_t agree, differ; /* lines, with those of the profile */
	const char *why;	/* it cannot be read */
	bool ask_again;		/* the last time it was, by the few lines asked for */
	/* The file that was read: its size and time, and the build-id. */
	bool stamped, checked;
	uint64_t size, mtime_ns;
	struct str build_id;
	bool none; /* it has no debug information, nor is some at `tried` */
	struct str *tried;
	size_t ntried;
	struct arena arena; /* frames, names */
	struct inlined_object *next;
};

/* The file of a profile. */
struct inlined_profile {
	struct store *st;
	char *path;
	bool trust, read, dirty;
	uint64_t stamp;
	struct kept_object *kept; /* [n] in the arena */
	size_t n;
	struct arena arena;
	struct inlined_profile *next;
};

struct inlines {
	struct inlined_object *objects, *recent;
	struct inlined_profile *profiles;
	struct strset names; /* as shown; copied */
	uint64_t spent;	     /* on demangling */
	size_t most;	     /* bytes of all */
};

/* The bytes that are left of them, 1 at least. */
size_t inlines_room(const struct inlines *c);

int no_memory_for_inlines(struct err *err);
/* Add the frames and addresses of code, of which the object knows none yet. */
int inlined_add(struct inlines *c, struct inlined_object *o,
		const struct inline_code *code, struct err *err);

/* Note that an object has no debug information, with the paths where it was looked for. */
int inlined_none(struct inlined_object *o, const struct inline_code *code,
		 struct err *err);

struct inlined_profile *inlined_profile_of(struct inlines *c, const struct store *st);
void inlined_profile_free(struct inlined_profile *p);
/* Take what the file of the profile keeps of a new object, if it has a file. */
int inlined_take_kept(struct inlines *c, struct inlined_object *o, struct err *err);

#endif
