/*
 * match.c - does a name match a pattern; see match.h.
 *
 * A bare pattern is split like a name (name.c) and compared component by component from
 * the end, because leading components may be missing.  Splitting a name costs more than
 * searching it for a word.  So the longest literal of the pattern's last component is
 * searched for first, as a whole word if the component is an identifier.  A name without
 * it cannot match.
 *
 * A part of a name is found in one component: `alloc` in std::__alloc_impl::run, but not in
 * its arguments; `Vec::push` in geo::Vec::push_back.
 */
#include "engine/names/match.h"

#include <ctype.h>
#include <string.h>

#include "engine/names/match_in.h"
#include "engine/names/name_skip.h"
#include "index/base/arena.h"
#include "index/base/err.h"

/* ---- bare ---- */

/* Inline namespaces that nobody writes. */
static bool is_transparent(struct str s)
{
	static const char *const known[] = {
		"(anonymous namespace)",
		"_GLOBAL__N_1",
		"__cxx11",
		"__1",
		"__ndk1",
		"_V2",
	};

	if (s.n == 0 || (s.p[0] != '(' && s.p[0] != '_'))
		return false;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (str_eq(s, str_c(known[i])))
			return true;
	return false;
}

/* A component of only stars matches one or more components. */
static bool is_any(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '*')
			return false;
	return s.n > 0;
}

static bool is_operator(struct str s)
{
	return str_starts(s, STR("operator")) && s.n > 8 && !name_is_ident(s.p[8]);
}

/* Cut the piece up to the next star off *pat. */
static struct str next_literal(struct str *pat)
{
	size_t n = str_find(*pat, '*');
	struct str piece = {pat->p, n};

	*pat = str_from(*pat, n + 1);
	return piece;
}

/* The first and last piece match at the ends, each other piece at its first place
 * after the one before.  Backtracking is not needed. */
static bool glob(struct str pat, struct str s)
{
	struct str piece;

	if (str_find(pat, '*') == pat.n)
		return str_eq(pat, s);
	piece = next_literal(&pat);
	if (!str_starts(s, piece))
		return false;
	s = str_from(s, piece.n);
	while (str_find(pat, '*') < pat.n) {
		size_t at;

		piece = next_literal(&pat);
		at = str_find_str(s, piece);
		if (at == s.n && piece.n)
			return false;
		s = str_from(s, at + piece.n);
	}
	return s.n >= pat.n && str_eq(str_from(s, s.n - pat.n), pat);
}

/* The rest after the parameters of "{lambda(int)#2}". */
static struct str after_params(struct str s)
{
	for (size_t i = s.n; i > 0; i--)
		if (s.p[i - 1] == ')')
			return str_from(s, i);
	return s;
}

static bool same_part(struct str pat, struct str s)
{
	if (str_eq(pat, s))
		return true;
	if (str_starts(pat, STR("{lambda(")) && str_starts(s, STR("{lambda(")))
		return str_eq(after_params(pat), after_params(s));
	if (str_find(pat, '*') == pat.n || is_operator(pat))
		return false;
	return glob(pat, s);
}

/*
 * Compare components from the end.  An "any" first takes one component, and one more each
 * time the components before it do not fit.  Only the last "any" needs to be retried.
 */
static bool same_parts(const struct match *m, const struct name *pat,
		       const struct str *part, size_t n, bool cut)
{
	size_t p = pat->n, i = n, back_p = SIZE_MAX, back_i = 0;

	if (m->tail) {
		if (n == 0)
			return false;
		back_p = p;
		back_i = i = n - 1;
	}
	for (;;) {
		if (p == 0 && (!m->anchored || (i == 0 && !cut)))
			return true;
		if (p > 0 && i > 0 && is_any(pat->part[p - 1])) {
			back_p = --p;
			back_i = --i;
		} else if (p > 0 && i > 0 && same_part(pat->part[p - 1], part[i - 1])) {
			p--;
			i--;
		} else if (back_p != SIZE_MAX && back_i > 0) {
			p = back_p;
			i = --back_i;
		} else {
			return false;
		}
	}
}

