/*
 * expected.h - words and names that may stand where an unfinished query ends (Tab).
 *
 * The parser fills it in: see parse_expected() of parse.h.
 */
#ifndef QUERN_EXPECTED_H
#define QUERN_EXPECTED_H

#include <stdbool.h>
#include <stddef.h>

enum query_want {
	WANT_VERB = 1,
	WANT_STAGE = 2,
	WANT_EVENT = 4,
	WANT_FUNCTION = 8,
	WANT_COLUMN = 16,
	WANT_PROFILE = 32,
	WANT_FORMAT = 64,
	WANT_FILE = 128,
	WANT_KEYWORD = 256,
	WANT_OBJECT = 512,
	WANT_SOURCE_FILE = 1024,
	WANT_VALUE = 2048, /* after $ */
};
struct query_context {
	unsigned want;	/* enum query_want, or-ed */
	size_t word_at; /* byte where the word starts (a quote is not part of it) */
	bool quoted;	/* inside "..." */
	const struct verb *source; /* whose columns are wanted; NULL: functions */
	bool vs;		   /* and of a comparison */
	const char *keywords[48];  /* NULL-terminated, for WANT_KEYWORD */
	size_t nkeywords;
};

#endif
