/*
 * pair_place.c - which objects and files of two profiles are the same; see pair.h.
 *
 * Only those that one side lacks are looked at.  Evidence is what they contain: a name
 * that one unmatched object of each side has, and no other, is a vote for these two.
 *
 *	object	the same end of the path, the longer the better, which no other has; a quarter
 *		of the smaller one's functions if the base names differ only in versions; else
 *		half of them, and two at least
 *	file	the same end of the path of two components at least; the same base name and one
 *		vote; else as for objects
 *
 * Two texts are taken for the same only if each has more votes for the other than for
 * any third one.
 */
#include <stdlib.h>

#include "engine/compare/pair_in.h"
#include "engine/compare/variant.h"
#include "engine/names/name.h"
#include "index/base/cancel.h"
#include "index/base/err.h"
#include "index/base/vec.h"
#include "index/store/store.h"

int pair_no_memory(struct pairer *w)
{
	if (!w->scratch.refused && !w->names.refused && !w->p->a.refused &&
	    w->places_left)
		return err_no_memory(w->err, "while comparing");
	err_clear(w->err); /* an arena has but a share */
	err_set(w->err, ERR_LIMIT, 0,
		"out of memory: comparing takes more than the limit of %zu MiB",
		w->bytes >> 20);
	return err_hint(w->err, "raise the limit with --mem");
}

int pair_look(struct pairer *w, size_t bytes)
{
	enum { OFTEN = 1 << 18, EACH = 64 };

	w->looked += bytes + EACH;
	if (w->looked < OFTEN)
		return 0;
	w->looked = 0;
	return cancel_poll(w->cancel, w->err);
}

int pair_variant(struct pairer *w, uint32_t v, unsigned rules, unsigned k,
		 struct variant *out)
{
	const struct str name = pair_text(w, v);

	if (pair_look(w, name.n))
		return w->err->kind;
	return variant_of(name, rules, &w->buffer[k], out) ? pair_no_memory(w) : 0;
}

/* ---- every text once ---- */

/* Give equal texts of both sides one number, and note which sides have it. */
static int number_place(struct pairer *w, struct places *l, struct str text,
			unsigned side, uint32_t *out)
{
	const size_t n = l->text.n;
	uint32_t i;

	if (pair_look(w, text.n))
		return w->err->kind;
	if ((i = strset_add(&l->text, text)) == HASH_NONE)
		return pair_no_memory(w);
	if (i == n) {
		if (!w->places_left)
			return pair_no_memory(w);
		w->places_left--;
		if (vec_reserve(&l->sides, &l->sides_cap, n + 1, 1) ||
		    vec_reserve(&l->same, &l->same_cap, n + 1, sizeof(*l->same)))
			return pair_no_memory(w);
		l->same[i] = i;
	}
	l->sides[i] |= (uint8_t)(1 << side);
	*out = i;
	return 0;
}

/* The rules of the user come first: what they say is the same has one text, and needs
 * no votes. */
static int number_store(struct pairer *w, unsigned side)
{
	const struct renames *rules = w->rules;
	const struct store_info *info = store_info(w->st[side]);
	struct pairing *p = w->p;
	struct str text;

	p->obj[side] = ARENA_ARRAY(&p->a, uint32_t, (size_t)info->objects + 1);
	p->file[side] = ARENA_ARRAY(&p->a, uint32_t, (size_t)info->files + 1);
	w->objects.of[side] = ARENA_ARRAY(&p->a, uint32_t, (size_t)info->objects + 1);
	w->files.of[side] = ARENA_ARRAY(&p->a, uint32_t, (size_t)info->files + 1);
	if (!p->obj[side] || !p->file[side] || !w->objects.of[side] || !w->files.of[side])
		return pair_no_memory(w);
	for (uint32_t o = 0; o < info->objects; o++)
		if (rename_apply(rules, store_obj(w->st[side], o), &p->a, &text,
				 w->err) ||
		    number_place(w, &w->objects, text, side, &w->objects.of[side][o]))
			return p->a.refused ? pair_no_memory(w) : w->err->kind;
	for (uint32_t f = 0; f < info->files; f++)
		if (rename_apply(rules, store_file(w->st[side], f), &p->a, &text,
				 w->err) ||
		    number_place(w, &w->files, text, side, &w->files.of[side][f]))
			return p->a.refused ? pair_no_memory(w) : w->err->kind;
	return 0;
}

