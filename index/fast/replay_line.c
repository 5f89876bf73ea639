/*
 * replay_line.c - the rare forms of counts; see replay_line.h.
 */
#include "index/fast/replay_line.h"

#include <string.h>

const char *replay_any_jump(const struct link *k, const char *p, uint64_t *count,
			    uint64_t *taken)
{
	const char *rest = k->text + k->before;
	unsigned n = k->len - k->before;

	p += k->before;
	if (is_conditional(k) && (!digits_number(&p, taken) || *p++ != '/'))
		return NULL;
	if (!digits_number(&p, count) || memcmp(p, rest, n) != 0 || p[n] != '\n')
		return NULL;
	if (!is_conditional(k))
		*taken = *count;
	return p + n + 1;
}

bool replay_match_long(const struct link *k, const char **p, uint64_t *count)
{
	const char *text = link_text_of(k), *q = *p;
	size_t n = k->len;

	*count = k->count;
	if (k->flags & LINK_CALL) {
		if (memcmp(q, text, k->before) != 0)
			return false;
		q += k->before;
		if (!digits_number(&q, count))
			return false;
		n -= (size_t)k->before + k->digits;
		text += k->before + k->digits;
	}
	if (memcmp(q, text, n) != 0)
		return false;
	*p = q + n;
	return true;
}
