/*
 * source_data.h - listings as data of a page, for its script.
 *
 * The data is the element d-source, a line per row:
 *
 *	@n		the listing of line n of d-functions begins (reports only);
 *			%n: that of its instructions
 *	F own TAB path TAB why TAB newer TAB n	a file, or an object; own: 1, of the function
 *			itself; why: it has no text; newer: 1, than the profile; n: its
 *			number in "group:pos"
 *	L pos TAB costs TAB text [TAB file:line]	a line, or an instruction
 *	C pos TAB to TAB calls TAB costs TAB callee [TAB short]	a call from there.  to: line
 *			of d-functions, or in a page of one listing "group:pos"; maybe empty
 *	J pos TAB to TAB text	a jump from there.  to: "group:pos"; maybe empty
 *	G text		text that is not there
 *	I name [TAB short]	code inlined from that function begins; empty: it ends
 *
 * Costs are per event, without zeros at the end.
 */
#ifndef QUERN_SOURCE_DATA_H
#define QUERN_SOURCE_DATA_H

#include "engine/listing/listing.h"
#include "index/base/out.h"
#include "index/base/strset.h"

struct graph;

struct source_data {
	struct graph *g;
	struct out o;  /* memory: lines of d-source */
	size_t budget; /* most bytes of it */
	/* [functions of g]: line of d-functions; NULL: calls lead to the same listing */
	const uint32_t *place;
	struct strset files; /* whose text the page holds; and objects */
	size_t lines[2];     /* so many; [1]: instructions */
	uint64_t lines_out;  /* left out: the budget is used up */
};

/* Append a listing: all of it, or its costliest lines that fit.  Returns the lines
 * taken. */
size_t source_data_put(struct source_data *d, const struct listing *l, struct err *err);
/* The bytes that are left for source in a page with so many others. */
size_t source_data_room(size_t used);
void source_data_init(struct source_data *d, struct graph *g);
/* The element with the data, and how much it is; the script lists the files. */
void source_data_write(struct out *o, const struct source_data *d);
void source_data_say(struct out *o, const struct source_data *d);
/* "the page holds text of 3 files: 48 lines and 22,327 instructions" */
void source_data_text(char *buf, size_t size, const struct source_data *d);
void source_data_free(struct source_data *d);

#endif