/* ---- texts that only one side has ---- */

/* Does one side have the text, and is nothing known to be the same?  "???" stands for
 * all that is unknown, so it is never one place. */
static bool is_alone(const struct places *l, uint32_t i)
{
	return l->sides[i] != 3 && l->same[i] == i && !str_eq(l->text.at[i], STR("???"));
}

static void make_same(struct places *l, uint32_t a, uint32_t b)
{
	l->same[b] = a;
	l->sides[a] = l->sides[b] = 3;
}

/* The base name without numbers that may be versions: "libc-2.31.so" and "libc.so.6" are
 * "libc.so".  Numbers within words stay: libx1.so and libx2.so may be two libraries. */
static struct str without_versions(struct pairer *w, struct str text)
{
	char *p = arena_alloc(&w->scratch, text.n + 1);
	bool kept = false;
	size_t n = 0;

	for (size_t i = 0; p && i < text.n; i++) {
		const char last = n ? p[n - 1] : '.';

		if (text.p[i] < '0' || text.p[i] > '9') {
			kept = (text.p[i] | 32) >= 'a' && (text.p[i] | 32) <= 'z';
			p[n++] = text.p[i];
			continue;
		}
		if (kept)
			p[n++] = text.p[i];
		else if (n && (last == '.' || last == '-' || last == '_'))
			n--;
	}
	return (struct str){p, n};
}

/* ---- the same end of the path ---- */

/* The last k components; empty if it has fewer.  Of "a/b/c.so": c.so, b/c.so, a/b/c.so. */
static struct str path_end(struct str path, unsigned k)
{
	for (size_t i = path.n; i > 0; i--)
		if (path.p[i - 1] == '/' && --k == 0)
			return str_from(path, i);
	return k == 1 ? path : (struct str){"", 0};
}

/* Join two texts, one of each side, if they and no third one have the same last k
 * components.  One that both sides have is one text, or two that were joined. */
static int same_path_ends(struct pairer *w, struct places *l, unsigned k)
{
	struct sort_pair *end = ARENA_ARRAY(&w->votes, struct sort_pair, l->text.n + 1);
	size_t n = 0;

	if (!end)
		return pair_no_memory(w);
	for (uint32_t i = 0; i < l->text.n; i++) {
		struct str text = path_end(l->text.at[i], k);

		if (pair_look(w, l->text.at[i].n))
			return w->err->kind;
		if (text.n)
			end[n++] = (struct sort_pair){str_hash(text), i};
	}
	if (sort_pairs(end, n))
		return pair_no_memory(w);
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && end[j].key == end[i].key; j++)
			;
		if (j != i + 2 || !is_alone(l, end[i].value) ||
		    !is_alone(l, end[i + 1].value) ||
		    l->sides[end[i].value] == l->sides[end[i + 1].value])
			continue;
		if (l->sides[end[i].value] == 1)
			make_same(l, end[i].value, end[i + 1].value);
		else
			make_same(l, end[i + 1].value, end[i].value);
	}
	arena_reset(&w->votes);
	return 0;
}

static bool some_alone(const struct places *l)
{
	unsigned sides = 0;

	for (uint32_t i = 0; i < l->text.n && sides != 3; i++)
		sides |= is_alone(l, i) ? l->sides[i] : 0;
	return sides == 3;
}

/* Join texts by common ends of their paths: the longest first, down to `least`
 * components. */
static int same_ends(struct pairer *w, struct places *l, unsigned least)
{
	enum { COMPONENTS = 6 };

	for (unsigned k = COMPONENTS; k >= least && some_alone(l); k--)
		if (same_path_ends(w, l, k))
			return w->err->kind;
	return 0;
}

/* ---- files that PHP includes ---- */

int pair_add_included(struct pairer *w, unsigned side, uint32_t i)
{
	const struct str file = name_included(w->text[side][i]);
	uint32_t ignored;

	return file.n ? number_place(w, &w->included, file, side, &ignored) : 0;
}

