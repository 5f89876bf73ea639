/*
 * similar.c - suggestions for a name that matches nothing; see match.h.
 *
 * Functions are visited by falling cost, so that those missed when the time is up matter
 * least.  Only last components are compared.  If a name has a similar length and similar
 * letters (a mask of 64 bits), its edit distance is computed; otherwise the word is only
 * searched for in it.
 */
#include <stdio.h>
#include <string.h>

#include "engine/names/match.h"
#include "engine/names/name.h"
#include "index/base/arena.h"
#include "index/base/cancel.h"
#include "index/base/err.h"

enum { NEAREST_NS = 250000000, POLL = 1024, POLL_BYTES = 256 << 10 };
enum { NEAREST = 6, QUOTED = 120 };

enum {
	LIKE_SAME,
	LIKE_CASE,
	LIKE_NEAR,
	LIKE_PREFIX = LIKE_NEAR + 4,
	LIKE_INSIDE,
	LIKE_NOT
};

/* A bit per letter or digit: names that differ in many of them are not similar. */
static uint64_t letters(struct str s)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < s.n; i++)
		bits |= 1ull << ((unsigned char)s.p[i] & 31);
	return bits;
}

static struct str similar_lower(struct str s, char *buf, size_t cap)
{
	size_t n = s.n < cap ? s.n : cap;

	for (size_t i = 0; i < n; i++)
		buf[i] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] | 32) : s.p[i];
	return (struct str){buf, n};
}

/* How much the word s differs from want (in lower case): LIKE_... */
static unsigned unlike(struct str want, uint64_t want_letters, struct str s)
{
	unsigned max = want.n < 6 ? 1 : want.n < 9 ? 2 : 3, d = max + 1;
	char buf[256];
	struct str low = similar_lower(s, buf, sizeof(buf));
	size_t at;

	if (str_eq(want, low))
		return LIKE_CASE;
	if (low.n + max >= want.n && low.n <= want.n + max &&
	    (unsigned)__builtin_popcountll(letters(low) ^ want_letters) <= 2 * max)
		d = str_distance(want, low, max);
	if (d <= max)
		return LIKE_NEAR + d;
	if (want.n < 2 || low.n < 2)
		return LIKE_NOT;
	at = str_find_str(low, want);
	if (at < low.n)
		return at == 0 ? LIKE_PREFIX : LIKE_INSIDE;
	return low.n >= 4 && str_starts(want, low) ? LIKE_INSIDE : LIKE_NOT;
}

struct most_similar {
	struct str *names;
	unsigned *score;
	size_t n, max;
};

/* Keep the max best names; equal ones stay in the order of arrival. */
static void keep_nearest(struct most_similar *k, struct str name, unsigned score)
{
	size_t i;

	if (score >= LIKE_NOT || k->max == 0 ||
	    (k->n == k->max && score >= k->score[k->n - 1]))
		return;
	if (k->n < k->max)
		k->n++;
	for (i = k->n - 1; i > 0 && k->score[i - 1] > score; i--) {
		k->names[i] = k->names[i - 1];
		k->score[i] = k->score[i - 1];
	}
	k->names[i] = name;
	k->score[i] = score;
}

struct deadline {
	uint64_t ns; /* of cancel_now_ns() */
	const struct cancel *cancel;
};

static bool time_left(const struct deadline *d)
{
	struct err given_up = {0};

	return cancel_now_ns() < d->ns && !cancel_poll(d->cancel, &given_up);
}

/* Hottest first, each name (or class) once. */
static void nearest_functions(struct store *st, bool class, struct str want,
			      uint32_t event, const struct deadline *deadline,
			      struct most_similar *k)
{
	const struct store_info *si = store_info(st);
	uint64_t bits = letters(want);
	name_id last = UINT32_MAX;
	size_t bytes = 0;

	if (event >= si->events)
		event = 0;
	for (uint32_t i = 0; i < si->functions; i++) {
		fn_id f = si->events ? store_rank_incl(st, event, i) : i;
		name_id id = store_fn_name_id(st, f);
		struct str name = store_shown(st, id);
		bool seen = id == last;
		unsigned score;

		bytes += seen ? 0 : name.n;
		if ((i % POLL == 0 || bytes > POLL_BYTES) && !time_left(deadline))
			return;
		bytes = bytes > POLL_BYTES ? 0 : bytes;
		last = id;
		if (class)
			name = name_class(name);
		if (seen || name.n < 2)
			continue;
		score = unlike(want, bits, name_last(name));
		if (score >= LIKE_NOT)
			continue;
		for (size_t j = 0; j < k->n && !seen; j++)
			seen = str_eq(k->names[j], name);
		if (!seen)
			keep_nearest(k, name, score);
	}
}

/* At most max names (files, objects) similar to text, the best first, the hottest
 * first among equals.  Takes at most 300 ms.  names[] are views of the store.  Returns
 * how many. */
static size_t match_nearest(struct store *st, enum match_field field, struct str text,
			    uint32_t event, const struct cancel *cancel,
			    struct str *names, size_t max)
{
	struct deadline deadline = {cancel_now_ns() + NEAREST_NS, cancel};
	unsigned score[16];
	struct most_similar k = {names, score, 0, max < 16 ? max : 16};
	uint32_t strings;
	char buf[256];
	struct str want;

