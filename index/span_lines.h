/*
 * span_lines.h - the lines of a part that is read again, cut to a span of the run.
 *
 * Rows of the text go to the tally with what of them lies in the span: of a cost line its
 * part, of a call what the blocks below it spend there, and 1 if it begins there.  Lines
 * without any are left out.
 *
 * Of a block with several cost lines, which Xdebug never writes, each is a piece of the span
 * as long as it costs in the first event; other events are cut line by line, not by the block
 * as the functions of a span have them (contexts/span.h).
 */
#ifndef QUERN_SPAN_LINES_H
#define QUERN_SPAN_LINES_H

#include <stddef.h>
#include <stdint.h>

struct batch;
struct err;
struct part_lines_opts;
struct span_lines;
struct store;
struct tally;

/* Both must outlive it. */
int span_lines_new(struct store *st, const struct part_lines_opts *opts,
		   struct span_lines **out, struct err *err);
void span_lines_free(struct span_lines *s); /* may be NULL */
/* The text of a part follows; it ends. */
int span_lines_part(struct span_lines *s, uint32_t part, struct err *err);
int span_lines_end(struct span_lines *s, struct err *err);
/* As tally_batch().  ERR_PROFILE: the text has other calls than the index. */
int span_lines_batch(struct span_lines *s, struct tally *t, struct batch *b,
		     struct err *err);

#endif