int pair_same_included(struct pairer *w)
{
	if (!w->included.text.n)
		return 0;
	if (same_ends(w, &w->included, 1))
		return w->err->kind;
	for (uint32_t i = 0; i < w->names_n[1]; i++) {
		struct str *text = &w->text[1][i], file = name_included(*text), same;
		uint32_t number;

		if (!file.n)
			continue;
		number = strset_add(&w->included.text, file); /* it is there */
		if (number == HASH_NONE)
			return pair_no_memory(w);
		/* The text of the file on side 0 that it is. */
		same = w->included.text.at[w->included.same[number]];
		if (same.p == file.p)
			continue;
		*text = arena_printf(&w->p->a, "%.*s%.*s", (int)(text->n - file.n),
				     text->p, STR_ARG(same));
		if (!text->p)
			return pair_no_memory(w);
	}
	return 0;
}

/* ---- votes ---- */

struct votes {
	struct places *l;
	const uint32_t *const *column; /* [2][functions]: w->obj or w->file */
	uint32_t *functions;	       /* [l->text.n] */
	struct sort_pair *name;	       /* functions of texts that one side lacks */
	size_t n, cap;
	struct sort_pair *vote; /* key: both texts; value: votes, after counting */
	size_t nvotes, votes_cap;
};

static uint32_t place_of(const struct votes *v, uint32_t fn)
{
	const unsigned s = pair_side(fn);

	return v->l->of[s][v->column[s][pair_fn(fn)]];
}

/* Two objects whose texts differ only in versions? */
static bool are_versions(struct pairer *w, const struct votes *v, uint32_t a, uint32_t b)
{
	struct str ta, tb;
	bool versions;

	if (v->l != &w->objects)
		return false;
	ta = without_versions(w, str_basename(v->l->text.at[a]));
	tb = without_versions(w, str_basename(v->l->text.at[b]));
	versions = ta.p && tb.p && str_eq(ta, tb);
	arena_reset(&w->scratch);
	return versions;
}

/* What the compiler and the linker put into every object says nothing of it. */
static bool is_everywhere(struct str name)
{
	static const struct str names[] = {STR("_init"),
					   STR("_fini"),
					   STR("_start"),
					   STR("frame_dummy"),
					   STR("register_tm_clones"),
					   STR("deregister_tm_clones"),
					   STR("__do_global_dtors_aux")};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_eq(name, names[i]))
			return true;
	return false;
}

static int collect_names(struct pairer *w, struct votes *v)
{
	for (unsigned s = 0; s < 2; s++)
		for (uint32_t f = 0; f < w->p->functions[s]; f++) {
			const uint32_t fn = f | (s ? PAIR_SIDE_1 : 0);
			const uint32_t i = place_of(v, fn);
			struct variant name;

			/* Contexts of a function are no votes besides its own. */
			if (!is_alone(v->l, i) || (w->first[s] && w->first[s][f] != f))
				continue;
			if (pair_variant(w, fn, VARIANT_ALL, 0, &name))
				return w->err->kind;
			if (is_everywhere(name.text))
				continue;
			v->functions[i]++;
			if (arena_grow(&w->votes, &v->name, &v->cap, v->n, v->n + 1,
				       sizeof(*v->name)))
				return pair_no_memory(w);
			v->name[v->n++] = (struct sort_pair){str_hash(name.text), fn};
		}
	return 0;
}

/* A name that just two of the functions have, one on each side, is a vote.  The sort is
 * stable, so the function of side 0 comes first.  Addresses vote only for versions of one
 * object: in others an equal address is chance. */
static int collect_votes(struct pairer *w, struct votes *v)
{
	if (sort_pairs(v->name, v->n))
		return pair_no_memory(w);
	for (size_t i = 0, j; i < v->n; i = j) {
		uint32_t a, b;

		for (j = i + 1; j < v->n && v->name[j].key == v->name[i].key; j++)
			;
		a = v->name[i].value;
		b = v->name[j - 1].value;
		if (j != i + 2 || pair_side(a) == pair_side(b))
			continue;
		if (pair_is_address(pair_text(w, a)) &&
		    !are_versions(w, v, place_of(v, a), place_of(v, b)))
			continue;
		if (arena_grow(&w->votes, &v->vote, &v->votes_cap, v->nvotes,
			       v->nvotes + 1, sizeof(*v->vote)))
			return pair_no_memory(w);
		v->vote[v->nvotes++] = (struct sort_pair){
			(uint64_t)place_of(v, a) << 32 | place_of(v, b), 1};
	}
	return sort_pairs(v->vote, v->nvotes) ? pair_no_memory(w) : 0;
}

