/* variant_test.c - what a name is without its clone suffixes, hashes, lines and numbers. */
#include "engine/compare/variant.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/tap.h"

static const struct {
	const char *name, *with;
	unsigned rules;
	const char *without;
	unsigned numbers;
	uint64_t extent;
} cases[] = {
	{"nothing to do", "parse(int)", VARIANT_ALL, "parse(int)", 0, 0},
	{"empty", "", VARIANT_ALL, "", 0, 0},
	{"clone number", "f.constprop.12", VARIANT_CLONE_NUMBER, "f.constprop", 0, 0},
	{"two clone numbers", "f.isra.0.part.3", VARIANT_CLONE_NUMBER, "f.isra.part", 0,
	 0},
	{"no number", "f.cold", VARIANT_CLONE_NUMBER, "f.cold", 0, 0},
	{"clones", "f.isra.0.part.3", VARIANT_CLONE, "f", 0, 0},
	{"of a name for one file", "f.__uniq.12.llvm.34", VARIANT_CLONE, "f", 0, 0},
	{"for constants", "f.specialized.2", VARIANT_CLONE, "f", 0, 0},
	{"for processors", "f.avx2 f.arch_haswell.0 f.default f.sse4_2", VARIANT_CLONE,
	 "f f f f", 0, 0},
	{"number of a processor", "f.avx2.12", VARIANT_CLONE_NUMBER, "f.avx2", 0, 0},
	{"in round brackets", "f(int) (.isra.0) (.cold)", VARIANT_CLONE, "f(int)", 0, 0},
	{"a pattern", "f (.*)(int)", VARIANT_CLONE, "f (.*)(int)", 0, 0},
	{"version", "pthread_create@@GLIBC_2.34", VARIANT_CLONE, "pthread_create", 0, 0},
	{"old version", "memcpy@GLIBC_2.2.5", VARIANT_CLONE, "memcpy", 0, 0},
	{"of a method", "A::put(char)@@GLIBCXX_3.4", VARIANT_CLONE, "A::put(char)", 0, 0},
	{"a stub is no version", "memcpy@plt", VARIANT_CLONE, "memcpy@plt", 0, 0},
	{"nor is a class", "class@anonymous", VARIANT_CLONE, "class@anonymous", 0, 0},
	{"promoted", "f.llvm.1234567890123", VARIANT_CLONE, "f", 0, 0},
	{"in brackets", "f(int) [clone .isra.0] [clone .cold]", VARIANT_CLONE, "f(int)",
	 0, 0},
	{"recursion stays", "f.part.0'2", VARIANT_CLONE, "f'2", 0, 0},
	{"a word that goes on", "f.partial.0", VARIANT_CLONE, "f.partial.0", 0, 0},
	{"a word that needs a number", "main.part", VARIANT_CLONE, "main.part", 0, 0},
	{"no bracket closes", "f [clone .cold [clone x", VARIANT_CLONE,
	 "f [clone  [clone x", 0, 0},
	{"a suffix alone", ".cold", VARIANT_CLONE, ".cold", 0, 0},
	{"a Rust hash", "app::run::h0123456789abcdef", VARIANT_HASH, "app::run", 0, 0},
	{"a hash before .llvm", "run::h0123456789abcdef.llvm.77",
	 VARIANT_HASH | VARIANT_CLONE, "run", 0, 0},
	{"too short for a hash", "app::h0123456789abcde", VARIANT_HASH,
	 "app::h0123456789abcde", 0, 0},
	{"too long for a hash", "app::h0123456789abcdef0", VARIANT_HASH,
	 "app::h0123456789abcdef0", 0, 0},
	{"a crate's hash", "core[846817f741e54dfd]::fmt::write", VARIANT_HASH,
	 "core::fmt::write", 0, 0},
	{"a method of C++ named so", "C::h0123456789abcdef(int)", VARIANT_HASH,
	 "C::h0123456789abcdef(int)", 0, 0},
	{"an array", "f(char[16])", VARIANT_HASH, "f(char[16])", 0, 0},
	{"mangled", "_ZN3app3run17h0123456789abcdefE", VARIANT_HASH, "_ZN3app3runE", 0,
	 0},
	{"mangled anew", "_RNvCsiWbSGUFfVGr_3app3run", VARIANT_HASH, "_RNv3app3run", 0,
	 0},
	{"a closure of PHP", "{closure:/srv/a.php:3-9}", VARIANT_LINE, "{closure:a.php:}",
	 1, 6},
	{"a closure in a method", "{closure:App\\F->run():12}", VARIANT_LINE,
	 "{closure:App\\F->run():}", 1, 0},
	{"a class without a name", "{anonymous-class:/srv/a.php:14-16}->run",
	 VARIANT_LINE, "{anonymous-class:a.php:}->run", 1, 2},
	{"an anonymous class", "class@anonymous/srv/a.php:12$0->run", VARIANT_LINE,
	 "class@anonymous->run", 1, 0},
	{"and its parent", "Base@anonymous->run", VARIANT_LINE, "Base@anonymous->run", 0,
	 0},
	{"a C++ lambda", "main::{lambda(int)#2}::operator()(int) const", VARIANT_LAMBDA,
	 "main::{lambda(int)#}::operator()(int) const", 1, 0},
	{"clang's lambda", "main::$_12::operator()() const", VARIANT_LAMBDA,
	 "main::$_::operator()() const", 1, 0},
	{"Go's closures", "main.run.func1.2", VARIANT_LAMBDA, "main.run.func", 2, 0},
	{"no closure, but Go's function func1", "example.com/x/main.func1",
	 VARIANT_LAMBDA, "example.com/x/main.func1", 0, 0},
	{"a closure outside of functions", "main.glob..func1", VARIANT_LAMBDA,
	 "main.glob..func", 1, 0},
	{"a Go function", "main.function1", VARIANT_LAMBDA, "main.function1", 0, 0},
	{"Rust's closure", "app::run::{closure#0}", VARIANT_LAMBDA,
	 "app::run::{closure#}", 1, 0},
	{"a number sign", "f#2", VARIANT_LAMBDA, "f#2", 0, 0},
	{"a rule that is not asked for", "f.isra.0", VARIANT_LAMBDA, "f.isra.0", 0, 0},
};

