/*
 * gen_xdebug.c - a profile as Xdebug writes them; see gen.h.
 *
 * A random walk of calls, one block per activation, callees before callers.
 */
#include "bench/gen.h"

#include <stdlib.h>
#include <string.h>

enum {
	VARIANTS = 4, /* ways a function behaves */
	DEPTH = 40,
	LOOPS = 40, /* in a function that drives others */
};

static void keep_call(struct gen *g, uint64_t fn, uint64_t line, const uint64_t *cost)
{
	uint64_t n = g->s.events;

	if (g->nmade == g->made_cap) {
		g->made_cap = g->made_cap ? g->made_cap * 2 : 1024;
		g->made = realloc(g->made, g->made_cap * sizeof(*g->made));
		g->made_cost = realloc(g->made_cost, g->made_cap * n * sizeof(*cost));
		if (!g->made || !g->made_cost)
			die("calls", "out of memory");
	}
	g->made[g->nmade] = (struct made){(uint32_t)fn, (uint32_t)line};
	memcpy(g->made_cost + g->nmade++ * n, cost, n * sizeof(*cost));
}

static void put_activation(struct gen *g, uint64_t f, size_t from, const uint64_t *self)
{
	ref_file(g, "fl=", file_of(g, f));
	ref_fn(g, "fn=", f);
	g->p = put_costs(put_u64(g->p, start_line(f)), self, g->s.events);
	for (size_t i = from; i < g->nmade; i++) {
		const struct made *m = &g->made[i];

		ref_file(g, "cfl=", file_of(g, m->fn));
		ref_fn(g, "cfn=", m->fn);
		g->p = put_c(g->p, "calls=1 0 0\n");
		g->p = put_costs(put_u64(g->p, m->line), g->made_cost + i * g->s.events,
				 g->s.events);
	}
	room(g);
	*g->p++ = '\n';
	for (uint64_t e = 0; e < g->s.events; e++)
		g->total[e] += self[e];
}

static void self_costs(struct gen *g, uint64_t *r, uint64_t *self)
{
	uint64_t c = draw(r);

	self[0] = 20 + (c >> 8) % ((uint64_t)1 << (4 + c % 12));
	for (uint64_t e = 1; e < g->s.events; e++)
		self[e] = c >> 62 ? 0 : (c >> (8 + e % 32)) % 1000;
}

/* Run f: what it calls first, then its own block; incl gets its inclusive cost. */
static void activate(struct gen *g, uint64_t f, unsigned depth, uint64_t *r,
		     uint64_t *incl)
{
	uint64_t way = draw(r) % (VARIANTS + 2), cost[EVENTS];
	uint64_t look = mix(f * VARIANTS + (way < VARIANTS ? way : 0)),
		 line = start_line(f);
	size_t from = g->nmade;

	self_costs(g, r, incl);
	memcpy(cost, incl, sizeof(cost));
	for (uint64_t j = 0; j < g->s.edges && depth < DEPTH; j++) {
		uint64_t to = callee(g, f, j), got[EVENTS];

		line += 1 + look % 3;
		look = mix(look);
		if (to == 0 || look % (g->s.edges + g->s.edges / 4) > 0)
			continue;
		activate(g, to, depth + 1, r, got);
		keep_call(g, to, line, got);
		for (uint64_t e = 0; e < g->s.events; e++)
			incl[e] += got[e];
	}
	put_activation(g, f, from, cost);
	g->nmade = from;
}

/* Run f as one that calls many functions in loops; *next is the lowest that did not run. */
static void drive(struct gen *g, uint64_t f, uint64_t *next, uint64_t *r, uint64_t *incl)
{
	uint64_t self[EVENTS], got[EVENTS], line = start_line(f), n = g->s.functions;
	size_t from = g->nmade;

	self_costs(g, r, self);
	memcpy(incl, self, sizeof(self));
	for (unsigned i = 0; i < LOOPS && f + 1 < n; i++) {
		uint64_t c = draw(r), to = f + 1 + (c >> 16) % (n - f - 1);

		if (*next < n)
			to = (*next)++;
		for (uint64_t turns = 1 + c % 32; turns > 0; turns--) {
			activate(g, to, 2, r, got);
			keep_call(g, to, line + i, got);
			for (uint64_t e = 0; e < g->s.events; e++)
				incl[e] += got[e];
		}
	}
	put_activation(g, f, from, self);
	g->nmade = from;
}

/* main calls the first tenth of the functions in turn, and they the others. */
void put_xdebug(struct gen *g)
{
	uint64_t r = mix(g->s.seed), self[EVENTS], got[EVENTS];
	uint64_t drivers = min(g->s.functions / 10 + 1, g->s.functions - 1),
		 next = drivers + 1;

	g->p = put_c(g->p,
		     "version: 1\ncreator: xdebug 3.2.0 (bench/gen)\ncmd: /src/main.php\n"
		     "part: 1\npositions: line\n\n");
	put_events(g);
	*g->p++ = '\n';
	for (uint64_t i = 0;
	     i < drivers || next < g->s.functions || size_now(g) < g->s.bytes; i++) {
		uint64_t f = 1 + i % drivers;

		drive(g, f, &next, &r, got);
		keep_call(g, f, 1 + f % 1000, got);
	}
	self_costs(g, &r, self);
	put_activation(g, 0, 0, self);
	g->p = put_costs(put_c(g->p, "summary:"), g->total, g->s.events);
	*g->p++ = '\n';
}
