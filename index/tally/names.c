/*
 * names.c - name slots of a stretch of text; see names.h.
 *
 *	id    -> by_id[id] (small ids) or big_ids (a hash)   -> slot
 *	text  -> a hash of names written without an id       -> slot
 *
 * A slot is never removed and never changes its name: a redefined id gets a new slot.
 */
#include "index/tally/names.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/arena.h"
#include "index/base/vec.h"

/* An id is looked up in an array if it is below SMALL_IDS or below SPARSE times the
 * number of names. */
enum { SMALL_IDS = 1 << 14, SPARSE = 32 };

/* Make room for n slots and their uses. */
static int reserve(struct names *t, size_t n)
{
	if (vec_reserve_raw(&t->slot, &t->cap, n, sizeof(*t->slot)) ||
	    vec_reserve_raw(&t->use, &t->use_cap, n, sizeof(*t->use)))
		return -1;
	t->use[n - 1] = (struct name_use){UINT32_MAX, UINT32_MAX, UINT32_MAX};
	return 0;
}

int names_init(struct names *t, struct arena *arena)
{
	*t = (struct names){.arena = arena};
	for (size_t n = 1; n <= NAME_FIRST; n++)
		if (reserve(t, n))
			return -1;
	t->slot[NAME_ENTRY] = (struct name_slot){0};
	t->slot[NAME_ABSENT] = (struct name_slot){0};
	t->slot[NAME_ABSENT].text = STR("???");
	t->n = NAME_FIRST;
	return 0;
}

void names_free(struct names *t)
{
	names_trim(t);
	free(t->slot);
	free(t->ref);
	memset(t, 0, sizeof(*t));
}

void names_restart(struct names *t)
{
	/* Restarts may be frequent, so visit only the names since the last one. */
	for (uint32_t i = t->restarted; i < t->n; i++)
		if (t->slot[i].id < t->by_id_n)
			t->by_id[t->slot[i].id] = 0;
	hash_free(&t->big_ids);
	t->restarted = t->n;
	t->generation++;
}

void names_trim(struct names *t)
{
	free(t->use);
	free(t->by_id);
	t->use = NULL;
	t->use_cap = 0;
	t->by_id = NULL;
	t->by_id_n = 0;
	hash_free(&t->big_ids);
	hash_free(&t->texts);
	hash_free(&t->pairs);
}

/* Length of the digits at the start of s, or 0. */
static size_t names_digits(struct str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
		n++;
	return n;
}

size_t names_reference(struct str s, uint64_t *id)
{
	size_t n;

	if (s.n < 3 || s.p[0] != '(')
		return 0;
	n = names_digits(str_from(s, 1));
	if (n == 0 || n + 1 >= s.n || s.p[n + 1] != ')' ||
	    !str_u64((struct str){s.p + 1, n}, id))
		return 0;
	return n + 2;
}

bool names_has_parts(struct str text)
{
	uint64_t id;
	size_t n = names_reference(text, &id);
	struct str s = str_from(text, n);

	if (n == 0 || s.n == 0)
		return false;
	while (s.n) {
		if (s.p[0] != '\'')
			return false;
		s = str_from(s, 1);
		n = names_reference(s, &id);
		if (n == 0)
			n = names_digits(s);
		if (n == 0)
			return false;
		s = str_from(s, n);
	}
	return true;
}

/* Resolve the references in a name now: the ids may be redefined later. */
static int resolve_parts(struct names *t, uint32_t slot)
{
	struct str s = t->slot[slot].text;
	uint32_t first = (uint32_t)t->nref + 1;
	uint64_t id;

	while (s.n) {
		size_t n = names_reference(s, &id);

		if (n) {
			uint32_t ref = names_id(t, id, t->slot[slot].line);

			if (ref == UINT32_MAX ||
			    vec_reserve(&t->ref, &t->ref_cap, t->nref + 1,
					sizeof(*t->ref)))
				return -1;
			t->ref[t->nref++] = ref;
		}
		s = str_from(s, n ? n : 1);
	}
	t->slot[slot].refs = first;
	return 0;
}

static uint32_t add_slot(struct names *t, enum name_kind kind, uint64_t id,
			 struct str text, uint64_t line)
{
	struct name_slot *s;
	uint32_t slot;

	if (t->n >= UINT32_MAX || reserve(t, t->n + 1))
		return UINT32_MAX;
	if (t->arena && text.n) {
		text = arena_str(t->arena, text);
		if (!text.p)
			return UINT32_MAX;
	}
	s = &t->slot[t->n];
	*s = (struct name_slot){.text = text,
				.id = id,
				.line = line,
				.kind = kind,
				.generation = t->generation};
	slot = (uint32_t)t->n++;
	if (t->references && kind == NAME_DEFINED && names_has_parts(text) &&
	    resolve_parts(t, slot))
		return UINT32_MAX;
	return slot;
}

static uint32_t hash_of(uint64_t v)
{
	return (uint32_t)hash_mix(v);
}

uint32_t names_find_slow(const struct names *t, uint64_t id)
{
	uint32_t h, probe, i;

	if (t->big_ids.n == 0)
		return 0;
	h = hash_of(id);
	probe = hash_start(&t->big_ids, h);
	while ((i = hash_next(&t->big_ids, h, &probe)) != HASH_NONE)
		if (t->slot[i].id == id)
			return i;
	return 0;
}