	if (field == MATCH_FN || field == MATCH_CLASS) {
		want = similar_lower(name_last(text), buf, sizeof(buf));
		nearest_functions(st, field == MATCH_CLASS, want, event, &deadline, &k);
		return k.n;
	}
	want = similar_lower(str_basename(text), buf, sizeof(buf));
	strings = field == MATCH_FILE ? store_info(st)->files : store_info(st)->objects;
	for (uint32_t id = 0; id < strings; id++) {
		struct str name =
			field == MATCH_FILE ? store_file(st, id) : store_obj(st, id);

		if (id % POLL == 0 && !time_left(&deadline))
			break;
		keep_nearest(&k, name, unlike(want, letters(want), str_basename(name)));
	}
	return k.n;
}

static const char *const field_name[] = {"function", "file", "object", "class"};

/* Does the hint need the name in quotes?  `operator new(unsigned long)` has a blank in
 * its short form, `operator|` a byte that ends a name; a user who wrote quotes gets quotes. */
static bool wants_quotes(const struct match_atom *atom, struct str name, struct str shown)
{
	bool ends = false;

	for (size_t i = 0; i < shown.n; i++)
		ends |= strchr(" ;|>!", shown.p[i]) != NULL;
	return atom->field == MATCH_FN && name.n <= QUOTED &&
	       (atom->form == MATCH_EXACT || ends) && str_find(name, '"') == name.n &&
	       str_find(name, '\\') == name.n;
}

/* The hint shows names without parameters.  Overloads look alike, so each text is
 * shown once. */
static void hint(const struct match_atom *atom, const struct str *near, size_t n,
		 struct err *err)
{
	bool path = atom->field == MATCH_FILE || atom->field == MATCH_OBJ;
	struct str shown[NEAREST];
	char list[sizeof(err->hint) - 32];
	size_t used = 0;
	struct arena a;

	arena_init(&a, 0);
	for (size_t i = 0; i < n; i++) {
		struct str s = path ? str_basename(near[i]) : name_short(near[i], &a);
		bool seen = !s.p || s.n == 0,
		     quoted = !seen && wants_quotes(atom, near[i], s);
		int w;

		if (quoted)
			s = near[i];
		for (size_t j = 0; j < i && !seen; j++)
			seen = str_eq(shown[j], s);
		shown[i] = s;
		if (seen)
			continue;
		w = snprintf(list + used, sizeof(list) - used, "%s%c%.*s%c",
			     used ? ", " : "", quoted ? '"' : '\'', STR_ARG(s),
			     quoted ? '"' : '\'');
		if (w < 0 || (size_t)w >= sizeof(list) - used)
			break;
		used += (size_t)w;
	}
	arena_free(&a);
	list[used] = '\0';
	if (used)
		err_hint(err, "did you mean %s?", list);
}

static bool is_plain(struct str s)
{
	bool plain = s.n > 0;

	for (size_t i = 0; i < s.n; i++)
		plain &= strchr("_:", s.p[i]) || (s.p[i] >= '0' && s.p[i] <= '9') ||
			 ((s.p[i] | 32) >= 'a' && (s.p[i] | 32) <= 'z');
	return plain;
}

/* The longest beginning of the name, up to a small part of it, that a function's name has;
 * empty: it is short, or as much as half is missing. */
static struct str beginning(struct store *st, struct str text)
{
	enum { LEAST = 5 };
	const uint32_t names = store_info(st)->names;
	const name_id at = store_name_lower(st, text);
	size_t most = 0;

	for (name_id i = at ? at - 1 : 0; i <= at && i < names; i++) {
		const size_t n = str_common(text, store_name(st, i));

		most = n > most ? n : most;
	}
	return most >= LEAST && 2 * most >= text.n ? str_cut(text, most) : STR("");
}

int match_none(struct store *st, const struct match_atom *atom, uint32_t event,
	       const struct cancel *cancel, struct err *err)
{
	struct str near[NEAREST], begins;
	size_t n = 0;

	if (str_ends(atom->text, STR(MATCH_IN_DIR))) {
		err_set(err, ERR_QUERY, atom->at, "no file is in this directory");
		err->len = atom->len;
		return err_hint(err, "dir: means the files in it; file:/DIR/* those "
				     "below it, too, and 'dirs' lists all");
	}
	err_set(err, ERR_QUERY, atom->at, "no %s matches '%.*s'", field_name[atom->field],
		STR_ARG(atom->text));
	err->len = atom->len;
	if (atom->form != MATCH_REGEX && atom->form != MATCH_ID)
		n = match_nearest(st, atom->field, atom->text, event, cancel, near,
				  NEAREST);
	hint(atom, near, n, err);
	begins = beginning(st, atom->text);
	if (!err->hint[0] && atom->field == MATCH_FN && atom->form == MATCH_BARE &&
	    is_plain(atom->text) && begins.n)
		err_hint(err, "names that begin like it: find %.*s*", STR_ARG(begins));
	return err->kind;
}
