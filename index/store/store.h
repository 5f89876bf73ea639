/*
 * store.h - read an index: the dense columns of one profile.
 *
 * The index is immutable once published (index/FORMAT.md), so every view is valid as long
 * as the store is open.  Ids are dense from 0:
 *   fn_id     functions, ordered by (name, file, object): one name is one run of ids
 *   name_id, file_id, obj_id   unique strings, ordered bytewise, per table
 *   edge_id   call edges (caller, callee), ordered by caller, then callee
 *   events    0 .. events-1 as recorded (union over parts, first appearance), then the
 *             derived ones up to all_events-1; every `e` below may be either
 * Costs are signed event counts; a sum that does not fit is the nearest that does.  Line 0
 * is unknown; an absent name, file or object is "???".
 *
 * Damage: a block that fails its check reads as zeros and the store remembers it.  So
 * scalar readers cannot fail; call store_check() before showing an answer.
 */
#ifndef QUERN_STORE_H
#define QUERN_STORE_H

#include <stdatomic.h>

#include "index/format/event.h"
#include "index/format/parts.h"
#include "index/format/tables.h"

typedef uint32_t fn_id, name_id, file_id, obj_id, edge_id, context_id, group_id;

struct arena;
struct cancel;
struct err;
struct store;

struct store_info {
	uint32_t events;     /* recorded events */
	uint32_t all_events; /* with derived events */
	uint32_t functions, edges, cycles, parts, names, files, objects;
	/* Functions without the contexts in their names, their calls and cycles. */
	uint32_t groups, group_edges, group_cycles;
	/* Files with the name of an inlined function (cfni=): file_ids from `files` on,
	 * only in store_inlined_lines(). */
	uint32_t inlined;
	/* distinct cost lines: function, file, name of an inlined function, instr, line */
	uint64_t lines;
	uint64_t callsites;   /* distinct: edge, file, instr, line */
	uint64_t jumps;	      /* distinct: source, target, kind */
	uint64_t diagnostics; /* diagnostics of all kinds */
	uint64_t input_bytes, input_lines;
	bool has_line, has_instr; /* position kinds of the profile */
	bool saturated;		  /* some sum did not fit in 64 bits */
	bool negative;		  /* some cost is negative */
	/* The profile looks cut off: its last line has no newline, or what its producer
	 * writes last is missing (PROFILE.md section 2). */
	bool truncated;
	struct str profile;	 /* path as given when it was indexed */
	struct str creator, cmd; /* of the first part; may be empty */
	uint64_t built_s;	 /* Unix time */
	uint64_t index_bytes;	 /* size of the index file */
};

/* Open the index file at path.  ERR_INDEX: missing, damaged, or not ours (owner or
 * mode; `trust` skips that test); ERR_STALE: another version. */
int store_open(const char *path, bool trust, struct store **out, struct err *err);
/* Whether the pages of a file are those of a quern index, whole or damaged: LMDB's
 * magic and a value. */
bool store_recognise(int fd);
bool store_is_lmdb(int fd); /* an index, or a database of another program */
/* Whether a file may be replaced: it is empty, holds a value of an index or, if it is
 * `named` like an index, is an LMDB file that was cut off. */
bool store_replaceable(int fd, bool named);
void store_close(struct store *st);
const struct store_info *store_info(const struct store *st);
/* The files that were indexed (meta_code.h), in the order of their first parts;
 * usually one. */
struct input_file;
const struct input_file *store_inputs(const struct store *st, uint32_t *n);
struct str store_input_path(const struct store *st, uint32_t i); /* absolute path */
/* The files of the profile, from which parts are read again if they have not changed
 * (part_lines.h).  `only` forbids the paths that the index records: an index of somebody
 * else could name any file.  The paths are copied. */
int store_named(struct store *st, const char *const *path, size_t n, bool only,
		struct err *err);
/* The first file (source.h). */
struct source_id;
const struct source_id *store_source(const struct store *st);
/* ERR_INDEX if a block read so far was damaged or the file has changed since
 * store_open(); the hint tells how to rebuild.  ERR_LIMIT if memory was out. */
int store_check(struct store *st, struct err *err);
/* Leave the guarded function (base/need.h) if store_check() fails. */
void store_sound(struct store *st);
/* Remember that memory was out until store_check() reports it: for readers that cannot
 * fail. */
