/*
 * inlines_child.h - read the debug information of an object in processes with limits.
 *
 * An object may be damaged, or made to do damage.  So libdw works in a child, and what the
 * child writes is checked as any other input.  Its processor time, memory and output are
 * bounded by the size of the files: if it crashes, or needs too much, the answer is a
 * reason.  Many addresses are shared by two children.
 */
#ifndef QUERN_INLINES_CHILD_H
#define QUERN_INLINES_CHILD_H

#include "engine/inline/dwarf.h"
#include "engine/inline/inline_code.h"

struct cancel;

enum { INLINE_CHILDREN = 2 };

struct inline_answer {
	const char *why;     /* why not, a constant; else NULL */
	bool none;	     /* it has no debug information: code[0] as in dwarf.h */
	struct str build_id; /* of the object; empty: it has none */
	struct inline_code code[INLINE_CHILDREN]; /* one after the other */
	size_t codes;
	struct bytes bytes[INLINE_CHILDREN]; /* what the texts are in */
	struct arena arena;
};

/* Ask for the inlined calls; ask->opened is not used.  The answer is freed by the caller,
 * also after an error. */
int inline_children(const struct dwarf_ask *ask, const struct cancel *cancel,
		    struct inline_answer *out, struct err *err);
extern const char inline_no_debug[]; /* the reason that it has none */
void inline_answer_free(struct inline_answer *a);

#endif
