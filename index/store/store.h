/*
 * store.h - read an index: the dense columns of one profile.
 *
 * The index is immutable once published (index/FORMAT.md), so every view lives as long as
 * the store.  Ids are dense from 0:
 *   fn_id     functions, ordered by (name, file, object): one name is one run of ids
 *   name_id, file_id, obj_id   unique strings, ordered bytewise, per table
 *   edge_id   call edges (caller, callee), ordered by caller, then callee
 *   events    0 .. events-1 as recorded (union over parts, first appearance), then the
 *             derived ones up to all_events-1; every `e` below may be either
 * Costs are u64 event counts, saturated at UINT64_MAX; line 0 is unknown; an absent name,
 * file or object is "???".
 *
 * Damage: a block that fails its check reads as zeros and the store remembers it, so scalar
 * readers need no error path; whoever shows an answer calls store_check() before.
 */
#ifndef QUERN_STORE_H
#define QUERN_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/str.h"

typedef uint32_t fn_id, name_id, file_id, obj_id, edge_id;

struct store;

struct store_info {
	uint32_t events;     /* recorded */
	uint32_t all_events; /* and derived */
	uint32_t functions, edges, cycles, parts, names, files, objects;
	uint64_t lines;	      /* distinct cost lines: function, file, instr, line */
	uint64_t callsites;   /* distinct: edge, file, instr, line */
	uint64_t jumps;	      /* distinct: source, target, kind */
	uint64_t diagnostics; /* odd lines met while reading, all kinds */
	uint64_t input_bytes, input_lines;
	bool has_line, has_instr; /* position kinds of the profile */
	bool saturated;		  /* some sum reached UINT64_MAX */
	bool truncated;	    /* the profile looks cut off: its last line has no end, or
				   it is of callgrind and its last part has no totals: */
	struct str profile; /* path as given when it was indexed */
	struct str creator, cmd; /* of the first part; may be empty */
	uint64_t built_s;	 /* Unix time */
	uint64_t index_bytes;	 /* size of the index file */
};

/* Open the index file at path.  ERR_INDEX: not there, damaged, not ours (owner or mode;
 * `trust` skips that test); ERR_STALE: another version. */
int store_open(const char *path, bool trust, struct store **out, struct err *err);
/* By its pages the file is an index of quern's, whole or damaged: LMDB's magic and a value. */
bool store_recognise(int fd);
bool store_is_lmdb(int fd); /* an index, or a database of another program */
/* Nobody would miss the file: it is empty, holds a value of an index or, where it is `named` as an
 * index, is an LMDB file that was cut off. */
bool store_replaceable(int fd, bool named);
void store_close(struct store *st);
const struct store_info *store_info(const struct store *st);
/* The files that were indexed (meta_code.h), in the order of the parts; mostly one. */
struct input_file;
const struct input_file *store_inputs(const struct store *st, uint32_t *n);
struct str store_input_path(const struct store *st, uint32_t i); /* absolute */
/* Read the profile again from these files only (part_lines.h): those that the index records could
 * be any, when others made it.  The paths are copied. */
int store_only_from(struct store *st, const char *const *path, size_t n, struct err *err);
/* The first of them (source.h). */
struct source_id;
const struct source_id *store_source(const struct store *st);
/* ERR_INDEX when some block read so far was damaged or the file is no longer as it was when
 * it was opened, with the way to rebuild; ERR_LIMIT when memory was out. */
int store_check(struct store *st, struct err *err);
/* Check all of it (quern --verify): every value and checksum, every id, order and sum that can
 * be had in two ways.  ERR_INDEX names the first that is wrong; ERR_CANCEL. */
struct store_verified { /* what was looked at */
	uint64_t pages, values, strings;
	uint64_t detail; /* cost lines, call sites, jumps */
	bool sums;	 /* false: some saturated, so they were not compared */
	/* Functions that cost less than the calls into them say, of the event where they are
	 * most.  callgrind's never do, unless the profile is cut off. */
	uint64_t unexplained;
	/* Of all values but meta, which says when it was made and of what: the same however the
	 * profile was read. */
	uint64_t digest;
};
int store_verify(struct store *st, const atomic_int *cancel, struct store_verified *out,
		 struct err *err);

/* ---- events ---- */
struct store_event {
	struct str name;
	struct str long_name; /* may be empty */
	struct str formula;   /* as written, empty for a recorded event */
	bool builtin;	      /* a derived event that the file did not define */
};
void store_event(const struct store *st, uint32_t e, struct store_event *out);
/* The event's number, or all_events when there is none. */
uint32_t store_event_find(const struct store *st, struct str name);
/* Event e of a vector of recorded costs (derived: the formula; clamped at 0). */
uint64_t store_event_of(const struct store *st, uint32_t e, const uint64_t *recorded);
/* The computed self sum over all functions: 100 %. */
uint64_t store_total(const struct store *st, uint32_t e);

