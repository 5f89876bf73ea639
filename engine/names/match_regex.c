/*
 * match_regex.c - names that match a regular expression, by PCRE2; see match_in.h.
 *
 * Names are UTF-8, where `.` is a letter and not a byte, unless they are not: then they are
 * bytes.  Of ASCII alone both are the same, and bytes are faster.
 *
 * A text that every match contains is searched for first: a name without it needs no
 * matching.  Limits on steps, depth and memory bound what one name costs.
 */
#include <ctype.h>
#include <string.h>

#include "engine/names/match_in.h"
#include "index/base/arena.h"
#include "index/base/err.h"

enum {
	REGEX_STEPS = 1000000, /* for one name: some milliseconds */
	REGEX_DEPTH = 10000,
	REGEX_HEAP_KIB = 16 << 10,
	REGEX_PARENS = 200,
	REGEX_BYTES = 64 << 10,
	REPLACED_BYTES = 1 << 20, /* more than twice the name */
};

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
	return err->kind;
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

/* The bytes of "{2,3}" at the start of s; a brace that does not say how often is itself. */
static size_t repeats_bytes(struct str s)
{
	size_t i = 1;

	while (i < s.n && strchr("0123456789, ", s.p[i]))
		i++;
	return i < s.n && s.p[i] == '}' ? i + 1 : 1;
}

/* Are all groups that begin "(?" what they contain, or an assertion: no options? */
static bool groups_are_plain(struct str s)
{
	for (size_t i = 0; (i += str_find_str(str_from(s, i), STR("(?"))) < s.n; i += 2)
		if (i + 2 >= s.n || !strchr(":!=<>", s.p[i + 2]))
			return false;
	return true;
}

/* Find the longest text that every match contains: literals in a row outside of groups.
 * None is found if there are alternatives outside of them, options or unusual escapes. */
static void regex_needle(struct match *m)
{
	const struct str s = m->atom.text;
	size_t from = 0, i = 0;

	if (m->atom.nocase || !groups_are_plain(s) || str_find_str(s, STR("(*")) < s.n ||
	    str_find_str(s, STR("\\Q")) < s.n || str_find_str(s, STR("[[:")) < s.n)
		return;
	while (i <= s.n) {
		size_t end = i;

		if (i < s.n && is_literal(s.p[i])) {
			i++;
			continue;
		}
		if (i < s.n &&
		    (s.p[i] == '|' || (s.p[i] == '\\' && !is_simple_escape(s, i)))) {
			m->needle.n = 0;
			return;
		}
		/* A letter before * ? {0} need not be there. */
		if (i < s.n && i > from && strchr("*?{", s.p[i]))
			while ((s.p[--end] & 0xc0) == 0x80 && end > from)
				;
		if (end - from > m->needle.n)
			m->needle = (struct str){s.p + from, end - from};
		if (i < s.n && s.p[i] == '(')
			i = skip_group(s, i);
		else if (i < s.n && s.p[i] == '[')
			i = skip_class(s, i);
		else if (i < s.n && s.p[i] == '{')
			i += repeats_bytes(str_from(s, i));
		else
			i += i < s.n && s.p[i] == '\\' ? 2 : 1;
		from = i;
	}
	m->plain = m->needle.n && m->needle.n == s.n;
}

/* NULL: *code and *at say why. */
static pcre2_code *regex_compile(const struct match *m, uint32_t options, int *code,
				 size_t *at)
{
	pcre2_code *made =
		pcre2_compile((PCRE2_SPTR)m->atom.text.p, m->atom.text.n,
			      options | PCRE2_NEVER_UCP | PCRE2_DOLLAR_ENDONLY |
				      (m->atom.nocase ? PCRE2_CASELESS : 0),
			      code, at, m->compile);

	/* Without JIT (not built in, or no executable memory) matching is slower, not
	 * wrong. */
	if (made)
		(void)pcre2_jit_compile(made, PCRE2_JIT_COMPLETE);
	return made;
}

