/*
 * merge_names.c - ids to strings; see merge_names.h.
 *
 * Every name slot gets its string: its own, or, for an id defined before the stretch, the
 * string that the id had there.  Strings are interned, sorted and numbered.
 *
 * A file with the name of an inlined function (names_pair()) is the string "\nFILE\nNAME",
 * which no line can hold.  These get the last numbers.
 */
#include "index/merge/merge_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/err.h"
#include "index/base/hash.h"
#include "index/base/map.h"
#include "index/base/sort.h"
#include "index/base/strset.h"
#include "index/base/vec.h"

/*
 * The meaning of ids at the start of a stretch, after the first: id -> string.
 *
 *	stretch 0	fn=(1) main  fn=(2) f		after it 1 is main, 2 is f
 *	stretch 1	fn=(2)  fn=(1) g		(2) is f; after it 1 is g
 *
 * The stretches were read side by side, so the reader of stretch 1 left (2) open.
 */
struct id_map {
	struct meaning {
		uint64_t id;
		uint32_t string;
		uint32_t tally; /* the last tally that defined it */
		bool defined;	/* false: it was used, but never defined */
	} * at;
	size_t n, cap;
	uint32_t *small; /* for ids below nsmall: index in `at` + 1, 0: not in it */
	size_t nsmall;
	struct hash by; /* the other ids */
};

/* Expect n more ids; they are mostly consecutive from 1. */
static int id_expect(struct id_map *m, size_t n)
{
	return vec_reserve(&m->small, &m->nsmall, 2 * (m->n + n), sizeof(*m->small));
}

static struct meaning *id_find(const struct id_map *m, uint64_t id)
{
	uint32_t h, probe, i;

	if (id < m->nsmall && m->small[id])
		return &m->at[m->small[id] - 1];
	if (m->by.n == 0)
		return NULL;
	h = (uint32_t)hash_mix(id);
	probe = hash_start(&m->by, h);
	while ((i = hash_next(&m->by, h, &probe)) != HASH_NONE)
		if (m->at[i].id == id)
			return &m->at[i];
	return NULL;
}

/* Add an id that id_find() has not found. */
static int id_add(struct id_map *m, const struct meaning *new)
{
	const uint32_t i = (uint32_t)m->n;

	if (vec_reserve(&m->at, &m->cap, m->n + 1, sizeof(*m->at)))
		return -1;
	if (new->id < m->nsmall)
		m->small[new->id] = i + 1;
	else if (hash_add(&m->by, (uint32_t)hash_mix(new->id), i))
		return -1;
	m->at[m->n++] = *new;
	return 0;
}

/* Before the next file or the next generation of ids (names.h).  The array for small ids stays:
 * only the entries in use are cleared, as the ids that follow are mostly the same. */
static void id_forget(struct id_map *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i].id < m->nsmall)
			m->small[m->at[i].id] = 0;
	hash_free(&m->by);
	m->n = 0;
}

static void id_free(struct id_map *m)
{
	free(m->at);
	free(m->small);
	hash_free(&m->by);
	*m = (struct id_map){0};
}

/* The state for one name space.  Names are views of a map; a map that shrinks ends
 * join_guarded() by a jump, so all that it allocates is here. */
struct join {
	struct profile *p;
	enum name_space space;
	struct strset strings;
	struct id_map ids;
	uint32_t entry; /* string of NAME_ENTRY in the current stretch */
	char *text;	/* scratch: names being expanded, one after the other */
	size_t ntext, text_cap;
	struct sort_pair *order;
	uint32_t *place;
	struct str *sorted;
	bool once; /* the tallies' names are not needed again */
	struct err *err;
};

enum {
	EXPANDED_MAX = 64 << 10, /* most bytes of an expanded name */
	DEEPEST = 64,
	FETCH = 16, /* names by which a prefetch is ahead */
};

static uint32_t resolve(struct join *j, size_t k, uint32_t slot, unsigned depth);

/* Replace each reference of "(3)'2'(1)" by its name, unless the result is too long:
 * *out.  Returns 0, or -1 if memory is out. */
