/*
 * name.c - split the name of a function; see name.h.
 *
 * One pass from left to right keeps the components seen so far.  A blank outside brackets
 * means that they were a return type ("void f"): they are dropped, and the scan starts
 * again after the blank.  But a blank after a parameter list starts a suffix (" const", "
 * [clone .part.0]").  A bracket at the start of a component is that component
 * ("(anonymous namespace)", "{lambda(int)#1}", "<module>"); a later one holds arguments.
 *
 *	geo::Vec<int>* std::sort<It>(It, It)::{lambda(int)#1}::operator()(int) const'2
 *	dropped at the   [0] [1]            [2]              [3]             skipped  recursion
 *	blank
 */
#include "engine/names/name.h"

#include <string.h>

struct scan {
	struct str s;
	size_t i;	 /* the next byte */
	size_t start;	 /* of the current component */
	size_t end;	 /* of its text; NPOS while it grows */
	size_t sep;	 /* where the separator before it starts */
	size_t core;	 /* where the first component starts */
	size_t path;	 /* the separator before a "/..." path; NPOS: none */
	size_t no_clone; /* no clone suffix starts before this */
	unsigned open;	 /* brackets that are never closed */
	unsigned depth;	 /* of "<<T as A>::B as C>" */
	bool params;	 /* a parameter list came last */
	bool trait;
	struct name *out;
	size_t at[NAME_PARTS];	 /* separator of each part */
	size_t past[NAME_PARTS]; /* end of each part */
};

#define NPOS ((size_t)-1)

/* A name of 64 KiB may be all brackets.  Give up on them, rather than scan it again or
 * use a stack frame for each. */
enum { MAX_OPEN = 8, MAX_DEPTH = 8 };

static void split_name(struct str name, bool trait, unsigned depth, struct name *out);

static bool is_ident(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool name_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char at(const struct scan *c, size_t i)
{
	return i < c->s.n ? c->s.p[i] : '\0';
}

static bool here(const struct scan *c, size_t i, const char *lit)
{
	size_t n = strlen(lit);

	return i <= c->s.n && c->s.n - i >= n && memcmp(c->s.p + i, lit, n) == 0;
}

/* Skip past the bracket that closes the one at i, or return NPOS.  Only this kind of
 * bracket counts. */
static size_t skip_kind(const struct scan *c, size_t i, char open, char close)
{
	size_t depth = 0;

	for (; i < c->s.n; i++) {
		if (c->s.p[i] == open)
			depth++;
		else if (c->s.p[i] == close && --depth == 0)
			return i + 1;
	}
	return NPOS;
}

static size_t skip_operator(const struct scan *c, size_t i);

/* Skip past the '>' that closes the '<' at i, or return NPOS.  "->", "operator<" and
 * the inside of other brackets do not count. */
static size_t skip_angle(const struct scan *c, size_t i)
{
	size_t depth = 0;

	while (i < c->s.n) {
		char ch = c->s.p[i];
		size_t next = i + 1;

		if (ch == '<') {
			depth++;
		} else if (ch == '>' && i && c->s.p[i - 1] != '-') {
			if (--depth == 0)
				return next;
		} else if (ch == '(') {
			next = skip_kind(c, i, '(', ')');
		} else if (ch == '{') {
			next = skip_kind(c, i, '{', '}');
		} else if (ch == 'o' && here(c, i, "operator") &&
			   !is_ident(at(c, i + 8)) && i && !is_ident(c->s.p[i - 1])) {
			next = skip_operator(c, i);
		}
		if (next == NPOS)
			return NPOS;
		i = next;
	}
	return NPOS;
}

/* Skip past "operator<<", "operator new[]", "operator std::string" at i. */
static size_t skip_operator(const struct scan *c, size_t i)
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

		if (here(c, i, known[k]) &&
		    !(known[k][0] == ' ' && is_ident(at(c, i + n))))
			return i + n;
	}
	if (here(c, i, "\"\"")) {
		i += 2;
		while (at(c, i) == ' ')
			i++;
		while (i < c->s.n && is_ident(c->s.p[i]))
			i++;
		return i;
	}
	if (at(c, i) != ' ')
		return i;
	while (i < c->s.n && c->s.p[i] != '(' && c->s.p[i] != '\'') {
		size_t next = c->s.p[i] == '<' ? skip_angle(c, i) : i + 1;

		i = next == NPOS ? c->s.n : next;
	}
	return i;
}

