/*
 * names.h - the names of a stretch of text: "(12) name" compression (PROFILE.md section
 * 5).
 *
 * A slot is one name as this stretch knows it.  A stretch that begins inside the file
 * meets ids that were defined before it: such a slot keeps the id, and the merge, which
 * joins stretches in file order, gives it its name (merge.h).  Redefining an id makes a
 * new slot, so a slot never changes its name.
 */
#ifndef QUERN_NAMES_H
#define QUERN_NAMES_H

#include "index/base/hash.h"
#include "index/base/str.h"

struct arena;

enum {
	NAME_ABSENT = 0, /* slot of an empty or missing name: "???" */
	NAME_ENTRY = 1,	 /* slot of the name in force at the start of the stretch */
	NAME_FIRST = 2,
};

enum name_kind {
	NAME_SPECIAL,	/* number of the slots above */
	NAME_PLAIN,	/* written without an id */
	NAME_PAIR,	/* of files: one with an inlined function; names_pair() */
	NAME_DEFINED,	/* "(12) name" */
	NAME_BEFORE,	/* "(12)" that this stretch has not defined so far */
	NAME_UNDEFINED, /* the same after "NEW PROFILING FILE": never defined */
};

struct name_slot {
	struct str text; /* empty for NAME_PAIR, NAME_BEFORE and NAME_UNDEFINED */
	uint64_t id;	 /* of a pair: file slot << 32 | slot of the function's name */
	uint64_t line;	 /* where it was first met; lines from the start of the stretch */
	enum name_kind kind;
	uint32_t generation; /* names.generation when the slot was made */
	uint32_t refs;	     /* "(3)'2'(1)": 1 + index of its first slot in names.ref */
	/* A repeated definition whose references this stretch could not resolve at the
	 * first one.  The merge finds out whether it is the same. */
	bool unsure;
	bool repeats; /* repeats a definition of an earlier stretch; set by the merge */
};

/* The function slots of this name, see tally.c: those found last in fn= and in cfn=, and
 * the first one.  UINT32_MAX: none. */
struct name_use {
	uint32_t block, callee, first;
};

struct names {
	struct name_slot *slot;
	size_t n, cap;
	struct name_use *use; /* one per slot */
	size_t use_cap;
	uint32_t *by_id; /* slot of each small id, 0: none */
	size_t by_id_n;
	struct hash big_ids, texts, pairs;
	uint32_t *ref; /* slots that names with references refer to */
	size_t nref, ref_cap;
	bool unsure;	     /* some slot is unsure */
	bool references;     /* for function names: expand references */
	struct arena *arena; /* holds the texts; NULL: the text outlives the names */
	uint32_t generation; /* number of "NEW PROFILING FILE" lines so far */
	uint32_t restarted;  /* number of slots before the last of those lines */
};

/* The effect of a definition: no more than that; it named an id that was used before;
 * it gave an id another name (the tally reports that); memory was out. */
enum name_event { NAME_OK, NAME_MET, NAME_REDEFINED, NAME_NO_MEMORY };

int names_init(struct names *t, struct arena *arena);
void names_free(struct names *t);
void names_restart(struct names *t); /* forget all ids */
void names_trim(struct names *t);    /* the same, when no further names follow */

/* The slot of "(id)"; UINT32_MAX if memory is out. */
uint32_t names_id_slow(struct names *t, uint64_t id, uint64_t line);
/* The slot of "(id) text" and of "text"; UINT32_MAX if memory is out. */
uint32_t names_define(struct names *t, uint64_t id, struct str text, uint64_t line,
		      enum name_event *event);
uint32_t names_text(struct names *t, struct str text, uint64_t line);
/* The slot of "text"; 0 if there is none. */
uint32_t names_find_text(const struct names *t, struct str text);
/* The slot of lines in `file` (a slot) that are inlined from the function `name` (a slot
 * of the functions' names).  UINT32_MAX if memory is out. */
uint32_t names_pair(struct names *t, uint32_t file, uint32_t name);
/* Append a slot that names_text() and names_find_text() do not find. */
uint32_t names_append(struct names *t, struct str text);

static inline uint32_t names_id(struct names *t, uint64_t id, uint64_t line)
{
	if (__builtin_expect(id < t->by_id_n && t->by_id[id], 1))
		return t->by_id[id];
	return names_id_slow(t, id, line);
}

/* The slot of id; 0 if id was not met. */
uint32_t names_find_slow(const struct names *t, uint64_t id);
static inline uint32_t names_find(const struct names *t, uint64_t id)
{
	return id < t->by_id_n ? t->by_id[id] : names_find_slow(t, id);
}

/* The slot of id if it is defined and its text has no references, or 0. */
static inline uint32_t names_defined(const struct names *t, uint64_t id)
{
	const uint32_t slot = names_find(t, id);
	const struct name_slot *s = &t->slot[slot];

	return slot && s->kind == NAME_DEFINED && !s->refs ? slot : 0;
}

/* The slot of "(id) text" if that repeats its definition, or 0. */
static inline uint32_t names_known(const struct names *t, uint64_t id, struct str text)
{
	const uint32_t slot = names_defined(t, id);

	return slot && str_eq(t->slot[slot].text, text) ? slot : 0;
}

/* Length of "(digits)" at the start of s, or 0. */
size_t names_reference(struct str s, uint64_t *id);
/* Whether text consists of references: "(n)" followed by "'digits" and "'(m)" pieces. */
bool names_has_parts(struct str text);

#endif