static int expand(struct join *j, size_t k, const struct name_slot *s, unsigned depth,
		  struct str *out)
{
	const struct names *names = &j->p->tally[k]->names[j->space];
	const size_t from = j->ntext;
	struct str text = s->text, whole;
	size_t ref = s->refs - 1;
	uint64_t id;

	while (text.n) {
		size_t len = names_reference(text, &id);
		struct str piece = {text.p, 1};

		if (len) {
			uint32_t r = resolve(j, k, names->ref[ref++], depth + 1);

			if (r == NO_ID)
				return -1;
			piece = j->strings.at[r];
		}
		if (piece.n > EXPANDED_MAX - (j->ntext - from)) {
			j->ntext = from;
			return 0;
		}
		if (vec_reserve(&j->text, &j->text_cap, j->ntext + piece.n, 1))
			return -1;
		if (piece.n)
			memcpy(j->text + j->ntext, piece.p, piece.n);
		j->ntext += piece.n;
		text = str_from(text, len ? len : 1);
	}
	whole = (struct str){j->text + from, j->ntext - from};
	*out = arena_str(&j->p->arena, whole);
	j->ntext = from;
	return out->p ? 0 : -1;
}

/* "(12)" as the name of an id that is never defined. */
static uint32_t undefined(struct join *j, size_t k, const struct name_slot *s)
{
	struct str text = arena_printf(&j->p->arena, "(%" PRIu64 ")", s->id);

	if (!text.p || profile_odd(j->p, k, ODD_ID_UNDEFINED, s->line, text, j->err))
		return NO_ID;
	return strset_add(&j->strings, text);
}

/* The string of a file with the name of an inlined function; the names of functions are
 * joined already. */
static uint32_t pair_string(struct join *j, size_t k, const struct name_slot *s,
			    unsigned depth)
{
	const struct profile *p = j->p;
	const uint32_t file = resolve(j, k, (uint32_t)(s->id >> 32), depth + 1);
	const struct str name =
		p->name[SPACE_FN][p->map[k].name[SPACE_FN][(uint32_t)s->id]];
	struct str of, text;
	char *to;

	if (file == NO_ID || str_eq(name, STR("???")))
		return file;
	of = j->strings.at[file];
	text.n = of.n + name.n + 2;
	if (!(text.p = to = arena_alloc(&j->p->arena, text.n)))
		return NO_ID;
	*to++ = '\n';
	if (of.n)
		memcpy(to, of.p, of.n);
	to[of.n] = '\n';
	memcpy(to + of.n + 1, name.p, name.n);
	return strset_add(&j->strings, text);
}

/* The string of a slot of tally k; NO_ID if memory is out. */
static uint32_t resolve(struct join *j, size_t k, uint32_t slot, unsigned depth)
{
	uint32_t *done = &j->p->map[k].name[j->space][slot];
	const struct meaning *before;
	const struct name_slot *s = &j->p->tally[k]->names[j->space].slot[slot];
	struct str text = s->text;

	if (*done != NO_ID)
		return *done;
	if (slot == NAME_ENTRY)
		return *done = j->entry;
	if (s->kind == NAME_PAIR)
		return *done = pair_string(j, k, s, depth);
	if (s->kind == NAME_UNDEFINED)
		return *done = undefined(j, k, s);
	before = s->kind == NAME_PLAIN ? NULL : id_find(&j->ids, s->id);
	if (s->kind == NAME_BEFORE)
		return *done = before ? before->string : undefined(j, k, s);
	if (s->refs && depth < DEEPEST && expand(j, k, s, depth, &text))
		return NO_ID;
	/* The usual case: the name is the same as in the stretch before. */
	if (before && str_eq(j->strings.at[before->string], text))
		return *done = before->string;
	return *done = strset_add(&j->strings, text);
}

/* Whether a definition gives an id of an earlier stretch another name.  Within a
 * stretch the tally has reported it, if it could be sure. */
