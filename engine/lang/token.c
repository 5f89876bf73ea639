/*
 * token.c - read one token at a position; see token.h.
 *
 * A name (PLACE_NAME) is greedy: NAME of LANGUAGE.md includes "/", "*", "-" and ":", so
 * that mem*, lib/x.c and fact'2 need no quotes.  It ends before "->" (path A -> B) and
 * before a "'" that no recursion level follows.
 *
 * A newline is a token, but not before a line that begins with "|".  An empty line always
 * ends a statement.
 */
#include "engine/lang/token.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool token_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool token_is_word_byte(char c)
{
	return is_alpha(c) || token_is_digit(c);
}

/* Can a function name start with c?  (NAME of LANGUAGE.md) */
static bool token_name_start(char c)
{
	return token_is_word_byte(c) || (c && strchr("~*$:{", c));
}

bool token_name_byte(char c)
{
	return token_is_word_byte(c) || (c && strchr("~:.@$*+/?-", c)) ||
	       (unsigned char)c >= 0x80;
}

bool token_same(struct str text, const char *word)
{
	size_t i = 0;

	for (; i < text.n && word[i]; i++)
		if (tolower((unsigned char)text.p[i]) != word[i])
			return false;
	return i == text.n && !word[i];
}

bool token_is(const struct token *t, const char *word)
{
	return t->kind == TOK_WORD && token_same(t->text, word);
}

bool token_one_case(struct str text)
{
	bool lower = false, upper = false;

	for (size_t i = 0; i < text.n; i++) {
		lower |= islower((unsigned char)text.p[i]) != 0;
		upper |= isupper((unsigned char)text.p[i]) != 0;
	}
	return !(lower && upper);
}

static char byte_at(struct str s, size_t i)
{
	return i < s.n ? s.p[i] : '\0';
}

static size_t skip_comment(struct str s, size_t i)
{
	while (i < s.n && s.p[i] != '\n')
		i++;
	return i;
}

/* Is "--format" here, an option of other programs?  A comment has a blank: "-- text". */
static bool is_option(struct str s, size_t i)
{
	return byte_at(s, i) == '-' && byte_at(s, i + 1) == '-' &&
	       is_alpha(byte_at(s, i + 2));
}

static size_t skip_blanks(struct str s, size_t i)
{
	for (;;) {
		char c = byte_at(s, i);

		if (i < s.n && (c == ' ' || c == '\t' || c == '\r'))
			i++;
		else if (c == '\\' && byte_at(s, i + 1) == '\n')
			i += 2;
		else if (c == '\\' && byte_at(s, i + 1) == '\r' &&
			 byte_at(s, i + 2) == '\n')
			i += 3;
		else if ((c == '-' && byte_at(s, i + 1) == '-' && !is_option(s, i)) ||
			 (c == '#' && !token_is_digit(byte_at(s, i + 1))))
			i = skip_comment(s, i);
		else
			return i;
	}
}

size_t token_skip_lines(struct str text, size_t at)
{
	for (;;) {
		at = skip_blanks(text, at);
		if (byte_at(text, at) != '\n')
			return at;
		at++;
	}
}

/* Is the line that starts at `at` empty? */
static bool is_empty_line(struct str text, size_t at)
{
	while (byte_at(text, at) == ' ' || byte_at(text, at) == '\t' ||
	       byte_at(text, at) == '\r')
		at++;
	return byte_at(text, at) == '\n';
}

size_t token_go_on(struct str text, size_t at)
{
	for (;;) {
		at = skip_blanks(text, at);
		if (byte_at(text, at) != '\n' || is_empty_line(text, at + 1))
			return at;
		at++;
	}
}

static void bad(struct token *t, size_t end, const char *why, const char *hint)
{
	t->kind = TOK_BAD;
	t->len = end - t->at;
	t->why = why;
	t->hint = hint;
}

