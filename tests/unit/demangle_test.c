/* demangle_test.c - mangled names of C++ and Rust, whole and in pieces, and hostile ones. */
#include "index/base/arena.h"
#include "index/store/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/tap.h"

/* clang-format off */
static const struct {
	const char *name, *want;	/* NULL: stays as it is */
} cases[] = {
	{"_Z3addii", "add(int, int)"},
	{"_ZN3geo3VecIiE4pushERKi", "geo::Vec<int>::push(int const&)"},
	{"_ZNKSt6vectorIiSaIiEE4sizeEv",
	 "std::vector<int, std::allocator<int> >::size() const"},
	{"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()(int) const"},
	{"_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f()"},
	{"_ZdlPvm", "operator delete(void*, unsigned long)"},
	{"_ZTV5Shape", "vtable for Shape"},
	{"_ZL4facti.part.0", "fact(int) [clone .part.0]"},
	{"_ZL4facti.constprop.0.isra.0", "fact(int) [clone .constprop.0] [clone .isra.0]"},
	{"_ZN1A1fEv@plt", "A::f()@plt"},
	{"_ZNSsC1EPKcRKSaIcE@@GLIBCXX_3.4",
	 "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string"
	 "(char const*, std::allocator<char> const&)@@GLIBCXX_3.4"},
	{"_Z4factm'2", "fact(unsigned long)'2"},
	{"_Z1fv'_Z1gv'main", "f()'g()'main"},
	{"main'_Z1gi'3", "main'g(int)'3"},
	{"__ZN1A1fEv", "A::f()"},
	/* Rust: legacy names with their hash, v0 names */
	{"_ZN5alloc3vec12Vec$LT$T$GT$4push17h0123456789abcdefE", "alloc::vec::Vec<T>::push"},
	{"_ZN4core3ptr85drop_in_place$LT$std..rt..lang_start$LT$$LP$$RP$$GT$..$u7b$$u7b$"
	 "closure$u7d$$u7d$$GT$17h9aa3e34f8f8b2b6bE",
	 "core::ptr::drop_in_place<std::rt::lang_start<()>::{{closure}}>"},
	{"_RNvC6shapes4fact", "shapes::fact"},
	{"_RNvC6shapes4fact'2", "shapes::fact'2"},
	{"_RNvXs_NtC6shapes3geoNtB4_6CircleNtB4_5Shape4area",
	 "<shapes::geo::Circle as shapes::geo::Shape>::area"},
	{"_RNvNtNtC4core3ops8functionu8gdel_5qa", "core::ops::function::g\xc3\xb6" "del"},
	{"_RNCNvC6shapes3run0B3_", "shapes::run::{closure#0}"},
	/* OCaml: to 5.0, to 5.3, from 5.4 on */
	{"$s4main3fooyyF", "main.foo"},
	{"_$s4main3BoxV4pushyySiF", "main.Box.push"},
	{"$s10Foundation4DataV5countSivg", "Foundation.Data.count.getter"},
	{"$s4main0A3BoxC5valueACSi_tcfC", "main.mainBox.init"},
	{"$s7AppCore9ImageViewC04loadD03uryS2S_tF", "AppCore.ImageView.loadView"},
	{"$s4main3FooC3bar33_8A1F0B22C3D4E5F60718293A4B5C6D7ELLyyF", "main.Foo.bar"},
	{"$s4main3Foo33_8A1F0B22C3D4E5F60718293A4B5C6D7ELLC3baryyF", "main.Foo.bar"},
	{"$s4main3fooyyFyycfU_", "main.foo.closure"},
	{"$sSS5countSivg", "Swift.String.count.getter"},
	{"$ss5print_9separator10terminatoryypd_S2StF", "Swift.print"},
	{"_T04main3fooyyF", "main.foo"},
	{"$s4main3fooyyF'2", "main.foo'2"},
	{"$s4main", "$s4main"},
	{"$size", "$size"},
	{"$s4mai", "$s4mai"},
	{"$s4main0Z3Box", "$s4main0Z3Box"},
	{"camlStdlib__List__map_506", "Stdlib.List.map"},
	{"camlStdlib__List.map_506", "Stdlib.List.map"},
	{"camlStdlib__List$fold_left_1200", "Stdlib.List.fold_left"},
	{"camlStdlib__List$fold_left_1200'2", "Stdlib.List.fold_left'2"},
	{"camlDune__exe__Main__fun_831", "Dune.exe.Main.(fun)"},
	{"camlDune__exe__Main.fun_831", "Dune.exe.Main.(fun)"},
	{"camlDune__exe__Main.anon_fn$5bmain.ml$3a12$2c3--45$5d_123", "Dune.exe.Main.(fun)"},
	{"camlDune__exe__Main__entry", "Dune.exe.Main.entry"},
	{"camlMain__my__sum_12", "Main.my__sum"},
	{"camlMain.my__sum_12_34_code", "Main.my__sum"},
	{"camlStdlib__Map__Make_1234", "Stdlib.Map.Make"},
	{"camlStdlib$$40_133", "Stdlib.@"},
	{"camlStdlib__$5e_141", "Stdlib.^"},
	{"camlFoo$add_12", "Foo.add"},
	{"camlFoo.b2_12", "Foo.b2"},
	{"camlFoo__f_12@plt", "Foo.f@plt"},
	{"caml_alloc_small_dispatch", NULL}, {"camlStdlib__List", NULL}, {"camlp4", NULL},
	{"camlFoo", NULL}, {"camlFoo.", NULL}, {"camlFoo__", NULL}, {"caml", NULL},
	{"camlFoo$", NULL}, {"camlA$", NULL}, {"camlA__1", "A.1"},
	/* not mangled, or not readable */
	{"main", NULL}, {"", NULL}, {"_", NULL}, {"_Z", NULL}, {"_R", NULL}, {"__Z", NULL},
	{"_Zebra_stripes", NULL}, {"_Read", NULL}, {"_Reset(int)", NULL}, {"_Z3ad", NULL},
	{"_ZN", NULL}, {"_Z3addii trailing", NULL}, {"x_Z3addii", NULL}, {"f'2", NULL},
	{"(below main)", NULL}, {"_Z'_Z", NULL}, {"''''", NULL}, {"_RNv", NULL},
	{"_ZNKSt3__1", NULL},
};
/* clang-format on */