/* Skip past a clone suffix at i (".part.0.cold", ".123"), or return i. */
static size_t skip_clone(struct scan *c, size_t i)
{
	static const char *const known[] = {
		"part", "constprop", "isra",	    "cold",	"lto_priv",
		"llvm", "clone",     "localalias",  "unlikely", "warm",
		"hot",	"omp_fn",    "specialized",
	};
	size_t from = i;

	while (at(c, i) == '.') {
		size_t w = i + 1, e = w;

		while (e < c->s.n && is_ident(c->s.p[e]))
			e++;
		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (e - w == strlen(known[k]) && here(c, w, known[k]))
				goto take;
		for (size_t k = w; k < e; k++)
			if (!name_is_digit(c->s.p[k]))
				e = w;
		if (e == w)
			break;
take:
		i = e;
	}
	if (i == c->s.n || memchr("'@ [(", c->s.p[i], 5))
		return i;
	c->no_clone = i;
	return from;
}

/* Go numbers its closures: main.main.func1.2 is no clone. */
static bool is_go_closure(struct str s)
{
	size_t i = s.n;

	while (i && name_is_digit(s.p[i - 1]))
		i--;
	return i < s.n && i >= 4 && memcmp(s.p + i - 4, "func", 4) == 0;
}

static void drop_first_half(struct scan *c)
{
	enum { HALF = NAME_PARTS / 2 };
	struct name *o = c->out;

	memmove(o->part, o->part + HALF, (NAME_PARTS - HALF) * sizeof(o->part[0]));
	memmove(o->text, o->text + HALF, (NAME_PARTS - HALF) * sizeof(o->text[0]));
	memmove(c->at, c->at + HALF, (NAME_PARTS - HALF) * sizeof(c->at[0]));
	memmove(c->past, c->past + HALF, (NAME_PARTS - HALF) * sizeof(c->past[0]));
	o->n -= HALF;
	o->cut = true;
}

static void push_part(struct scan *c, struct str part, struct str text, size_t past)
{
	struct name *o = c->out;

	if (o->n == NAME_PARTS)
		drop_first_half(c);
	c->at[o->n] = c->sep;
	c->past[o->n] = past;
	o->text[o->n] = text;
	o->part[o->n++] = part;
}

/* T in Go's "(*T[...])", signal in "void (*signal(int))(int)". */
static struct str inside_star(struct str s)
{
	size_t i = 2;

	while (i < s.n && is_ident(s.p[i]))
		i++;
	return i > 2 ? (struct str){s.p + 2, i - 2} : s;
}

static void name_finish(struct scan *c)
{
	size_t end = c->end == NPOS ? c->i : c->end;
	struct str part = {c->s.p + c->start, end - c->start};
	size_t sep = c->out->n ? c->sep : c->start;

	if (end <= c->start)
		return;
	if (str_starts(part, STR("(*")))
		part = inside_star(part);
	push_part(c, part, (struct str){c->s.p + sep, end - sep}, end);
}

static void begin(struct scan *c, size_t sep, size_t start)
{
	c->sep = sep;
	c->start = c->i = start;
	c->end = NPOS;
	c->params = false;
}

/* All text before i was a return type. */
static void restart(struct scan *c, size_t i)
{
	c->out->n = 0;
	c->out->cut = false;
	c->core = i;
	begin(c, i, i);
}

/* Skip arguments from c->i to past: the text of the component ends before them. */
static void skip_arguments(struct scan *c, size_t past)
{
	if (c->end == NPOS)
		c->end = c->i;
	c->i = past;
}

