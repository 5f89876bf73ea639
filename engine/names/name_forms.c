/*
 * name_forms.c - names with a form of their own; see name_forms.h.
 *
 * The first table has the forms of whole names, the second what stands around a name.  A
 * language is a row: what it looks like is the comment beside it.
 */
#include "engine/names/name_forms.h"

#include "engine/names/name.h"

#include "engine/names/name_skip.h"

#include <string.h>

/* Where the digits at the end of s begin. */
static size_t digits_from(struct str s)
{
	size_t i = s.n;

	while (i && name_is_digit(s.p[i - 1]))
		i--;
	return i;
}

/* The name is `class` and then `last`, somewhere in it. */
static void form_of(struct str name, struct str class, struct str last, struct name *o)
{
	o->n = 0;
	o->head = class;
	for (size_t n; class.n && o->n + 1 < NAME_PARTS; class = str_from(class, n + 1)) {
		n = str_find(class, '.');
		/* NSView(Category) is a part of NSView. */
		o->part[o->n] = (struct str){class.p, n};
		o->part[o->n].n = str_find(o->part[o->n], '(');
		o->text[o->n] = o->part[o->n];
		o->n += n > 0;
	}
	o->nhead = o->n;
	o->part[o->n] = o->text[o->n] = last;
	o->n++;
	o->core = name;
	o->formed = true;
}

/* __45-[Class selector:]_block_invoke_2.cold.1'2 */
static bool form_objc(struct str s, struct name *o)
{
	const struct str block = STR("_block_invoke");
	size_t from = str_starts(s, STR("__")) ? 2 : 0, blank, end, n = 0;
	struct str in, rest;

	while (from && from < s.n && name_is_digit(s.p[from]))
		from++;
	in = str_from(s, from);
	if (in.n < 5 || (in.p[0] != '-' && in.p[0] != '+') || in.p[1] != '[')
		return false;
	end = str_find(in, ']');
	blank = str_find(in, ' ');
	rest = str_from(in, end + 1);
	if (str_starts(rest, block))
		for (n = block.n;
		     n < rest.n && (rest.p[n] == '_' || name_is_digit(rest.p[n]));)
			n++;
	if (blank > end || end == in.n || (n < rest.n && !memchr(".'", rest.p[n], 2)))
		return false;
	form_of((struct str){in.p + 2, end - 2}, (struct str){in.p + 2, blank - 2},
		(struct str){in.p + blank + 1, end - blank - 1}, o);
	o->suffix = (struct str){rest.p, n};
	rest = str_from(rest, n);
	n = str_find(rest, '\'');
	o->clone = (struct str){rest.p, n};
	o->recursion = str_from(rest, n);
	return true;
}

static bool form_go_type(struct str s, struct name *o)
{
	size_t end;

	if (!str_starts(s, STR("type..")) && !str_starts(s, STR("type:.")))
		return false;
	end = 6 + str_find(str_from(s, 6), '.');
	if (end >= s.n)
		return false;
	form_of(s, (struct str){s.p, end}, str_from(s, end + 1), o);
	return true;
}

/* 'append' of 'list' objects, or __new__ of type object at 0x9d2a80. */
static bool form_python_of(struct str whole, struct str s, struct name *o)
{
	const size_t of = str_find_str(s, STR(" of "));
	struct str last = {s.p, of}, class = str_from(s, of + 4);

	if (of == s.n)
		return false;
	class.n = str_find_str(class, STR(" object"));
	if (last.n > 2 && last.p[0] == '\'')
		last = (struct str){last.p + 1, last.n - 2};
	if (class.n > 2 && class.p[0] == '\'')
		class = (struct str){class.p + 1, class.n - 2};
	form_of(whole, class, last, o);
	return true;
}

static bool form_python(struct str s, struct name *o)
{
	static const struct str words[] = {STR("method "), STR("built-in method "),
					   STR("built-in function "),
					   STR("slot wrapper ")};
	struct str in = str_from(s, 1);
	size_t w = 0, dot;

	if (s.n < 2 || (s.p[0] != '<' && s.p[0] != '{') ||
	    s.p[s.n - 1] != (s.p[0] == '<' ? '>' : '}'))
		return false;
	in.n--;
	while (w < 4 && !str_starts(in, words[w]))
		w++;
	if (w == 4)
		return false;
	in = str_from(in, words[w].n);
	if (form_python_of(s, in, o))
		return true;
	for (dot = in.n; dot && in.p[dot - 1] != '.';)
		dot--;
	form_of(s, (struct str){in.p, dot ? dot - 1 : 0}, str_from(in, dot), o);
	return true;
}