static bool redefines(const struct meaning *before, const struct meaning *now,
		      bool unsure)
{
	return before->defined && (before->tally != now->tally || unsure) &&
	       before->string != now->string;
}

/* Update the ids to their meaning at the end of tally k. */
static int carry_ids(struct join *j, size_t k, const uint32_t *string)
{
	const struct names *names = &j->p->tally[k]->names[j->space];
	const bool last = k + 1 == j->p->ntally ||
			  profile_begins_file(j->p, k + 1); /* of its file */
	uint32_t generation = 0;

	/* The last round only forgets, if a generation began after the last name. */
	for (uint32_t i = NAME_FIRST; i <= names->n; i++) {
		const struct name_slot *s = &names->slot[i];

		if (i + FETCH < names->n && s[FETCH].id < j->ids.nsmall)
			__builtin_prefetch(&j->ids.small[s[FETCH].id]);
		if (generation != (i < names->n ? s->generation : names->generation)) {
			generation = i < names->n ? s->generation : names->generation;
			id_forget(&j->ids);
		}
		if (i == names->n || s->kind < NAME_DEFINED)
			continue;
		const struct meaning now = {s->id, string[i], (uint32_t)k,
					    s->kind == NAME_DEFINED};
		struct meaning *before = id_find(&j->ids, s->id);

		if (!before) {
			if ((!last || names->unsure) && id_add(&j->ids, &now))
				return err_no_memory(j->err, "while joining names");
			continue;
		}
		if (!now.defined)
			continue; /* used before it was redefined */
		names->slot[i].repeats = before->tally != now.tally && before->defined &&
					 before->string == now.string;
		if (redefines(before, &now, s->unsure) &&
		    profile_odd(j->p, k, ODD_ID_REDEFINED, s->line, s->text, j->err))
			return j->err->kind;
		*before = now;
	}
	return 0;
}

/* Prefetch for the slots after `slot`.  A name, the old meaning of its id and its
 * string are far apart in memory, so each is prefetched some rounds after the one
 * before. */
static void fetch_soon(const struct join *j, const struct names *names, uint32_t slot)
{
	const struct id_map *ids = &j->ids;
	const struct name_slot *s = names->slot + slot;

	if (slot + 3 * FETCH >= names->n)
		return;
	__builtin_prefetch(s[3 * FETCH].text.p);
	if (s[3 * FETCH].id < ids->nsmall)
		__builtin_prefetch(&ids->small[s[3 * FETCH].id]);
	s += 2 * FETCH;
	if (s->id < ids->nsmall && ids->small[s->id])
		__builtin_prefetch(&ids->at[ids->small[s->id] - 1]);
	else
		hash_fetch(&j->strings.by, (uint32_t)str_hash(s->text));
	s -= FETCH;
	if (s->id < ids->nsmall && ids->small[s->id])
		__builtin_prefetch(&j->strings.at[ids->at[ids->small[s->id] - 1].string]);
}

static int join_tally(struct join *j, size_t k)
{
	const struct names *names = &j->p->tally[k]->names[j->space];
	const bool carry = j->p->ntally > 1 || names->unsure;
	uint32_t *string = vec_block(names->n * sizeof(*string));

	j->p->map[k].name[j->space] = string;
	if (!string)
		return err_no_memory(j->err, "while joining names");
	memset(string, 0xff, names->n * sizeof(*string));
	if (carry && id_expect(&j->ids, names->n))
		return err_no_memory(j->err, "while joining names");
	for (uint32_t i = 0; i < names->n; i++) {
		fetch_soon(j, names, i);
		if (resolve(j, k, i, 0) == NO_ID)
			return err_no_memory(j->err, "while joining names");
	}
	return carry ? carry_ids(j, k, string) : 0;
}

/* The slot of the name in force at the end of a stretch. */
static uint32_t exit_slot(const struct tally *t, enum name_space space)
{
	return space == SPACE_OBJ    ? t->now.ob
	       : space == SPACE_FILE ? t->now.fl
				     : t->now.cfn;
}

