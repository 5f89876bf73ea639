/*
 * keywords.h - the tables of the language: verbs, clauses, stages.
 *
 * The parser, the completion, the suggestions and `.help` read the same tables.
 */
#ifndef QUERN_KEYWORDS_H
#define QUERN_KEYWORDS_H

#include "engine/lang/ast.h"

/* The clauses of a source. */
enum clause {
	C_OF = 1,
	C_BY = 2,
	C_FROM = 4,
	C_TO = 8,
	C_UNDER = 16,
	C_VIA = 32,
	C_AVOIDING = 64,
	C_DEPTH = 128,
	C_MIN = 256,
	C_MAX = 512,
	C_SHORT = 1024, /* `callers X`: "of" may be omitted */
	C_NEEDS_OF = 2048,
	C_UNIT = 4096, /* may follow `top` */
	C_VS = ~0,     /* is allowed after every source; check/ knows what it compares */
};

struct verb {
	const char *word;
	enum source_kind kind;
	unsigned clauses;
	const char *form; /* one line for help and errors */
};

struct clause_word {
	const char *word;
	enum clause bit;
	bool set; /* a set follows */
};

struct stage_word {
	const char *word;
	bool graph;
	int kind; /* enum gstage_kind or tstage_kind */
	const char *form;
};

extern const struct verb verbs[];
extern const size_t verbs_n;
extern const struct stage_word stage_words[];
extern const size_t stage_words_n;
extern const struct clause_word clause_words[];
extern const size_t clause_words_n;
/* What `group by` makes of the values of a group. */
enum aggregate {
	AGG_COUNT,
	AGG_SUM,
	AGG_MIN,
	AGG_MAX,
	AGG_AVG,
	AGG_MEDIAN, /* of an even number: halfway between the middle two */
	AGG_P90,    /* the least value that 90 % of the values do not exceed */
	AGG_P99,
	AGGREGATES
};
extern const char *const aggregate_words[];	/* by enum aggregate, NULL-terminated */
enum aggregate aggregate_find(struct str word); /* AGGREGATES: it is none */
static inline bool is_aggregate(struct str word)
{
	return aggregate_find(word) < AGGREGATES;
}

/* A function that expressions may call. */
struct function_word {
	const char *word;
	bool text; /* it takes a text, or else a number */
	enum col_type
		type; /* of its value; of a whole number's abs() that of the number */
};
extern const struct function_word function_words[]; /* {0} at the end */
const struct function_word *function_find(struct str word);

extern const char *const path_words[]; /* by enum path_kind, NULL-terminated */

const struct verb *verb_find(struct str word);
/* Does the source read single lines?  They belong to the functions that the profile names,
 * and the index has them only for the whole profile. */
bool verb_of_lines(enum source_kind k);
const struct verb *verb_of_kind(enum source_kind kind);
const struct stage_word *stage_find(struct str word);
/* Does the stage open calls of the run, or a span of it: activation, slowest, usual,
 * between? */
bool gstage_opens(const struct gstage *g);
/* Does one of these keep, drop or move cost, or tell contexts apart? */
bool gstages_divide(const struct gstage *first);
const struct clause_word *clause_find(struct str word);
/* Is it no name where a name may stand?  A clause word, and, or, not in one case: `Max` and
 * `Of` are names. */
bool is_reserved(struct str word);
/* The most similar word of a kind; NULL: none. */
const char *nearest_verb(struct str word);
const char *nearest_stage(struct str word);
/* The most similar word that may follow `top`. */
const char *nearest_unit(struct str word);
/* The most similar of several words, within a distance that depends on its length. */
struct nearest {
	struct str word, hit; /* hit.p NULL: none was similar */
	unsigned distance;    /* only what is nearer is a hit */
};
struct nearest nearest_to(struct str word);
/* Is one of the words nearer than those before? */
bool nearest_try(struct nearest *n, struct str one);

#endif
