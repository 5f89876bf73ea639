/*
 * inlined.h - which code of a function is inlined, and from where.
 *
 *	struct inlining *in;
 *	inlining_new(x, &in); for each place of the query: inlining_want(in, ...);
 *	inlining_read(in); then for each place: inlining_at(in, ...)
 */
#ifndef QUERN_INLINED_H
#define QUERN_INLINED_H

#include "engine/inline/inlines.h"

/* Whether a line of f in `file` is inlined from there; false if f's own file is not
 * known. */
bool inlined_line(struct store *st, fn_id f, file_id file);
/* The self cost of functions, in `event`, that lies in inlined lines.  False: they have
 * too many lines to read for a footer. */
bool inlined_share(struct store *st, const fn_id *f, size_t n, uint32_t event,
		   int64_t *sum);

/* Where places of a query are inlined; in the arena of the query.  A `file` may be one with
 * the name of an inlined function, as in store_inlined_lines(). */
struct exec;
struct inlining;
void inlining_new(struct exec *x, struct inlining **out);
void inlining_want(struct inlining *in, fn_id f, file_id file, uint64_t line,
		   uint64_t instr);
/* Look up all places wanted so far; note: say for which objects only files tell. */
void inlining_read(struct inlining *in, bool note);
/* Whether a place that was wanted is inlined; *frame: the innermost inlined call, NULL if
 * only the file tells. */
bool inlining_at(const struct inlining *in, fn_id f, file_id file, uint64_t instr,
		 const struct inline_frame **frame);
/* Record in x->inlined that inlined code of an object is known by name, or by its file. */
void inlining_known(struct exec *x, obj_id obj, bool by_name);
/* "max in clamp"; "util.h:12 in main.cpp:40": where each was called.  p is NULL: the
 * arena is full. */
struct str inlining_chain(struct arena *a, const struct inline_frame *f, bool brief);
struct str inlining_calls(struct arena *a, const struct inline_frame *f);

#endif