/* Take the components inside Rust's "<T as Trait>" or "<impl Trait for T>". */
static void take_inside(struct scan *c, size_t from, size_t to)
{
	struct str in = {c->s.p + from, to - from}, left, right;
	struct name inner;
	size_t as;

	if (str_starts(in, STR("impl "))) {
		in = str_from(in, 5);
		as = str_find_str(in, STR(" for "));
		right = (struct str){in.p, as};
		left = as < in.n ? str_from(in, as + 5) : in;
	} else {
		as = str_find_str(in, STR(" as "));
		left = (struct str){in.p, as};
		right = as < in.n ? str_from(in, as + 4) : in;
	}
	in = c->trait ? right : left;
	while (in.n && memchr("&*[( ", in.p[0], 5))
		in = str_from(in, 1);
	split_name(in, c->trait, c->depth + 1, &inner);
	for (size_t i = 0; i < inner.n; i++)
		push_part(c, inner.part[i], i ? inner.text[i] : inner.part[i], to + 1);
}

/* A '<' at the start of a component: returns past it, or NPOS for an ordinary byte. */
static size_t open_angle(struct scan *c)
{
	size_t i = c->i, past = skip_angle(c, i);
	bool after_colons = i >= 2 && c->s.p[i - 1] == ':' && c->s.p[i - 2] == ':';

	if (past == NPOS)
		return NPOS;
	if (here(c, past, "::") && c->depth < MAX_DEPTH &&
	    (i == 0 || here(c, i, "<impl "))) {
		take_inside(c, i + 1, past - 1);
		begin(c, past, past);
	} else if (after_colons && !here(c, i, "<impl ")) {
		begin(c, c->sep, past); /* turbofish: Vec::<T>::push */
	}
	return past;
}

/* A blank outside brackets. */
static void take_blank(struct scan *c)
{
	static const char *const words[] = {
		" const",      " volatile", " noexcept", " restrict",
		" __restrict", " &&",	    " &",
	};
	size_t i = c->i;

	if (here(c, i, " [clone ")) {
		size_t past = i;

		while (here(c, past, " [clone ")) {
			size_t e = skip_kind(c, past + 1, '[', ']');

			past = e == NPOS ? c->s.n : e;
		}
		c->out->clone = (struct str){c->s.p + i, past - i};
		skip_arguments(c, past);
		return;
	}
	for (size_t k = 0; c->params && k < sizeof(words) / sizeof(words[0]); k++) {
		size_t n = strlen(words[k]);

		if (here(c, i, words[k]) &&
		    !(is_ident(words[k][n - 1]) && is_ident(at(c, i + n)))) {
			c->i = i + n;
			return;
		}
	}
	if (at(c, i + 1) == '(' && i - c->start == 8 && here(c, c->start, "decltype")) {
		c->i = i + 1;
		return;
	}
	restart(c, i + 1);
}

/* A bracket inside a component, or at its start. */
static void bracket(struct scan *c, char open)
{
	bool first = c->start == c->i;
	size_t past = c->open == MAX_OPEN ? NPOS
		      : open == '('	  ? skip_kind(c, c->i, '(', ')')
		      : open == '{'	  ? skip_kind(c, c->i, '{', '}')
		      : open == '['	  ? skip_kind(c, c->i, '[', ']')
		      : first		  ? open_angle(c)
					  : skip_angle(c, c->i);

	if (past == NPOS) {
		c->open += c->open < MAX_OPEN;
		c->i++;
	} else if (first) {
		c->i = past;
	} else {
		c->params = open == '(';
		skip_arguments(c, past);
	}
}

static void separator(struct scan *c, size_t n)
{
	bool empty = c->start == c->i; /* "::/path", "..": one separator */

	name_finish(c);
	if (c->out->n == 0)
		c->core = c->i + n;
	begin(c, empty ? c->sep : c->i, c->i + n);
}

