/* keywords.c - the tables of the language; see keywords.h. */
#include "engine/lang/keywords.h"

#include "engine/lang/token.h"
#include "index/base/count.h"
#include "index/base/str.h"

#define UNIT (C_OF | C_BY | C_UNIT)
#define LIST (C_BY | C_UNIT)

const struct verb verbs[] = {
	{"top", S_FUNCTIONS, UNIT, "top [N] [UNIT] [of SET] [by EXPR]"},
	{"functions", S_FUNCTIONS, UNIT, "functions [of SET] [by EVENT]"},
	{"files", S_FILES, UNIT, "files [of SET]"},
	{"objects", S_OBJECTS, UNIT, "objects [of SET]"},
	{"dirs", S_DIRS, UNIT, "dirs [of SET]"},
	{"classes", S_CLASSES, UNIT, "classes [of SET]"},
	{"lines", S_LINES, UNIT, "lines [of SET]"},
	{"instrs", S_INSTRS, UNIT, "instrs [of SET]"},
	{"inlined", S_INLINED, UNIT, "inlined [of SET]"},
	{"calls", S_CALLS, UNIT | C_FROM | C_TO, "calls [of SET | from SET to SET]"},
	{"callsites", S_CALLSITES, UNIT | C_FROM | C_TO,
	 "callsites [of SET | from SET to SET]"},
	{"jumps", S_JUMPS, UNIT, "jumps [of SET]"},
	{"activations", S_ACTIVATIONS, UNIT, "activations [of SET] [by EVENT]"},
	{"timeline", S_TIMELINE, C_MIN | C_BY, "timeline [min N] [by EVENT]"},
	{"cycles", S_CYCLES, UNIT, "cycles [of SET]"},
	{"contexts", S_CONTEXTS, UNIT, "contexts [of SET] [by EVENT]"},
	{"parts", S_PARTS, UNIT, "parts [of SET] [by EVENT]"},
	{"threads", S_THREADS, LIST, "threads"},
	{"events", S_EVENTS, C_UNIT, "events"},
	{"profiles", S_PROFILES, C_UNIT, "profiles"},
	{"callers", S_CALLERS,
	 C_OF | C_SHORT | C_NEEDS_OF | C_DEPTH | C_MIN | C_MAX | C_BY,
	 "callers of SET [depth N|all] [min N] [max N] [by EVENT]"},
	{"callees", S_CALLEES,
	 C_OF | C_SHORT | C_NEEDS_OF | C_DEPTH | C_MIN | C_MAX | C_BY,
	 "callees of SET [depth N|all] [min N] [max N] [by EVENT]"},
	{"calltree", S_CALLTREE,
	 C_FROM | C_TO | C_DEPTH | C_MIN | C_MAX | C_AVOIDING | C_BY,
	 "calltree [from|to SET] [depth N] [min N] [max N] [avoiding SET]"},
	{"path", S_PATH,
	 C_FROM | C_TO | C_VIA | C_AVOIDING | C_DEPTH | C_MIN | C_BY | C_SHORT,
	 "[hottest|shortest|widest|all] [N] path from SET to SET [via SET] ..."},
	{"paths", S_PATH,
	 C_FROM | C_TO | C_VIA | C_AVOIDING | C_DEPTH | C_MIN | C_BY | C_SHORT,
	 "[shortest|hottest|widest|all] [N] paths from SET to SET"},
	{"cost", S_COST,
	 C_OF | C_SHORT | C_NEEDS_OF | C_UNDER | C_VIA | C_AVOIDING | C_BY,
	 "cost of SET [under SET] [via SET] [avoiding SET]"},
	{"causes", S_CAUSES, C_OF | C_SHORT | C_NEEDS_OF | C_BY,
	 "causes of SET [by EVENT]"},
	{"source", S_SOURCE, C_OF | C_SHORT | C_NEEDS_OF | C_BY, "source of SET"},
	{"asm", S_ASM, C_OF | C_SHORT | C_NEEDS_OF | C_BY, "asm of SET"},
	{"find", S_FIND, C_OF | C_SHORT | C_NEEDS_OF | C_BY, "find SET"},
	{"info", S_INFO, C_OF | C_SHORT | C_BY, "info [SET]"},
	{"why", S_WHY, C_OF | C_UNDER | C_BY | C_MAX,
	 "why [of SET] [under SET] [vs PROFILE] [by EVENT] [max N]"},
	{"_", S_LAST, 0, "_"},
};
const size_t verbs_n = COUNT(verbs);

const struct stage_word stage_words[] = {
	{"focus", true, G_FOCUS, "focus SET"},
	{"ignore", true, G_IGNORE, "ignore SET"},
	{"hide", true, G_HIDE, "hide SET"},
	{"collapse", true, G_COLLAPSE,
	 "collapse SET [as NAME], collapse by file|object|class|dir|layer"},
	{"contexts", true, G_CONTEXTS, "contexts"},
	{"whole", true, G_WHOLE, "whole"},
	{"with", true, G_INLINED, "with inlined"},
	{"cut", true, G_CUT, "cut PERCENT"},
	{"in", true, G_IN, "in PROFILE"},
	{"part", true, G_PART, "part N[-N]{, N[-N]}"},
	{"thread", true, G_THREAD, "thread N[-N]{, N[-N]}"},
	{"activation", true, G_ACTIVATION, "activation N[-N]{, N[-N]} of SET"},
	{"slowest", true, G_SLOWEST, "slowest [N] activations of SET"},
	{"usual", true, G_USUAL, "usual [N] activations of SET"},
	{"between", true, G_BETWEEN, "between COST and COST"},
	{"where", false, T_WHERE, "where EXPR"},
	{"sort", false, T_SORT, "sort EXPR [asc|desc]{, EXPR [asc|desc]}"},
	{"take", false, T_TAKE, "take N"},
	{"skip", false, T_SKIP, "skip N"},
	{"show", false, T_SHOW, "show EXPR{, EXPR}"},
	{"add", false, T_ADD, "add NAME = EXPR"},
	{"group", false, T_GROUP, "group by COLUMN{, COLUMN} [: AGGREGATE{, AGGREGATE}]"},
	{"sum", false, T_SUM, "sum"},
	{"count", false, T_COUNT, "count"},
	{"as", false, T_AS, "as FORMAT"},
	{"expect", false, T_EXPECT, "expect none|some|EXPR"},
};
const size_t stage_words_n = COUNT(stage_words);

