/*
 * variant.h - the name of a function without what another build numbers anew.
 *
 *	rule		in the name				without it
 *	clone number	parse.constprop.0, parse.llvm.8812	parse.constprop, parse.llvm
 *	clone		parse.constprop, parse [clone .cold]	parse
 *			parse (.isra.0), parse.avx2, parse@@V_1	parse
 *	hash		app::run::h0123456789abcdef		app::run
 *			core[846817f741e54dfd]::fmt::write	core::fmt::write
 *	line		{closure:/srv/a.php:3-9}		{closure:a.php:}
 *			class@anonymous/srv/a.php:12$0->run	class@anonymous->run
 *	lambda		main::{lambda(int)#2}, main.func1	main::{lambda(int)#}, main.func
 *
 * Sources: GCC's clone_function_name() and LLVM's ThinLTO promotion (suffixes), both
 * compilers' target_clones, LLVM's demangler (round brackets), ELF's versions of symbols, Rust's
 * RFC 2603 and its legacy mangling (hashes), Xdebug's names of PHP's closures and
 * anonymous classes (lines), the Itanium C++ ABI 5.1.8 (lambda numbers), Go's
 * closure names.
 */
#ifndef QUERN_VARIANT_H
#define QUERN_VARIANT_H

#include "index/base/bytes.h"
#include "index/base/str.h"

enum variant_rule {
	VARIANT_CLONE_NUMBER = 1,
	VARIANT_HASH = 2,
	VARIANT_LINE = 4,
	VARIANT_LAMBDA = 8,
	VARIANT_CLONE = 16, /* and the clone number */
	VARIANT_ALL = 31,
};

enum { VARIANT_NUMBERS = 8 };

struct variant {
	struct str text;  /* in the caller's buffer until its next use */
	unsigned changed; /* the rules that took something away */
	/* Lines and lambda numbers in their order; if there are more, the last is a hash
	 * of the others: equal names have equal ones, but the order means nothing. */
	uint64_t number[VARIANT_NUMBERS];
	unsigned numbers;
	bool more;
	uint64_t extent; /* lines that closures span, added up */
	bool part, cold; /* a clone that is only a part of its function */
};

/* Apply the rules to a name.  Returns 0, or -1 if memory is out. */
int variant_of(struct str name, unsigned rules, struct bytes *buffer,
	       struct variant *out);
/* Order by the numbers. */
int variant_cmp(const struct variant *a, const struct variant *b);

#endif