/* ---- functions ---- */
struct str store_name(struct store *st, name_id n);
struct str store_file(struct store *st, file_id f);
struct str store_obj(struct store *st, obj_id o);
name_id store_fn_name_id(struct store *st, fn_id f);
file_id store_fn_file_id(struct store *st, fn_id f);
obj_id store_fn_obj_id(struct store *st, fn_id f);
struct str store_fn_name(struct store *st, fn_id f);
/* Names as they are shown and asked for: demangled (demangle.h), unless that was turned off.
 * Texts live as long as the store. */
void store_demangle(struct store *st, bool on);
struct str store_shown(struct store *st, name_id n);
struct str store_fn_shown(struct store *st, fn_id f);
bool store_any_mangled(struct store *st); /* some name is shown otherwise */
struct str store_fn_file(struct store *st, fn_id f);
struct str store_fn_obj(struct store *st, fn_id f);
uint64_t store_fn_line(struct store *st, fn_id f); /* lowest known line in its own file */
uint32_t store_fn_cycle(struct store *st, fn_id f); /* 0: in none; else 1..cycles */
/* All incoming edges, recursive ones too. */
uint64_t store_fn_calls(struct store *st, fn_id f);
uint64_t store_fn_self(struct store *st, fn_id f, uint32_t e);
/* Inclusive, each cost once however often f is on the stack (inclusive.h): exact, but an
 * estimate where f may nest in itself. */
uint64_t store_fn_incl(struct store *st, fn_id f, uint32_t e);
bool store_fn_nests(struct store *st, fn_id f);
/* The i-th function by self / inclusive cost of recorded event e (e < events), descending,
 * ties by id. */
fn_id store_rank_self(struct store *st, uint32_t e, uint32_t i);
fn_id store_rank_incl(struct store *st, uint32_t e, uint32_t i);
/* Functions of one name: ids *first .. *first + *n - 1. */
void store_fns_of_name(struct store *st, name_id name, fn_id *first, uint32_t *n);
/* First id in a table whose string is >= s (the table's size when none): prefix search. */
name_id store_name_lower(struct store *st, struct str s);
file_id store_file_lower(struct store *st, struct str s);
obj_id store_obj_lower(struct store *st, struct str s);

/* Has cost lines or calls of its own, not only callers. */
bool store_fn_body(struct store *st, fn_id f);

/* ---- call edges ---- */
struct store_edge {
	fn_id caller, callee;
	uint64_t calls;
	bool recursive; /* caller == callee */
	bool in_cycle;	/* both ends in one cycle (recursive ones too) */
};
void store_edge(struct store *st, edge_id id, struct store_edge *out);
uint64_t store_edge_incl(struct store *st, edge_id id, uint32_t e);
/* Callees of f are the edges *first .. *first + *n - 1. */
void store_callees(struct store *st, fn_id f, edge_id *first, uint32_t *n);
uint32_t store_caller_count(struct store *st, fn_id f);
edge_id store_caller(struct store *st, fn_id f, uint32_t i); /* ordered by caller */

/* Whole columns, contiguous, for algorithms over the graph; NULL when memory is out (then
 * store_check() fails).  Rows as said; they live as long as the store. */
enum store_column {
	STORE_OUT_FIRST,   /* u32[functions + 1]: first edge of each caller */
	STORE_EDGE_CALLEE, /* u32[edges] */
	STORE_EDGE_CALLER, /* u32[edges] */
	STORE_EDGE_CALLS,  /* u64[edges] */
	STORE_EDGE_INCL,   /* u64[edges], event e */
	STORE_IN_FIRST,	   /* u32[functions + 1]: into STORE_IN_EDGE */
	STORE_IN_EDGE,	   /* u32[edges]: edge ids by callee, then caller */
	STORE_FN_NAME,	   /* u32[functions] */
	STORE_FN_FILE,	   /* u32[functions] */
	STORE_FN_OBJ,	   /* u32[functions] */
	STORE_FN_CYCLE,	   /* u32[functions] */
	STORE_FN_CALLS,	   /* u64[functions] */
	STORE_FN_SELF,	   /* u64[functions], event e */
	STORE_FN_INCL,	   /* u64[functions], event e */
	STORE_TOPO,	   /* u32[functions]: callers before callees; the members of a
				   cycle stand together */
};
const uint32_t *store_u32(struct store *st, enum store_column c);
const uint64_t *store_u64(struct store *st, enum store_column c, uint32_t e);

