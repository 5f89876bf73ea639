/*
 * name_skip.c - where a piece of a name ends; see name_skip.h.
 */
#include "engine/names/name_skip.h"

/* Skip past the bracket that closes the one at i, or return NPOS.  Only this kind of
 * bracket counts. */
static size_t skip_kind(struct str s, size_t i, char open, char close)
{
	size_t depth = 0;

	for (; i < s.n; i++) {
		if (s.p[i] == open)
			depth++;
		else if (s.p[i] == close && --depth == 0)
			return i + 1;
	}
	return NPOS;
}

bool name_is_operator(struct str s, size_t i)
{
	return name_here(s, i, "operator") && !name_is_ident(name_at(s, i + 8)) &&
	       (i == 0 || !name_is_ident(s.p[i - 1]));
}

size_t name_skip_angle(struct str s, size_t i, unsigned inside)
{
	size_t depth = 0;

	while (i < s.n) {
		char ch = s.p[i];
		size_t next = i + 1;

		if (ch == '<') {
			depth++;
		} else if (ch == '>' && i && s.p[i - 1] != '-') {
			if (--depth == 0)
				return next;
		} else if (ch == '(') {
			next = skip_kind(s, i, '(', ')');
		} else if (ch == '{') {
			next = skip_kind(s, i, '{', '}');
		} else if (ch == 'o' && name_is_operator(s, i)) {
			next = inside < MAX_OPERATORS
				       ? name_skip_operator(s, i, inside + 1)
				       : NPOS;
		}
		if (next == NPOS)
			return NPOS;
		i = next;
	}
	return NPOS;
}

size_t name_skip_operator(struct str s, size_t i, unsigned inside)
{
	static const char *const known[] = {
		"()",	"[]",	     "<=>",	"<<=",	     ">>=", "->*", "->", "<<",
		">>",	"<=",	     ">=",	"==",	     "!=",  "&&",  "||", "++",
		"--",	"+=",	     "-=",	"*=",	     "/=",  "%=",  "^=", "&=",
		"|=",	"+",	     "-",	"*",	     "/",   "%",   "^",	 "&",
		"|",	"~",	     "!",	"=",	     "<",   ">",   ",",	 " new[]",
		" new", " delete[]", " delete", " co_await",
	};

	i += strlen("operator");
	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
		size_t n = strlen(known[k]);

		if (name_here(s, i, known[k]) &&
		    !(known[k][0] == ' ' && name_is_ident(name_at(s, i + n))))
			return i + n;
	}
	if (name_here(s, i, "\"\"")) {
		i += 2;
		while (name_at(s, i) == ' ')
			i++;
		while (i < s.n && name_is_ident(s.p[i]))
			i++;
		return i;
	}
	if (name_at(s, i) != ' ')
		return i;
	while (i < s.n && s.p[i] != '(' && s.p[i] != '\'') {
		size_t next = s.p[i] == '<' ? name_skip_angle(s, i, inside) : i + 1;

		i = next == NPOS ? s.n : next;
	}
	return i;
}

size_t name_skip_bracket(struct str s, size_t i, unsigned *open)
{
	const char ch = s.p[i];
	size_t past = *open == MAX_OPEN ? NPOS
		      : ch == '('	? skip_kind(s, i, '(', ')')
		      : ch == '{'	? skip_kind(s, i, '{', '}')
		      : ch == '['	? skip_kind(s, i, '[', ']')
					: name_skip_angle(s, i, 0);

	if (past != NPOS)
		return past;
	*open += *open < MAX_OPEN;
	return i + 1;
}

size_t name_skip_quoted(struct str s, size_t i)
{
	const size_t past = i + 1 + str_find(str_from(s, i + 1), '\'') + 1;

	return past < s.n ? past : s.n;
}

bool name_is_recursion(struct str s, size_t i)
{
	return i && !strchr(" :./\\", s.p[i - 1]);
}

size_t name_find_params(struct str s)
{
	size_t i = 0, found = 0, name_end = 0;
	unsigned open = 0;

	while (i < s.n) {
		const char ch = s.p[i];

		if (ch == '/' || ch == '\\')
			return 0;
		if (ch == '\'' && name_is_recursion(s, i))
			break;
		if (ch == 'o' && name_is_operator(s, i)) {
			name_end = i = name_skip_operator(s, i, 0);
		} else if (ch == '\'') {
			i = name_skip_quoted(s, i);
		} else if (ch == '(' || ch == '{' || ch == '[' || ch == '<') {
			/* Callgrind's older readers of debug information add "[inline]". */
			if (name_here(s, i, "[inline]") && i && name_is_ident(s.p[i - 1]))
				found = i;
			if (ch == '(' && i &&
			    (i == name_end || name_is_ident(s.p[i - 1]) ||
			     strchr(")>]}'", s.p[i - 1])))
				found = i;
			i = name_skip_bracket(s, i, &open);
		} else {
			i++;
		}
	}
	return found;
}

bool name_ends_special(struct str s, size_t i)
{
	static const char *const words[] = {
		"vtable",    "VTT",	     "typeinfo",    "guard",
		"TLS",	     "construction", "virtual",	    "non-virtual",
		"covariant", "reference",    "transaction",
	};
	const struct str before = {s.p, i};

	if (!str_ends(before, STR(" for")) && !str_ends(before, STR(" to")))
		return false;
	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		if (name_here(s, 0, words[k]) && name_at(s, strlen(words[k])) == ' ')
			return true;
	return false;
}

size_t name_skip_clones(struct str s, size_t i)
{
	while (name_here(s, i, " [clone ")) {
		size_t past = skip_kind(s, i + 1, '[', ']');

		i = past == NPOS ? s.n : past;
	}
	return i;
}

size_t name_skip_qualifier(struct str s, size_t i)
{
	static const char *const words[] = {
		" const",      " volatile", " noexcept", " restrict",
		" __restrict", " &&",	    " &",
	};

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
		size_t n = strlen(words[k]);

		if (name_here(s, i, words[k]) &&
		    !(name_is_ident(words[k][n - 1]) && name_is_ident(name_at(s, i + n))))
			return i + n;
	}
	return i;
}