/* Read up to the closing quote; "\" escapes the next byte. */
static void quoted(struct str s, struct token *t, char quote)
{
	size_t i = t->at + 1;

	/* No name holds a newline: a quote that is not closed ends with its line. */
	while (i < s.n && s.p[i] != quote && s.p[i] != '\n')
		i += s.p[i] == '\\' && i + 1 < s.n && s.p[i + 1] != '\n' ? 2 : 1;
	if (byte_at(s, i) != quote || i >= s.n) {
		bad(t, i < s.n ? i : s.n,
		    quote == '"' ? "this quote is not closed"
				 : "this regular expression is not closed",
		    quote == '"' ? "end the name with \"" : "end it with / or /i");
		return;
	}
	t->kind = quote == '"' ? TOK_STRING : TOK_REGEX;
	t->text = (struct str){s.p + t->at + 1, i - t->at - 1};
	i++;
	if (quote == '/' && byte_at(s, i) == 'i' &&
	    !token_is_word_byte(byte_at(s, i + 1))) {
		t->caseless = true;
		i++;
	}
	t->len = i - t->at;
}

static void hex_number(struct str s, struct token *t)
{
	size_t i = t->at + 2;

	while (token_is_word_byte(byte_at(s, i)))
		i++;
	t->kind = TOK_NUMBER;
	t->len = i - t->at;
	t->integral = str_u64((struct str){s.p + t->at, t->len}, &t->whole);
	t->number = (double)t->whole;
	if (!t->integral)
		bad(t, i, "this is not a number",
		    "write digits, or 0x and hexadecimal digits");
}

static double factor_of(char c)
{
	return c == 'k' ? 1e3 : c == 'M' ? 1e6 : c == 'G' ? 1e9 : 0;
}

/* Read the k, M or G, or the unit at byte i; returns its bytes, 0 if there is none. */
static size_t read_unit(struct str s, size_t i, double *factor, struct unit *unit)
{
	struct str word = {s.p + i, 0};

	while (token_is_word_byte(byte_at(s, i + word.n)))
		word.n++;
	*unit = unit_of_word(word);
	*factor = (double)unit->scale;
	unit->scale = 1;
	if (unit->kind)
		return word.n;
	*factor = factor_of(byte_at(s, i));
	return *factor > 0;
}

static void read_number(struct str s, struct token *t)
{
	char buf[64];
	size_t i = t->at, n;
	double factor;
	bool fraction = false;

	if (s.p[i] == '0' && (byte_at(s, i + 1) == 'x' || byte_at(s, i + 1) == 'X')) {
		hex_number(s, t);
		return;
	}
	while (token_is_digit(byte_at(s, i)))
		i++;
	if (byte_at(s, i) == '.' && token_is_digit(byte_at(s, i + 1))) {
		fraction = true;
		for (i++; token_is_digit(byte_at(s, i)); i++)
			;
	}
	n = i - t->at;
	if (n >= sizeof(buf)) {
		bad(t, i, "this number has too many digits",
		    "costs have at most 20 digits");
		return;
	}
	memcpy(buf, s.p + t->at, n);
	buf[n] = '\0';
	t->number = strtod(buf, NULL);
	t->integral = !fraction && str_u64((struct str){s.p + t->at, n}, &t->whole);
	i += read_unit(s, i, &factor, &t->unit);
	if (i > t->at + n) {
		t->number *= factor;
		t->integral = t->number < 1e15 && t->number == floor(t->number);
		t->whole = t->integral ? (uint64_t)t->number : 0;
	} else if (byte_at(s, i) == '%') {
		t->percent = true;
		i++;
	}
	t->kind = TOK_NUMBER;
	t->len = i - t->at;
	if (token_is_word_byte(byte_at(s, i)))
		bad(t, i + 1, "a number ends in digits, k, M, G, % or a unit",
		    "write 5M, 1.5k, 10%, 10ms or 1MiB");
}

/* IDENT ["." IDENT] ["%"]: a keyword or a column. */
static void read_word(struct str s, struct token *t)
{
	size_t i = t->at;

	while (token_is_word_byte(byte_at(s, i)))
		i++;
	if (byte_at(s, i) == '.' && token_is_word_byte(byte_at(s, i + 1)))
		for (i++; token_is_word_byte(byte_at(s, i)); i++)
			;
	if (byte_at(s, i) == '%')
		i++;
	t->kind = TOK_WORD;
	t->len = i - t->at;
	t->text = (struct str){s.p + t->at, t->len};
}

