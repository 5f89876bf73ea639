/*
 * need.h - what a query cannot go on without: memory, time, a sound index.
 *
 * Without it the query ends where it stands, by map_leave(): so these functions return what
 * they make, and nobody asks whether there is any.  For functions that run under map_guard()
 * alone.  They hold what no arena has by map_hold(), and leave what others will see in such a
 * state that it can be asked for again.
 */
#ifndef QUERN_BASE_NEED_H
#define QUERN_BASE_NEED_H

#include "index/base/arena.h"
#include "index/base/map.h"

struct cancel;

void *need_array(struct arena *a, size_t n, size_t size);
#define NEED_NEW(a, T) ((T *)need_array((a), 1, sizeof(T)))
#define NEED_ARRAY(a, T, n) ((T *)need_array((a), (n), sizeof(T)))
/* As those of arena.h. */
void need_grow(struct arena *a, void *pp, size_t *cap, size_t used, size_t need,
	       size_t size);
struct str need_str(struct arena *a, struct str s);
struct str need_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* An arena for a while, as large as the one that it stands beside may be; NULL: as memory is. */
struct arena *need_scratch(const struct arena *beside);
void scratch_free(struct arena *a);

/* Is there time left, and the user content?  (cancel_poll()) */
void need_time(const struct cancel *c);
/* rc: of a function of the index, whose error is in err. */
static inline void need(int rc, const struct err *err)
{
	if (__builtin_expect(rc != 0, 0))
		map_leave(err);
}
_Noreturn void need_memory(const struct arena *a); /* the arena is full */
/* End with an error that has no place in the query; of memory: err_no_memory(). */
_Noreturn void need_fail(int kind, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
_Noreturn void need_memory_for(const char *doing);
/* End with this error, which gets a hint. */
_Noreturn void need_hint(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