/* Eight bytes at a time: short names are most of what is matched. */
static bool is_ascii(struct str s)
{
	uint64_t all = 0, word;
	size_t i = 0;

	for (; i + sizeof(word) <= s.n; i += sizeof(word)) {
		memcpy(&word, s.p + i, sizeof(word));
		all |= word;
	}
	for (; i < s.n; i++)
		all |= (unsigned char)s.p[i];
	return !(all & 0x8080808080808080);
}

/* The code for a name: of letters, if there are any of several bytes. */
static const pcre2_code *code_for(struct match *m, struct str name)
{
	size_t at;
	int code;

	if (m->ascii && is_ascii(name))
		return m->code;
	if (!m->letters)
		m->letters = regex_compile(m, PCRE2_UTF, &code, &at);
	if (!m->letters) /* the expression is no UTF-8 */
		m->letters = m->code;
	return m->letters;
}

static bool is_no_utf8(int rc)
{
	return rc <= PCRE2_ERROR_UTF8_ERR1 && rc >= PCRE2_ERROR_UTF8_ERR21;
}

int match_regex_new(struct match *m, struct err *err)
{
	int code = PCRE2_ERROR_NOMEMORY;
	uint32_t options;
	size_t at = 0;

	m->general = pcre2_general_context_create(regex_alloc, regex_release, m->arena);
	if (!m->general || !(m->compile = pcre2_compile_context_create(m->general)) ||
	    !(m->limits = pcre2_match_context_create(m->general)))
		return arena_full(m->arena, err);
	pcre2_set_parens_nest_limit(m->compile, REGEX_PARENS);
	pcre2_set_max_pattern_length(m->compile, REGEX_BYTES);
	pcre2_set_match_limit(m->limits, REGEX_STEPS);
	pcre2_set_depth_limit(m->limits, REGEX_DEPTH);
	pcre2_set_heap_limit(m->limits, REGEX_HEAP_KIB);
	if (!(m->code = regex_compile(m, PCRE2_NEVER_UTF, &code, &at)))
		return regex_bad(m, code, at, err);
	if (!(m->data = pcre2_match_data_create(1, m->general)))
		return arena_full(m->arena, err);
	m->jit = !pcre2_pattern_info(m->code, PCRE2_INFO_JITSIZE, &at) && at;
	m->ascii = is_ascii(m->atom.text);
	m->at_start = !pcre2_pattern_info(m->code, PCRE2_INFO_ALLOPTIONS, &options) &&
		      options & PCRE2_ANCHORED;
	regex_needle(m);
	return 0;
}

static int regex_gave_up(const struct match *m, int rc, struct err *err)
{
	PCRE2_UCHAR text[200];

	if (pcre2_get_error_message(rc, text, sizeof(text)) < 0)
		text[0] = '\0';
	err_set(err, ERR_LIMIT, m->atom.at, "the regular expression gave up: %s",
		(const char *)text);
	err_hint(err, "write it without nested repetition, such as (a+)+");
	err->len = m->atom.len;
	return -1;
}

static int run_regex(struct match *m, const pcre2_code *code, struct str name)
{
	/* Of bytes nothing is to be checked before. */
	const int rc = (m->jit && code == m->code ? pcre2_jit_match : pcre2_match)(
		code, (PCRE2_SPTR)name.p, name.n, 0, 0, m->data, m->limits);

	return rc == PCRE2_ERROR_JIT_STACKLIMIT
		       ? pcre2_match(code, (PCRE2_SPTR)name.p, name.n, 0, PCRE2_NO_JIT,
				     m->data, m->limits)
		       : rc;
}

/* Bytes alone are asked: of ASCII they are the letters. */
bool match_regex_begins(struct match *m, struct str start)
{
	return !m->ascii || !is_ascii(start) ||
	       pcre2_match(m->code, (PCRE2_SPTR)start.p, start.n, 0, PCRE2_PARTIAL_HARD,
			   m->data, m->limits) != PCRE2_ERROR_NOMATCH;
}