/* More numbers than are kept: names that differ in the last one stay different. */
static void further_numbers(struct bytes *buffer)
{
	static const char many[] = "{#1}{#2}{#3}{#4}{#5}{#6}{#7}{#8}{#9}";
	char other[sizeof(many)];
	struct variant v[3];

	memcpy(other, many, sizeof(many));
	other[sizeof(many) - 3] = '7';
	ok(variant_of(str_c(many), VARIANT_LAMBDA, buffer, &v[0]) == 0 &&
		   variant_of(str_c(other), VARIANT_LAMBDA, buffer, &v[1]) == 0 &&
		   variant_of(str_c(many), VARIANT_LAMBDA, buffer, &v[2]) == 0,
	   "nine numbers");
	ok(variant_cmp(&v[0], &v[1]) != 0, "  the ninth tells them apart");
	ok(variant_cmp(&v[0], &v[2]) == 0 && v[0].more, "  equal names are equal");
}

int main(void)
{
	struct bytes buffer = {0};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct variant v;
		int rc = variant_of(str_c(cases[i].with), cases[i].rules, &buffer, &v);

		ok(rc == 0 && str_eq(v.text, str_c(cases[i].without)), "%s: '%.*s'",
		   cases[i].name, STR_ARG(v.text));
		is_u64(v.numbers, cases[i].numbers, "  numbers");
		is_u64(v.extent, cases[i].extent, "  extent");
		is_u64(v.changed != 0, !str_eq(v.text, str_c(cases[i].with)),
		       "  changed");
	}
	further_numbers(&buffer);
	free(buffer.p);
	return done_testing();
}