/* ".part.0" and " [clone .part.0]" are equal. */
static bool same_clone(struct str pat, struct str s)
{
	const struct str mark = STR(" [clone ");

	for (;;) {
		if (str_starts(pat, mark))
			pat = str_from(pat, mark.n);
		else if (str_starts(s, mark))
			s = str_from(s, mark.n);
		else if (pat.n && pat.p[0] == ']')
			pat = str_from(pat, 1);
		else if (s.n && s.p[0] == ']')
			s = str_from(s, 1);
		else if (pat.n == 0 || s.n == 0 || pat.p[0] != s.p[0])
			return pat.n == 0 && s.n == 0;
		else {
			pat = str_from(pat, 1);
			s = str_from(s, 1);
		}
	}
}

static bool same_version(struct str pat, struct str s)
{
	while (pat.n && pat.p[0] == '@')
		pat = str_from(pat, 1);
	while (s.n && s.p[0] == '@')
		s = str_from(s, 1);
	return glob(pat, s);
}

/* Compare "'main" of a pattern with "'main(int, char**)'start" of a name, piece by
 * piece. */
static bool same_recursion(struct str pat, struct str s)
{
	while (pat.n) {
		size_t p, i;

		if (s.n == 0)
			return false;
		pat = str_from(pat, 1);
		s = str_from(s, 1);
		p = str_find(pat, '\'');
		i = str_find(s, '\'');
		if (!glob((struct str){pat.p, p}, (struct str){s.p, i})) {
			struct name piece;

			name_parse((struct str){s.p, i}, NAME_USUAL, &piece);
			if (!glob((struct str){pat.p, p}, piece.core))
				return false;
		}
		pat = str_from(pat, p);
		s = str_from(s, i);
	}
	return true;
}

/* The dots of a pattern for a path separate nothing, as those of the path. */
static const struct name *pattern_for(const struct match *m, const struct name *o)
{
	return o->path ? &m->as_path : &m->pat;
}

static bool bare_parsed(const struct match *m, struct name *o)
{
	const struct name *pat = pattern_for(m, o);
	size_t n = 0;

	if ((pat->recursion.n && !same_recursion(pat->recursion, o->recursion)) ||
	    (pat->clone.n && !same_clone(pat->clone, o->clone)) ||
	    (pat->version.n && !same_version(pat->version, o->version)) ||
	    (pat->prefix.n && !str_eq(pat->prefix, o->prefix)) ||
	    (pat->suffix.n && !str_eq(pat->suffix, o->suffix)))
		return false;
	if (m->atom.field == MATCH_CLASS)
		o->n = o->nhead;
	for (size_t i = 0; i < o->n; i++)
		if (m->transparent || !is_transparent(o->part[i]))
			o->part[n++] = o->part[i];
	/* A class is also in a namespace that fits Twig\Node*. */
	while (m->atom.field == MATCH_CLASS && str_ends(m->atom.text, STR("*")) &&
	       n > 1 && !same_parts(m, pat, o->part, n, o->cut))
		n--;
	return same_parts(m, pat, o->part, n, o->cut);
}

static bool has_needle(const struct match *m, struct str name)
{
	const char *p = name.p, *end = name.p + name.n, *hit;

	if (m->needle.n == 0)
		return true;
	while ((hit = memmem(p, (size_t)(end - p), m->needle.p, m->needle.n))) {
		const char *past = hit + m->needle.n;

		if (!m->word || ((hit == name.p || !name_is_ident(hit[-1])) &&
				 (past == end || !name_is_ident(*past))))
			return true;
		/* Part of a longer word: skip the word, no other place in it is a
		 * match. */
		for (p = past; p < end && name_is_ident(*p);)
			p++;
	}
	return false;
}

/* ---- parts of names ---- */

static bool same_letters(const char *a, const char *b, size_t n, bool nocase)
{
	if (!nocase)
		return memcmp(a, b, n) == 0;
	for (size_t i = 0; i < n; i++)
		if (tolower((unsigned char)a[i]) != tolower((unsigned char)b[i]))
			return false;
	return true;
}

static size_t lower(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (char)tolower((unsigned char)from[i]);
	return n;
}

