/*
 * column.h - a column: what the registry says of it, and what a source makes of it.
 *
 *	registry: engine/sources/columns.c        source: engine/sources/source_*.c
 *
 *	"self"  COL_COST  "cost of its own lines"  functions, ROWS_FN:
 *	   of a function  graph_self, stored, ...     {"id",   BOTH, 7},
 *	   of a place     place_self                  {"self", BOTH, 2}, ...
 *	   of a part      part_self                lines, ROWS_PLACE:
 *	      |                                       {"self", BOTH, 2}, ...
 *	      |                                             |
 *	      +-------- columns_resolve(), once ------------+
 *	                           |
 *	          struct col_def: self of functions = graph_self(row)
 *	                          self of lines     = place_self(row)
 *
 * A row that is of the registry has a getter for each kind of row that has such a column.
 * A getter of functions serves every source whose rows lead to a function: the caller of a
 * call, the function of a line.  The source says which function that is (struct source_def),
 * the registry which of them the column is about (enum which_fn).
 */
#ifndef QUERN_COLUMN_H
#define QUERN_COLUMN_H

#include "engine/lang/col_type.h"
#include "index/base/str.h"

struct graph;
struct table;

/* A parameter of a getter or of a source that its type asks for, and this one does not need. */
#define UNUSED __attribute__((unused))

enum col_flags {
	/* Of a source's list: where the column is shown unless `show` asks for others. */
	SHOW_M = 1, /* in machine formats */
	SHOW_T = 2, /* in the table for people */
	BOTH = SHOW_M | SHOW_T,
	HAS_BAR = 32,
	WITH_LINE = 8192, /* `file`: its place is that of `file` and `line` as one */
	/* Of the registry: */
	PER_EVENT = 4,	      /* NAME.EVENT exists, too */
	ADDS_UP = 8,	      /* sums over rows make sense */
	IS_CUM = 16,	      /* cum%: the running sum of the column before */
	OF_TOTAL = 64,	      /* the percentage of `self`; .name has no "%" */
	AT_TOP = 128,	      /* with ADDS_UP: only over rows that are ROW_WHOLE */
	OF_RUN = 256,	      /* of single runs (vs_runs.c) */
	IS_COST = 512,	      /* COL_RATIO: of the event's cost */
	NAMES_EVENT = 1024,   /* text: the event that all costs of the row are of */
	HAS_CALLS = 2048,     /* text: f -> g; g -> h */
	IF_EXACT = 4096,      /* the column of the store has the values only if exact() */
	ABSENT_0 = 16384,     /* 0, or an empty text, is absent: not known */
	KNOWN_PLAIN = 32768,  /* absent() only in rows that stages made */
	OF_ROWS = 65536,      /* numbers of rows: of a joined table, its own */
	IS_SENTENCE = 262144, /* text: for people to read as a whole */
	IN_COUNTS = 131072,   /* COL_DELTA: of counts, whatever the unit of the event */
	OF_BYTES =
		1048576, /* with PER_EVENT: of the event that counts bytes, if none is named */
	COSTLY = 524288, /* takes the flow of all calls: not made where nobody reads it */
};

/* Of the store; each is sorted.  That of names, if none is mangled. */
enum dict { DICT_NONE, DICT_FILE, DICT_OBJ, DICT_NAME };

/* What a row is.  Rows of the first three are functions of the graph. */
enum rows_of {
	ROWS_FN,
	ROWS_GROUP, /* files, classes: a function of the graph that was collapsed */
	ROWS_CARD,  /* info f */
	ROWS_CYCLE,
	ROWS_CONTEXT,
	ROWS_CALL,
	ROWS_SITE,
	ROWS_JUMP,
	ROWS_ACTIVATION,
	ROWS_MOMENT, /* of a timeline */
	ROWS_PLACE,  /* a line or an instruction */
	ROWS_INLINED,
	ROWS_LISTING,
	ROWS_TREE,
	ROWS_STEP, /* of a path */
	ROWS_COST,
	ROWS_CAUSE, /* a function of the graph */
	ROWS_PART,
	ROWS_PART_OF, /* parts of f */
	ROWS_THREAD,
	ROWS_EVENT,
	ROWS_PROFILE,
	ROWS_INFO,
	ROWS_TOTALS, /* info vs */
	ROWS_WHY,
	ROWS_JOINED, /* of two tables: computed by vs_cols.c, without getters */
};

