/* err_kind.h - the kinds of errors (err.h), for those who name one, and what follows from
 * a kind. */
#ifndef QUERN_BASE_ERR_KIND_H
#define QUERN_BASE_ERR_KIND_H

enum err_kind {
	ERR_NONE = 0,
	ERR_USAGE,   /* wrong options: exit 2 */
	ERR_QUERY,   /* the query is wrong, or no function matched: exit 1 */
	ERR_PROFILE, /* cannot be read, is not a profile, is truncated: exit 3 */
	ERR_EXPECT,  /* `expect` failed: exit 4 */
	ERR_INDEX,   /* cannot be built or written, or is damaged: exit 5 */
	ERR_LOCKED,  /* another process builds this index: exit 5 */
	ERR_STALE,   /* the index is not of this profile or version: rebuild it */
	ERR_LIMIT,   /* a limit was hit (memory, rows, time, nesting): exit 6 */
	ERR_CANCEL,  /* interrupted by the user: exit 130 */
	ERR_OUTPUT,  /* the result could not be written: exit 1 */
};

int err_exit_status(int kind);
/* The kind of error for a failed call with errno `why`: ERR_LIMIT if memory was out. */
int err_kind_of(int why, int otherwise);

#endif