static const char *const token_fields[] = {"fn",    "file", "obj", "class",
					   "cycle", "line", "dir", NULL};

static bool is_field(struct str s, struct token *t)
{
	for (size_t k = 0; token_fields[k]; k++) {
		struct str f = str_c(token_fields[k]);

		if (!str_starts(str_from(s, t->at), f) ||
		    byte_at(s, t->at + f.n) != ':' || byte_at(s, t->at + f.n + 1) == ':')
			continue;
		t->kind = TOK_FIELD;
		t->whole = k;
		t->len = f.n + 1;
		t->text = (struct str){s.p + t->at, f.n};
		return true;
	}
	return false;
}

/* Skip "{main}", "{closure:/x.php:3-9}", "{lambda(int)#1}" at i; returns i if it is
 * not closed. */
static size_t skip_braces(struct str s, size_t i)
{
	unsigned depth = 0;

	for (size_t k = i; k < s.n && s.p[k] != '\n'; k++) {
		depth += s.p[k] == '{';
		if (s.p[k] == '}' && --depth == 0)
			return k + 1;
	}
	return i;
}

/* Skip "<module>", "<T as Trait>", "<built-in method len>" at i; returns i if it is
 * not closed. */
static size_t skip_angles(struct str s, size_t i)
{
	unsigned depth = 0;

	for (size_t k = i; k < s.n && s.p[k] != '\n' && s.p[k] != '|'; k++) {
		depth += s.p[k] == '<';
		if (s.p[k] == '>' && s.p[k - 1] != '-' && --depth == 0)
			return k > i + 1 ? k + 1 : i;
	}
	return i;
}

/* Skip Go's pointer receiver "(*T)" with the "." after it. */
static size_t skip_receiver(struct str s, size_t i)
{
	size_t k = i + 2;

	if (byte_at(s, i) != '(' || byte_at(s, i + 1) != '*')
		return i;
	while (token_is_word_byte(byte_at(s, k)))
		k++;
	return k > i + 2 && byte_at(s, k) == ')' && byte_at(s, k + 1) == '.' ? k + 1 : i;
}

/*
 * Skip a bracket at the start of a name, if it cannot be the "(" of a set; else returns
 * i.
 */
static size_t skip_bracket(struct str s, size_t i)
{
	static const char *const known[] = {"(below main)", "(anonymous namespace)"};

	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++)
		if (str_starts(str_from(s, i), str_c(known[k])))
			return i + strlen(known[k]);
	return byte_at(s, i) == '<' ? skip_angles(s, i) : skip_receiver(s, i);
}

/* In "json.(*decodeState).object" and "f.<locals>.<lambda>", skip what follows the dot
 * at i. */
static size_t skip_dotted(struct str s, size_t i)
{
	size_t k = i + 2;

	if (byte_at(s, i + 1) == '(')
		return skip_receiver(s, i + 1) > i + 1 ? skip_receiver(s, i + 1) : i;
	if (byte_at(s, i + 1) != '<')
		return i;
	while (token_is_word_byte(byte_at(s, k)))
		k++;
	return k > i + 2 && byte_at(s, k) == '>' ? k + 1 : i;
}

/* Is it the "\" of PHP's "A\B\f", or of "A\*"?  At the end of a line "\" continues the query. */
static bool is_backslash(struct str s, size_t i)
{
	return s.p[i] == '\\' && (token_is_word_byte(byte_at(s, i + 1)) ||
				  byte_at(s, i + 1) == '{' || byte_at(s, i + 1) == '*');
}

