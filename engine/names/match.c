/*
 * match.c - match names against patterns; see match.h.
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
#define PCRE2_CODE_UNIT_WIDTH 8

#include "engine/names/match.h"

#include <ctype.h>
#include <inttypes.h>
#include <ctype.h>
#include <pcre2.h>
#include <string.h>
#include <time.h>

#include "engine/names/name.h"

enum {
	POLL_BYTES = 256 << 10, /* of names between two polls of the clock and `cancel` */
	NAME_BYTES = 256,	/* fixed cost of a name, counted as bytes */
	REGEX_STEPS = 1000000,	/* for one name: some milliseconds */
	REGEX_DEPTH = 10000,
	REGEX_HEAP_KIB = 16 << 10,
	REGEX_PARENS = 200,
	REGEX_BYTES = 64 << 10,
	REGEX_SECONDS = 20, /* for all names */
};

struct match {
	struct match_atom atom;
	struct arena *arena;
	/* bare: */
	struct name pat;
	bool anchored, tail; /* leading "::"; trailing "::" */
	bool transparent;    /* some component is transparent, see is_transparent() */
	bool path;	     /* match components of a path, for files and objects */
	bool by_base;	     /* exact, without a "/": try base names if nothing is
				equal */
	struct str needle;   /* part of every name that matches; may be empty */
	bool plain;	     /* regex: it is the needle */
	bool word;	     /* the needle is a whole component and an identifier */
	/* regex: */
	pcre2_general_context *general;
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
};

/* ---- bare ---- */