/* In the order in which Tab offers them: those of sets as in source.sets. */
const struct clause_word clause_words[] = {
	{"of", C_OF, true},	   {"from", C_FROM, true}, {"to", C_TO, true},
	{"under", C_UNDER, true},  {"via", C_VIA, true},   {"avoiding", C_AVOIDING, true},
	{"depth", C_DEPTH, false}, {"min", C_MIN, false},  {"max", C_MAX, false},
	{"by", C_BY, false},	   {"vs", C_VS, false},
};
const size_t clause_words_n = COUNT(clause_words);
const char *const path_words[] = {"hottest", "widest", "shortest", "all", NULL};

const char *const aggregate_words[] = {"count",	 "sum", "min", "max", "avg",
				       "median", "p90", "p99", NULL};

enum aggregate aggregate_find(struct str word)
{
	int i = 0;

	while (aggregate_words[i] && !str_eq(word, str_c(aggregate_words[i])))
		i++;
	return (enum aggregate)i;
}

const struct function_word function_words[] = {
	{"abs", false, COL_RATIO},  {"basename", true, COL_STR},
	{"dirname", true, COL_STR}, {"short", true, COL_NAME},
	{"replace", true, COL_STR}, {0},
};

const struct function_word *function_find(struct str word)
{
	for (const struct function_word *f = function_words; f->word; f++)
		if (str_eq(word, str_c(f->word)))
			return f;
	return NULL;
}

const struct verb *verb_find(struct str word)
{
	for (size_t i = 0; i < verbs_n; i++)
		if (token_same(word, verbs[i].word))
			return &verbs[i];
	return NULL;
}

const struct verb *verb_of_kind(enum source_kind kind)
{
	for (size_t i = 1; i < verbs_n; i++)
		if (verbs[i].kind == kind)
			return &verbs[i];
	return &verbs[0];
}

bool verb_of_lines(enum source_kind k)
{
	return k == S_LINES || k == S_INSTRS || k == S_INLINED || k == S_CALLSITES ||
	       k == S_JUMPS || k == S_SOURCE || k == S_ASM;
}

bool gstage_opens(const struct gstage *g)
{
	return g->kind >= G_ACTIVATION;
}

bool gstages_divide(const struct gstage *first)
{
	while (first && first->kind != G_FOCUS && first->kind != G_IGNORE &&
	       first->kind != G_HIDE && first->kind != G_CUT && first->kind != G_CONTEXTS)
		first = first->next;
	return first;
}

const struct stage_word *stage_find(struct str word)
{
	for (size_t i = 0; i < stage_words_n; i++)
		if (token_same(word, stage_words[i].word))
			return &stage_words[i];
	return NULL;
}

const struct clause_word *clause_find(struct str word)
{
	for (size_t i = 0; i < clause_words_n; i++)
		if (token_same(word, clause_words[i].word))
			return &clause_words[i];
	return NULL;
}

bool is_reserved(struct str word)
{
	static const char *const joins[] = {"and", "or", "not"};

	if (!token_one_case(word))
		return false;
	for (size_t i = 0; i < COUNT(joins); i++)
		if (token_same(word, joins[i]))
			return true;
	return clause_find(word) != NULL;
}

struct nearest nearest_to(struct str word)
{
	return (struct nearest){.word = word,
				.distance = word.n <= 4	  ? 2
					    : word.n <= 6 ? 3
							  : 4};
}

bool nearest_try(struct nearest *n, struct str one)
{
	const unsigned d = n->distance ? str_distance(n->word, one, n->distance - 1) : 0;

	if (d >= n->distance)
		return false;
	n->distance = d;
	n->hit = one;
	return true;
}

static void try_stages(struct nearest *n)
{
	for (size_t i = 0; i < stage_words_n; i++)
		nearest_try(n, str_c(stage_words[i].word));
}

const char *nearest_verb(struct str word)
{
	struct nearest n = nearest_to(word);

	for (size_t i = 0; i < verbs_n; i++)
		nearest_try(&n, str_c(verbs[i].word));
	for (size_t i = 0; path_words[i]; i++)
		nearest_try(&n, str_c(path_words[i]));
	nearest_try(&n, STR("let"));
	try_stages(&n);
	return n.hit.p;
}

const char *nearest_unit(struct str word)
{
	struct nearest n = {.word = word, .distance = 3};

	for (size_t i = 1; i < verbs_n; i++)
		if (verbs[i].clauses & C_UNIT)
			nearest_try(&n, str_c(verbs[i].word));
	return n.hit.p;
}

const char *nearest_stage(struct str word)
{
	struct nearest n = nearest_to(word);

	try_stages(&n);
	return n.hit.p;
}