int match_regex(struct match *m, struct str name, struct err *err)
{
	int rc;

	/* Shipped queries ask /./ unless told otherwise: a name is of one line. */
	if (m->atom.text.n == 1 && m->atom.text.p[0] == '.')
		return name.n > 0;
	if (m->needle.n) {
		const bool has = str_find_str(name, m->needle) < name.n;

		if (!has || m->plain)
			return has;
	}
	rc = run_regex(m, code_for(m, name), name);
	if (is_no_utf8(rc))
		rc = run_regex(m, m->code, name);
	if (rc >= 0)
		return 1;
	if (rc == PCRE2_ERROR_NOMATCH)
		return 0;
	return regex_gave_up(m, rc, err);
}

/* ---- replace ---- */

/* Room for n bytes in m->scratch, twice as much as before. */
static int grow_scratch(struct match *m, size_t n, struct err *err)
{
	if (n <= m->scratch_cap)
		return 0;
	m->scratch_cap = 2 * n;
	m->scratch = arena_alloc(m->arena, m->scratch_cap);
	return m->scratch ? 0 : arena_full(m->arena, err);
}

/* Replace in m->scratch.  Returns the number of matches, or PCRE2's error; *n: the bytes
 * written. */
static int substitute(struct match *m, const pcre2_code *code, struct str name,
		      struct str to, size_t *n, struct err *err)
{
	uint32_t options = (m->atom.once ? 0 : PCRE2_SUBSTITUTE_GLOBAL) |
			   PCRE2_SUBSTITUTE_UNSET_EMPTY |
			   PCRE2_SUBSTITUTE_OVERFLOW_LENGTH;
	int rc = PCRE2_ERROR_NOMEMORY;

	*n = name.n + to.n + 64;
	for (int tries = 0; tries < 3 && !err->kind; tries++) {
		if (*n > 2 * name.n + REPLACED_BYTES || grow_scratch(m, *n, err))
			break;
		*n = m->scratch_cap;
		rc = pcre2_substitute(code, (PCRE2_SPTR)name.p, name.n, 0, options,
				      m->groups, m->limits, (PCRE2_SPTR)to.p, to.n,
				      (PCRE2_UCHAR *)m->scratch, n);
		if (rc == PCRE2_ERROR_JIT_STACKLIMIT) {
			options |= PCRE2_NO_JIT; /* its stack is small */
			*n = 0;
		} else if (rc != PCRE2_ERROR_NOMEMORY) {
			break;
		}
	}
	return rc;
}

static bool is_wrong_text(int rc)
{
	return rc == PCRE2_ERROR_BADREPLACEMENT || rc == PCRE2_ERROR_NOSUBSTRING ||
	       rc == PCRE2_ERROR_REPMISSINGBRACE || rc == PCRE2_ERROR_BADSUBSTITUTION ||
	       rc == PCRE2_ERROR_BADREPESCAPE;
}

int match_replace(struct match *m, struct str name, struct str to, uint64_t at,
		  struct arena *a, struct str *out, struct err *err)
{
	PCRE2_UCHAR why[200] = "";
	size_t n;
	int rc;

	*out = name;
	if (m->needle.n && str_find_str(name, m->needle) == name.n)
		return 0;
	if (!m->groups &&
	    !(m->groups = pcre2_match_data_create_from_pattern(m->code, m->general)))
		return arena_full(m->arena, err);
	rc = substitute(m, code_for(m, name), name, to, &n, err);
	if (is_no_utf8(rc))
		rc = substitute(m, m->code, name, to, &n, err);
	if (err->kind || rc == 0)
		return err->kind;
	if (rc > 0) {
		*out = arena_str(a, (struct str){m->scratch, n});
		return out->p ? 0 : arena_full(a, err);
	}
	if (!is_wrong_text(rc)) {
		regex_gave_up(m, rc, err);
		return err->kind;
	}
	(void)pcre2_get_error_message(rc, why, sizeof(why));
	err_set(err, ERR_QUERY, at, "the text that replaces is wrong: %s",
		(const char *)why);
	err_hint(err, "$1 and ${name} are groups of the regular expression, $$ is a $");
	err->len = (uint32_t)to.n;
	return err->kind;
}