void store_short(struct store *st);
/* Read all of it: every value with its checksum, every text and row; every id is in range.
 * ERR_INDEX names the first error; ERR_CANCEL. */
struct store_verified { /* what was checked */
	uint64_t pages, values, strings;
	uint64_t detail; /* cost lines, call sites, jumps */
	/* A hash of all values but meta, which has times and paths: the same however
	 * the profile was read. */
	uint64_t digest;
};
int store_verify(struct store *st, const atomic_int *cancel, struct store_verified *out,
		 struct err *err);
/* Compare with an index that was made again: ERR_INDEX if a value differs, but for the
 * time and the files' names. */
int store_same(struct store *st, struct store *again, struct err *err);

/* ---- events ---- */
struct store_event {
	struct str name;
	struct str long_name; /* may be empty */
	struct str formula;   /* as written; empty for a recorded event */
	bool builtin;	      /* a derived event that the file does not define */
};
void store_event(const struct store *st, uint32_t e, struct store_event *out);
/* Units of its events that the user says; they outlive the store.  The unit of event e. */
void store_set_units(struct store *st, const struct unit_rules *units);
struct unit store_unit(struct store *st, uint32_t e);
/* How often recorded event i is counted in one unit of event e. */
int64_t store_event_coef(const struct store *st, uint32_t e, uint32_t i);
/* The event's number, or all_events if there is none. */
uint32_t store_event_find(const struct store *st, struct str name);
/* Make name a derived event of this store while it is open: coef[i] times recorded event i,
 * of all.  One that was made so before has another formula from then on. */
int store_define_event(struct store *st, struct str name, struct str formula,
		       const int64_t *coef, struct err *err);
bool store_event_is_added(const struct store *st, uint32_t e);
/* Event e computed from a vector of recorded costs (derived: by its formula). */
int64_t store_event_of(const struct store *st, uint32_t e, const int64_t *recorded);
/* The computed self sum over all functions: 100 %. */
int64_t store_total(const struct store *st, uint32_t e);

/* ---- functions ---- */
struct str store_name(struct store *st, name_id n);
struct str store_file(struct store *st, file_id f);
struct str store_obj(struct store *st, obj_id o);
name_id store_fn_name_id(struct store *st, fn_id f);
file_id store_fn_file_id(struct store *st, fn_id f);
obj_id store_fn_obj_id(struct store *st, fn_id f);
struct str store_fn_name(struct store *st, fn_id f);
/* Names as shown and queried: demangled (demangle.h), unless that is turned off.  The
 * strings live as long as the store. */
void store_demangle(struct store *st, bool on);
bool store_demangles(const struct store *st);
struct str store_shown(struct store *st, name_id n);
struct str store_fn_shown(struct store *st, fn_id f);
void store_shown_names(struct store *st, const name_id *name, size_t n, struct str *out);
/* Set has[n] for each name n that contains text (not empty) as recorded; nocase: in any case, and
 * text has no capitals.  It looks at some
 * names from `first` on; the result is where to go on, at last the number of names.
 * first: 0, or such a result. */
name_id store_names_with(struct store *st, struct str text, bool nocase, name_id first,
			 uint8_t *has);
bool store_any_mangled(struct store *st); /* some name is shown demangled */
struct str store_fn_file(struct store *st, fn_id f);
struct str store_fn_obj(struct store *st, fn_id f);
uint64_t store_fn_line(struct store *st,
		       fn_id f); /* where it begins: FORMAT.md, table 10 */
/* That line, if the calls to it say it; else 0. */
uint32_t store_fn_begin(struct store *st, fn_id f);
/* It has no block: its self cost is what the calls into it cost, at line 0 of its file. */
bool store_fn_calls_only(struct store *st, fn_id f);
/* It has no block and no cost of its own: its inclusive cost is that of the calls into it. */
bool store_fn_bare(struct store *st, fn_id f);
/* Does the profile say how often functions are called?  One of samples does not, whatever
 * its counts are. */
bool store_counts_calls(struct store *st);
/* Were all calls counted?  Else no sum of calls is known. */
bool store_counts_all(struct store *st);
/* Was it recorded by callgrind, so that its options would tell more?  A profile that names no
 * creator was, if it counts Ir. */
