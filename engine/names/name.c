/*
 * name.c - split the name of a function; see name.h.
 *
 * One pass from left to right keeps the components seen so far.  A blank outside brackets
 * and before a parameter list means that they were a return type ("void f(int)"): they are
 * dropped, and the scan starts again after the blank.  Other blanks are part of a
 * component ("main chunk") or start a suffix (" const", " [clone .part.0]"); dots and
 * slashes of a sentence ("GET /users/:id") separate nothing.  A bracket at
 * the start of a component is that component ("(anonymous namespace)", "{lambda(int)#1}",
 * "<module>"); a later one holds arguments.
 *
 *	geo::Vec<int>* std::sort<It>(It, It)::{lambda(int)#1}::operator()(int) const'2
 *	dropped at the   [0] [1]            [2]              [3]             skipped  recursion
 *	blank
 */
#include "engine/names/name.h"

#include <string.h>

#include "engine/names/name_forms.h"
#include "engine/names/name_skip.h"
#include "index/base/arena.h"

struct scan {
	struct str s;
	size_t i;	    /* the next byte */
	size_t start;	    /* of the current component */
	size_t end;	    /* of its text; NPOS while it grows */
	size_t sep;	    /* where the separator before it starts */
	size_t core;	    /* where the first component starts */
	size_t path;	    /* the separator before a "/..." path; NPOS: none */
	size_t blanks;	    /* of the component */
	size_t no_clone;    /* no clone suffix starts before this */
	size_t last_params; /* where the last parameter list begins, if it was searched
			       for: see ends_type() */
	bool searched;
	bool no_dots;	/* a path: "." separates nothing */
	bool sentence;	/* only "::", "->" and "#" separate, too: "GET /users/:id" */
	bool strong;	/* one of these did */
	bool slash;	/* a "/" or backslash was a separator */
	bool text;	/* the component has a blank: brackets are part of it */
	unsigned open;	/* brackets that are never closed */
	unsigned depth; /* of "<<T as A>::B as C>" */
	bool params;	/* a parameter list came last */
	bool trait;
	struct name *out;
	size_t at[NAME_PARTS];	 /* separator of each part */
	size_t past[NAME_PARTS]; /* end of each part */
};

static void split_name(struct str name, enum name_reading how, unsigned depth,
		       struct name *out);