static bool is_ident(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

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
	return str_starts(s, STR("operator")) && s.n > 8 && !is_ident(s.p[8]);
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
static bool same_parts(const struct match *m, const struct str *part, size_t n, bool cut)
{
	size_t p = m->pat.n, i = n, back_p = SIZE_MAX, back_i = 0;

	if (m->tail) {
		if (n == 0)
			return false;
		back_p = p;
		back_i = i = n - 1;
	}
	for (;;) {
		if (p == 0 && (!m->anchored || (i == 0 && !cut)))
			return true;
		if (p > 0 && i > 0 && is_any(m->pat.part[p - 1])) {
			back_p = --p;
			back_i = --i;
		} else if (p > 0 && i > 0 && same_part(m->pat.part[p - 1], part[i - 1])) {
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

			name_parse((struct str){s.p, i}, false, &piece);
			if (!glob((struct str){pat.p, p}, piece.core))
				return false;
		}
		pat = str_from(pat, p);
		s = str_from(s, i);
	}
	return true;
}

static bool bare_parsed(const struct match *m, struct name *o)
{
	size_t n = 0;

	if ((m->pat.recursion.n && !same_recursion(m->pat.recursion, o->recursion)) ||
	    (m->pat.clone.n && !same_clone(m->pat.clone, o->clone)) ||
	    (m->pat.version.n && !same_version(m->pat.version, o->version)))
		return false;
	if (m->atom.field == MATCH_CLASS)
		o->n--;
	for (size_t i = 0; i < o->n; i++)
		if (m->transparent || !is_transparent(o->part[i]))
			o->part[n++] = o->part[i];
	return same_parts(m, o->part, n, o->cut);
}

static bool has_needle(const struct match *m, struct str name)
{
	const char *p = name.p, *end = name.p + name.n, *hit;

	if (m->needle.n == 0)
		return true;
	while ((hit = memmem(p, (size_t)(end - p), m->needle.p, m->needle.n))) {
		const char *past = hit + m->needle.n;

		if (!m->word || ((hit == name.p || !is_ident(hit[-1])) &&
				 (past == end || !is_ident(*past))))
			return true;
		/* Part of a longer word: skip the word, no other place in it is a
		 * match. */
		for (p = past; p < end && is_ident(*p);)
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

static bool contains(struct str s, struct str part, bool nocase)
{
	if (!nocase)
		return memmem(s.p, s.n, part.p, part.n) != NULL;
	for (size_t i = 0; i + part.n <= s.n; i++)
		if (same_letters(s.p + i, part.p, part.n, true))
			return true;
	return false;
}

/* Does component k of n of the pattern fit s?  Only its first may begin inside s, and only
 * its last end there. */
static bool part_fits(struct str pat, size_t k, size_t n, struct str s, bool nocase)
{
	if (n == 1)
		return contains(s, pat, nocase);
	if (s.n < pat.n || (k && k + 1 < n && s.n != pat.n))
		return false;
	return same_letters(k ? s.p : s.p + s.n - pat.n, pat.p, pat.n, nocase);
}

static bool part_of_parsed(const struct match *m, const struct name *o, size_t n)
{
	for (size_t i = 0; i + m->pat.n <= n; i++) {
		size_t k = 0;

		while (k < m->pat.n && part_fits(m->pat.part[k], k, m->pat.n,
						 o->part[i + k], m->atom.nocase))
			k++;
		if (k == m->pat.n)
			return true;
	}
	return false;
}

static bool part_of(const struct match *m, struct str name)
{
	const bool class = m->atom.field == MATCH_CLASS;
	struct name o;

	if (m->path)
		return contains(name, m->atom.text, m->atom.nocase);
	if (!contains(name, m->needle, m->atom.nocase))
		return false;
	name_parse(name, false, &o);
	if (part_of_parsed(m, &o, o.n - class))
		return true;
	if (str_find_str(name, STR(" as ")) == name.n &&
	    str_find_str(name, STR("<impl ")) == name.n)
		return false;
	name_parse(name, true, &o);
	return part_of_parsed(m, &o, o.n - class);
}

static size_t split_path(struct str s, struct str *part, bool *cut)
{
	size_t n = 0, from = 0;

	*cut = false;
	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && s.p[i] != '/')
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

static bool bare(const struct match *m, struct str name)
{
	struct name o;

	if (!has_needle(m, name))
		return false;
	if (m->path) {
		bool cut;
		size_t n = split_path(name, o.part, &cut);

		if (m->anchored && (name.n == 0 || name.p[0] != '/'))
			return false;
		return same_parts(m, o.part, n, cut);
	}
	name_parse(name, false, &o);
	if (bare_parsed(m, &o))
		return true;
	if (str_find_str(name, STR(" as ")) == name.n &&
	    str_find_str(name, STR("<impl ")) == name.n)
		return false;
	name_parse(name, true, &o);
	return bare_parsed(m, &o);
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
			m->word = is_ident(s.p[i]);
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
		name_parse(s, false, &m->pat);
		m->tail = str_ends(s, STR("::")) ||
			  (str_ends(s, STR("->")) &&
			   !is_operator(m->pat.part[m->pat.n - 1]));
		for (size_t i = 0; i < m->pat.n; i++)
			m->transparent |= is_transparent(m->pat.part[i]);
	}
	bare_needle(m);
	return 0;
}

/* ---- regex ---- */

static void *regex_alloc(size_t n, void *arena)
{
	return arena_alloc(arena, n);
}

static void regex_release(void *p, void *arena)
{
	(void)p;
	(void)arena;
}

static int regex_bad(const struct match *m, int code, size_t at, struct err *err)
{
	PCRE2_UCHAR text[200];

	if (code == PCRE2_ERROR_NOMEMORY || code == PCRE2_ERROR_HEAP_FAILED)
		return arena_full(m->arena, err);
	if (pcre2_get_error_message(code, text, sizeof(text)) < 0)
		text[0] = '\0';
	err_set(err, ERR_QUERY, m->atom.at + at,
		"bad regular expression: %s (at byte %zu)", (const char *)text, at);
	err->len = 1;
	return (int)err->kind;
}

/* Is c itself in a regular expression? */
static bool is_literal(char c)
{
	return !strchr("\\^$.[]|()*+?{}", c);
}

/* The end of the class that begins at s.p[i]. */
static size_t skip_class(struct str s, size_t i)
{
	i += i + 1 < s.n && s.p[i + 1] == '^' ? 2 : 1;
	i += i < s.n && s.p[i] == ']'; /* itself, at the start */
	for (; i < s.n && s.p[i] != ']'; i++)
		i += s.p[i] == '\\';
	return i + 1;
}

/* The end of the group that begins at s.p[i]. */
static size_t skip_group(struct str s, size_t i)
{
	size_t open = 0;

	while (i < s.n) {
		const char c = s.p[i];

		if (c == '[') {
			i = skip_class(s, i);
			continue;
		}
		i += c == '\\' ? 2 : 1;
		open += c == '(';
		if (c == ')' && --open == 0)
			break;
	}
	return i;
}

/* Is what follows the backslash at s.p[i] one character: no number, name or property? */
static bool is_simple_escape(struct str s, size_t i)
{
	const char c = i + 1 < s.n ? s.p[i + 1] : '\0';

	return c && (!isalnum((unsigned char)c) || strchr("dDsSwWbBAZzhHvVRntrfae", c));
}

/* Find the longest text that every match contains: literals in a row outside of groups.
 * None is found if there are alternatives, options or unusual escapes. */
static void regex_needle(struct match *m)
{
	const struct str s = m->atom.text;
	size_t from = 0, i = 0;

	if (m->atom.nocase || str_find(s, '|') < s.n ||
	    str_find_str(s, STR("(?")) < s.n || str_find_str(s, STR("(*")) < s.n ||
	    str_find_str(s, STR("\\Q")) < s.n || str_find_str(s, STR("[[:")) < s.n)
		return;
	while (i <= s.n) {
		size_t end = i;

		if (i < s.n && is_literal(s.p[i])) {
			i++;
			continue;
		}
		if (i < s.n && s.p[i] == '\\' && !is_simple_escape(s, i)) {
			m->needle.n = 0;
			return;
		}
		/* A character before * ? {0} need not be there. */
		if (i < s.n && i > from && strchr("*?{", s.p[i]))
			end--;
		if (end - from > m->needle.n)
			m->needle = (struct str){s.p + from, end - from};
		if (i < s.n && s.p[i] == '(')
			i = skip_group(s, i);
		else if (i < s.n && s.p[i] == '[')
			i = skip_class(s, i);
		else if (i < s.n && s.p[i] == '{')
			i += str_find(str_from(s, i), '}') + 1;
		else
			i += i < s.n && s.p[i] == '\\' ? 2 : 1;
		from = i;
	}
	m->plain = m->needle.n && m->needle.n == s.n;
}

static int regex_new(struct match *m, struct err *err)
{
	uint32_t options = PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_DOLLAR_ENDONLY;
	pcre2_compile_context *cc;
	int code = PCRE2_ERROR_NOMEMORY;
	size_t at = 0;

	m->general = pcre2_general_context_create(regex_alloc, regex_release, m->arena);
	if (!m->general || !(cc = pcre2_compile_context_create(m->general)) ||
	    !(m->limits = pcre2_match_context_create(m->general)))
		return arena_full(m->arena, err);
	pcre2_set_parens_nest_limit(cc, REGEX_PARENS);
	pcre2_set_max_pattern_length(cc, REGEX_BYTES);
	pcre2_set_match_limit(m->limits, REGEX_STEPS);
	pcre2_set_depth_limit(m->limits, REGEX_DEPTH);
	pcre2_set_heap_limit(m->limits, REGEX_HEAP_KIB);
	if (m->atom.nocase)
		options |= PCRE2_CASELESS;
	m->code = pcre2_compile((PCRE2_SPTR)m->atom.text.p, m->atom.text.n, options,
				&code, &at, cc);
	if (!m->code)
		return regex_bad(m, code, at, err);
	if (!(m->data = pcre2_match_data_create(1, m->general)))
		return arena_full(m->arena, err);
	/* Without JIT (not built in, or no executable memory) matching is slower, not
	 * wrong. */
	(void)pcre2_jit_compile(m->code, PCRE2_JIT_COMPLETE);
	regex_needle(m);
	return 0;
}

static int regex_name(struct match *m, struct str name, struct err *err)
{
	PCRE2_UCHAR text[200];
	int rc;

	if (m->needle.n) {
		const bool has = str_find_str(name, m->needle) < name.n;

		if (!has || m->plain)
			return has;
	}
	rc = pcre2_match(m->code, (PCRE2_SPTR)name.p, name.n, 0, 0, m->data, m->limits);
	if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
		rc = pcre2_match(m->code, (PCRE2_SPTR)name.p, name.n, 0, PCRE2_NO_JIT,
				 m->data, m->limits);
	if (rc >= 0)
		return 1;
	if (rc == PCRE2_ERROR_NOMATCH)
		return 0;
	if (pcre2_get_error_message(rc, text, sizeof(text)) < 0)
		text[0] = '\0';
	err_set(err, ERR_LIMIT, m->atom.at, "the regular expression gave up: %s",
		(const char *)text);
	err_hint(err, "write it without nested repetition, such as (a+)+");
	err->len = m->atom.len;
	return -1;
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
		rc = regex_new(m, err);
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

int match_name(struct match *m, struct str name, struct err *err)
{
	if (m->atom.form == MATCH_BARE)
		return m->atom.part ? part_of(m, name) : bare(m, name);
	if (m->atom.field == MATCH_CLASS)
		name = name_class(name);
	if (m->atom.form == MATCH_REGEX)
		return regex_name(m, name, err);
	return str_eq(m->by_base ? str_basename(name) : name, m->atom.text);
}

struct str match_needle(const struct match *m, bool *all)
{
	*all = m->plain;
	return m->needle;
}

/* ---- a store's names ---- */

static uint64_t match_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* How to read one of the three string tables. */
struct table {
	uint32_t n;
	struct str (*get)(struct store *st, uint32_t id);
	uint32_t (*lower)(struct store *st, struct str s);
	enum store_column column; /* function -> id */
};

static struct table table_of(struct store *st, enum match_field field)
{
	const struct store_info *si = store_info(st);

	if (field == MATCH_FILE)
		return (struct table){si->files, store_file, store_file_lower,
				      STORE_FN_FILE};
	if (field == MATCH_OBJ)
		return (struct table){si->objects, store_obj, store_obj_lower,
				      STORE_FN_OBJ};
	return (struct table){si->names, store_shown, store_name_lower, STORE_FN_NAME};
}

static int poll_limits(const struct match *m, uint64_t start_ms,
		       const struct cancel *cancel, struct err *err)
{
	if (cancel_poll(cancel, err))
		return (int)err->kind;
	if (m->atom.form == MATCH_REGEX &&
	    match_now_ms() - start_ms > REGEX_SECONDS * 1000) {
		err_set(err, ERR_LIMIT, m->atom.at,
			"the regular expression took more than %d s", REGEX_SECONDS);
		err->len = m->atom.len;
		return (int)err->kind;
	}
	return 0;
}

static struct str as_recorded(struct store *st, const struct table *t, uint32_t id)
{
	return t->column == STORE_FN_NAME ? store_name(st, id) : t->get(st, id);
}

/* A demangled name also matches as recorded, except by a regular expression, which
 * matches the name as shown. */
static int mangled_too(struct match *m, struct store *st, uint32_t id, struct err *err)
{
	struct str name = store_name(st, id);

	if (m->atom.form == MATCH_REGEX || m->atom.part || m->atom.field == MATCH_CLASS ||
	    store_shown(st, id).p == name.p)
		return 0;
	return match_name(m, name, err);
}

/* Mark the matching strings in hit[], a byte each. */
static int mark_strings(struct match *m, struct store *st, const struct table *t,
			const struct cancel *cancel, uint8_t *hit, uint32_t *count,
			struct err *err)
{
	uint64_t start = match_now_ms(), bytes = POLL_BYTES;
	bool exact = m->atom.form == MATCH_EXACT && m->atom.field != MATCH_CLASS;
	bool names = t->column == STORE_FN_NAME, swept;

	if (exact) {
		uint32_t id = t->lower(st, m->atom.text);

		if (id < t->n && str_eq(as_recorded(st, t, id), m->atom.text))
			*count = hit[id] = 1;
		if (m->by_base ? *count > 0 : !names || !store_any_mangled(st))
			return 0;
	}
	swept = names && m->needle.n && !store_any_mangled(st);
	for (name_id id = 0; swept && id < t->n;) {
		id = store_names_with(st, m->needle, id, hit);
		if (poll_limits(m, start, cancel, err))
			return (int)err->kind;
	}
	for (uint32_t id = 0; id < t->n; id++) {
		struct str name;
		int rc;

		if (swept && !hit[id])
			continue;
		name = t->get(st, id);
		bytes += name.n + NAME_BYTES;
		if (bytes >= POLL_BYTES) {
			bytes = 0;
			if ((rc = poll_limits(m, start, cancel, err)))
				return rc;
		}
		if ((rc = match_name(m, name, err)) < 0 ||
		    (!rc && names && (rc = mangled_too(m, st, id, err)) < 0))
			return (int)err->kind;
		hit[id] = (uint8_t)rc;
		*count += (uint32_t)rc;
	}
	return 0;
}

static int expand_functions(struct store *st, const struct table *t, const uint8_t *hit,
			    struct fn_set *fns, struct err *err)
{
	uint32_t functions = store_info(st)->functions;
	const uint32_t *id;

	if (t->column == STORE_FN_NAME) {
		for (uint32_t name = 0; name < t->n; name++) {
			fn_id first;
			uint32_t n;

			if (!hit[name])
				continue;
			store_fns_of_name(st, name, &first, &n);
			fnset_add_run(fns, first, n);
		}
		return 0;
	}
	if (!(id = store_u32(st, t->column)))
		return store_check(st, err) ? (int)err->kind
					    : err_no_memory(err, "for a column");
	for (uint32_t f = 0; f < functions; f++)
		if (id[f] < t->n && hit[id[f]])
			fnset_add(fns, f);
	return 0;
}

static int find_id(struct store *st, const struct match_atom *atom, struct fn_set *fns,
		   uint32_t *names, struct err *err)
{
	uint32_t functions = store_info(st)->functions;
	uint64_t id;

	if (!str_u64(atom->text, &id) || id >= functions) {
		err_set(err, ERR_QUERY, atom->at,
			"there is no function #%.*s; the last is #%" PRIu32,
			STR_ARG(atom->text), functions ? functions - 1 : 0);
		err->len = atom->len;
		return (int)err->kind;
	}
	fnset_add(fns, (uint32_t)id);
	*names = 1;
	return 0;
}

int match_find(struct store *st, const struct match_atom *atom,
	       const struct cancel *cancel, struct arena *a, struct match_found *out,
	       struct err *err)
{
	struct table t = table_of(st, atom->field);
	struct fn_set *fns = fnset_new(a, store_info(st)->functions);
	struct match *m = NULL;
	uint32_t names = 0;
	uint8_t *hit;
	int rc;

	if (!fns)
		return arena_full(a, err);
	if (atom->form == MATCH_ID) {
		rc = find_id(st, atom, fns, &names, err);
	} else if (!(hit = ARENA_ARRAY(a, uint8_t, t.n))) {
		rc = arena_full(a, err);
	} else if ((rc = match_new(atom, a, &m, err)) == 0) {
		rc = mark_strings(m, st, &t, cancel, hit, &names, err);
		if (rc == 0)
			rc = expand_functions(st, &t, hit, fns, err);
	}
	match_free(m);
	if (rc)
		return rc;
	*out = (struct match_found){fns, fnset_count(fns), names};
	return 0;
}
