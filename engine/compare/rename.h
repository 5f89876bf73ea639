/*
 * rename.h - names changed by s/RE/TO/ before they are compared (--rename).
 *
 * RE is a PCRE2 regular expression; TO may use $1 and ${name}.  Any other byte can stand
 * in place of the slashes.  The flag g changes every match, i ignores case.
 */
#ifndef QUERN_RENAME_H
#define QUERN_RENAME_H

#include "index/base/str.h"

struct arena;
struct err;
struct rename; /* one compiled rule */

struct renames {
	struct rename **rule; /* in the order given */
	size_t n, cap;
};

/* Compile a rule and add it.  ERR_USAGE if it is not s/RE/TO/ or RE is wrong. */
int rename_add(struct renames *r, struct str rule, struct err *err);
void rename_clear(struct renames *r);
/* The text of rule i as given. */
struct str rename_text(const struct renames *r, size_t i);
/* The name after all rules: itself, or a copy in the arena.  ERR_LIMIT if a rule gives
 * up, or the arena is full. */
int rename_apply(const struct renames *r, struct str name, struct arena *a,
		 struct str *out, struct err *err);

#endif
