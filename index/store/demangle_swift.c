/*
 * demangle_swift.c - see demangle_swift.h.
 *
 *	$s  4main  3Box V  4push  yySiF
 *	    module type    member its type
 *
 * An identifier is its length and its text.  One that begins with 0 also has letters,
 * which stand for words of identifiers before it: a is the first, and a capital is the
 * last of them.  "0A3Box" in main is mainBox.
 */
#include "index/store/demangle_swift.h"

enum { WORDS = 26, TEXT = 512 };

struct swift {
	struct str in; /* what is left */
	struct str word[WORDS];
	size_t nwords;
	char text[TEXT];
	size_t n, parts;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool next_is(struct swift *s, char c)
{
	if (!s->in.n || *s->in.p != c)
		return false;
	s->in = str_from(s->in, 1);
	return true;
}

static bool add(struct swift *s, struct str text)
{
	if (text.n > TEXT - s->n)
		return false;
	for (size_t i = 0; i < text.n; i++)
		s->text[s->n++] = text.p[i];
	return true;
}

/* A word begins with a letter, and ends before "_" or the next capital. */
static void learn_words(struct swift *s, struct str text)
{
	size_t from = text.n;

	for (size_t i = 0; i <= text.n; i++) {
		const char c = i < text.n ? text.p[i] : '_';

		if (from < i && (c == '_' || (is_upper(c) && !is_upper(text.p[i - 1])))) {
			if (i - from >= 2 && s->nwords < WORDS)
				s->word[s->nwords++] =
					(struct str){text.p + from, i - from};
			from = text.n;
		}
		if (from == text.n && c != '_' && !is_digit(c))
			from = i;
	}
}

static bool known_words(struct swift *s, bool *more)
{
	while (*more && s->in.n && ((*s->in.p | 32) >= 'a' && (*s->in.p | 32) <= 'z')) {
		const size_t i = (size_t)((*s->in.p | 32) - 'a');

		*more = !is_upper(*s->in.p);
		s->in = str_from(s->in, 1);
		if (i >= s->nwords || !add(s, s->word[i]))
			return false;
	}
	return true;
}

static bool identifier(struct swift *s)
{
	bool more = next_is(s, '0');

	if (s->parts && !add(s, STR(".")))
		return false;
	do {
		struct str text = s->in;

		if (!known_words(s, &more))
			return false;
		if (next_is(s, '0'))
			break;
		for (text = s->in, text.n = 0; s->in.n && is_digit(*s->in.p);
		     s->in = str_from(s->in, 1)) {
			text.n = text.n * 10 + (size_t)(*s->in.p - '0');
			if (text.n > TEXT)
				return false;
		}
		if (!text.n || text.n > s->in.n)
			return false;
		text.p = s->in.p;
		s->in = str_from(s->in, text.n);
		if (!add(s, text))
			return false;
		learn_words(s, text);
	} while (more);
	s->parts++;
	return true;
}

/* The types of Swift's own library that have one letter. */
static bool known_type(struct swift *s)
{
	static const struct {
		char letter;
		const char *name;
	} types[] = {
		{'a', "Swift.Array"},	 {'b', "Swift.Bool"}, {'d', "Swift.Double"},
		{'f', "Swift.Float"},	 {'h', "Swift.Set"},  {'i', "Swift.Int"},
		{'q', "Swift.Optional"}, {'u', "Swift.UInt"}, {'D', "Swift.Dictionary"},
		{'S', "Swift.String"},
	};

	for (size_t i = 0; s->in.n > 1 && i < sizeof(types) / sizeof(*types); i++)
		if (s->in.p[0] == 'S' && s->in.p[1] == types[i].letter) {
			s->in = str_from(s->in, 2);
			s->parts++;
			return add(s, str_c(types[i].name));
		}
	return false;
}

/* What the end of a symbol says of it. */
static bool add_kind(struct swift *s)
{
	static const struct {
		const char *end, *text;
	} kinds[] = {
		{"fC", ".init"},   {"fc", ".init"},   {"fD", ".deinit"},
		{"fd", ".deinit"}, {"vg", ".getter"}, {"vs", ".setter"},
		{"vM", ".modify"}, {"Ma", ".Type"},   {"U_", ".closure"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (str_ends(s->in, str_c(kinds[i].end))) {
			s->parts++;
			return add(s, str_c(kinds[i].text));
		}
	return true;
}

/* The text behind $s, or empty. */
static struct str behind_prefix(struct str name)
{
	static const char *const prefix[] = {"$s", "$S", "_$s", "_$S", "_T0"};

	for (size_t i = 0; i < sizeof(prefix) / sizeof(*prefix); i++)
		if (str_starts(name, str_c(prefix[i])))
			return str_from(name, str_c(prefix[i]).n);
	return STR("");
}

bool swift_wanted(struct str name)
{
	const struct str in = behind_prefix(name);

	return in.n > 1 && ((is_digit(in.p[0]) && in.p[0] != '0') || in.p[0] == 'S' ||
			    (in.p[0] == 's' && is_digit(in.p[1])));
}

/* A private name is followed by a mark of its file: 33_8A1F...LL. */
static void skip_mark(struct swift *s)
{
	struct swift behind = *s;

	if (s->in.n && is_digit(*s->in.p) && identifier(&behind) &&
	    str_starts(behind.in, STR("LL")))
		s->in = str_from(behind.in, 2);
}

/* A structure, class, enumeration or protocol. */
static bool is_type(struct swift *s)
{
	return next_is(s, 'V') || next_is(s, 'C') || next_is(s, 'O') || next_is(s, 'P');
}

/* The module, types, and the member: names behind it are those of its parameters.  An
 * initializer has no name of its own. */
static bool path(struct swift *s)
{
	const bool nameless = str_ends(s->in, STR("fC")) || str_ends(s->in, STR("fc"));
	bool context = true;

	while (context && s->in.n && is_digit(*s->in.p)) {
		const struct swift before = *s;

		if (!identifier(s))
			return false;
		skip_mark(s);
		context = is_type(s) || s->parts == 1;
		if (!context && nameless) {
			s->n = before.n;
			s->parts = before.parts;
		}
	}
	return true;
}

bool swift_demangle(struct str name, void (*put)(const char *p, size_t n, void *arg),
		    void *arg)
{
	struct swift s = {.in = behind_prefix(name)};

	if (!swift_wanted(name))
		return false;
	if (next_is(&s, 's')) {
		s.parts = 1;
		add(&s, STR("Swift"));
	} else if (*s.in.p == 'S' && !known_type(&s)) {
		return false;
	}
	if (!path(&s))
		return false;
	if (!add_kind(&s) || s.parts < 2)
		return false;
	put(s.text, s.n, arg);
	return true;
}