static void dot(struct scan *c)
{
	struct str text = {c->s.p + c->start, c->i - c->start};
	size_t past = c->i < c->no_clone ? c->i : skip_clone(c, c->i);

	if (c->i == 0) {
		c->i++;
	} else if (past > c->i &&
		   !(name_is_digit(at(c, c->i + 1)) && is_go_closure(text))) {
		c->out->clone = (struct str){c->s.p + c->i, past - c->i};
		skip_arguments(c, past);
	} else {
		separator(c, 1);
	}
}

static void version(struct scan *c)
{
	size_t i = c->i;

	while (i < c->s.n && c->s.p[i] != '\'' && c->s.p[i] != ' ')
		i++;
	c->out->version = (struct str){c->s.p + c->i, i - c->i};
	skip_arguments(c, i);
}

/* Skip a byte, and the letters and digits after it: they only grow the component. */
static void skip_word(struct scan *c)
{
	do
		c->i++;
	while (c->i < c->s.n && is_ident(c->s.p[c->i]));
}

/* Take one construct at c->i; false: the name is over. */
static bool take_step(struct scan *c)
{
	char ch = c->s.p[c->i];
	bool first = c->start == c->i;
	size_t past;

	switch (ch) {
	case '<':
	case '(':
	case '{':
	case '[': bracket(c, ch); return true;
	case ' ': take_blank(c); return true;
	case '.': dot(c); return true;
	case '\\': separator(c, 1); return true;
	case '/':
		if (first && c->path == NPOS)
			c->path = c->sep;
		separator(c, 1);
		return true;
	case ':':
		if (at(c, c->i + 1) == ':')
			separator(c, 2);
		else
			c->i++;
		return true;
	case '-':
		if (at(c, c->i + 1) == '>')
			separator(c, 2);
		else
			c->i++;
		return true;
	case '@':
		if (first)
			c->i++;
		else
			version(c);
		return true;
	case '\'':
		if (!first) {
			c->out->recursion = str_from(c->s, c->i);
			return false;
		}
		past = str_find(str_from(c->s, c->i + 1), '\'') + c->i + 2;
		c->i = past < c->s.n ? past : c->s.n; /* clang's 'lambda' */
		return true;
	case 'o':
		if (first && here(c, c->i, "operator") && !is_ident(at(c, c->i + 8))) {
			c->i = skip_operator(c, c->i);
			if (here(c, c->i, " <")) {
				c->end = c->i;
				c->i++;
			}
			return true;
		}
		/* fallthrough */
	default: skip_word(c); return true;
	}
}

/* The start of the place that Python's profilers append: "f t.py:24", "<genexpr>:17";
 * else name.n. */
static size_t python_place(struct str name)
{
	size_t i = name.n, k;
	struct scan c = {.s = name};

	while (i && name_is_digit(name.p[i - 1]))
		i--;
	if (i == name.n || i < 2 || name.p[i - 1] != ':' || name.p[i - 2] == ':')
		return name.n;
	for (k = 0; k < i; k++) {
		if (name.p[k] == '<' && c.open < MAX_OPEN) {
			size_t past = skip_angle(&c, k);

			c.open += past == NPOS;
			k = past == NPOS ? k : past - 1;
		} else if (name.p[k] == ' ') {
			return k;
		}
	}
	return i - 1;
}

/* "::h0123456789abcdef" of a Rust symbol. */
static bool is_rust_hash(struct str s)
{
	if (s.n != 17 || s.p[0] != 'h')
		return false;
	for (size_t i = 1; i < s.n; i++)
		if (!name_is_digit(s.p[i]) && (s.p[i] < 'a' || s.p[i] > 'f'))
			return false;
	return true;
}