/* Extend the array to ids below `below`. */
static int small_ids(struct names *t, size_t below)
{
	const size_t before = t->by_id_n;
	size_t n = before;

	if (vec_reserve(&t->by_id, &n, below, sizeof(*t->by_id)))
		return -1;
	t->by_id_n = n;
	for (uint32_t i = t->restarted; n > before && t->big_ids.n && i < t->n; i++) {
		const struct name_slot *s = &t->slot[i];

		if (s->kind >= NAME_DEFINED && s->id >= before && s->id < n)
			t->by_id[s->id] = i;
	}
	return 0;
}

/* From now on, id means slot. */
static int set_id(struct names *t, uint64_t id, uint32_t slot)
{
	uint32_t h, probe, i;

	if (id < t->by_id_n || id < SMALL_IDS || id / SPARSE < t->n) {
		if (small_ids(t, (size_t)id + 1))
			return -1;
		t->by_id[id] = slot;
		return 0;
	}
	h = hash_of(id);
	probe = hash_start(&t->big_ids, h);
	while ((i = hash_next(&t->big_ids, h, &probe)) != HASH_NONE)
		if (t->slot[i].id == id) {
			hash_replace(&t->big_ids, probe, slot);
			return 0;
		}
	return hash_add(&t->big_ids, h, slot);
}

uint32_t names_id_slow(struct names *t, uint64_t id, uint64_t line)
{
	uint32_t slot = names_find(t, id);

	if (slot)
		return slot;
	slot = add_slot(t, t->generation ? NAME_UNDEFINED : NAME_BEFORE, id,
			(struct str){"", 0}, line);
	if (slot == UINT32_MAX || set_id(t, id, slot))
		return UINT32_MAX;
	return slot;
}

/* Whether a repeated definition refers to the same names as before; *unsure: cannot be
 * told here. */
static bool same_parts(const struct names *t, const struct name_slot *slot, bool *unsure)
{
	struct str s = slot->text;
	size_t ref = slot->refs - 1;
	uint64_t id;

	*unsure = false;
	while (slot->refs && s.n) {
		size_t n = names_reference(s, &id);

		if (n) {
			const uint32_t was = t->ref[ref++], is = names_find(t, id);

			if (was != is && t->slot[was].kind != NAME_BEFORE &&
			    !t->slot[is].unsure)
				return false;
			*unsure |= was != is;
		}
		s = str_from(s, n ? n : 1);
	}
	return true;
}

uint32_t names_define(struct names *t, uint64_t id, struct str text, uint64_t line,
		      enum name_event *event)
{
	uint32_t slot = names_find(t, id);
	const struct name_slot *s = &t->slot[slot];
	bool unsure = false;

	*event = slot ? NAME_MET : NAME_OK;
	if (slot && s->kind == NAME_DEFINED) {
		bool same = str_eq(s->text, text) && same_parts(t, s, &unsure);

		if (same && !unsure) {
			*event = NAME_OK;
			return slot;
		}
		*event = same ? NAME_MET : NAME_REDEFINED;
	}
	slot = add_slot(t, NAME_DEFINED, id, text, line);
	if (slot == UINT32_MAX || set_id(t, id, slot)) {
		*event = NAME_NO_MEMORY;
		return UINT32_MAX;
	}
	if (*event == NAME_MET && unsure)
		t->slot[slot].unsure = t->unsure = true;
	return slot;
}

uint32_t names_pair(struct names *t, uint32_t file, uint32_t name)
{
	const uint64_t id = (uint64_t)file << 32 | name;
	const uint32_t h = hash_of(id);
	uint32_t probe = hash_start(&t->pairs, h), i;

	while ((i = hash_next(&t->pairs, h, &probe)) != HASH_NONE)
		if (t->slot[i].id == id)
			return i;
	i = add_slot(t, NAME_PAIR, id, (struct str){"", 0}, 0);
	if (i == UINT32_MAX || hash_add(&t->pairs, h, i))
		return UINT32_MAX;
	return i;
}

uint32_t names_append(struct names *t, struct str text)
{
	return add_slot(t, NAME_PLAIN, 0, text, 0);
}

static uint32_t find_text(const struct names *t, struct str text, uint32_t h)
{
	uint32_t probe = hash_start(&t->texts, h), i;

	while ((i = hash_next(&t->texts, h, &probe)) != HASH_NONE)
		if (str_eq(t->slot[i].text, text))
			return i;
	return 0;
}

uint32_t names_find_text(const struct names *t, struct str text)
{
	return t->texts.n ? find_text(t, text, (uint32_t)str_hash(text)) : 0;
}

uint32_t names_text(struct names *t, struct str text, uint64_t line)
{
	const uint32_t h = (uint32_t)str_hash(text);
	uint32_t i = find_text(t, text, h);

	if (i)
		return i;
	i = add_slot(t, NAME_PLAIN, 0, text, line);
	if (i == UINT32_MAX || hash_add(&t->texts, h, i))
		return UINT32_MAX;
	return i;
}
