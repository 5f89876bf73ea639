/*
 * inlines.h - the inlined calls that an instruction is in, innermost first.
 *
 *	0x1189	max, inlined at util.h:12 into
 *		clamp, inlined at main.cpp:40 into the function
 *
 * They come from the debug information of the object (dwarf.h), which must not be newer
 * than the profile, and whose lines must be those of the profile.  If more than a few
 * differ, addresses with another line are not known; if many do, none is.  The calls
 * that were read are kept for the session and, if inlines_keep() was called, in a file for
 * later ones.  The file is not used for an object that has been built anew since.
 */
#ifndef QUERN_INLINES_H
#define QUERN_INLINES_H

#include "engine/inline/dwarf.h"
#include "index/store/store.h"

struct inline_frame {
	struct str name; /* as shown; empty: not known */
	uint32_t number; /* of the name, in the session */
	uint32_t id;	 /* of the frame, in its object */
	struct str file; /* of the call; empty: not known */
	uint64_t line;
	const struct inline_frame *outer; /* NULL: the function itself */
};

struct inlines;			   /* of a session */
struct inlines *inlines_new(void); /* NULL: memory is out */
void inlines_free(struct inlines *c);
/* The bytes that all of it may take: what is kept of a profile is then read in part or not at
 * all, and more inlined calls than that are ERR_LIMIT. */
void inlines_limit(struct inlines *c, size_t bytes);
void inlines_drop(struct inlines *c, const struct store *st);

/* Keep what is read for a profile in a file beside its index (inlines_file.h), written by
 * inlines_save(), and take from there what was read before; trust: even if others could
 * have written it. */
int inlines_keep(struct inlines *c, const struct store *st, const char *index, bool trust,
		 struct err *err);
void inlines_save(struct inlines *c);

/* Read the inlined calls of addresses of an object, sorted, each once, in one pass; those
 * that were read before are not read again.  *why: why not, a constant; else NULL. */
int inlines_read(struct inlines *c, struct store *st, obj_id obj,
		 const struct roots *objects, const struct dwarf_place *at, size_t n,
		 const struct cancel *cancel, const char **why, struct err *err);
/* Must an address be read?  WANT_NOTHING: this session or an earlier one has read it.
 * WANT_REASON: only why it cannot be read, the same for all addresses of the object. */
enum inlines_want { WANT_READ, WANT_REASON, WANT_NOTHING };
/* objects NULL: none is looked at, and what was read before holds. */
enum inlines_want inlines_wanted(struct inlines *c, struct store *st, obj_id obj,
				 const struct roots *objects, uint64_t address);

enum inlined_is { INLINED_UNKNOWN, INLINED_NO, INLINED_YES };
/* Of an address that was read; *frame: the innermost, if INLINED_YES. */
enum inlined_is inlines_at(struct inlines *c, const struct store *st, obj_id obj,
			   uint64_t address, const struct inline_frame **frame);

/* The number of a name of another source, and the name as it is kept; UINT32_MAX: memory
 * is out. */
uint32_t inlines_name(struct inlines *c, struct store *st, struct str *name);

#endif
