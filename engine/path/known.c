/*
 * known.c - costs of one set under another over known stacks; see known.h.
 *
 * A caller stands before those that it calls.  So what holds above a vertex is known when
 * it is met, and one pass over the vertices is enough.
 */
#include "engine/path/known.h"

#include "engine/flow/flow.h"
#include "engine/names/fnset.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"

enum { POLL = 65536 };

static void poll_at(const struct cancel *cancel, uint32_t v)
{
	if (!(v % POLL))
		need_time(cancel);
}

/* What is above a vertex: see path_cost.c, whose states these are. */
enum { OUTSIDE, UNDER, VIA_SEEN, INSIDE };

static bool has(const struct fn_set *set, uint32_t f)
{
	return set && fnset_has(set, f);
}

static uint8_t next_state(const struct path_cost_query *q, uint32_t f, uint8_t state)
{
	const bool passed = state != OUTSIDE; /* `under` is above, not here */

	if (state == INSIDE)
		return state;
	if (has(q->avoiding, f))
		return OUTSIDE;
	if (state == OUTSIDE && has(q->under, f))
		state = UNDER;
	if (state == UNDER && has(q->via, f))
		state = VIA_SEEN;
	return passed && state == (q->via ? VIA_SEEN : UNDER) && has(q->of, f) ? INSIDE
									       : state;
}

void known_cost(const struct stacks *s, const struct path_cost_query *q, struct arena *a,
		const struct cancel *cancel, int64_t *out, uint64_t *calls)
{
	const uint8_t enter = q->under ? OUTSIDE : UNDER;
	uint8_t *state = NEED_ARRAY(a, uint8_t, (size_t)s->n + 1);

	*out = 0;
	*calls = 0;
	for (uint32_t v = 0; v < s->n; v++) {
		const uint8_t above =
			s->caller[v] == FLOW_NONE ? enter : state[s->caller[v]];

		state[v] = next_state(q, s->fn[v], above);
		if (state[v] == INSIDE && above != INSIDE)
			cost_add(out, s->incl[v]);
		if (state[v] == INSIDE && has(q->of, s->fn[v]))
			count_add(calls, s->calls[v]);
		poll_at(cancel, v);
	}
}
