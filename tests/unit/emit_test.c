/* emit_test.c - names from anybody, in every form. */
#include "index/base/out.h"
#include "repl/term/emit.h"

#include <stdlib.h>

#include "repl/render/fit.h"
#include "repl/term/number.h"
#include "repl/term/utf8.h"
#include "tests/support/tap.h"

static char *keep(struct out *o)
{
	char *s = strndup(o->n ? o->buf : "", o->n);

	out_close(o);
	return s;
}

static const struct {
	const char *name;
	enum emit_form form;
	struct str in;
	const char *want;
} names[] = {
	{"text: plain", EMIT_TEXT, STR("main"), "main"},
	{"text: C0", EMIT_TEXT, STR("a\033[31mb\n\tc"), "a\\x1B[31mb\\x0A\\x09c"},
	{"text: NUL and DEL", EMIT_TEXT, STR("a\0b\177"), "a\\x00b\\x7F"},
	{"text: C1 in UTF-8", EMIT_TEXT,
	 STR("a\xc2\x9b"
	     "31m"),
	 "a\\xC2\\x9B31m"},
	{"text: C1 as a byte", EMIT_TEXT,
	 STR("a\x9b"
	     "31m"),
	 "a\\x9B31m"},
	{"text: overlong", EMIT_TEXT, STR("\xc0\x80"), "\\xC0\\x80"},
	{"text: surrogate", EMIT_TEXT, STR("\xed\xa0\x80"), "\\xED\\xA0\\x80"},
	{"text: cut sequence", EMIT_TEXT, STR("x\xe2\x82"), "x\\xE2\\x82"},
	{"text: above U+10FFFF", EMIT_TEXT, STR("\xf4\x90\x80\x80"),
	 "\\xF4\\x90\\x80\\x80"},
	{"text: bidi override", EMIT_TEXT,
	 STR("a\xe2\x80\xae"
	     "b"),
	 "a\\xE2\\x80\\xAE"
	 "b"},
	{"text: line separator", EMIT_TEXT, STR("\xe2\x80\xa8"), "\\xE2\\x80\\xA8"},
	{"text: valid UTF-8 stays", EMIT_TEXT, STR("h\xc3\xa9\xe2\x82\xac"),
	 "h\xc3\xa9\xe2\x82\xac"},
	{"text: backslash stays", EMIT_TEXT, STR("App\\Kernel->boot"),
	 "App\\Kernel->boot"},
	{"ascii: bytes", EMIT_ASCII, STR("h\xc3\xa9"), "h\\xC3\\xA9"},
	{"json: quotes", EMIT_JSON, STR("a\"b\\c"), "\"a\\\"b\\\\c\""},
	{"json: controls", EMIT_JSON, STR("\0\n\033\177"),
	 "\"\\u0000\\n\\u001b\\u007f\""},
	{"json: C1 and bidi", EMIT_JSON, STR("\xc2\x9b\xe2\x80\xae"),
	 "\"\\u009b\\u202e\""},
	{"json: not UTF-8 is marked", EMIT_JSON, STR("caf\xe9"), "\"\\\\x:caf\\\\xE9\""},
	{"json: marked doubles backslashes", EMIT_JSON, STR("A\\B\xff"),
	 "\"\\\\x:A\\\\\\\\B\\\\xFF\""},
	{"json: a name that looks marked", EMIT_JSON, STR("\\x:a"),
	 "\"\\\\x:\\\\\\\\x:a\""},
	{"json: empty", EMIT_JSON, STR(""), "\"\""},
	{"csv: plain", EMIT_CSV, STR("operator()(int)"), "operator()(int)"},
	{"csv: comma and quote", EMIT_CSV, STR("f(a, \"b\")"), "\"f(a, \"\"b\"\")\""},
	{"csv: formula", EMIT_CSV, STR("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0"},
	{"csv: + - @", EMIT_CSV, STR("-[NSView draw]"), "'-[NSView draw]"},
	{"csv: already guarded", EMIT_CSV, STR("'=x"), "''=x"},
	{"csv: just a quote", EMIT_CSV, STR("'x"), "'x"},
	{"csv: raw", EMIT_CSV_RAW, STR("=a,b"), "\"=a,b\""},
	{"csv: formula in quotes", EMIT_CSV, STR("=a,b"), "\"'=a,b\""},
	{"csv: newline is marked", EMIT_CSV, STR("a\nb"), "\\x:a\\x0Ab"},
	{"csv: bad byte is marked", EMIT_CSV, STR("a\xff,"), "\"\\x:a\\xFF,\""},
	{"csv: empty", EMIT_CSV, STR(""), "\"\""},
	{"tsv: tab is marked", EMIT_TSV, STR("a\tb"), "\\x:a\\x09b"},
	{"tsv: formula", EMIT_TSV, STR("@SUM(1)"), "'@SUM(1)"},
	{"md: punctuation", EMIT_MD, STR("a|b*c_d<T>"), "a\\|b\\*c\\_d\\<T\\>"},
	{"md: newline", EMIT_MD, STR("a\nb"), "a\\x0Ab"},
	{"md: NUL", EMIT_MD, STR("a\0b"), "a\\x00b"},
	{"md code: plain", EMIT_MD_CODE, STR("a|b*c_d<T>"), "`a|b*c_d<T>`"},
	{"md code: ticks", EMIT_MD_CODE, STR("a`b``c"), "```a`b``c```"},
	{"md code: ticks at the ends", EMIT_MD_CODE, STR("`a`"), "`` `a` ``"},
	{"md code: blanks at the ends", EMIT_MD_CODE, STR(" a "), "`  a  `"},
	{"md code: newline", EMIT_MD_CODE, STR("a\n\r\nb"), "`a\\x0A\\x0D\\x0Ab`"},
	{"md code: nothing", EMIT_MD_CODE, STR(""), ""},
	{"md code: a backslash ends it", EMIT_MD_CODE, STR("App\\"), "`App\\`"},
	{"md cell: pipes", EMIT_MD_CELL, STR("operator||(a|b)"),
	 "`operator\\|\\|(a\\|b)`"},
	{"md cell: a backslash before a pipe", EMIT_MD_CELL, STR("a\\|"), "`a\\\\|`"},
	{"md cell: a tick and a pipe", EMIT_MD_CELL, STR("`|"), "`` `\\| ``"},
	{"github: plain", EMIT_GITHUB, STR("a::b, c: 5%"), "a::b, c: 5%25"},
	{"github: ends of lines", EMIT_GITHUB, STR("a\r\nb\n::error::c"),
	 "a%0D%0Ab%0A::error::c"},
	{"github: escapes of a stranger", EMIT_GITHUB, STR("%0A::error::%25"),
	 "%250A::error::%2525"},
	{"github: controls are text", EMIT_GITHUB, STR("\033[1m\0\x9b\xe2\x80\xa8"),
	 "\\x1B[1m\\x00\\x9B\\xE2\\x80\\xA8"},
	{"github value: all that separates", EMIT_GITHUB_VALUE, STR("a,line=1::x%0A\n\r"),
	 "a%2Cline=1%3A%3Ax%250A%0A%0D"},
	{"xml: ]]>", EMIT_XML, STR("a]]>b"), "a]]&gt;b"},
	{"xml: not UTF-8", EMIT_XML, STR("\xff\xc0\x80<"), "\\xFF\\xC0\\x80&lt;"},
	{"xml", EMIT_XML, STR("<a & \"b\" 'c'>\001"),
	 "&lt;a &amp; &quot;b&quot; &#39;c&#39;&gt;\\x01"},
	{"xml: not a character", EMIT_XML, STR("\xef\xbf\xbe"), "\\xEF\\xBF\\xBE"},
	{"dot", EMIT_DOT, STR("a\"b\\n\n"), "\"a\\\"b\\\\n\\\\x0A\""},
	{"frame", EMIT_FRAME, STR("a;b\n"), "a:b\\x0A"},
};

static const struct {
	const char *name;
	enum emit_form form;
	enum fit_kind kind;
	struct str in;
	size_t width;
	const char *want;
} fits[] = {
	{"calls", EMIT_TEXT, FIT_CALLS, STR("f(int, int) -> a::b<int>::g(int); h -> i"),
	 34, "f(int, int) -> \xe2\x80\xa6::g(\xe2\x80\xa6); h -> i"},
	{"calls that fit", EMIT_TEXT, FIT_CALLS, STR("f(int) -> g; g -> f(int)"), 40,
	 "f(int) -> g; g -> f(int)"},
	{"no room for names", EMIT_TEXT, FIT_CALLS, STR("function_one -> function_two"),
	 14, "function_one \xe2\x80\xa6"},
	{"fits", EMIT_TEXT, FIT_NAME, STR("main"), 4, "main"},
	{"middle", EMIT_TEXT, FIT_NAME, STR("abcdefghijklmnop"), 9,
	 "abc\xe2\x80\xa6lmnop"},
	{"parameters first", EMIT_TEXT, FIT_NAME, STR("ns::f(int, char const*)"), 12,
	 "ns::f(\xe2\x80\xa6)"},
	{"then template arguments", EMIT_TEXT, FIT_NAME,
	 STR("std::vector<int, std::allocator<int> >::push_back(int const&)"), 30,
	 "std::vector<\xe2\x80\xa6>::push_back(\xe2\x80\xa6)"},
	{"an operator's name stays", EMIT_TEXT, FIT_NAME,
	 STR("A::operator<(A const&) const"), 24, "A::operator<(\xe2\x80\xa6) const"},
	{"anonymous namespace", EMIT_TEXT, FIT_NAME,
	 STR("(anonymous namespace)::run(struct a_long_type)"), 30,
	 "(anonymous namespace)::run(\xe2\x80\xa6)"},
	{"Go receiver", EMIT_TEXT, FIT_NAME, STR("main.(*Tree).Insert(0x1, 0x2)"), 24,
	 "main.(*Tree).Insert(\xe2\x80\xa6)"},
	{"path keeps its end", EMIT_TEXT, FIT_PATH, STR("/usr/src/malloc.c"), 9,
	 "\xe2\x80\xa6malloc.c"},
	{"text keeps its start", EMIT_TEXT, FIT_TEXT, STR("the thread's end"), 8,
	 "the thr\xe2\x80\xa6"},
	{"ascii ellipsis", EMIT_ASCII, FIT_PATH, STR("/usr/src/malloc.c"), 11,
	 "...malloc.c"},
	{"wide characters are not split", EMIT_TEXT, FIT_TEXT,
	 STR("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2"), 4, "\xe6\xbc\xa2\xe2\x80\xa6"},
	{"escapes are not split", EMIT_TEXT, FIT_TEXT, STR("\n\n\n"), 7,
	 "\\x0A\xe2\x80\xa6"},
	{"no room", EMIT_TEXT, FIT_NAME, STR("abcdef"), 1, "."},
	{"no room at all", EMIT_TEXT, FIT_NAME, STR("abcdef"), 0, ""},
};

static void test_numbers(void)
{
	static const struct {
		uint64_t v;
		const char *si, *grouped;
	} cases[] = {
		{0, "0  ", "0"},
		{999, "999  ", "999"},
		{1000, "1.00 k", "1,000"},
		{5270000, "5.27 M", "5,270,000"},
		{9995, "10.0 k", "9,995"},
		{99949, "99.9 k", "99,949"},
		{999499, "999 k", "999,499"},
		{999999, "1.00 M", "999,999"},
		{1000000000, "1.00 G", "1,000,000,000"},
		{UINT64_MAX, "18.4 E", "18,446,744,073,709,551,615"},
	};
	char buf[NUMBER_MAX];

	for (size_t i = 0; i < COUNT(cases); i++) {
		number_si(buf, cases[i].v);
		is_str(buf, cases[i].si, "SI of %" PRIu64, cases[i].v);
		str_grouped(cases[i].v, buf);
		is_str(buf, cases[i].grouped, "groups of %" PRIu64, cases[i].v);
	}
	number_percent(buf, 0.001);
	is_str(buf, "<0.01%", "a small percentage is not 0");
	number_percent(buf, 9999.99);
	is_str(buf, "9999.99%", "a percentage to two digits");
	number_percent(buf, -52805.2);
	is_str(buf, "-52,805%", "a large one is grouped, not 5.28e+04");
	number_exact(buf, 0.1);
	is_str(buf, "0.1", "shortest digits");
	number_exact(buf, 1.0 / 3);
	ok(strtod(buf, NULL) == 1.0 / 3, "digits read back");
}

/* Whatever the bytes, the width never exceeds what was asked and the text is clean. */
static void test_random_names(void)
{
	uint64_t seed = tap_seed(42);
	bool fine = true;

	for (int round = 0; round < 20000 && fine; round++) {
		char bytes[40];
		struct str s = {bytes, seed >> 33 & 31};
		size_t width = seed >> 40 & 31, said;
		struct out o;
		uint32_t cp;

		for (size_t i = 0; i < s.n; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			bytes[i] =
				(char)(seed >> 56 & 1
					       ? "<>()a:~\xe2\x80\xae -> ; "[seed >> 57 &
									     15]
					       : (char)(seed >> 48));
		}
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		out_mem(&o);
		said = fit_put(&o, EMIT_TEXT, (enum fit_kind)(round % 4), s, width);
		fine = said <= width &&
		       said == emit_width(EMIT_TEXT, (struct str){o.buf, o.n});
		for (size_t i = 0, n; fine && i < o.n; i += n) {
			n = utf8_next((struct str){o.buf, o.n}, i, &cp);
			fine = n && !utf8_unsafe(cp);
		}
		out_close(&o);
	}
	ok(fine, "20,000 random names: clean, and never wider than asked");
}

int main(void)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		struct out o;
		char *got;

		out_mem(&o);
		emit_name(&o, names[i].form, names[i].in);
		got = keep(&o);
		is_str(got, names[i].want, "%s", names[i].name);
		free(got);
	}
	for (size_t i = 0; i < COUNT(fits); i++) {
		struct out o;
		char *got;
		size_t said;

		out_mem(&o);
		said = fit_put(&o, fits[i].form, fits[i].kind, fits[i].in, fits[i].width);
		got = keep(&o);
		is_str(got, fits[i].want, "fit: %s", fits[i].name);
		is_u64(said, emit_width(EMIT_TEXT, str_c(got)), "fit: %s: width",
		       fits[i].name);
		free(got);
	}
	is_u64(emit_width(EMIT_TEXT, STR("\xe6\xbc\xa2"
					 "e\xcc\x81")),
	       3, "wide and combining");
	test_numbers();
	test_random_names();
	return done_testing();
}
