/*
 * str.h - string views: bytes that somebody else owns.
 *
 * A profile's names are bytes: they may hold NUL, control bytes and any encoding, so
 * nothing here stops at a NUL.  A view is valid as long as its owner: a view of the store
 * until the store is closed, one of a query arena until the next arena_reset().
 */
#ifndef QUERN_BASE_STR_H
#define QUERN_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
	const char *p;
	size_t n; /* bytes */
};

#define STR(lit) ((struct str){"" lit, sizeof(lit) - 1})
/* For printf("%.*s", STR_ARG(s)); stops at a NUL, so only for messages. */
#define STR_ARG(s) (int)((s).n > 4096 ? 4096 : (s).n), (s).p

struct str str_c(const char *c); /* NULL gives the empty view */
bool str_eq(struct str a, struct str b);
int str_cmp(struct str a, struct str b); /* memcmp order, a prefix first */
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
struct str str_trim(struct str s);	      /* blanks, tabs and CR at both ends */
struct str str_from(struct str s, size_t at); /* the rest from byte at */
/* Its first n bytes, or less: no letter of UTF-8 is cut in two. */
struct str str_cut(struct str s, size_t n);
/* Take the next word of s, without the blanks and tabs around it; empty: there is none. */
struct str str_word(struct str *s);
/* How many bytes a and b begin with that are the same, by whole letters of UTF-8. */
size_t str_common(struct str a, struct str b);
/* The place of a word in a list with blanks between its words; -1: it is not in it. */
int str_place(const char *list, struct str word);
size_t str_find(struct str s, char c);		      /* s.n if not found */
size_t str_find_str(struct str s, struct str needle); /* s.n if not found */
uint64_t str_hash(struct str s);		      /* XXH3-64 */
void str_hash128(struct str s, uint64_t hash[2]);     /* XXH3-128 */
struct str str_after_slash(struct str path);	      /* a path of this machine */
/* A path in a profile, of any machine: in C:\a, C:/a, \\host\a and src\a also a backslash
 * separates. */
bool str_is_windows(struct str path);
struct str str_basename(struct str path);
/* Levenshtein distance with transposition, in bytes; max + 1 if it is above max. */
unsigned str_distance(struct str a, struct str b, unsigned max);

/* v with commas between thousands, in out. */
const char *str_grouped(uint64_t v, char out[32]);
const char *str_grouped_signed(int64_t v, char out[32]);
/* Digits in groups, as an argument of printf(): valid to the end of the block. */
#define GROUPED(v) str_grouped((v), (char[32]){0})
#define GROUPED_SIGNED(v) str_grouped_signed((v), (char[32]){0})
/* s as a decimal or 0x number; false if it is anything else or overflows. */
bool str_u64(struct str s, uint64_t *out);

#endif
