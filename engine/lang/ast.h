/*
 * ast.h - the syntax tree of a query, before any name is looked up.
 *
 * All of it lives in the arena of the query; at and len are bytes of the text, for
 * carets.
 */
#ifndef QUERN_AST_H
#define QUERN_AST_H

#include "engine/lang/col_type.h"
#include "engine/lang/format.h"
#include "engine/names/match.h"
#include "engine/path/path.h"
#include "index/base/str.h"
#include "index/format/event.h"

struct err;
struct match;
struct table_col;

struct span {
	size_t at, len;
};
/* A mistake there: ERR_QUERY, or the error that err has already.  The query ends with it
 * (map_leave()), or, after span_wrong(), with need_hint(). */
_Noreturn void span_fail(struct err *err, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void span_wrong(struct err *err, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- name sets ---- */
enum set_op { SET_ATOM, SET_VAR, SET_AND, SET_OR, SET_NOT };

struct set {
	enum set_op op;
	struct span span;
	struct span text_span; /* the text as written, without quotes */
	struct set *a, *b;     /* SET_NOT only has a */
	enum match_field field;
	enum match_form form;
	struct str text; /* unescaped; of $x the name */
	bool caseless;
	uint64_t number;
};

/* An atom but cycle: and line:, for match_find(). */
static inline struct match_atom set_atom(const struct set *s)
{
	return (struct match_atom){.field = s->field,
				   .form = s->form,
				   .text = s->text,
				   .nocase = s->caseless,
				   .at = s->text_span.at,
				   .len = (uint32_t)s->text_span.len};
}

/* ---- expressions ---- */
enum expr_op {
	EX_NUMBER,
	EX_TEXT,
	EX_REGEX,
	EX_COL,
	EX_CALL,
	EX_VAR,
	EX_OR,
	EX_AND,
	EX_NOT,
	EX_NEG,
	EX_EQ,
	EX_NE,
	EX_LT,
	EX_LE,
	EX_GT,
	EX_GE,
	EX_MATCH,
	EX_NOT_MATCH,
	EX_IN,
	EX_ADD,
	EX_SUB,
	EX_MUL,
	EX_DIV,
};

struct expr {
	enum expr_op op;
	struct span span;
	struct expr *a, *b;
	struct expr *next; /* in an argument list, or a list of keys */
	struct str text;   /* EX_COL: base name; EX_TEXT, EX_REGEX, EX_CALL, EX_VAR */
	struct str event;  /* EX_COL: after the "."; may be empty */
	bool value;	   /* it was written as $NAME: a word that is no column is text */
	bool percent;	   /* EX_COL: self%; EX_NUMBER: 5% */
	bool integral, caseless;
	double number;
	struct unit unit; /* written by check, too; EX_NUMBER: of "10ms" */
	uint64_t whole;
	bool asc; /* a sort key; written is set if it says so: text ascends by itself */
	bool written;
	struct str as; /* name of a key or shown column; default: as written */
	bool named;    /* has "as NAME" */
	/* Written by check: */
	uint32_t ev; /* event of the column */
	enum col_type type;
	struct expr *let; /* EX_COL that names a let: its expression */
	/* Written by eval_bind(): the column itself, even if another one gets its
	 * name. */
	struct table_col *col;
	/* Written by eval_open(): */
	const struct fn_set *set; /* EX_IN $set */
	struct match *match;	  /* EX_MATCH, EX_NOT_MATCH, replace(): its regular
				     expression */
	uint8_t *
		known; /* [dict_size()]: what holds for each text of a column: enum text_known (eval.h); NULL: ask row by row */
	bool found;    /* EX_MATCH of a text: some row has it */
};

/* ---- stages ---- */
enum gstage_kind {
	G_FOCUS,
	G_IGNORE,
	G_HIDE,
	G_COLLAPSE,
	G_COLLAPSE_BY,
	G_CONTEXTS,
	G_WHOLE,
	G_INLINED,
	G_CUT,
	G_IN,
	G_PART,
	G_THREAD,
	G_ACTIVATION, /* activation 3 of X */
	G_SLOWEST,    /* slowest 3 activations of X */
	G_USUAL,      /* usual 3 activations of X */
	G_BETWEEN,    /* between 5ms and 7ms */
};

struct gstage {
	enum gstage_kind kind;
	struct span span;
	struct gstage *next;
	struct set *set;
	struct str name; /* collapse ... as NAME, in PROFILE, collapse by NAME */
	double percent;
	struct number_range {
		uint64_t first, last;
	} * numbers; /* of part, thread, activation */
	size_t nnumbers;
	uint64_t n;	    /* slowest N, usual N */
	struct gstage_end { /* of between: from, to */
		double at;
		bool percent;
		struct unit unit;
		struct span span;
	} end[2];
};

enum tstage_kind {
	T_WHERE,
	T_SORT,
	T_TAKE,
	T_SKIP,
	T_SHOW,
	T_ADD,
	T_GROUP,
	T_SUM,
	T_COUNT,
	T_AS,
	T_EXPECT,
};

struct tstage {
	enum tstage_kind kind;
	struct span span;
	struct tstage *next;
	struct expr *exprs; /* condition, keys, columns to show or group by, column to
			       add */
	struct expr *aggs;  /* group by ... : aggs */
	struct str name;    /* add NAME =, expect none|some */
	uint64_t n;	    /* take, skip */
	bool each; /* take, skip, group, sum, count: of a set of profiles, of each */
	enum format format;
};

/* ---- sources ---- */
enum source_kind {
	S_FUNCTIONS,
	S_FILES,
	S_OBJECTS,
	S_DIRS,
	S_CLASSES,
	S_LINES,
	S_INSTRS,
	S_INLINED,
	S_CALLS,
	S_CALLSITES,
	S_JUMPS,
	S_ACTIVATIONS,
	S_TIMELINE,
	S_CYCLES,
	S_CONTEXTS,
	S_PARTS,
	S_THREADS,
	S_EVENTS,
	S_PROFILES,
	S_CALLERS,
	S_CALLEES,
	S_CALLTREE,
	S_PATH,
	S_COST,
	S_CAUSES,
	S_SOURCE,
	S_ASM,
	S_FIND,
	S_INFO,
	S_WHY,
	S_LAST,
	SOURCES
};

/* The sets of functions that a source can name: the first of clause_words[]. */
enum { SOURCE_SETS = 6 };

struct source {
	enum source_kind kind;
	struct span span; /* the verb */
	bool top;	  /* top N = UNIT | sort BY | take N */
	bool each;	  /* top N each */
	bool lone;	  /* a name without a verb, which shows the function */
	bool has_n;
	uint64_t n; /* top N, hottest N paths */
	enum path_kind path;
	union {
		struct {
			struct set *of, *from, *to, *under, *via, *avoiding;
		};
		struct set *sets[SOURCE_SETS];
	};
	struct expr *by;
	bool depth_all, has_depth, has_max, has_min, min_percent;
	/* Nobody asked for min: people see no small rows, or none that are unchanged. */
	bool min_usual;
	uint64_t depth, max;
	double min;
	struct unit min_unit; /* of `min 10ms` */
	struct span min_span;
	struct str vs; /* all that was written after `vs`; empty: no comparison */
	struct span vs_span;
	struct str vs_profile;	 /* empty: the profile itself */
	struct gstage *vs_parts; /* the parts or threads of it to compare with, or NULL */
};

struct query {
	struct gstage *gstages;
	struct source source;
	struct tstage *tstages;
	struct str file, shell;
	struct span out_span;
};

struct let {
	struct str name;
	struct span span;  /* of the name */
	struct expr *expr; /* or */
	struct set *set;
	bool value;	 /* $NAME: a set, or whatever else the text is */
	struct str text; /* of the right side */
};

struct stmt {
	struct stmt *next;
	struct span span;
	bool is_let;
	struct let let;
	struct query query;
};

#endif