/* ---- detail of one function; arrays in the arena; costs[i * events + e] ---- */
struct store_line {
	file_id file;
	uint64_t line, instr;
};
struct store_site {
	edge_id edge;
	fn_id callee;
	file_id file; /* of the call line (inlined code: not the caller's file) */
	uint64_t line, instr, calls;
};
struct store_jump {
	fn_id to_fn;
	file_id file, to_file;
	uint64_t line, instr, to_line, to_instr;
	bool conditional;
	uint64_t executed, taken; /* unconditional: taken == executed */
};
/* Ordered by (file, instr, line) [, callee]. */
int store_lines(struct store *st, fn_id f, struct arena *a, struct store_line **rows,
		uint64_t **costs, size_t *n, struct err *err);
int store_sites(struct store *st, fn_id f, struct arena *a, struct store_site **rows,
		uint64_t **costs, size_t *n, struct err *err);
int store_jumps(struct store *st, fn_id f, struct arena *a, struct store_jump **rows,
		size_t *n, struct err *err);
/* The same rows one at a time, in memory that does not grow with their number: for a
 * function of millions of lines.  What `each` returns non-zero (with err set) ends it. */
typedef int store_each_line_fn(void *arg, const struct store_line *row,
			       const uint64_t *costs, struct err *err);
typedef int store_each_site_fn(void *arg, const struct store_site *row,
			       const uint64_t *costs, struct err *err);
int store_each_line(struct store *st, fn_id f, store_each_line_fn *each, void *arg,
		    struct err *err);
int store_each_site(struct store *st, fn_id f, store_each_site_fn *each, void *arg,
		    struct err *err);

/* ---- cycles: 1..cycles, by inclusive cost of event 0, descending ---- */
struct store_cycle {
	uint32_t functions;
	const fn_id *members; /* ascending */
};
void store_cycle(struct store *st, uint32_t cycle, struct store_cycle *out);
uint64_t store_cycle_self(struct store *st, uint32_t cycle, uint32_t e);
uint64_t store_cycle_incl(struct store *st, uint32_t cycle, uint32_t e);

/* ---- parts, in file order; of a set of files by (pid, part, thread) ---- */
struct store_part {
	uint64_t part, pid, thread; /* as written; 0 when absent */
	struct str creator, cmd, trigger, time_range, desc; /* desc: all desc: lines */
	struct str positions, events;			    /* as written or inherited */
	uint32_t file;					    /* of store_inputs() */
	uint64_t offset, bytes;				    /* in that file */
	uint64_t functions; /* with cost or calls in this part */
	bool has_totals, has_summary;
};
void store_part(struct store *st, uint32_t p, struct store_part *out);
uint64_t store_part_self(struct store *st, uint32_t p, uint32_t e); /* computed */
/* What the file says of it. */
uint64_t store_part_totals(struct store *st, uint32_t p, uint32_t e);
uint64_t store_part_summary(struct store *st, uint32_t p, uint32_t e);
/* Do the parts' totals: add up to what was computed?  Neither is trusted more, but what is
 * computed is 100 %. */
struct store_totals {
	bool written;	/* by every part */
	bool agree;	/* in all recorded events; where they do not: */
	uint32_t event; /* the first such, */
	uint64_t sum;	/* of what is written, UINT64_MAX at most */
};
void store_totals(struct store *st, struct store_totals *out);
/* Functions with cost in part p, as its text first has them; costs[i * events + e] is self cost. */
int store_part_functions(struct store *st, uint32_t p, struct arena *a, fn_id **fns,
			 uint64_t **costs, size_t *n, struct err *err);
/* Edges with calls in part p, likewise: calls[i], costs[i * events + e]. */
int store_part_edges(struct store *st, uint32_t p, struct arena *a, edge_id **edges,
		     uint64_t **calls, uint64_t **costs, size_t *n, struct err *err);

/* ---- diagnostics: the first of each kind in file order, with counts ---- */
struct store_diag {
	struct str kind; /* "unknown line", "call without cfn=", ... */
	uint64_t count;	 /* of this kind in all */
	uint64_t line;	 /* of this one, in its file */
	uint32_t file;	 /* of store_inputs() */
	struct str text; /* the line, cut at 200 bytes */
};
uint32_t store_diag_count(struct store *st); /* of those kept */
void store_diag(struct store *st, uint32_t i, struct store_diag *out);

#endif