/* Of a few bytes; most places differ in the first one. */
static bool contains_few(struct str s, struct str part)
{
	const unsigned char bit = isalpha((unsigned char)part.p[0]) ? 0x20 : 0;
	const unsigned char first = (unsigned char)part.p[0] | bit;

	for (size_t i = 0; i + part.n <= s.n; i++)
		if (((unsigned char)s.p[i] | bit) == first &&
		    same_letters(s.p + i, part.p, part.n, true))
			return true;
	return false;
}

/* memmem() takes no longer for a long part, so all is in small letters for it: the part, and s
 * a piece at a time, of twice the most bytes of a part. */
static bool contains(struct str s, struct str part, bool nocase)
{
	enum { MOST = 1 << 16, FEW = 32 };
	char small[MOST], piece[2 * MOST];

	if (!nocase)
		return memmem(s.p, s.n, part.p, part.n) != NULL;
	if (part.n && part.n <= FEW)
		return contains_few(s, part);
	for (size_t i = 0; part.n > MOST && i + part.n <= s.n; i++)
		if (same_letters(s.p + i, part.p, part.n, true))
			return true;
	lower(small, part.p, part.n > MOST ? 0 : part.n);
	for (size_t i = 0; part.n <= MOST && i + part.n <= s.n; i += MOST) {
		const size_t n = s.n - i < sizeof(piece) ? s.n - i : sizeof(piece);

		if (memmem(piece, lower(piece, s.p + i, n), small, part.n))
			return true;
	}
	return false;
}

/* Does component k of n of the pattern fit s?  Only its first may begin inside s, and only
 * its last end there. */
static bool part_fits(struct str pat, size_t k, size_t n, struct str s, bool nocase)
{
	if (memchr(pat.p, '*', pat.n))
		return glob(pat, s);
	if (n == 1)
		return contains(s, pat, nocase);
	if (s.n < pat.n || (k && k + 1 < n && s.n != pat.n))
		return false;
	return same_letters(k ? s.p : s.p + s.n - pat.n, pat.p, pat.n, nocase);
}

static bool part_of_parsed(const struct match *m, struct name *o)
{
	const struct name *pat = pattern_for(m, o);
	const size_t n = m->atom.field == MATCH_CLASS ? o->nhead : o->n;

	for (size_t i = 0; i + pat->n <= n; i++) {
		size_t k = 0;

		while (k < pat->n &&
		       part_fits(pat->part[k], k, pat->n, o->part[i + k], m->atom.nocase))
			k++;
		if (k == pat->n)
			return true;
	}
	return false;
}

/* Read as the type, and as the trait of Rust's "<T as Trait>::f". */
static bool either_reading(const struct match *m, struct str name, enum name_reading how,
			   bool (*fits)(const struct match *m, struct name *o))
{
	struct name o;

	name_parse(name, how, &o);
	if (fits(m, &o))
		return true;
	if (str_find_str(name, STR(" as ")) == name.n &&
	    str_find_str(name, STR("<impl ")) == name.n)
		return false;
	name_parse(name, NAME_TRAIT, &o);
	return fits(m, &o);
}

static bool part_of(const struct match *m, struct str name, enum name_reading how)
{
	/* X is more often that of a manual than the x of a name. */
	if (m->atom.nocase && m->atom.text.n < 2)
		return false;
	if (m->path)
		return contains(name, m->atom.text, m->atom.nocase);
	return contains(name, m->needle, m->atom.nocase) &&
	       either_reading(m, name, how, part_of_parsed);
}

static size_t split_path(struct str s, struct str *part, bool *cut)
{
	const char other = str_is_windows(s) ? '\\' : '/';
	size_t n = 0, from = 0;

	*cut = false;
	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && s.p[i] != '/' && s.p[i] != other)
			continue;
		if (i > from) {
			if (n == NAME_PARTS) {
				memmove(part, part + 1, (n - 1) * sizeof(*part));
				n--;
				*cut = true;
			}
			part[n++] = (struct str){s.p + from, i - from};
		}
		from = i + 1;
	}
	return n;
}