static bool is_pair(struct str s)
{
	return s.n && s.p[0] == '\n';
}

static void reverse(struct sort_pair *o, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		const struct sort_pair t = o[i];

		o[i] = o[n - 1 - i];
		o[n - 1 - i] = t;
	}
}

/* Move the pairs, which are consecutive, after the others.  Returns how many.  A block of an
 * array changes places with the rest by three reversals, without memory:
 *
 *	a b P Q c d	->  a b Q P d c  ->  a b c d P Q
 */
static size_t pairs_last(const struct join *j, size_t n)
{
	struct sort_pair *o = j->order;
	size_t from = 0, to;

	while (from < n && !is_pair(j->strings.at[o[from].value]))
		from++;
	for (to = from; to < n && is_pair(j->strings.at[o[to].value]); to++)
		;
	if (to == from)
		return 0;
	reverse(o + from, to - from);
	reverse(o + to, n - to);
	reverse(o + from, n - from);
	return to - from;
}

/* Sort the strings and number them in that order. */
static int number_strings(struct join *j)
{
	size_t n = j->strings.n;

	j->order = vec_block((n + 1) * sizeof(*j->order));
	if (!j->order || sort_strings(j->strings.at, n, j->order))
		return err_no_memory(j->err, "while joining names");
	if (j->space == SPACE_FILE)
		j->p->npair = pairs_last(j, n);
	j->place = vec_block((n + 1) * sizeof(*j->place));
	j->sorted = vec_block((n + 1) * sizeof(*j->sorted));
	if (!j->place || !j->sorted)
		return err_no_memory(j->err, "while joining names");
	for (size_t i = 0; i < n; i++) {
		j->sorted[i] = j->strings.at[j->order[i].value];
		j->place[j->order[i].value] = (uint32_t)i;
	}
	for (size_t k = 0; k < j->p->ntally; k++) {
		uint32_t *string = j->p->map[k].name[j->space];

		for (size_t i = 0; i < j->p->tally[k]->names[j->space].n; i++)
			string[i] = j->place[string[i]];
	}
	j->p->name[j->space] = j->sorted;
	j->p->nname[j->space] = n;
	j->sorted = NULL;
	return 0;
}

static int join_guarded(void *arg)
{
	struct join *j = arg;
	struct profile *p = j->p;
	size_t most = 0;

	/* Most strings occur in all tallies. */
	for (size_t k = 0; k < p->ntally; k++)
		if (p->tally[k]->names[j->space].n > most)
			most = p->tally[k]->names[j->space].n;
	if (strset_expect(&j->strings, most))
		return err_no_memory(j->err, "while joining names");
	j->entry = strset_add(&j->strings, STR("???"));
	if (j->entry == NO_ID)
		return err_no_memory(j->err, "while joining names");
	for (size_t k = 0; k < p->ntally; k++) {
		if (profile_begins_file(p, k))
			id_forget(&j->ids);
		if (join_tally(j, k))
			return j->err->kind;
		j->entry = p->map[k].name[j->space][exit_slot(p->tally[k], j->space)];
		if (j->once)
			tally_forget(p->tally[k], TALLY_NAMES, j->space);
	}
	id_free(&j->ids);
	hash_free(&j->strings.by);
	return number_strings(j);
}

static int join_names(struct profile *p, enum name_space space, bool once,
		      struct err *err)
{
	struct join j = {.p = p, .space = space, .once = once, .err = err};
	int rc = map_guard(join_guarded, &j, ERR_PROFILE, err);
	void *const arrays[] = {j.text, j.order, j.place, j.sorted};

	strset_free(&j.strings);
	id_free(&j.ids);
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		free(arrays[i]);
	return rc;
}

int merge_names(struct profile *p, bool once, struct err *err)
{
	static const enum name_space order[SPACES] = {SPACE_OBJ, SPACE_FN, SPACE_FILE};

	for (int s = 0; s < SPACES; s++)
		if (join_names(p, order[s], once, err))
			return err->kind;
	return 0;
}
