/*
 * names.h - the names of a stretch of text: "(12) name" compression (PROFILE.md section 5).
 *
 * A slot is one name as this stretch knows it.  A stretch that does not begin at the start
 * of the file meets ids that were defined before it: such a slot keeps the id and gets its
 * name when the stretches are joined in file order (merge.h).  Redefining an id makes a new
 * slot, so a slot never changes its name.
 */
#ifndef QUERN_NAMES_H
#define QUERN_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "index/base/arena.h"
#include "index/base/hash.h"
#include "index/base/str.h"

enum {
	NAME_ABSENT = 0, /* slot of an empty or missing name: "???" */
	NAME_ENTRY = 1,	 /* slot of the name in force where the stretch begins */
	NAME_FIRST = 2,
};

enum name_kind {
	NAME_SPECIAL,	/* the two above */
	NAME_PLAIN,	/* written without an id */
	NAME_DEFINED,	/* "(12) name" */
	NAME_BEFORE,	/* "(12)" with no definition in this stretch so far */
	NAME_UNDEFINED, /* the same after "NEW PROFILING FILE": defined nowhere */
};

struct name_slot {
	struct str text; /* empty for NAME_BEFORE and NAME_UNDEFINED */
	uint64_t id;
	uint64_t line; /* where first met, counted from the stretch's start */
	enum name_kind kind;
	uint32_t generation; /* of the table when it was made */
	uint32_t refs;	     /* "(3)'2'(1)": where its slots begin in names.ref, + 1 */
	/* Says again what its id was said to be, but refers to a name that was not known in
	 * this stretch then: whether it is the same the merge finds out. */
	bool unsure;
	bool repeats; /* says what its id was said to be in a stretch before; set by the merge */
};

/* The last function slot of a block (fn=) and of a call (cfn=) with this name, and what it was
 * found for; see tally.c. */
struct name_use {
	struct name_fn {
		uint32_t ob, fl, fn;
	} block, callee;
};

struct names {
	struct name_slot *slot;
	size_t n, cap;
	struct name_use *use; /* per slot */
	size_t use_cap;
	uint32_t *by_id; /* slot of small ids, 0: none */
	size_t by_id_n;
	struct hash big_ids, texts;
	uint32_t *ref; /* slots that names made of references refer to */
	size_t nref, ref_cap;
	bool unsure;	     /* a slot is */
	bool references;     /* function names: those made of references are expanded */
	struct arena *arena; /* for texts; NULL: the text outlives us */
	uint32_t generation; /* "NEW PROFILING FILE" lines so far */
	uint32_t restarted;  /* slots before the last of them */
};

/* What a definition did: nothing but that, named an id that was used already, gave it another
 * name (the tally reports that), or failed. */
enum name_event { NAME_OK, NAME_MET, NAME_REDEFINED, NAME_NO_MEMORY };

int names_init(struct names *t, struct arena *arena);
void names_free(struct names *t);
void names_restart(struct names *t); /* forget all ids */
void names_trim(struct names *t);    /* the same, and no other name will come */

/* Slot of "(id)"; UINT32_MAX when memory is out. */
uint32_t names_id_slow(struct names *t, uint64_t id, uint64_t line);
/* Slot of "(id) text" and of "text". */
uint32_t names_define(struct names *t, uint64_t id, struct str text, uint64_t line,
		      enum name_event *event);
uint32_t names_text(struct names *t, struct str text, uint64_t line);
/* The same, 0 when no name without an id has that text. */
uint32_t names_find_text(const struct names *t, struct str text);
/* A slot of its own, the next one; names_text() does not know it. */
uint32_t names_append(struct names *t, struct str text);

static inline uint32_t names_id(struct names *t, uint64_t id, uint64_t line)
{
	if (__builtin_expect(id < t->by_id_n && t->by_id[id], 1))
		return t->by_id[id];
	return names_id_slow(t, id, line);
}

/* Slot of id, 0: it was not met. */
uint32_t names_find_slow(const struct names *t, uint64_t id);
static inline uint32_t names_find(const struct names *t, uint64_t id)
{
	return id < t->by_id_n ? t->by_id[id] : names_find_slow(t, id);
}

/* Slot of id when its text was said and stands for nothing else, or 0. */
static inline uint32_t names_defined(const struct names *t, uint64_t id)
{
	const uint32_t slot = names_find(t, id);
	const struct name_slot *s = &t->slot[slot];

	return slot && s->kind == NAME_DEFINED && !s->refs ? slot : 0;
}

/* Slot of "(id) text" when it says what is known already, or 0. */
static inline uint32_t names_known(const struct names *t, uint64_t id, struct str text)
{
	const uint32_t slot = names_defined(t, id);

	return slot && str_eq(t->slot[slot].text, text) ? slot : 0;
}

/* Length of a "(digits)" or "digits" at the start of s, or 0; id is set for the former. */
size_t names_reference(struct str s, uint64_t *id);
size_t names_digits(struct str s);
/* True when text is made of references: "(n)" followed by "'digits" and "'(m)" pieces. */
bool names_has_parts(struct str text);

#endif
