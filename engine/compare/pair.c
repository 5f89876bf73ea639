/*
 * pair.c - pair the functions of two profiles; see pair.h.
 *
 * Read the names of both sides; number their objects and files, those that are the same
 * alike (pair_place.c); then pair functions, pass by pass (pair_pass.c).
 */
#include "engine/compare/pair.h"

#include <stdlib.h>
#include <string.h>

#include "engine/compare/pair_in.h"
#include "index/base/err.h"
#include "index/store/store.h"

/* ---- names ---- */

/* Contexts of one function are one: the first of them stands for all. */
static int read_groups(struct pairer *w, unsigned s)
{
	struct store *st = w->st[s];
	const uint32_t n = store_info(st)->functions;
	uint32_t *first = ARENA_ARRAY(&w->names, uint32_t, (size_t)n + 1);

	if (!first)
		return pair_no_memory(w);
	if (!(w->name[s] = store_u32(st, TABLE_GROUP_OF)))
		return store_check(st, w->err) ? w->err->kind : pair_no_memory(w);
	for (uint32_t f = 0; f < n; f++)
		first[f] = store_group_fn(st, w->name[s][f], 0);
	w->first[s] = first;
	return store_check(st, w->err);
}

/* The i-th text to pair on side s: the name of a group of contexts, or a name of the store.
 * Names, not functions: many functions of different files share one. */
static struct str name_to_pair(const struct pairer *w, unsigned s, uint32_t i)
{
	return w->first[s] ? store_fn_alone(w->st[s], store_group_fn(w->st[s], i, 0))
			   : store_shown(w->st[s], i);
}

/* Read a name, changed by the user's rules, and note what of it builds change by themselves:
 * the passes ask only functions whose names have such a thing. */
static int read_name(struct pairer *w, unsigned s, uint32_t i)
{
	const struct renames *rules = w->rules;
	const struct str shown = name_to_pair(w, s, i);
	struct variant name;

	/* A regular expression may take long, however short the name is. */
	if (pair_look(w, rules->n ? SIZE_MAX / 2 : shown.n))
		return w->err->kind;
	if (rename_apply(rules, shown, &w->p->a, &w->text[s][i], w->err))
		return w->p->a.refused ? pair_no_memory(w) : w->err->kind;
	if (pair_add_included(w, s, i))
		return w->err->kind;
	if (variant_of(w->text[s][i], VARIANT_ALL, &w->buffer[0], &name))
		return pair_no_memory(w);
	w->changes[s][i] =
		(uint8_t)(name.changed |
			  (name.changed & VARIANT_CLONE ? VARIANT_CLONE_NUMBER : 0) |
			  (name.numbers ? PAIR_NUMBERED : 0));
	return 0;
}

static int read_names(struct pairer *w, unsigned s)
{
	struct store *st = w->st[s];
	const bool groups = !w->recorded && store_any_grouped(st);
	const uint32_t n = groups ? store_info(st)->groups : store_info(st)->names;

	w->name[s] = store_u32(st, TABLE_FN_NAME);
	w->file[s] = store_u32(st, TABLE_FN_FILE);
	w->obj[s] = store_u32(st, TABLE_FN_OBJ);
	w->names_n[s] = n;
	w->text[s] = ARENA_ARRAY(&w->names, struct str, (size_t)n + 1);
	w->hash[s] = ARENA_ARRAY(&w->names, uint64_t, (size_t)n + 1);
	w->changes[s] = ARENA_ARRAY(&w->names, uint8_t, (size_t)n + 1);
	if (!w->name[s] || !w->file[s] || !w->obj[s])
		return store_check(st, w->err) ? w->err->kind : pair_no_memory(w);
	if (!w->text[s] || !w->hash[s] || !w->changes[s])
		return pair_no_memory(w);
	if (groups && read_groups(w, s))
		return w->err->kind;
	for (uint32_t i = 0; i < n; i++)
		if (read_name(w, s, i))
			return w->err->kind;
	return 0;
}

static void hash_names(struct pairer *w)
{
	for (unsigned s = 0; s < 2; s++)
		for (uint32_t i = 0; i < w->names_n[s]; i++)
			w->hash[s][i] = str_hash(w->text[s][i]);
}

/* All contexts are paired as the first is: passes look at first contexts alone. */
static void pair_contexts(const struct pairer *w)
{
	const struct pairing *p = w->p;

	for (unsigned s = 0; s < 2; s++)
		for (uint32_t f = 0; w->first[s] && f < p->functions[s]; f++) {
			p->of[s][f] = p->of[s][w->first[s][f]];
			p->unsure[s][f] = p->unsure[s][w->first[s][f]];
			if (s == 0)
				p->rules[f] = p->rules[w->first[s][f]];
		}
}

/* In this order: places need the names, since functions vote for objects and files;
 * passes need both. */