/* Whole names. */
static bool (*const forms[])(struct str s, struct name *o) = {
	form_objc,    /* Objective-C: -[Class selector:] */
	form_go_type, /* Go: type:.eq.[2]interface {}, type..hash.main.key */
	form_python,  /* Python: <method 'append' of 'list' objects> */
};

/* ---- around a name ---- */

/* "block in ", "block (2 levels) in ", "rescue in ", "closure #1 in " */
static size_t prefix_in(struct str s)
{
	static const struct str words[] = {STR("block "), STR("rescue "), STR("ensure "),
					   STR("closure ")};
	size_t from = 0, w;

	for (;;) {
		struct str rest = str_from(s, from);
		size_t n;

		for (w = 0; w < 4 && !str_starts(rest, words[w]);)
			w++;
		if (w == 4)
			return from;
		n = words[w].n;
		if (n < rest.n && (rest.p[n] == '(' || rest.p[n] == '#'))
			n += str_find_str(str_from(rest, n), STR(" in ")) + 1;
		if (!str_starts(str_from(rest, n), STR("in ")))
			return from;
		from += n + 3;
	}
}

/* "/2" of lists:map/2 and lists:'-map/2-fun-0-'/2: no other slash, but in quotes */
static size_t suffix_arity(struct str s)
{
	enum { DIGITS = 3 };
	const size_t from = digits_from(s);
	bool quoted = false;

	if (from == s.n || from < 2 || s.n - from > DIGITS || s.p[from - 1] != '/')
		return 0;
	for (size_t i = 0; i < from - 1; i++) {
		quoted ^= s.p[i] == '\'';
		if (!quoted && (s.p[i] == '/' || s.p[i] == '\\'))
			return 0;
	}
	return s.n - from + 1;
}

/* "[work.pl:7]" of main::__ANON__[work.pl:7] */
static size_t suffix_anon(struct str s)
{
	size_t at;

	if (!str_ends(s, STR("]")))
		return 0;
	at = str_find_str(s, STR("__ANON__["));
	return at < s.n ? s.n - at - 8 : 0;
}

/* "@1.1" of main::BEGIN@1.1 */
static size_t suffix_begin(struct str s)
{
	size_t at;

	if (digits_from(s) == s.n)
		return 0;
	at = str_find_str(s, STR("BEGIN@"));
	return at < s.n && (at == 0 || s.p[at - 1] == ':') ? s.n - at - 5 : 0;
}

/* How many bytes they have; 0: none. */
static size_t (*const prefixes[])(struct str s) = {
	prefix_in, /* Ruby, Swift */
};

static size_t (*const suffixes[])(struct str s) = {
	suffix_arity, /* Erlang, Elixir */
	suffix_anon,  /* Perl */
	suffix_begin, /* Perl */
};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

bool name_form(struct str s, struct name *o)
{
	for (size_t i = 0; i < COUNT(forms); i++)
		if (forms[i](s, o))
			return true;
	for (size_t i = 0; i < COUNT(prefixes) && !o->prefix.n; i++)
		o->prefix = (struct str){s.p, prefixes[i](s)};
	for (size_t i = 0; i < COUNT(suffixes) && !o->suffix.n; i++)
		o->suffix = str_from(s, s.n - suffixes[i](s));
	return false;
}

size_t name_place(struct str s)
{
	struct str head = {s.p, s.n ? s.n - 1 : 0};
	const struct str line = STR(" (discriminator ");

	if (!s.n || (s.p[s.n - 1] != ']' && s.p[s.n - 1] != ')'))
		return 0;
	head.n = digits_from(head);
	if (head.n + 1 == s.n)
		return 0;
	if (s.p[s.n - 1] == ')')
		return str_ends(head, line) ? s.n - head.n + line.n : 0;
	if (!head.n || head.p[--head.n] != '/')
		return 0;
	head.n = digits_from((struct str){head.p, head.n});
	return str_ends(head, STR(" [")) && head.p[head.n] != '/' ? s.n - head.n + 2 : 0;
}

struct str name_included(struct str name)
{
	static const struct str kinds[] = {STR("require::"), STR("require_once::"),
					   STR("include::"), STR("include_once::")};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (str_starts(name, kinds[i]))
			return str_from(name, kinds[i].n);
	return STR("");
}