/* The function of a row that a getter of functions takes. */
enum which_fn { BY_FN, BY_CALLER, BY_CALLEE, WHICH_FNS };

struct link {
	/* NULL: the rows have no such function, or are functions themselves. */
	uint32_t (*fn)(const struct table *t, uint32_t ref);
	/* 1 + the column of the store with these functions, if the graph is plain; 0: none */
	unsigned stored;
};

/* A member of the struct that the source has for a row: a number of 8, 4 or 1
 * bytes, or a struct str. */
struct member {
	unsigned short at, size;
};
#define AT(type, name) \
	.at = {offsetof(struct type, name), sizeof(((struct type *)NULL)->name)}

/* What row() may need to make the struct. */
struct row_room {
	uint64_t bytes[32];
};

/* The values of a column in rows of one kind.  `ref` is a row; or a function of the graph,
 * in getters of ROWS_FN. */
struct getter {
	enum rows_of of;
	unsigned flags; /* of the registry */
	/* Exactly one of them, by type; costs and COL_DELTA use the bits of u. */
	uint64_t (*u)(const struct table *t, uint32_t ref, uint32_t event);
	bool (*b)(const struct table *t, uint32_t ref, uint32_t event);
	struct str (*s)(const struct table *t, uint32_t ref);
	double (*f)(const struct table *t, uint32_t ref, uint32_t event);
	uint32_t (*number)(const struct table *t, uint32_t ref); /* of a text in dict */
	/* Functions of graph.h, which are taken as they are: */
	uint64_t (*graph_u)(const struct graph *g, uint32_t ref);
	uint32_t (*graph_n)(const struct graph *g, uint32_t ref);
	bool (*graph_b)(const struct graph *g, uint32_t ref);
	int64_t (*graph_cost)(const struct graph *g, uint32_t ref, uint32_t event);
	struct str (*graph_s)(const struct graph *g, uint32_t ref);
	struct member at;
	bool (*estimated)(const struct table *t, uint32_t ref, uint32_t event);
	bool (*absent)(const struct table *t, uint32_t ref);
	/* Shorter ways to the same values, for many rows: */
	bool (*exact)(const struct table *t);	/* no row is estimated */
	bool (*present)(const struct table *t); /* no row is absent */
	/* 1 + the column of the store with these values, if the graph is plain and rows
	 * are its functions or edges; 0: none */
	unsigned stored;
	/* The texts of rows 0..t->n-1, if the graph is plain and rows are its functions. */
	void (*texts)(const struct table *t, struct str *out);
	/* The texts are of a dictionary if has_codes().  Their numbers are those of number()
	 * or, for functions, of column `codes` - 1 of the store. */
	enum dict dict;
	unsigned codes;
	/* Or NULL: called before the cells of t are computed. */
	void (*prepare)(const struct table *t, uint32_t event);
};

/* A row of the registry. */
struct column_row {
	const char *name;
	enum col_type type;
	const char *help; /* NULL: the row of this name before has it */
	enum which_fn by;
	unsigned flags; /* of any getter */
	const struct getter *get;
	size_t n;
};

/* A column in a source's list. */
struct listed {
	const char *name;
	unsigned flags; /* SHOW_M, SHOW_T, HAS_BAR, WITH_LINE */
	/* On a narrow screen: 1 is the subject of the rows, which stays longest; columns of
	 * higher numbers go first; 0: only seen if a query asks for it, so it stays */
	unsigned place;
};

/* A column of a source: the registry and the list in one. */
struct col_def {
	const char *name;
	enum col_type type;
	unsigned flags; /* of both */
	unsigned place;
	struct getter get; /* its shorter ways as far as they hold for the source */
	struct link link;  /* to what the getter takes; fn NULL: the row itself */
};

#endif
