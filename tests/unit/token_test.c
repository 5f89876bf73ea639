/* token_test.c - the same bytes are different tokens by place. */
#include "engine/lang/token.h"

#include "tests/support/tap.h"

/* The first line, for a test's name. */
#define LINE(s) (int)strcspn((s), "\n"), (s)

static const struct {
	const char *text;
	enum token_place place;
	int kind;
	const char *want; /* text, or why; NULL: not looked at */
	size_t len;
} table[] = {
	{"a/b", PLACE_WORD, TOK_WORD, "a", 1},
	{"a/b", PLACE_NAME, TOK_WORD, "a/b", 3},
	{"/b/", PLACE_WORD, '/', NULL, 1},
	{"/b/", PLACE_OPERAND, TOK_REGEX, "b", 3},
	{"/a\\/b/i x", PLACE_NAME, TOK_REGEX, "a\\/b", 7},
	{"/a/in", PLACE_OPERAND, TOK_REGEX, "a", 3},
	{"/a\n/", PLACE_OPERAND, TOK_BAD, "this regular expression is not closed", 2},
	{"mem*", PLACE_NAME, TOK_WORD, "mem*", 4},
	{"fact'2 x", PLACE_NAME, TOK_WORD, "fact'2", 6},
	{"fact' x", PLACE_NAME, TOK_WORD, "fact", 4},
	{"A->B", PLACE_NAME, TOK_WORD, "A", 1},
	{"->B", PLACE_WORD, TOK_ARROW, NULL, 2},
	{"std::x::y|", PLACE_NAME, TOK_WORD, "std::x::y", 9},
	{"::main", PLACE_NAME, TOK_WORD, "::main", 6},
	{"file:x.c", PLACE_NAME, TOK_FIELD, "file", 5},
	{"file::x", PLACE_NAME, TOK_WORD, "file::x", 7},
	{"filer:x", PLACE_NAME, TOK_WORD, "filer:x", 7},
	{"f\xc3\xbc", PLACE_NAME, TOK_WORD, "f\xc3\xbc", 3},
	{"\xc3\xbcx", PLACE_NAME, TOK_WORD, "\xc3\xbcx", 3},
	{"$x", PLACE_NAME, '$', NULL, 1},
	{"\"a \\\" b\" c", PLACE_NAME, TOK_STRING, "a \\\" b", 8},
	{"\"a", PLACE_WORD, TOK_BAD, "this quote is not closed", 2},
	{"\"a\\", PLACE_WORD, TOK_BAD, "this quote is not closed", 3},
	{"incl.D1mr% >", PLACE_WORD, TOK_WORD, "incl.D1mr%", 10},
	{"self.", PLACE_WORD, TOK_WORD, "self", 4},
	{"12", PLACE_WORD, TOK_NUMBER, NULL, 2},
	{"1.5k", PLACE_WORD, TOK_NUMBER, NULL, 4},
	{"5%", PLACE_WORD, TOK_NUMBER, NULL, 2},
	{"0x10", PLACE_WORD, TOK_NUMBER, NULL, 4},
	{"0xz", PLACE_WORD, TOK_BAD, "this is not a number", 3},
	{"10kk", PLACE_WORD, TOK_BAD, "a number ends in digits, k, M, G, % or a unit", 4},
	{"==", PLACE_WORD, TOK_EQEQ, NULL, 2},
	{"!= 1", PLACE_WORD, TOK_NE, NULL, 2},
	{"!~ 1", PLACE_WORD, TOK_NOT_MATCH, NULL, 2},
	{"<>", PLACE_WORD, TOK_LTGT, NULL, 2},
	{"'x'", PLACE_WORD, TOK_BAD, "' is not a quote here", 1},
	{"`x`", PLACE_NAME, TOK_BAD, "` is not a quote here", 1},
	{"\001", PLACE_WORD, TOK_BAD, "this character has no meaning in a query", 1},
	{"-- c", PLACE_WORD, TOK_END, NULL, 0},
	{"-- c\nx", PLACE_WORD, TOK_NEWLINE, NULL, 1},
	{"--format json", PLACE_WORD, TOK_BAD, NULL, 8},
	{"---- c", PLACE_WORD, TOK_END, NULL, 0},
	{"\\\n x", PLACE_WORD, TOK_WORD, "x", 1},
	{"", PLACE_NAME, TOK_END, NULL, 0},
};

static void test_table(void)
{
	for (size_t i = 0; i < COUNT(table); i++) {
		struct token t = token_at(str_c(table[i].text), 0, table[i].place);
		char got[80];

		snprintf(got, sizeof(got), "%.*s", STR_ARG(t.text));
		is_u64((uint64_t)t.kind, (uint64_t)table[i].kind, "'%.*s' is of its kind",
		       LINE(table[i].text));
		is_u64(t.len, table[i].len, "'%.*s' has its length", LINE(table[i].text));
		if (table[i].want)
			is_str(t.kind == TOK_BAD ? t.why : got, table[i].want,
			       "'%.*s' reads", LINE(table[i].text));
	}
}

static void test_numbers(void)
{
	static const struct {
		const char *text;
		uint64_t whole;
		bool integral, percent;
	} number[] = {
		{"0", 0, true, false},
		{"18446744073709551615", UINT64_MAX, true, false},
		{"18446744073709551616", 0, false, false},
		{"1.5k", 1500, true, false},
		{"2M", 2000000, true, false},
		{"3G", 3000000000u, true, false},
		{"0.5", 0, false, false},
		{"7%", 7, true, true},
		{"0xff", 255, true, false},
	};

	for (size_t i = 0; i < COUNT(number); i++) {
		struct token t = token_at(str_c(number[i].text), 0, PLACE_WORD);

		is_u64(t.integral, number[i].integral, "%s is integral or not",
		       number[i].text);
		is_u64(t.percent, number[i].percent, "%s is a percentage or not",
		       number[i].text);
		if (number[i].integral)
			is_u64(t.whole, number[i].whole, "%s", number[i].text);
	}
}

int main(void)
{
	test_table();
	test_numbers();
	is_u64(token_skip_lines(STR(" \n -- c\n\t x"), 0), 10,
	       "lines and comments are skipped");
	return done_testing();
}