/* Objective-C: -[Class selector:] */
static bool parse_objc(struct str s, struct name *o)
{
	size_t sp = str_find(s, ' ');

	if (s.n < 5 || (s.p[0] != '-' && s.p[0] != '+') || s.p[1] != '[' ||
	    s.p[s.n - 1] != ']' || sp == s.n)
		return false;
	o->part[0] = o->text[0] = (struct str){s.p + 2, sp - 2};
	o->part[1] = (struct str){s.p + sp + 1, s.n - sp - 2};
	o->text[1] = (struct str){s.p + sp, s.n - sp - 1};
	o->n = 2;
	o->head = o->part[0];
	o->core = (struct str){s.p + 2, s.n - 3};
	return true;
}

static void split_name(struct str name, bool trait, unsigned depth, struct name *out)
{
	struct scan c = {.s = {name.p, python_place(name)},
			 .end = NPOS,
			 .path = NPOS,
			 .trait = trait,
			 .depth = depth,
			 .out = out};
	struct str none = {name.p + name.n, 0};
	size_t last, sep;

	out->n = 0;
	out->cut = false;
	out->recursion = out->clone = out->version = none;
	if (parse_objc(name, out))
		return;
	while (c.i < c.s.n && take_step(&c))
		;
	name_finish(&c);
	if (out->n > 1 && is_rust_hash(out->part[out->n - 1]))
		out->n--;
	if (out->n == 0) {
		c.core = 0;
		c.at[0] = 0;
		c.past[0] = name.n;
		out->part[0] = out->text[0] = name;
		out->n = 1;
	}
	last = c.past[out->n - 1];
	sep = c.path != NPOS && c.path > c.core ? c.path : c.at[out->n - 1];
	out->core = (struct str){name.p + c.core, last > c.core ? last - c.core : 0};
	out->head = (struct str){name.p + c.core,
				 out->n > 1 && sep > c.core ? sep - c.core : 0};
}

void name_parse(struct str name, bool trait, struct name *out)
{
	const struct str mark = STR(NAME_INLINED);
	const bool marked =
		name.n > mark.n && str_eq(str_from(name, name.n - mark.n), mark);

	if (marked)
		name.n -= mark.n;
	split_name(name, trait, 0, out);
	out->mark = (struct str){name.p + name.n, marked ? mark.n : 0};
}

/* Rust's inner components have no separator of their own. */
static bool wants_colons(const struct name *o, size_t k)
{
	return k && o->text[k].p == o->part[k].p;
}

struct str name_short(struct str name, struct arena *a)
{
	struct name o;
	size_t n = 0;
	char *p, *to;

	name_parse(name, false, &o);
	for (size_t k = 0; k < o.n; k++)
		n += o.text[k].n + (wants_colons(&o, k) ? 2 : 0);
	if (n == o.core.n && o.recursion.n == 0 && o.mark.n == 0)
		return o.core;
	n += o.recursion.n + o.mark.n;
	if (n == name.n)
		return name;
	if (!(p = to = arena_alloc(a, n + 1)))
		return (struct str){NULL, 0};
	for (size_t k = 0; k < o.n; k++) {
		if (wants_colons(&o, k))
			to = mempcpy(to, "::", 2);
		to = mempcpy(to, o.text[k].p, o.text[k].n);
	}
	if (o.recursion.n)
		to = mempcpy(to, o.recursion.p, o.recursion.n);
	if (o.mark.n)
		memcpy(to, o.mark.p, o.mark.n);
	return (struct str){p, n};
}

struct str name_class(struct str name)
{
	struct name parsed;

	name_parse(name, false, &parsed);
	return parsed.head;
}

struct str name_last(struct str name)
{
	struct name parsed;

	name_parse(name, false, &parsed);
	return parsed.part[parsed.n - 1];
}

struct str name_quoted(struct str name, struct arena *a)
{
	char *p = arena_alloc(a, 2 * name.n + 2);
	size_t n = 0;

	if (!p)
		return (struct str){NULL, 0};
	p[n++] = '"';
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] == '"' || name.p[i] == '\\')
			p[n++] = '\\';
		p[n++] = name.p[i];
	}
	p[n++] = '"';
	return (struct str){p, n};
}