bool store_is_callgrind(struct store *st);
/* Is a call that is counted 0 times known to be none?  Only callgrind writes such ones. */
bool store_counts_zeros(struct store *st);
uint32_t store_fn_cycle(struct store *st, fn_id f); /* 0: in no cycle; else 1..cycles */
/* Calls on all incoming edges, recursive ones too, and those of roots. */
uint64_t store_fn_calls(struct store *st, fn_id f);
int64_t store_fn_self(struct store *st, fn_id f, uint32_t e);
/* Inclusive cost; each cost counts once however often f is on the stack (inclusive.h).
 * Exact, except for an estimate if f may nest in itself. */
int64_t store_fn_incl(struct store *st, fn_id f, uint32_t e);
bool store_fn_nests(struct store *st, fn_id f);
/* The i-th function by self / inclusive cost of recorded event e (e < events),
 * descending, ties by id. */
fn_id store_rank_self(struct store *st, uint32_t e, uint32_t i);
fn_id store_rank_incl(struct store *st, uint32_t e, uint32_t i);
/* The functions with one name: ids *first .. *first + *n - 1. */
void store_fns_of_name(struct store *st, name_id name, fn_id *first, uint32_t *n);
/* The first id in a table whose string is >= s, for prefix search; the table's size if
 * there is none. */
name_id store_name_lower(struct store *st, struct str s);
file_id store_file_lower(struct store *st, struct str s);
file_id store_inlined_lower(struct store *st, struct str s); /* files + inlined: none */
obj_id store_obj_lower(struct store *st, struct str s);

/* The function has cost lines or calls of its own. */
bool store_fn_body(struct store *st, fn_id f);

/* ---- call edges ---- */
struct store_edge {
	fn_id caller, callee;
	uint64_t calls;
	bool recursive; /* caller == callee */
	bool in_cycle;	/* both ends in one cycle (recursive ones too) */
};
void store_edge(struct store *st, edge_id id, struct store_edge *out);
/* One of its members alone. */
fn_id store_edge_caller(struct store *st, edge_id id);
fn_id store_edge_callee(struct store *st, edge_id id);
uint64_t store_edge_calls(struct store *st, edge_id id);
int64_t store_edge_incl(struct store *st, edge_id id, uint32_t e);
/* The callees of f are the edges *first .. *first + *n - 1. */
void store_callees(struct store *st, fn_id f, edge_id *first, uint32_t *n);
bool store_calls_itself(struct store *st, fn_id f);
uint32_t store_caller_count(struct store *st, fn_id f);
edge_id store_caller(struct store *st, fn_id f, uint32_t i); /* ordered by caller */

/* Whole columns (tables.h), contiguous, for graph algorithms, valid as long as the store.
 * NULL if memory is out (then store_check() fails).  Rows are packed in the file; a column is
 * unpacked at its first use, so to read most of its rows this is the fastest way.  Costs
 * are signed: store_costs() and its like; other columns of 8 bytes are not. */
const uint32_t *store_u32(struct store *st, enum index_table t);
const uint64_t *store_u64(struct store *st, enum index_table t);
const int64_t *store_costs(struct store *st, enum index_table t, uint32_t e);
/*
 * Some rows of a column, for what reads a column once: no copy of the whole stays.  Rows
 * first .. first + n - 1, or row[0..n-1] if row is not NULL.  Somebody may have written to the
 * file since the block was checked: compare ids with the size of their table before they
 * index an array.
 */
void store_read_u32(struct store *st, enum index_table t, const uint32_t *row,
		    uint64_t first, size_t n, uint32_t *out); /* out may be row */
void store_read_u64(struct store *st, enum index_table t, const uint32_t *row,
		    uint64_t first, size_t n, uint64_t *out);
void store_read_costs(struct store *st, enum index_table t, uint32_t e,
		      const uint32_t *row, uint64_t first, size_t n, int64_t *out);
/* The first row from `first` on that may have at least `least` in a column of 8 bytes, by
 * the largest numbers that groups of rows can have; the number of rows if there is none. */
uint64_t store_seek(struct store *st, enum index_table t, uint32_t e, uint64_t first,
		    int64_t least);