static bool bare(const struct match *m, struct str name, enum name_reading how)
{
	struct str part[NAME_PARTS];
	bool cut;
	size_t n;

	if (!has_needle(m, name) || (m->no_files && name_included(name).n))
		return false;
	if (!m->path)
		return either_reading(m, name, how, bare_parsed);
	n = split_path(name, part, &cut);
	return !(m->anchored && (name.n == 0 || name.p[0] != '/')) &&
	       same_parts(m, &m->pat, part, n, cut);
}

/* The longest run of s without a star. */
static struct str longest_literal(struct str s)
{
	struct str best = {s.p, 0};
	size_t from = 0;

	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && s.p[i] != '*')
			continue;
		if (i - from > best.n)
			best = (struct str){s.p + from, i - from};
		from = i + 1;
	}
	return best;
}

static void bare_needle(struct match *m)
{
	for (size_t k = m->pat.n; k > 0 && m->needle.n == 0; k--) {
		struct str s = m->pat.part[k - 1];

		m->needle = str_starts(s, STR("{lambda(")) ? (struct str){s.p, 7}
			    : is_operator(s)		   ? s
							   : longest_literal(s);
		m->word = m->needle.n == s.n && !m->path;
		for (size_t i = 0; i < s.n && m->word; i++)
			m->word = name_is_ident(s.p[i]);
	}
}

static int bare_new(struct match *m, struct err *err)
{
	struct str s = m->atom.text;

	if (s.n == 0)
		return err_set(err, ERR_QUERY, m->atom.at,
			       "an empty name matches nothing");
	if (m->path) {
		bool cut;

		m->anchored = s.p[0] == '/';
		m->tail = s.p[s.n - 1] == '/';
		m->pat.n = split_path(s, m->pat.part, &cut);
	} else {
		m->anchored = str_starts(s, STR("::"));
		name_parse(s, NAME_USUAL, &m->pat);
		name_parse(s, NAME_PATH, &m->as_path);
		m->tail = str_ends(s, STR("::")) ||
			  (str_ends(s, STR("->")) &&
			   !is_operator(m->pat.part[m->pat.n - 1]));
		m->no_files = str_find(s, '*') < s.n && str_find(s, '/') == s.n &&
			      str_find(s, '.') == s.n && str_find(s, ':') == s.n;
		for (size_t i = 0; i < m->pat.n; i++)
			m->transparent |= is_transparent(m->pat.part[i]);
	}
	bare_needle(m);
	return 0;
}

/* ---- one atom, one name ---- */

int match_new(const struct match_atom *atom, struct arena *a, struct match **out,
	      struct err *err)
{
	struct match *m = ARENA_NEW(a, struct match);
	int rc = 0;

	if (!m)
		return arena_full(a, err);
	m->atom = *atom;
	m->arena = a;
	m->path = atom->field == MATCH_FILE || atom->field == MATCH_OBJ;
	m->by_base = m->path && atom->form == MATCH_EXACT &&
		     str_find(atom->text, '/') == atom->text.n;
	if (atom->form == MATCH_BARE)
		rc = bare_new(m, err);
	else if (atom->form == MATCH_REGEX)
		rc = match_regex_new(m, err);
	if (rc)
		match_free(m);
	else
		*out = m;
	return rc;
}

/* The memory belongs to the arena.  So a query that ends in the middle (map_guard)
 * leaks at most a few KiB of JIT code. */
void match_free(struct match *m)
{
	if (m && m->code) {
		pcre2_code_free(m->code);
		m->code = NULL;
	}
}

int match_name_as(struct match *m, struct str name, enum name_reading how,
		  struct err *err)
{
	if (m->atom.field == MATCH_CLASS && name_included(name).n)
		return false;
	if (m->atom.form == MATCH_BARE)
		return m->atom.part ? part_of(m, name, how) : bare(m, name, how);
	if (m->atom.field == MATCH_CLASS)
		name = name_class(name);
	if (m->atom.form == MATCH_REGEX)
		return match_regex(m, name, err);
	return str_eq(m->by_base ? str_basename(name) : name, m->atom.text);
}

int match_name(struct match *m, struct str name, struct err *err)
{
	return match_name_as(m, name, NAME_USUAL, err);
}

struct str match_needle(const struct match *m, bool *all)
{
	*all = m->plain;
	return m->needle;
}
