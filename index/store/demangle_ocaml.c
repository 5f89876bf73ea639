/*
 * demangle_ocaml.c - see demangle_ocaml.h.
 *
 *	camlStdlib__List__map_506	to OCaml 5.0
 *	camlStdlib__List.map_506	5.1 to 5.3
 *	camlStdlib__List$map_506	5.4, and with MSVC
 *	    [unit       ] [name] stamp
 *
 * "__" is the dot of a unit; $2b is the character of that code, if it is a sign: names begin
 * with no digit, and have no other characters that begin with one of $a to $f.  A function
 * without a name is fun, or anon_fn with its place.
 */
#include "index/store/demangle_ocaml.h"

struct symbol {
	struct str unit, name;
};

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex(char c)
{
	return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The sign that $xx at s.p[i] stands for; 0: xx are not the hexadecimal digits of one. */
static char sign_at(struct str s, size_t i)
{
	int c;

	if (i + 2 >= s.n || s.p[i] != '$' || hex(s.p[i + 1]) < 0 || hex(s.p[i + 2]) < 0)
		return '\0';
	c = hex(s.p[i + 1]) * 16 + hex(s.p[i + 2]);
	return c > ' ' && c < 127 && !is_digit((char)c) && !is_upper((char)(c & ~32))
		       ? (char)c
		       : '\0';
}

/* Without "_506", and the "_12_code" of flambda. */
static struct str without_stamp(struct str s)
{
	for (int times = str_ends(s, STR("_code")) ? 2 : 1; times > 0; times--) {
		size_t i = s.n - (str_ends(s, STR("_code")) ? 5 : 0);
		const size_t end = i;

		while (i && is_digit(s.p[i - 1]))
			i--;
		if (i == end || i < 2 || s.p[i - 1] != '_')
			break;
		s.n = i - 1;
	}
	return s;
}

/* A "." or "$" that begins no sign. */
static bool split_at_mark(struct str s, struct symbol *out)
{
	for (size_t i = 1; i + 1 < s.n; i++)
		if (s.p[i] == '.' || (s.p[i] == '$' && !sign_at(s, i))) {
			*out = (struct symbol){{s.p, i}, str_from(s, i + 1)};
			return true;
		}
	return false;
}

/* The last "__" before which a name in capitals ends, and after which none with a stamp
 * begins: Stdlib.Map.Make is a function. */
static bool split_at_bars(struct str s, struct symbol *out)
{
	size_t from = 0, name = 0;

	for (size_t i = 1; i + 2 < s.n; i++) {
		if (s.p[i] != '_' || s.p[i + 1] != '_' || s.p[i + 2] == '_')
			continue;
		name = is_upper(s.p[from]) ? i + 2 : name;
		from = i + 2;
		i++;
	}
	if (!name)
		return false;
	*out = (struct symbol){{s.p, name - 2}, str_from(s, name)};
	return !is_upper(out->name.p[0]) || without_stamp(out->name).n < out->name.n;
}

bool ocaml_wanted(struct str s)
{
	return s.n > 6 && str_starts(s, STR("caml")) && is_upper(s.p[4]);
}

bool ocaml_demangle(struct str s, void (*put)(const char *p, size_t n, void *arg),
		    void *arg)
{
	const struct str fun = STR("(fun)");
	struct symbol is;
	struct str name;

	if (!ocaml_wanted(s))
		return false;
	s = str_from(s, 4);
	if (!split_at_mark(s, &is) && !split_at_bars(s, &is))
		return false;
	name = without_stamp(is.name);
	for (size_t i = 0; i < is.unit.n; i++) {
		const bool dot = str_starts(str_from(is.unit, i), STR("__"));

		put(dot ? "." : is.unit.p + i, 1, arg);
		i += dot;
	}
	put(".", 1, arg);
	if (str_eq(name, STR("fun")) || str_starts(name, STR("anon_fn$5b"))) {
		put(fun.p, fun.n, arg);
		return true;
	}
	for (size_t i = 0; i < name.n; i++) {
		const char sign = sign_at(name, i);

		put(sign ? &sign : name.p + i, 1, arg);
		i += sign ? 2 : 0;
	}
	return true;
}
