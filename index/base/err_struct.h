/*
 * err_struct.h - struct err, for those who look at an error and hand it on; err.h makes one.
 *
 * Most sources include this header, so all that may change is in others.
 */
#ifndef QUERN_BASE_ERR_STRUCT_H
#define QUERN_BASE_ERR_STRUCT_H

#include <stdbool.h>
#include <stdint.h>

#define ERR_NOWHERE UINT64_MAX /* at: an error that has no place in the query */

struct err {
	int kind;     /* enum err_kind (err_kind.h); 0: no error */
	uint64_t at;  /* byte offset in the query, or line of the file; 0: none */
	uint32_t len; /* bytes underlined in a query */
	bool lost;    /* the last err_set() was ignored, so its hint is, too */
	char text[600];
	char hint[400]; /* what to do instead; may be empty */
};

#endif