/*
 * ---- contexts: the call tree, where the profile knows it ----
 *
 * Xdebug writes a block for each activation, so its profiles have the whole call tree
 * (contexts/contexts.h).  A context is a function with the stack that it is on: one for
 * each different stack from a root down.  Its costs are sums of the blocks' own costs, so
 * they add up to the functions' self costs and to store_total(), exactly; the costs of
 * edges are those of call lines, which Xdebug rounds for itself.
 *
 * Ids are by level, in a level by caller, and then by function: a caller stands before
 * those that it calls, and these are consecutive.  An algorithm over the tree is a loop
 * over the ids, up or down; the tree may be millions of levels deep.
 */
#define NO_CONTEXT UINT32_MAX /* the caller of a root */

struct store_tree {
	bool whole;	      /* the contexts have all costs; false: there are none */
	uint32_t contexts;    /* 0 unless whole */
	uint64_t activations; /* 0: the profile has no block for each */
	/* Calls whose block is one of several of their name and cost: fibers take turns. */
	uint64_t unsure;
	/* Calls for which no block was found, in whole trees, too: those blocks are roots
	 * or missing.  Of the first: the line of its block. */
	uint64_t lost, line;
	uint32_t file;	/* of store_inputs() */
	struct str why; /* lives as long as the store: why the first call found none, or
			   why there is no tree though each did; else empty */
};
void store_tree(const struct store *st, struct store_tree *out);
/* NO_CONTEXT: it is a root. */
context_id store_context_parent(struct store *st, context_id c);
fn_id store_context_fn(struct store *st, context_id c);
uint64_t store_context_calls(struct store *st, context_id c); /* activations */
int64_t store_context_self(struct store *st, context_id c, uint32_t e);
int64_t store_context_incl(struct store *st, context_id c, uint32_t e);

/* How often a function ran in a part without being called there: of {main}, and of all that
 * a fiber or the end of a request runs.  By part, then by function. */
struct store_root {
	uint32_t part;
	fn_id fn;
	uint64_t calls;
};
uint32_t store_roots(const struct store *st);
struct store_root store_root(struct store *st, uint32_t i);

/*
 * ---- groups: functions as people ask about them ----
 *
 * callgrind writes what it knows of the callers into names: f'2 is the second level of
 * recursion of f, f'g'h is f called from g, which h called.  Each such name is a function
 * of its own above, with edges of its own: paths and trees follow these, since they know
 * more.  A group has the functions that are one function but for that, and is what a list
 * has a row for.  Names are split only where the calls bear it out (name_contexts.h).
 *
 * Most profiles have no such names: then info.groups is the number of functions, group
 * f is function f, and nothing is stored or read.
 */
bool store_any_grouped(const struct store *st); /* some name has a context */
group_id store_group_of(struct store *st, fn_id f);
/* Its functions: store_group_fn(st, g, 0 .. store_group_size(st, g) - 1), ascending; never
 * none. */
uint32_t store_group_size(struct store *st, group_id g);
fn_id store_group_fn(struct store *st, group_id g, uint32_t i);
/* Its name, without contexts, as recorded; file and object are those of its functions. */
struct str store_group_name(struct store *st, group_id g);
/* The name of f without contexts, as shown. */
struct str store_fn_alone(struct store *st, fn_id f);
/* Names have levels of recursion, and those of all functions that recur. */
bool store_levels(const struct store *st);
/* What the name of f says of the context: the level of recursion, 1 if none, and the
 * callers, the nearest first, "g'h"; empty if none.  Views of the name. */
uint32_t store_fn_context(struct store *st, fn_id f, struct str *callers);
/* The inclusive cost of a group with a 1 in TABLE_GROUP_KNOWN: each cost once however often
 * it is on the stack, exact. */
int64_t store_group_incl(struct store *st, group_id g, uint32_t e);

/* ---- detail of one function; arrays in the arena; costs[i * events + e] ---- */
struct store_line {
	file_id file;
	uint64_t line, instr;
};
struct store_site {
	edge_id edge;
	fn_id callee;
	file_id file; /* file of the call line (inlined code: not the caller's file) */
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
		int64_t **costs, size_t *n, struct err *err);
/* The cost lines of f with the names of inlined functions: `file` may be store_info.files or more.
 * Lines that differ in nothing else are rows of their own. */
int store_inlined_lines(struct store *st, fn_id f, struct arena *a,
			struct store_line **rows, int64_t **costs, size_t *n,
			struct err *err);
/* Whether `file` is one with the name of an inlined function, and which. */
bool store_inlined(struct store *st, file_id file, file_id *of, struct str *name);
/* Make such rows those of store_lines(), in the arena. */
int store_plain_lines(struct store *st, struct arena *a, struct store_line **rows,
		      int64_t **costs, size_t *n, struct err *err);
