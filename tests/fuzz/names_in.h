/* names_in.h - shared by names.c and names_profile.c. */
#ifndef QUERN_NAMES_IN_H
#define QUERN_NAMES_IN_H

#include <stdbool.h>
#include <stddef.h>

#include "index/base/str.h"
#include "tests/support/fuzzing.h"
#include "tests/support/parse_back.h"

struct result;

enum { NAMES = 24 };

struct input {
	struct str name[NAMES];
	size_t n;
	unsigned shape; /* of the answer */
};

/* The harmless name that stands for name i. */
struct str names_harmless(size_t i);
/* A name as a page shows it; in the memory of b. */
struct str names_in_xml(struct back *b, struct str name);
/* Fail unless page b is `want` with `names` in place of the harmless ones.  skip: elements
 * that other laws are for; or NULL. */
void names_same_page(struct back *b, const struct back *want, const struct str *names,
		     bool (*skip)(const struct back *b, size_t i), const char *format);
/* Render r into o, which is opened here. */
void names_draw(struct out *o, struct result *r, enum format format);
/* Index a profile of these names and check its report and its copy (names_profile.c). */
void names_check_profile(const struct input *in);

#endif