static int pair_stores(struct pairer *w)
{
	struct pairing *p = w->p;

	p->recorded = w->recorded;
	for (unsigned s = 0; s < 2; s++) {
		p->st[s] = w->st[s];
		p->functions[s] = store_info(w->st[s])->functions;
		p->of[s] = ARENA_ARRAY(&p->a, uint32_t, (size_t)p->functions[s] + 1);
		if (!p->of[s])
			return pair_no_memory(w);
		memset(p->of[s], 0xff, p->functions[s] * sizeof(*p->of[s]));
		p->unsure[s] = ARENA_ARRAY(&p->a, uint8_t, (size_t)p->functions[s] + 1);
		if (!p->unsure[s])
			return pair_no_memory(w);
	}
	p->rules = ARENA_ARRAY(&p->a, uint8_t, (size_t)p->functions[0] + 1);
	if (!p->rules)
		return pair_no_memory(w);
	if (read_names(w, 0) || read_names(w, 1) || pair_same_included(w))
		return w->err->kind;
	hash_names(w);
	if (pair_places(w) || pair_run_passes(w))
		return w->err->kind;
	pair_contexts(w);
	return 0;
}

/* Divide the bytes that a comparison may take: what is kept, the names, and the arrays that
 * are sorted are known; of what is left, places get half, texts and groups a quarter each. */
static int share_memory(struct pairer *w)
{
	enum { PLACE = 128 }; /* struct places, and the arrays of a vote */
	size_t kept = 4096, names = 4096, sorted = 0, left;

	for (unsigned s = 0; s < 2; s++) {
		const struct store_info *info = store_info(w->st[s]);
		const size_t n = info->functions, places = info->objects + info->files;
		const size_t texts =
			info->names > info->groups ? info->names : info->groups;

		kept += n * (sizeof(*w->p->of[s]) + sizeof(*w->p->unsure[s]) +
			     sizeof(*w->p->rules)) +
			2 * places * sizeof(*w->p->obj[s]);
		names += n * sizeof(*w->first[s]) +
			 texts * (sizeof(*w->text[s]) + sizeof(*w->hash[s]) +
				  sizeof(*w->changes[s]));
		sorted += n * 2 * sizeof(struct sort_pair);
	}
	left = w->bytes > kept + names + sorted ? w->bytes - kept - names - sorted : 0;
	if (w->bytes && !left) {
		err_set(w->err, ERR_LIMIT, 0,
			"out of memory: comparing so many functions takes %zu MiB (the "
			"limit is %zu MiB)",
			(kept + names + sorted + ((1 << 20) - 1)) >> 20, w->bytes >> 20);
		return err_hint(w->err, "raise the limit with --mem");
	}
	arena_init(&w->p->a, w->bytes ? kept + left / 4 : 0);
	arena_init(&w->names, w->bytes ? names : 0);
	arena_init(&w->scratch, w->bytes ? left / 4 + 1 : 0);
	w->places_left = w->bytes ? left / 2 / PLACE : SIZE_MAX;
	return 0;
}

static void pair_free(struct pairing *p)
{
	arena_free(&p->a);
	free(p);
}

static int pair_new(struct store *const st[2], const struct renames *rules, bool recorded,
		    size_t bytes, const struct cancel *cancel, struct pairing **out,
		    struct err *err)
{
	struct pairer w = {.st = {st[0], st[1]},
			   .rules = rules,
			   .recorded = recorded,
			   .bytes = bytes,
			   .cancel = cancel,
			   .err = err};
	int rc;

	w.p = calloc(1, sizeof(*w.p));
	if (!w.p)
		return err_no_memory(err, "while comparing");
	rc = share_memory(&w) || pair_stores(&w) ? err->kind : 0;
	for (unsigned s = 0; s < 2; s++)
		free(w.buffer[s].p);
	pair_places_free(&w);
	arena_free(&w.names);
	arena_free(&w.scratch);
	arena_free(&w.votes);
	if (rc)
		pair_free(w.p);
	else
		*out = w.p;
	return rc;
}

struct str pair_rule_names(unsigned rules, struct arena *a)
{
	static const char *const names[PAIR_RULES] = {
		"object", "file", "clone", "hash", "line", "lambda", "rename", "address"};
	struct str text = {"", 0};

	for (unsigned i = 0; i < PAIR_RULES && text.p; i++)
		if (rules & 1u << i)
			text = arena_printf(a, "%.*s%s%s", STR_ARG(text),
					    text.n ? ", " : "", names[i]);
	return text;
}

/* ---- kept ----
 *
 * Pairing a large profile takes longer than most queries on it, and a session asks several
 * times about the same two.
 */

int pair_cached(struct pair_cache *c, struct store *const st[2], bool recorded,
		size_t bytes, const struct cancel *cancel, const struct pairing **out,
		struct err *err)
{
	const struct pairing *p = c->pairing;

	if (!p || p->st[0] != st[0] || p->st[1] != st[1] || p->recorded != recorded) {
		pair_forget(c);
		if (pair_new(st, &c->rules, recorded, bytes, cancel, &c->pairing, err))
			return err->kind;
	}
	*out = c->pairing;
	return 0;
}

void pair_forget(struct pair_cache *c)
{
	if (c->pairing)
		pair_free(c->pairing);
	c->pairing = NULL;
}

void pair_cache_free(struct pair_cache *c)
{
	pair_forget(c);
	rename_clear(&c->rules);
}
