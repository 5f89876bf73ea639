/* pair_in.h - shared by the files pair*.c alone. */
#ifndef QUERN_PAIR_IN_H
#define QUERN_PAIR_IN_H

#include "engine/compare/pair.h"
#include "engine/compare/variant.h"
#include "index/base/bytes.h"
#include "index/base/hash.h"
#include "index/base/sort.h"
#include "index/base/strset.h"

/* Objects, or files, of both profiles: every text once. */
struct places {
	struct strset text;
	uint8_t *sides; /* bit s: side s has it */
	/* The number of the text that it is the same as: itself, or one of side 0. */
	uint32_t *same;
	size_t sides_cap, same_cap;
	uint32_t *of[2]; /* [objects or files of the store]: number */
};

/* The call edges of a store (enum index_table). */
struct pair_calls {
	const uint32_t *out_first, *callee, *in_first, *in_edge, *caller;
};

/* CHANGED_ADDRESS: beside the rules of variant.h. */
enum { PAIR_LINES = VARIANT_LINE | VARIANT_LAMBDA, CHANGED_ADDRESS = 32 };

struct pass {
	unsigned rules; /* enum variant_rule */
	bool numbered;	/* only names with numbers, all of a file at once */
	bool no_file;	/* files may differ, if the name needs none */
	bool no_obj;	/* one of the objects may be unknown */
	bool calls;	/* what is paired of their callers and callees must be equal */
	bool in_turn;	/* of several that are equal, the first with the first */
};

struct pairer {
	struct store *st[2];
	const struct renames *rules;
	bool recorded; /* each context for itself */
	size_t bytes;  /* that all of it may take; 0: no limit */
	const struct cancel *cancel;
	struct err *err;
	struct pairing *p;
	const uint32_t *name[2], *file[2], *obj[2]; /* columns of the stores */
	/* [functions]: the first context of the function; NULL: there are none.  Else name[]
	 * is the group. */
	const uint32_t *first[2];
	struct str *text[2]; /* [names], after renames */
	uint64_t *hash[2];   /* [names] of text */
	uint32_t names_n[2];
	uint8_t *changes[2];	    /* [names]: the rules that change the text */
	struct pair_calls calls[2]; /* once some pass needs them */
	struct places objects, files;
	struct places included; /* files of require:: and include:: */
	struct bytes buffer[2];
	struct arena names, scratch; /* names: text, hash, changes */
	struct arena votes;	     /* of places (pair_place.c) */
	size_t places_left;	     /* so many more may be numbered */
	size_t made;		     /* pairs so far */
	size_t looked;		     /* bytes looked at since the last poll */
};

/* In `changes`, beside the rules: it has lines or lambda numbers. */
enum { PAIR_NUMBERED = 128 };

/* A function of one of the sides, as the value of a sort_pair. */
#define PAIR_SIDE_1 ((uint32_t)1 << 31)
static inline unsigned pair_side(uint32_t v)
{
	return v >> 31;
}
static inline uint32_t pair_fn(uint32_t v)
{
	return v & ~PAIR_SIDE_1;
}
static inline struct str pair_text(const struct pairer *w, uint32_t v)
{
	const unsigned s = pair_side(v);

	return w->text[s][w->name[s][pair_fn(v)]];
}

/* The number of its object, or file, among those of both sides. */
static inline uint32_t pair_obj(const struct pairer *w, uint32_t v)
{
	return w->p->obj[pair_side(v)][w->obj[pair_side(v)][pair_fn(v)]];
}

static inline uint32_t pair_file(const struct pairer *w, uint32_t v)
{
	return w->p->file[pair_side(v)][w->file[pair_side(v)][pair_fn(v)]];
}

/* The first context of its function stands for all. */
static inline bool pair_is_first(const struct pairer *w, unsigned s, uint32_t f)
{
	return !w->first[s] || w->first[s][f] == f;
}

/* A function without symbols is named by its address, which means nothing elsewhere. */
static inline bool pair_is_address(struct str name)
{
	uint64_t v;

	return str_starts(name, STR("0x")) && str_u64(name, &v);
}

int pair_no_memory(struct pairer *w);
int pair_run_passes(struct pairer *w);
/* changed: the rules that changed one of the names. */
void pair_make(struct pairer *w, uint32_t a, uint32_t b, unsigned changed);
bool pair_no_object(const struct pairer *w, uint32_t v);
/* May functions of the objects of a and b be one in this pass? */
bool pair_objects_fit(const struct pairer *w, const struct pass *pass, uint32_t a,
		      uint32_t b);
/* Pair a of side 0 and b of side 1 if they are one by the rules of the pass. */
int pair_two(struct pairer *w, const struct pass *pass, uint32_t a, uint32_t b);
/* Pair n functions of one file and name; the first na are functions of side 0. */
int pair_numbered(struct pairer *w, const struct pass *pass, const struct sort_pair *run,
		  size_t na, size_t n);
int pair_addresses(struct pairer *w);
/* Called before a text of so many bytes is looked at; polls every so often, as there may
 * be many functions of one long name. */
int pair_look(struct pairer *w, size_t bytes);
/* variant_of() of a function's name, in buffer[k]. */
int pair_variant(struct pairer *w, uint32_t v, unsigned rules, unsigned k,
		 struct variant *out);
/* Number the objects and files of both stores, and find those that are the same though
 * their texts differ.  Fills in p->obj and p->file. */
int pair_places(struct pairer *w);
void pair_places_free(struct pairer *w);
/* Collect the files in names of both sides with pair_add_included(); then
 * pair_same_included() gives files whose paths have a common end one text. */
int pair_add_included(struct pairer *w, unsigned side, uint32_t i);
int pair_same_included(struct pairer *w);

#endif