static void name(struct str s, struct token *t)
{
	size_t i = t->at, end;

	if (is_field(s, t))
		return;
	i = skip_bracket(s, i);
	while (i < s.n) {
		char c = s.p[i];

		if (c == '-' && byte_at(s, i + 1) == '>')
			break;
		if ((c == '{' && (end = skip_braces(s, i)) > i) ||
		    (c == '.' && (end = skip_dotted(s, i)) > i)) {
			i = end;
			continue;
		}
		if (!token_name_byte(c) && !is_backslash(s, i) &&
		    !(c == '\'' && token_is_word_byte(byte_at(s, i + 1))))
			break;
		i++;
	}
	if (i == t->at) {
		bad(t, t->at + 1, "this '{' is not closed",
		    "write {main}, or the whole name in double quotes");
		return;
	}
	t->kind = TOK_WORD;
	t->len = i - t->at;
	t->text = (struct str){s.p + t->at, t->len};
}

static void punctuation(struct str s, struct token *t)
{
	static const struct {
		char text[3];
		int kind;
	} two[] = {
		{"!=", TOK_NE},	       {"<=", TOK_LE},	  {">=", TOK_GE},
		{"!~", TOK_NOT_MATCH}, {"->", TOK_ARROW}, {"==", TOK_EQEQ},
		{"&&", TOK_ANDAND},    {"||", TOK_OROR},  {"<>", TOK_LTGT},
	};
	char c = s.p[t->at];
	size_t end = t->at + 2;

	while (is_option(s, t->at) &&
	       (token_is_word_byte(byte_at(s, end)) || byte_at(s, end) == '-'))
		end++;
	if (end > t->at + 2) {
		bad(t, end, "a query takes no options",
		    "as json, by Dr, depth 3, min 1%, | take 5; a comment has a blank: -- text");
		return;
	}
	t->len = 2;
	for (size_t i = 0; i < sizeof(two) / sizeof(*two); i++)
		if (c == two[i].text[0] && byte_at(s, t->at + 1) == two[i].text[1]) {
			t->kind = two[i].kind;
			return;
		}
	t->len = 1;
	t->kind = (unsigned char)c;
	if (c == '\'' || c == '`')
		bad(t, t->at + 1,
		    c == '\'' ? "' is not a quote here" : "` is not a quote here",
		    "put exact names and text in double quotes");
	else if (!c || !strchr("|;,()=<>~+-*/:$#!{}", c))
		bad(t, t->at + 1, "this character has no meaning in a query",
		    "put names with unusual characters in double quotes");
}

struct token token_at(struct str text, size_t at, enum token_place place)
{
	struct token t = {0};
	char c;

	t.at = at = skip_blanks(text, at);
	c = byte_at(text, at);
	if (c == '\n') {
		size_t next = token_go_on(text, at);

		if (byte_at(text, next) == '|' && byte_at(text, next + 1) != '|') {
			t.at = at = next;
			c = '|';
		}
	}
	if (at >= text.n) {
		t.kind = TOK_END;
	} else if (c == '\n') {
		t.kind = TOK_NEWLINE;
		t.len = 1;
	} else if (c == '"') {
		quoted(text, &t, '"');
	} else if (c == '/' && place != PLACE_WORD) {
		quoted(text, &t, '/');
	} else if (place == PLACE_NAME && c != '$' &&
		   (token_name_start(c) || (unsigned char)c >= 0x80 ||
		    skip_bracket(text, at) > at)) {
		name(text, &t);
	} else if (token_is_digit(c)) {
		read_number(text, &t);
	} else if (is_alpha(c)) {
		read_word(text, &t);
	} else {
		punctuation(text, &t);
	}
	return t;
}

bool token_default(struct str text, size_t at, struct token_default *out)
{
	const struct str sign = STR(":=");
	size_t i = at + 2, start, open = 0;

	if (byte_at(text, at) != '$' || byte_at(text, at + 1) != '{')
		return false;
	while (i < text.n && token_is_word_byte(text.p[i]))
		i++;
	out->name = (struct str){text.p + at + 2, i - at - 2};
	if (!out->name.n || !str_starts(str_from(text, i), sign))
		return false;
	start = i + sign.n;
	for (i = start; i < text.n && (open || text.p[i] != '}'); i++)
		open += (size_t)(text.p[i] == '{') - (size_t)(text.p[i] == '}');
	if (i == text.n)
		return false;
	out->text = str_trim((struct str){text.p + start, i - start});
	out->end = i + 1;
	return out->text.n > 0;
}
