/*
 * meta_code.h - the values that are not columns: meta, part headers, diagnostics.
 *
 * Numbers are varints, strings a length and bytes.  One struct per value and one function
 * per direction, so that the order of fields is written down once (meta_code.c).
 */
#ifndef QUERN_META_CODE_H
#define QUERN_META_CODE_H

#include "index/base/str.h"
#include "index/base/varint.h"
#include "index/format/parts.h"
#include "index/base/bytes.h"

struct arena;

/* Which file an index is of; see source.h. */
struct source_id {
	struct str path; /* absolute */
	uint64_t dev, inode, size, mtime_ns, ctime_ns;
	uint64_t hash; /* of the content */
};

/* One of the files that make a profile. */
struct input_file {
	struct source_id id;
	uint64_t pid, part, thread; /* of its first part: their order */
	uint64_t bytes, lines;	    /* of its text */
	bool truncated;
	struct str events; /* in the order of first appearance, blanks between */
	uint64_t formulas; /* its event: lines */
	struct formula *formula;
};

struct meta {
	uint64_t files; /* >= 1 */
	struct input_file *file;
	struct str profile; /* as the user wrote it */
	struct str creator, cmd;
	uint64_t built_s;
	uint64_t input_bytes, input_lines;
	uint64_t functions, edges, cycles, cycle_members, parts;
	uint64_t strings[SPACES];
	uint64_t pairs; /* of the files' strings, the last ones: "\nFILE\nNAME" */
	uint64_t lines, sites, jumps, diagnostics;
	bool has_line, has_instr, saturated, truncated;
	bool negative;	/* some cost is */
	bool uncounted; /* a number of calls is not known: 0 in the columns of edges */
	bool totals;	/* every part says what it cost in all: totals: */
	bool summaries; /* every part is cachegrind's, and has a summary: */
	uint64_t loose; /* names whose meaning another file could change: callees whose
				   file was a default and that have no block, jumps to such */
	struct tree_facts tree;
	/* Functions, if names have contexts (name_contexts.h), and calls and cycles of these;
	 * else 0. */
	uint64_t groups, group_edges, group_cycles;
	bool levels; /* names have levels of recursion, and they are those of all */
	uint64_t events, all_events;
	struct event *event; /* all_events */
	int64_t *total;	     /* events */
};

struct diag {
	uint64_t kind, count, file, line;
	struct str text;
};

/* One description for both directions: exactly one of `to` and `from` is set. */
struct coder {
	struct bytes *to;
	struct varint_reader *from;
	struct arena *arena; /* for what is read */
	bool failed;	     /* memory is out, or the bytes are damaged */
};

void meta_code(struct coder *c, struct meta *m);
/* A part without totals and summary, which are columns. */
void part_head_code(struct coder *c, struct part *p);
void diag_code(struct coder *c, struct diag *d);

#endif