int store_sites(struct store *st, fn_id f, struct arena *a, struct store_site **rows,
		int64_t **costs, size_t *n, struct err *err);
int store_jumps(struct store *st, fn_id f, struct arena *a, struct store_jump **rows,
		size_t *n, struct err *err);
/* Those rows one at a time, in constant memory, for functions with millions of
 * lines.  A non-zero result of `each` (with err set) ends it. */
typedef int store_each_line_fn(void *arg, const struct store_line *row,
			       const int64_t *costs, struct err *err);
typedef int store_each_site_fn(void *arg, const struct store_site *row,
			       const int64_t *costs, struct err *err);
int store_each_line(struct store *st, fn_id f, store_each_line_fn *each, void *arg,
		    struct err *err);
int store_each_site(struct store *st, fn_id f, store_each_site_fn *each, void *arg,
		    struct err *err);

/* The number of places of all functions' cost lines and call sites: (file, line), or with
 * by_instr (file, line, address).  Counted once. */
int store_places(struct store *st, bool by_instr, const struct cancel *cancel,
		 uint64_t *n, struct err *err);

/* ---- cycles: 1..cycles, by inclusive cost of event 0, descending ---- */
struct store_cycle {
	uint32_t functions;
	const fn_id *members; /* ascending */
};
void store_cycle(struct store *st, uint32_t cycle, struct store_cycle *out);
int64_t store_cycle_self(struct store *st, uint32_t cycle, uint32_t e);
int64_t store_cycle_incl(struct store *st, uint32_t cycle, uint32_t e);

/* ---- parts, in file order; of a set of files by (pid, part, thread) ---- */
/* totals, summary: NULL. */
void store_part(struct store *st, uint32_t p, struct part *out);
/* The basic blocks that it ran: "Basic block 0 - 31001".  False: it does not say. */
bool store_part_blocks(struct store *st, uint32_t p, uint64_t *from, uint64_t *to);
int64_t store_part_self(struct store *st, uint32_t p,
			uint32_t e); /* computed self cost */
/* The part's totals: and summary: lines. */
int64_t store_part_totals(struct store *st, uint32_t p, uint32_t e);
int64_t store_part_summary(struct store *st, uint32_t p, uint32_t e);
/* Xdebug's Memory has growths: what calls took and did not give back.  Its summary: has the
 * peak, that of the part with most.  False: e is another event, or no peak is known. */
bool store_grows(const struct store *st, uint32_t e);
bool store_peak(struct store *st, uint32_t e, int64_t *out);
/* Whether the parts' totals:, or of cachegrind the summary:, agree with the computed sums.
 * Neither is trusted more, but 100 % is the computed sum. */
struct store_totals {
	bool written;	/* every part has one */
	bool summary;	/* it is the summary: */
	bool agree;	/* in all recorded events; if not: */
	uint32_t event; /* the first event that differs */
	int64_t sum;	/* sum of its totals: */
};
void store_totals(struct store *st, struct store_totals *out);
/* Functions with cost in part p, in order of appearance in its text; costs[i * events
 * + e] is self cost. */
int store_part_functions(struct store *st, uint32_t p, struct arena *a, fn_id **fns,
			 int64_t **costs, size_t *n, struct err *err);
/* Edges with calls in part p, in the same order: calls[i], costs[i * events + e]. */
int store_part_edges(struct store *st, uint32_t p, struct arena *a, edge_id **edges,
		     uint64_t **calls, int64_t **costs, size_t *n, struct err *err);

/* ---- diagnostics: the first of each kind in file order, with counts ---- */
struct store_diag {
	struct str kind; /* "unknown line", "call without cfn=", ... */
	uint64_t count;	 /* diagnostics of this kind in all */
	uint64_t line;	 /* of this line in its file */
	uint32_t file;	 /* of store_inputs() */
	struct str text; /* the line, cut at 200 bytes */
};
uint32_t store_diag_count(struct store *st); /* number of lines kept */
void store_diag(struct store *st, uint32_t i, struct store_diag *out);
/* How many diagnostics are about costs that are lost or changed; *first: one of them. */
uint64_t store_odd_costs(struct store *st, struct store_diag *first);

#endif