static void run_cases(void)
{
	uint64_t spent = 0;
	struct arena a;

	arena_init(&a, 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str name = str_c(cases[i].name), got = name;
		const char *want = cases[i].want ? cases[i].want : cases[i].name;

		if (demangle_wanted(name))
			got = demangle(name, &spent, &a);
		ok(str_eq(got, str_c(want)), "%s", cases[i].name);
		if (!str_eq(got, str_c(want)))
			fprintf(stderr, "#  got %.*s\n# want %s\n", STR_ARG(got), want);
		if (!cases[i].want)
			ok(got.p == name.p, "%s: not even copied", cases[i].name);
	}
	arena_free(&a);
}

static void put(char *p, size_t *n, const char *s)
{
	memcpy(p + *n, s, strlen(s));
	*n += strlen(s);
}

/* "_Z1fDp" A<A<..., S>, S>: no byte is handed over before each has been looked at. */
static struct str looked_through(char *p, int depth)
{
	static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = 0;

	put(p, &n, "_Z1fDp1AI");
	for (int k = 1; k < depth; k++)
		put(p, &n, "S_I");
	put(p, &n, "S_IiiE");
	for (int k = 0; k < depth; k++) {
		char ref[8] = {'S', '_', 'E'};

		if (k < 36)
			snprintf(ref, sizeof(ref), "S%c_E", digit[k]);
		else
			snprintf(ref, sizeof(ref), "S1%c_E", digit[k - 36]);
		put(p, &n, ref);
	}
	return (struct str){p, n};
}

/* Names that would take all memory, all time or all stack: they stay as they are. */
static void run_hostile(void)
{
	enum { MOST = 200000 };
	uint64_t spent = 0;
	char *p = malloc(MOST + 64);
	struct str name;
	struct arena a;
	size_t n = 0;

	arena_init(&a, 0);
	/* f(pair<S,S>) whose S is the pair before: 2^40 of them */
	put(p, &n, "_Z1fI1A");
	for (int i = 0; i < 40; i++)
		put(p, &n, i == 0 ? "1BIS_S_E" : "1BIS0_S0_E");
	put(p, &n, "Evv");
	name = (struct str){p, n};
	ok(demangle(name, &spent, &a).n <= DEMANGLE_OUT, "doubling substitutions");
	static const char *const repeated[] = {
		"P", "N",  "I",	  "1aI", "DpT_", "M", "F", "X", "L_Z", "ZN",
		"K", "Nv", "C1a", "INv", "NC",	 "T", "S", "_", "0"};

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < COUNT(repeated); i++)
			for (size_t most = 1000; most <= MOST;
			     most = most < MOST ? MOST : MOST + 1) {
				n = 0;
				put(p, &n, k ? "_RNv" : "_Z1f");
				while (n < most)
					put(p, &n, repeated[i]);
				name = (struct str){p, n};
				if (demangle(name, &spent, &a).n > DEMANGLE_OUT + n)
					ok(false, "%s many times", repeated[i]);
			}
	ok(true, "one piece many times over");
	/* f(A<...>...) in which A<x, x> is of A<x, x> 50 times: looked through for a pack */
	for (int k = 0; k < 100; k++) {
		name = looked_through(p, 50);
		if (demangle(name, &spent, &a).p != name.p)
			ok(false, "2^50 steps end");
	}
	ok(spent >= 1000000000 && spent < 2000000000,
	   "2^50 steps, a hundred times: %" PRIu64 " ns", spent);
	spent = 0;
	memset(p, '\'', MOST);
	name = (struct str){p, MOST};
	ok(demangle(name, &spent, &a).p == p, "more pieces than there is room for");
	memcpy(p, "_Z1fv\0_Z1gv", 11);
	name = (struct str){p, 11};
	ok(demangle(name, &spent, &a).p == p, "a NUL inside");
	arena_free(&a);
	arena_init(&a, 16);
	name = STR("_ZN3geo3VecIiE4pushERKi");
	ok(demangle(name, &spent, &a).p == name.p, "no room in the arena");
	arena_free(&a);
	free(p);
}

int main(void)
{
	run_cases();
	run_hostile();
	return done_testing();
}