/* Skip past a clone suffix at i (".part.0.cold", ".123"), or return i. */
static size_t skip_clone(struct scan *c, size_t i)
{
	static const char *const known[] = {
		"part", "constprop", "isra",	    "cold",	"lto_priv",
		"llvm", "clone",     "localalias",  "unlikely", "warm",
		"hot",	"omp_fn",    "specialized", "__uniq",
	};
	size_t from = i;

	while (name_at(c->s, i) == '.') {
		size_t w = i + 1, e = w;

		while (e < c->s.n && name_is_ident(c->s.p[e]))
			e++;
		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (e - w == strlen(known[k]) && name_here(c->s, w, known[k]))
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

	while (i < s.n && name_is_ident(s.p[i]))
		i++;
	return i > 2 ? (struct str){s.p + 2, i - 2} : s;
}

static void name_finish(struct scan *c)
{
	size_t end = c->end == NPOS ? c->i : c->end;
	struct str part = {c->s.p + c->start, end - c->start};
	size_t sep = c->out->n || c->path == c->sep ? c->sep : c->start;

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
	c->params = c->text = false;
	c->blanks = 0;
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
	split_name(in, c->trait ? NAME_TRAIT : NAME_USUAL, c->depth + 1, &inner);
	for (size_t i = 0; i < inner.n; i++)
		push_part(c, inner.part[i], i ? inner.text[i] : inner.part[i], to + 1);
}

/* A '<' at the start of a component: returns past it, or NPOS for an ordinary byte. */
static size_t open_angle(struct scan *c)
{
	size_t i = c->i, past = name_skip_angle(c->s, i, 0);
	bool after_colons = i >= 2 && c->s.p[i - 1] == ':' && c->s.p[i - 2] == ':';

	if (past == NPOS)
		return NPOS;
	if (name_here(c->s, past, "::") && c->depth < MAX_DEPTH &&
	    (i == 0 || name_here(c->s, i, "<impl "))) {
		take_inside(c, i + 1, past - 1);
		begin(c, past, past);
	} else if (after_colons && !name_here(c->s, i, "<impl ")) {
		begin(c, c->sep, past); /* turbofish: Vec::<T>::push */
	}
	return past;
}

/* ---- blanks ---- */

/* Is all before the blank at i a return type?  Then parameters come after it. */
static bool ends_type(struct scan *c, size_t i)
{
	if (c->slash)
		return false;
	if (name_ends_special(c->s, i))
		return true;
	if (!c->searched)
		c->last_params = name_find_params(c->s);
	c->searched = true;
	return c->last_params > i;
}

/* The blank at i is part of the component.  Is the name a sentence?  A "/" after a blank
 * begins no component; the last of components that "." or ":" separates is a name. */
static void add_blank(struct scan *c, size_t i)
{
	c->text = true;
	c->blanks++;
	if (c->path != NPOS || c->no_dots)
		return;
	if (name_at(c->s, i + 1) == '/') {
		c->sentence = true;
	} else if (c->out->n && !c->slash && !c->strong) {
		c->sentence = true;
		c->out->n = 0;
		c->start = c->sep = c->core;
	}
}

/* A blank outside brackets. */
static void take_blank(struct scan *c)
{
	const size_t i = c->i;
	size_t past = name_skip_clones(c->s, i);

	if (past > i) {
		c->out->clone = (struct str){c->s.p + i, past - i};
		skip_arguments(c, past);
	} else if (c->params && (past = name_skip_qualifier(c->s, i)) > i) {
		c->i = past;
	} else if (name_at(c->s, i + 1) == '(' && i - c->start == 8 &&
		   name_here(c->s, c->start, "decltype")) {
		c->i = i + 1;
	} else if (ends_type(c, i)) {
		restart(c, i + 1);
	} else {
		/* After parameters: "requires C<T>". */
		if (c->params)
			c->text = true;
		else
			add_blank(c, i);
		c->end = c->params ? c->end : NPOS;
		c->i++;
	}
}

/* A bracket inside a component, or at its start. */
static void bracket(struct scan *c, char open)
{
	bool first = c->start == c->i;
	const size_t from = c->i;
	size_t past;

	if (first && open == '<') {
		past = c->open < MAX_OPEN ? open_angle(c) : NPOS;
		c->open += past == NPOS && c->open < MAX_OPEN;
		c->i = past == NPOS ? from + 1 : past;
		return;
	}
	past = name_skip_bracket(c->s, from, &c->open);
	/* The text of a path has no parameters. */
	if (first || c->text || past == from + 1 || (c->slash && open == '(')) {
		c->i = past;
	} else {
		c->params = open == '(';
		skip_arguments(c, past);
	}
}

/* ---- separators ---- */

static void separator(struct scan *c, size_t n)
{
	bool empty = c->start == c->i; /* "::/path", "..": one separator */

	name_finish(c);
	if (c->out->n == 0)
		c->core = c->i + n;
	begin(c, empty ? c->sep : c->i, c->i + n);
}

/* The "#" of Foo#bar, Foo#==, <Class::Foo>#new; not that of {closure#0}, which is in a
 * bracket, nor of #12. */
static bool is_method(const struct scan *c)
{
	const char next = name_at(c->s, c->i + 1);

	return c->i &&
	       (name_is_ident(c->s.p[c->i - 1]) || strchr(">])", c->s.p[c->i - 1])) &&
	       next && !name_is_digit(next) && !strchr(" }'#.:", next);
}

/* The ":" of lists:map/2 and Account:deposit; not those of a.c:12, http://, a selector:
 * in pieces:, or CORE:match, as Perl calls its own functions. */
static bool is_label(const struct scan *c)
{
	const char next = name_at(c->s, c->i + 1);
	const struct str part = {c->s.p + c->start, c->i - c->start};

	return part.n && !c->slash && !c->sentence &&
	       (name_is_ident(next) || next == '\'') && !name_is_digit(next) &&
	       c->s.p[c->s.n - 1] != ':' &&
	       (name_is_ident(part.p[part.n - 1]) || part.p[part.n - 1] == '\'') &&
	       !str_eq(part, STR("CORE"));
}

/* Is the component so far the drive of "C:\\src"?  Then a path begins. */
static bool is_drive(const struct scan *c)
{
	return c->i - c->start == 2 && c->s.p[c->i - 1] == ':';
}

static bool is_slash(const struct scan *c)
{
	return !c->sentence && (c->s.p[c->i] == '/' || c->s.p[c->i] == '\\');
}

/* What separates components.  The class ends at the last of them, but for slashes: a path
 * is no class, see split_name(). */
static const struct {
	struct str text;
	bool (*is)(const struct scan *c); /* whether it is one here; NULL: always */
} separators[] = {
	{STR("::"), NULL},     /* C++, Rust, Perl, PHP, ruby-prof */
	{STR("->"), NULL},     /* PHP */
	{STR("#"), is_method}, /* Ruby */
	{STR(":"), is_label},  /* Erlang, Elixir, Lua */
	{STR("\\"), is_slash}, /* namespaces of PHP, paths */
	{STR("/"), is_slash},  /* packages of Go, paths */
};

/* A path may begin at the slash at c->i. */
static void take_slash(struct scan *c)
{
	c->slash = true;
	if (c->path == NPOS && (c->start == c->i || is_drive(c)) &&
	    (is_drive(c) || c->s.p[c->i] == '/'))
		c->path = c->sep;
}

/* Take the separator at c->i; "." is in dot().  False: there is none. */
static bool take_separator(struct scan *c)
{
	for (size_t k = 0; k < sizeof(separators) / sizeof(separators[0]); k++) {
		const struct str text = separators[k].text;

		if (!str_starts(str_from(c->s, c->i), text) ||
		    (separators[k].is && !separators[k].is(c)))
			continue;
		if (separators[k].is == is_slash) {
			take_slash(c);
		} else if (separators[k].is != is_label) {
			c->strong = true;
			c->path = NPOS;
		}
		separator(c, text.n);
		if (c->path == c->sep && !c->out->n)
			c->core = c->path; /* it keeps its "/" */
		return true;
	}
	return false;
}

static void dot(struct scan *c)
{
	struct str text = {c->s.p + c->start, c->i - c->start};
	size_t past = c->i < c->no_clone ? c->i : skip_clone(c, c->i);

	if (c->i == 0 || c->no_dots || c->sentence || c->blanks > 1) {
		c->i++;
	} else if (past > c->i &&
		   !(name_is_digit(name_at(c->s, c->i + 1)) && is_go_closure(text))) {
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
	while (c->i < c->s.n && name_is_ident(c->s.p[c->i]));
}

/* Take the method Integer#-@ or >>= at c->i, whose name is signs to the end. */
static bool take_sign(struct scan *c)
{
	enum { LONGEST = 3 };
	size_t i = c->i;

	while (i < c->s.n && i - c->i < LONGEST && strchr("+-*/%=!<>~&|^@", c->s.p[i]) &&
	       c->s.p[i])
		i++;
	if (c->i == 0 || i == c->i || (i < c->s.n && c->s.p[i] != '\''))
		return false;
	c->i = i;
	return true;
}

/* Take one construct at c->i; false: the name is over. */
static bool take_step(struct scan *c)
{
	char ch = c->s.p[c->i];
	bool first = c->start == c->i;

	if (first && take_sign(c))
		return true;
	switch (ch) {
	case '<':
	case '(':
	case '{':
	case '[': bracket(c, ch); return true;
	case ' ': take_blank(c); return true;
	case '.': dot(c); return true;
	case '\\':
	case '/':
	case ':':
	case '#':
	case '-':
		if (!take_separator(c))
			c->i++;
		return true;
	case '@':
		if (first)
			c->i++;
		else
			version(c);
		return true;
	case '\'':
		if (!first && name_is_recursion(c->s, c->i)) {
			c->out->recursion = str_from(c->s, c->i);
			return false;
		}
		c->i = name_skip_quoted(c->s, c->i);
		return true;
	case 'o':
		if (first && name_is_operator(c->s, c->i)) {
			c->i = name_skip_operator(c->s, c->i, 0);
			if (name_here(c->s, c->i, " <")) {
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
			size_t past = name_skip_angle(c.s, k, 0);

			c.open += past == NPOS;
			k = past == NPOS ? k : past - 1;
		} else if (name.p[k] == ' ') {
			return k;
		}
	}
	return memchr(name.p, '/', i) ? name.n : i - 1;
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

/* Is component k one that Go numbers: func1, gowrap2, or the 3 of func1.3? */
static bool is_closure(const struct name *o, size_t k)
{
	static const struct str words[] = {STR("func"), STR("gowrap"), STR("deferwrap"),
					   STR("")};
	const struct str s = o->part[k];
	size_t w = 0, i;

	while (!str_starts(s, words[w]))
		w++;
	for (i = words[w].n; i < s.n && name_is_digit(s.p[i]);)
		i++;
	return i == s.n && i > words[w].n && o->text[k].p[0] == '.' &&
	       (words[w].n || is_closure(o, k - 1));
}

/* Class->Space\{closure:FILE:LINES}, as Xdebug writes a closure of a namespace: the class ends
 * before Space.  Returns 0 if the name has another form. */
static size_t closure_in_class(const struct scan *c, const struct name *o)
{
	size_t k = o->n - 1;

	if (!str_starts(o->part[k], STR("{closure:")))
		return 0;
	while (k && c->s.p[c->at[k]] == '\\')
		k--;
	return k;
}

/* The component that the class is of: of a closure of Go that of the function around it,
 * which is itself below a package. */
static size_t outer_part(const struct scan *c, const struct name *o)
{
	size_t k = closure_in_class(c, o);

	if (k)
		return k;
	k = o->n - 1;
	while (k > 1 && is_closure(o, k) && o->text[k - 1].p[0] == '.')
		k--;
	return k;
}

/* The class ends before the path or the last component; the scheme of a URL is not a class. */
static void set_head(struct scan *c, struct name *out)
{
	size_t sep;

	out->nhead = outer_part(c, out);
	sep = c->path != NPOS ? c->path : c->at[out->nhead];
	out->head = (struct str){c->s.p + c->core, 0};
	if (out->n > 1 && sep > c->core && !(c->path == sep && c->s.p[sep - 1] == ':'))
		out->head.n = sep - c->core;
	while (out->nhead && (!out->head.n || c->at[out->nhead] > sep))
		out->nhead--;
}

static void split_name(struct str name, enum name_reading how, unsigned depth,
		       struct name *out)
{
	struct scan c = {.end = NPOS,
			 .path = NPOS,
			 .trait = how == NAME_TRAIT,
			 .no_dots = how == NAME_PATH,
			 .depth = depth,
			 .out = out};
	struct str none = {name.p + name.n, 0};
	size_t last;

	out->n = 0;
	out->cut = out->formed = false;
	out->path = c.no_dots;
	out->recursion = out->clone = out->version = out->prefix = out->suffix = none;
	if (depth == 0 && name_form(name, out))
		return;
	c.s = (struct str){name.p, python_place(name) - out->suffix.n};
	c.i = c.start = c.sep = c.core = out->prefix.n;
	while (c.i < c.s.n && take_step(&c))
		;
	if (c.path != NPOS && how == NAME_USUAL && depth == 0) {
		split_name(name, NAME_PATH, 0, out);
		return;
	}
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
	last = out->path ? c.i : c.past[out->n - 1];
	out->core = (struct str){name.p + c.core, last > c.core ? last - c.core : 0};
	set_head(&c, out);
}

void name_parse(struct str name, enum name_reading how, struct name *out)
{
	const struct str mark = STR(NAME_INLINED);
	const bool marked =
		name.n > mark.n && str_eq(str_from(name, name.n - mark.n), mark);
	size_t place;

	if (!name.p)
		name.p = ""; /* NULL + 0 is undefined */
	if (marked)
		name.n -= mark.n;
	place = name_place(name);
	name.n -= place;
	split_name(name, how, 0, out);
	if (place)
		out->clone = (struct str){name.p + name.n, place};
	name.n += place;
	out->mark = (struct str){name.p + name.n, marked ? mark.n : 0};
}

/* Rust's inner components have no separator of their own. */
static bool wants_colons(const struct name *o, size_t k)
{
	return k && o->text[k].p == o->part[k].p;
}

static char *put(char *to, struct str s)
{
	return s.n ? mempcpy(to, s.p, s.n) : to;
}

struct str name_short(struct str name, struct arena *a)
{
	struct name o;
	size_t n = 0;
	char *p, *to;

	name_parse(name, NAME_USUAL, &o);
	if (o.formed || o.path) {
		o.n = 1;
		o.text[0] = o.core;
	}
	for (size_t k = 0; k < o.n; k++)
		n += o.text[k].n + (wants_colons(&o, k) ? 2 : 0);
	if (n == o.core.n && !o.prefix.n && !o.suffix.n && !o.recursion.n && !o.mark.n)
		return o.core;
	n += o.prefix.n + o.suffix.n + o.recursion.n + o.mark.n;
	if (n == name.n)
		return name;
	if (!(p = to = arena_alloc(a, n + 1)))
		return (struct str){NULL, 0};
	to = put(to, o.prefix);
	for (size_t k = 0; k < o.n; k++) {
		if (wants_colons(&o, k))
			to = put(to, STR("::"));
		to = put(to, o.text[k]);
	}
	put(put(put(to, o.suffix), o.recursion), o.mark);
	return (struct str){p, n};
}

struct str name_class(struct str name)
{
	struct name parsed;

	if (name_included(name).n)
		return STR("");
	name_parse(name, NAME_USUAL, &parsed);
	return parsed.head;
}

/* "json" of /usr/lib/python3.11/json/encoder.py, "six" of .../site-packages/six.py. */
static struct str python_module(struct str file)
{
	static const char *const below[] = {"/site-packages/", "/dist-packages/",
					    "/lib/python"};
	struct str s = str_basename(file);

	for (size_t i = 0; i < 3; i++) {
		const size_t at = str_find_str(file, str_c(below[i]));

		if (at == file.n)
			continue;
		s = str_from(file, at + strlen(below[i]));
		if (i == 2) /* 3.11/ */
			s = str_from(s, str_find(s, '/') + (str_find(s, '/') < s.n));
		s.n = str_find(s, '/');
		break;
	}
	return str_ends(s, STR(".py")) ? (struct str){s.p, s.n - 3} : s;
}

struct str name_layer(struct str name, struct str file)
{
	static const char *const ends[] = {"::", "\\", "->"};
	const struct str included = name_included(name);

	if (included.n)
		return str_basename(included);
	if (str_ends(file, STR(".py")))
		return python_module(file);
	for (size_t i = 1; i < name.n && !strchr("<({ ", name.p[i]); i++)
		for (size_t k = 0; k < sizeof(ends) / sizeof(*ends); k++)
			if (str_starts(str_from(name, i), str_c(ends[k])))
				return (struct str){name.p, i};
	if (str_ends(file, STR(".go")) || str_ends(file, STR(".s"))) {
		/* encoding/json.(*decodeState).object */
		const struct str before = {name.p, str_find(name, '(')};
		const size_t base = (size_t)(str_basename(before).p - name.p);
		const size_t dot = base + str_find(str_from(name, base), '.');

		if (dot < name.n)
			return (struct str){name.p, dot};
	}
	return str_basename(file);
}

struct str name_last(struct str name)
{
	struct name parsed;

	name_parse(name, NAME_USUAL, &parsed);
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

bool name_is_base(struct str path, struct str name)
{
	const struct str base = str_basename(path);

	return name.n && str_starts(base, name) &&
	       (base.n == name.n || strchr(".-", base.p[name.n]));
}
