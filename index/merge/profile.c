/* profile.c - a whole profile; see profile.h. */
#include "index/merge/profile.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/err.h"
#include "index/base/vec.h"

uint32_t profile_event(const struct profile *p, struct str name)
{
	const uint32_t h = (uint32_t)str_hash(name);
	uint32_t probe = hash_start(&p->event_by, h), e;

	while ((e = hash_next(&p->event_by, h, &probe)) != HASH_NONE)
		if (str_eq(p->event[e].name, name))
			break;
	return e;
}

int profile_add_event(struct profile *p, size_t n, const struct event *event)
{
	if (vec_reserve(&p->event, &p->event_cap, n + 1, sizeof(*p->event)) ||
	    hash_add(&p->event_by, (uint32_t)str_hash(event->name), (uint32_t)n))
		return -1;
	p->event[n] = *event;
	return 0;
}

bool profile_begins_file(const struct profile *p, size_t k)
{
	return k == 0 || p->tally[k]->of_file != p->tally[k - 1]->of_file;
}

int profile_odd(struct profile *p, size_t k, enum odd kind, uint64_t line,
		struct str text, struct err *err)
{
	struct odd_count *c = &p->odds[kind];
	size_t cap = p->nodd;

	/* A file may have millions of odd lines: a few of each kind say enough. */
	c->count++;
	if (c->n >= ODD_KEPT)
		return 0;
	if (vec_reserve(&p->odd, &cap, p->nodd + 1, sizeof(*p->odd)))
		return err_no_memory(err, "while merging");
	p->odd[p->nodd++] =
		(struct odd_line){kind, p->tally[k]->of_file, p->map[k].lines + line,
				  arena_str(&p->arena, text)};
	c->n++;
	return 0;
}

/*
 * A part that a cut goes through has a slot in both stretches:
 *
 *	tally 0: part 0, part 1		tally 1: part 1 goes on, part 2
 *	first slots: 0 -> (0, 0)  1 -> (0, 1)  2 -> (1, 1)
 */
struct part_slots *profile_part_slots(const struct profile *p)
{
	struct part_slots *at = malloc((p->npart + 1) * sizeof(*at));
	uint32_t before = NO_ID;

	for (uint32_t k = 0; at && k < p->ntally; k++)
		for (uint32_t i = 0; i < p->tally[k]->parts.n; i++) {
			uint32_t part = p->map[k].part[i];

			if (part != before)
				at[part] = (struct part_slots){k, i};
			before = part;
		}
	return at;
}

bool profile_next_slot(const struct profile *p, struct part_slots *at)
{
	uint32_t part = p->map[at->k].part[at->i];

	if (++at->i == p->tally[at->k]->parts.n) {
		at->i = 0;
		at->k++;
	}
	return at->k < p->ntally && p->map[at->k].part[at->i] == part;
}

struct activation_part *profile_block_parts(const struct profile *p, size_t k, size_t end,
					    size_t *n)
{
	struct activation_part *parts;
	uint64_t blocks = 0;
	size_t most = 1;

	for (size_t i = k; i < end; i++)
		most += p->tally[i]->parts.n;
	parts = calloc(most, sizeof(*parts));
	*n = 0;
	for (size_t i = k; parts && i < end; i++) {
		struct tally *t = p->tally[i];

		for (size_t s = 0; s < t->parts.n; s++) {
			const struct part_slot *slot = tally_part(t, s);

			if (slot->begins || !*n)
				parts[(*n)++] = (struct activation_part){
					blocks + slot->blocks_at, p->map[i].part[s]};
		}
		blocks += t->log.blocks;
	}
	return parts;
}

void profile_free(struct profile *p)
{
	for (size_t k = 0; p->map && k < p->ntally; k++) {
		struct merge_map *m = &p->map[k];

		for (int s = 0; s < SPACES; s++)
			free(m->name[s]);
		free(m->fn);
		free(m->event);
		free(m->part);
	}
	for (int s = 0; s < SPACES; s++)
		free(p->name[s]);
	for (size_t e = 0; p->edge_cost && e < p->nevent; e++)
		free(p->edge_cost[e].sum);
	void *const arrays[] = {p->event,  p->fn_name,	p->fn_file,    p->fn_obj,
				p->self,   p->fn_begin, p->calls_only, p->bare,
				p->callee, p->edge_of,	p->out_first,  p->part,
				p->odd,	   p->map,	p->calls.sum,  p->edge_cost};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		free(arrays[i]);
	hash_free(&p->event_by);
	contexts_free(&p->contexts);
	arena_free(&p->arena);
	memset(p, 0, sizeof(*p));
}

bool profile_may_forget(const struct profile *p)
{
	for (size_t k = 0; k < p->ntally; k++)
		if (p->tally[k]->kept)
			return false;
	return true;
}
