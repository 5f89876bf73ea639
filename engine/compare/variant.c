/*
 * variant.c - one pass over a name; see variant.h.
 *
 * At a byte that a rule can begin with, the rules are asked in the order of the table below.
 * A rule that applies says how many bytes of the name it takes and may write others in their
 * place; all other bytes are copied.
 *
 *	name	core::fmt::h0123456789abcdef  main::{closure#3}  f.part.0.cold
 *	text	core::fmt		      main::{closure#}	 f
 *	number				      3
 *
 * Numbers that are taken away are kept: where two functions have one text, they tell which
 * comes first (pair_numbered.c).
 */
#include "engine/compare/variant.h"

#include <string.h>

#include "index/base/hash.h"

struct name_pass {
	struct str name;
	unsigned rules;
	size_t from;		     /* all before this byte is written, or taken away */
	size_t bracket[2], no_class; /* what was looked for up to here, once for all */
	struct bytes *to;
	struct variant *out;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

static char at(const struct name_pass *v, size_t i)
{
	return i < v->name.n ? v->name.p[i] : '\0';
}

static inline bool has(const struct name_pass *v, size_t i, struct str text)
{
	return i <= v->name.n && text.n <= v->name.n - i &&
	       !memcmp(v->name.p + i, text.p, text.n);
}

/* The number at byte i, modulo 2^64; returns its length, 0 if there is none. */
static size_t number_at(const struct name_pass *v, size_t i, uint64_t *out)
{
	size_t n = 0;

	*out = 0;
	for (; is_digit(at(v, i + n)); n++)
		*out = *out * 10 + (uint64_t)(at(v, i + n) - '0');
	return n;
}

/* Numbers past the last place are one number, by their hash: it tells whether they are the
 * same, but not their order (variant.more). */
static void keep_number(struct name_pass *v, uint64_t number)
{
	struct variant *out = v->out;

	if (out->numbers < VARIANT_NUMBERS) {
		out->number[out->numbers++] = number;
		return;
	}
	out->number[VARIANT_NUMBERS - 1] =
		hash_mix(out->number[VARIANT_NUMBERS - 1] + number);
	out->more = true;
}

static int copy_up_to(struct name_pass *v, size_t i)
{
	const size_t n = i - v->from;

	if (n && bytes_append(v->to, (const unsigned char *)v->name.p + v->from, n))
		return -1;
	v->from = i;
	return 0;
}

/* Write text in place of bytes from i on. */
static int write(struct name_pass *v, size_t i, struct str text)
{
	return copy_up_to(v, i) ||
			       bytes_append(v->to, (const unsigned char *)text.p, text.n)
		       ? -1
		       : 0;
}

/* ---- the rules: bytes taken, 0 if the rule does not apply ---- */

/* .part.0 .constprop.1 .isra.2 .cold .llvm.123 .lto_priv.4 .__uniq.56 .avx2 .arch_haswell.0,
 * wherever a word may end.  Words from .cold on need no number.  Words from .avx on name a
 * processor and may go on: .avx512f. */
static size_t clone_suffix(struct name_pass *v, size_t i)
{
	static const struct str words[] = {
		STR(".part"),	    STR(".constprop"),	 STR(".isra"),	 STR(".llvm"),
		STR(".lto_priv"),   STR(".specialized"), STR(".__uniq"), STR(".cold"),
		STR(".localalias"), STR(".default"),	 STR(".avx"),	 STR(".sse"),
		STR(".arch_")};
	enum { COLD = 7, PROCESSOR = 10 };
	uint64_t number;
	size_t w = 0, n, digits;

	while (w < sizeof(words) / sizeof(words[0]) && !has(v, i, words[w]))
		w++;
	if (w == sizeof(words) / sizeof(words[0]) || i == 0)
		return 0;
	n = words[w].n;
	while (w >= PROCESSOR && is_word(at(v, i + n)))
		n++;
	digits = at(v, i + n) == '.' ? number_at(v, i + n + 1, &number) : 0;
	if (digits)
		digits++;
	if (is_word(at(v, i + n + digits)) || (!digits && w < COLD))
		return 0;
	v->out->part |= w == 0;
	v->out->cold |= w == COLD;
	if (!(v->rules & VARIANT_CLONE)) {
		if (!digits)
			return 0;
		v->out->changed |= VARIANT_CLONE_NUMBER;
		return write(v, i, str_cut(str_from(v->name, i), n)) ? SIZE_MAX
								     : n + digits;
	}
	v->out->changed |= VARIANT_CLONE;
	return n + digits;
}

/* " [clone .isra.0]" and LLVM's " (.isra.0)" */
static size_t clone_brackets(struct name_pass *v, size_t i)
{
	const bool round = has(v, i, STR(" (."));
	const struct str open = round ? STR(" (") : STR(" [clone ");
	size_t *end = &v->bracket[round], n;

	if (!(v->rules & VARIANT_CLONE) || !has(v, i, open))
		return 0;
	if (*end <= i)
		*end = i + str_find(str_from(v->name, i), round ? ')' : ']');
	if (*end == v->name.n)
		return 0;
	for (size_t k = i + open.n; k < *end; k += n) {
		n = clone_suffix(v, k);
		if (n == 0 || n == SIZE_MAX)
			return n;
	}
	return *end + 1 - i;
}

/* @@GLIBC_2.34 and @GLIBC_2.2.5, the version of a symbol, at the end */
static size_t symbol_version(struct name_pass *v, size_t i)
{
	const size_t n = at(v, i + 1) == '@' ? 2 : 1;
	size_t k = i + n, digits = 0;

	for (; is_word(at(v, k)) || at(v, k) == '.'; k++)
		digits += is_digit(at(v, k));
	if (i == 0 || (!is_word(at(v, i - 1)) && at(v, i - 1) != ')') || !digits ||
	    k < v->name.n || at(v, i + n) < 'A' || at(v, i + n) > 'Z')
		return 0;
	v->out->changed |= VARIANT_CLONE;
	return k - i;
}

static size_t hex_digits(const struct name_pass *v, size_t i)
{
	size_t n = 0;

	while (is_hex(at(v, i + n)))
		n++;
	return n;
}

/* May a Rust hash end before byte i?  Not in C::h0123456789abcdef(int), a method. */
static bool ends_hash(const struct name_pass *v, size_t i)
{
	const char c = at(v, i);

	return !is_word(c) && c != '(' && c != '<' && c != ':';
}

/* ::h0123456789abcdef, 17h0123456789abcdefE, crate[0123456789abcdef], Cs1a2B_ */
static size_t rust_hash(struct name_pass *v, size_t i)
{
	size_t n = 0, digits;

	if (at(v, i) == ':' && at(v, i + 1) == ':' && at(v, i + 2) == 'h' &&
	    hex_digits(v, i + 3) == 16 && ends_hash(v, i + 19))
		n = 19;
	else if (has(v, i, STR("17h")) && hex_digits(v, i + 3) == 16 &&
		 at(v, i + 19) == 'E' && has(v, 0, STR("_ZN")))
		n = 19;
	else if (at(v, i) == '[' && i && is_word(at(v, i - 1))) {
		digits = hex_digits(v, i + 1);
		if (digits >= 12 && digits <= 16 && at(v, i + 1 + digits) == ']')
			n = digits + 2;
	} else if (has(v, i, STR("Cs")) && has(v, 0, STR("_R"))) {
		for (digits = 0; is_word(at(v, i + 2 + digits)) &&
				 at(v, i + 2 + digits) != '_' && digits < 12;)
			digits++;
		if (digits && at(v, i + 2 + digits) == '_')
			n = digits + 3;
	}
	if (n)
		v->out->changed |= VARIANT_HASH;
	return n;
}

/* :3-9} and :12}, the end of the name of a closure of PHP */
static size_t closure_lines(struct name_pass *v, size_t i)
{
	uint64_t first, last;
	size_t n, m = 0;

	if (!is_digit(at(v, i + 1)) || !(n = number_at(v, i + 1, &first)))
		return 0;
	last = first;
	if (at(v, i + 1 + n) == '-' && (m = number_at(v, i + 2 + n, &last)))
		m++;
	if (at(v, i + 1 + n + m) != '}')
		return 0;
	keep_number(v, first);
	v->out->extent += last - first;
	v->out->changed |= VARIANT_LINE;
	return write(v, i, STR(":")) ? SIZE_MAX : 1 + n + m;
}

static bool is_after(const struct name_pass *v, size_t i, struct str text)
{
	return i >= text.n && has(v, i - text.n, text);
}

/* The directory of {closure:/srv/app/a.php:3-9}, {anonymous-class:/srv/a.php:14-16}->run */
static size_t closure_directory(struct name_pass *v, size_t i)
{
	size_t end = i, last = 0;

	if (at(v, i) != '/' || (!is_after(v, i, STR("{closure:")) &&
				!is_after(v, i, STR("{anonymous-class:"))))
		return 0;
	for (; end < v->name.n && at(v, end) != ':' && at(v, end) != '}'; end++)
		if (at(v, end) == '/')
			last = end;
	v->out->changed |= VARIANT_LINE;
	return last + 1 - i;
}

/* class@anonymous, a NUL or nothing, /srv/a.php:12$0 */
static size_t anonymous_class(struct name_pass *v, size_t i)
{
	static const struct str open = STR("@anonymous");
	uint64_t line;
	size_t k = i + open.n, n;

	if (i < v->no_class || !has(v, i, open))
		return 0;
	for (; k < v->name.n && !has(v, k, STR("->")); k++) {
		if (at(v, k) != ':' || !(n = number_at(v, k + 1, &line)) ||
		    at(v, k + 1 + n) != '$')
			continue;
		keep_number(v, line);
		k += n + 2;
		v->out->changed |= VARIANT_LINE;
		k += hex_digits(v, k);
		return write(v, i, open) ? SIZE_MAX : k - i;
	}
	v->no_class = k;
	return 0;
}

/* Go's closures are named package.function.func1; package.func1 is a function. */
static bool in_go_function(const struct name_pass *v, size_t i)
{
	while (i > 0 && at(v, i - 1) != '.' && at(v, i - 1) != '/')
		i--;
	return i > 0 && at(v, i - 1) == '.';
}

/* {lambda(int)#2}, {unnamed type#1}, {closure#0}, $_0 and 'lambda0' (clang), .func1.2 (Go) */
static size_t lambda_number(struct name_pass *v, size_t i)
{
	static const struct str before[] = {STR("#"),	    STR("$_"),
					    STR("'lambda"), STR(".func"),
					    STR(".gowrap"), STR(".deferwrap")};
	const size_t count = sizeof(before) / sizeof(before[0]);
	uint64_t number, next;
	size_t w = 0, n, m;
	char end;

	while (w < count && !has(v, i, before[w]))
		w++;
	if (w == count || !(n = number_at(v, i + before[w].n, &number)))
		return 0;
	end = at(v, i + before[w].n + n);
	if (w == 0 ? end != '}' : w == 2 ? end != '\'' : is_word(end))
		return 0;
	if (w >= 3 && !in_go_function(v, i))
		return 0;
	keep_number(v, number);
	n += before[w].n;
	for (; w >= 3 && at(v, i + n) == '.' && (m = number_at(v, i + n + 1, &next));
	     n += m + 1)
		keep_number(v, next);
	v->out->changed |= VARIANT_LAMBDA;
	return write(v, i, before[w]) ? SIZE_MAX : n;
}

static const struct {
	unsigned rules;
	size_t (*take)(struct name_pass *v, size_t i);
} table[] = {
	{VARIANT_CLONE_NUMBER | VARIANT_CLONE, clone_suffix},
	{VARIANT_CLONE, clone_brackets},
	{VARIANT_HASH, rust_hash},
	{VARIANT_LINE, closure_lines},
	{VARIANT_LINE, closure_directory},
	{VARIANT_LINE, anonymous_class},
	{VARIANT_LAMBDA, lambda_number},
	{VARIANT_CLONE, symbol_version},
};

/* For each byte, a bit for each line of the table that can apply there. */
static const unsigned char begins[256] = {
	['.'] = 1 | 64, [' '] = 2,  [':'] = 4 | 8, ['1'] = 4,
	['['] = 4,	['C'] = 4,  ['/'] = 16,	   ['@'] = 32 | 128,
	['#'] = 64,	['$'] = 64, ['\''] = 64,
};

/* How many bytes at i the rules take away; SIZE_MAX: out of memory. */
static size_t take(struct name_pass *v, size_t i)
{
	unsigned lines = begins[(unsigned char)v->name.p[i]];
	size_t n = 0;

	for (size_t k = 0; lines && !n; k++, lines >>= 1)
		if (lines & 1 && v->rules & table[k].rules)
			n = table[k].take(v, i);
	return n;
}

int variant_of(struct str name, unsigned rules, struct bytes *buffer, struct variant *out)
{
	struct name_pass v = {.name = name, .rules = rules, .to = buffer};
	size_t n;

	*out = (struct variant){.text = name};
	if (!rules)
		return 0;
	v.out = out;
	buffer->n = 0;
	for (size_t i = 0;; i += n) {
		while (i < name.n && !begins[(unsigned char)name.p[i]])
			i++;
		if (i >= name.n)
			break;
		n = take(&v, i);
		if (n == SIZE_MAX)
			return -1;
		if (n && copy_up_to(&v, i))
			return -1;
		v.from = n ? i + n : v.from;
		n = n ? n : 1;
	}
	if (copy_up_to(&v, name.n))
		return -1;
	out->text = (struct str){(const char *)buffer->p, buffer->n};
	return 0;
}

int variant_cmp(const struct variant *a, const struct variant *b)
{
	for (unsigned i = 0; i < a->numbers && i < b->numbers; i++)
		if (a->number[i] != b->number[i])
			return a->number[i] < b->number[i] ? -1 : 1;
	return (a->numbers > b->numbers) - (a->numbers < b->numbers);
}