static void count_votes(struct votes *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->nvotes; i++) {
		if (n && v->vote[n - 1].key == v->vote[i].key)
			v->vote[n - 1].value++;
		else
			v->vote[n++] = v->vote[i];
	}
	v->nvotes = n;
}

/* util.c of two directories: one vote is enough, and without any the two do not meet here. */
static bool have_one_base_name(const struct votes *v, uint32_t a, uint32_t b)
{
	return str_eq(str_basename(v->l->text.at[a]), str_basename(v->l->text.at[b]));
}

static bool enough(struct pairer *w, const struct votes *v, const struct sort_pair *vote)
{
	const uint32_t a = (uint32_t)(vote->key >> 32), b = (uint32_t)vote->key;
	const uint32_t na = v->functions[a], nb = v->functions[b];
	const uint64_t least = na < nb ? na : nb;

	if (are_versions(w, v, a, b))
		return 4 * (uint64_t)vote->value >= least;
	/* Closures and lambdas of one file have no votes, as they are alike. */
	return have_one_base_name(v, a, b) ||
	       (vote->value >= 2 && 2 * (uint64_t)vote->value >= least);
}

/* Join two texts if each is the only one with the most votes of the other, and these are
 * enough. */
static int elect(struct pairer *w, struct votes *v)
{
	/* [text]: the most votes that it has, and how often so many. */
	uint32_t *most = ARENA_ARRAY(&w->votes, uint32_t, v->l->text.n + 1);
	uint32_t *ties = ARENA_ARRAY(&w->votes, uint32_t, v->l->text.n + 1);

	if (!most || !ties)
		return pair_no_memory(w);
	for (size_t i = 0; i < v->nvotes; i++) {
		const uint32_t text[2] = {(uint32_t)(v->vote[i].key >> 32),
					  (uint32_t)v->vote[i].key};

		for (int k = 0; k < 2; k++) {
			uint32_t *m = &most[text[k]];

			ties[text[k]] =
				v->vote[i].value > *m
					? 1
					: ties[text[k]] + (v->vote[i].value == *m);
			*m = v->vote[i].value > *m ? v->vote[i].value : *m;
		}
	}
	for (size_t i = 0; i < v->nvotes; i++) {
		const uint32_t a = (uint32_t)(v->vote[i].key >> 32);
		const uint32_t b = (uint32_t)v->vote[i].key;

		if (v->vote[i].value == most[a] && v->vote[i].value == most[b] &&
		    ties[a] == 1 && ties[b] == 1 && enough(w, v, &v->vote[i]))
			make_same(v->l, a, b);
	}
	return 0;
}

static int same_contents(struct pairer *w, struct places *l,
			 const uint32_t *const column[2])
{
	struct votes v = {.l = l, .column = column};

	if (!(v.functions = ARENA_ARRAY(&w->votes, uint32_t, l->text.n + 1)))
		return pair_no_memory(w);
	if (collect_names(w, &v) || collect_votes(w, &v))
		return w->err->kind;
	count_votes(&v);
	if (elect(w, &v))
		return w->err->kind;
	arena_reset(&w->votes);
	return 0;
}

int pair_places(struct pairer *w)
{
	if (number_store(w, 0) || number_store(w, 1) || same_ends(w, &w->objects, 1) ||
	    same_ends(w, &w->files, 2) || same_contents(w, &w->objects, w->obj) ||
	    same_contents(w, &w->files, w->file))
		return w->err->kind;
	for (unsigned s = 0; s < 2; s++) {
		for (uint32_t o = 0; o < store_info(w->st[s])->objects; o++)
			w->p->obj[s][o] = w->objects.same[w->objects.of[s][o]];
		for (uint32_t f = 0; f < store_info(w->st[s])->files; f++)
			w->p->file[s][f] = w->files.same[w->files.of[s][f]];
	}
	return 0;
}

void pair_places_free(struct pairer *w)
{
	struct places *const all[] = {&w->objects, &w->files, &w->included};

	for (int i = 0; i < 3; i++) {
		strset_free(&all[i]->text);
		free(all[i]->sides);
		free(all[i]->same);
	}
}
