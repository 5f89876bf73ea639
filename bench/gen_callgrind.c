/*
 * gen_callgrind.c - a profile of parts, as callgrind writes them; see gen.h.
 *
 * A part is written from its highest function down, so when f is written the inclusive cost of
 * all it calls is known: each caller of g in turn takes its share,
 *
 *	share = left[g] / callers[g];   left[g] -= share;   callers[g] -= 1
 *
 * and the last takes the rest.  So self costs add up to "totals:", and the incoming edges
 * of a function to its inclusive cost, exactly.
 *
 * What a function looks like (its lines, steps, calls) depends on the seed and on the
 * function alone, its costs on the part too: parts repeat each other but for numbers, as
 * those of callgrind do.  Some calls are still open when a part ends.  The next part has
 * such a call without the cost line before it.  callgrind writes the position of a call,
 * and an fi= for it, relative to the last cost line, and the call does not replace that
 * line.  With more functions than a part has room for, a part holds a window of them, and
 * windows of successive parts overlap by half.
 */
#include "bench/gen.h"

#include <string.h>

enum {
	LINES = 24,	  /* cost lines of a function, about, unless bytes ask for more */
	FN_SPAN = 0x1000, /* bytes of code between functions */
};

/* Write the position at the start of a line: absolute before the first cost line of a block,
 * relative to the last cost line after it. */
static inline void put_position(struct gen *g, uint64_t addr, uint64_t line)
{
	char *p = g->p;

	if (g->s.instr) {
		p = g->fresh ? put_hex(p, addr) : put_step(p, g->addr, addr);
		*p++ = ' ';
	}
	g->p = g->fresh ? put_u64(p, line) : put_step(p, g->line, line);
}

static inline void put_target(struct gen *g, uint64_t addr, uint64_t line)
{
	*g->p++ = ' ';
	if (g->s.instr) {
		g->p = put_hex(g->p, addr);
		*g->p++ = ' ';
	}
	g->p = g->fresh ? put_u64(g->p, line) : put_step(g->p, g->line, line);
	*g->p++ = ' ';
	*g->p++ = '\n';
}

static inline uint64_t start_addr(uint64_t f)
{
	return 0x400000 + f * FN_SPAN;
}

/* One call with its cost line; takes the caller's share of the callee's cost. */
static void put_call(struct gen *g, uint64_t to, uint64_t count, uint64_t addr,
		     uint64_t line, uint64_t *incl)
{
	uint64_t file = file_of(g, to), share[EVENTS], n = g->callers[to]--;

	if (obj_of(file) + 1 != g->in_obj)
		ref_obj(g, "cob=", obj_of(file));
	if (file + 1 != g->in_file)
		ref_file(g, "cfi=", file);
	ref_fn(g, "cfn=", to);
	room(g);
	g->p = put_u64(put_c(g->p, "calls="), count);
	put_target(g, start_addr(to), start_line(to));
	put_position(g, addr, line);
	for (uint64_t e = 0; e < g->s.events; e++) {
		uint64_t *left = &g->left[to * g->s.events + e];

		share[e] = *left / n;
		*left -= share[e];
		incl[e] += share[e];
	}
	g->p = put_costs(g->p, share, g->s.events);
}

static void put_jump(struct gen *g, uint64_t r, uint64_t count, uint64_t addr,
		     uint64_t line)
{
	g->p = put_c(g->p, r & 16 ? "jump=" : "jcnd=");
	if (!(r & 16)) {
		g->p = put_u64(g->p, count / 2 + 1);
		*g->p++ = '/';
	}
	g->p = put_u64(g->p, count + 1);
	put_target(g, addr + 8 + (r >> 8) % 64, line + (r >> 16) % 8);
	put_position(g, addr, line);
	*g->p++ = ' ';
	*g->p++ = '\n';
}

/* Events beyond the first are rarer the further right they stand. */
static inline void line_costs(const struct gen *g, uint64_t r, uint64_t base,
			      uint64_t *cost)
{
	uint64_t n = g->s.events;

	cost[0] = base;
	if (n == 1)
		return;
	memset(cost + 1, 0, (n - 1) * sizeof(*cost));
	if (r & 1)
		return;
	cost[1] = base >> (r >> 1 & 1);
	if (r & 4)
		return;
	for (uint64_t e = 2 + (r >> 3) % n; e < n; e += 3)
		cost[e] = base >> (e & 7);
}

/* Write fi= or fe= if the next line of f is in another file than the last cost line. */
static void put_file(struct gen *g, uint64_t f, uint64_t file)
{
	if (file + 1 != g->in_file)
		ref_file(g, file == file_of(g, f) ? "fe=" : "fi=", file);
}

static void put_cost_line(struct gen *g, uint64_t file, uint64_t addr, uint64_t line,
			  const uint64_t *cost)
{
	put_position(g, addr, line);
	g->fresh = false;
	g->addr = addr;
	g->line = line;
	g->in_file = file + 1;
	g->p = put_costs(g->p, cost, g->s.events);
}

/* The n lines and the calls of f; self and incl grow. */
static void put_lines(struct gen *g, uint64_t f, uint64_t part, uint64_t n,
		      uint64_t *self, uint64_t *incl)
{
	uint64_t look = mix(g->s.seed ^ f * 3), price = mix(look ^ (part + 1) << 20);
	uint64_t addr = start_addr(f), line = start_line(f), base = 1, cost[EVENTS];
	uint64_t every = n / (g->s.edges + 1) + 1, j = 0;
	bool inlined = look % 8 == 0 && n > 8, was_open = part && price % 4 == 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t r = draw(&look), due = i + 1 < n ? (i + 1) / every : g->s.edges;

		const bool inside = inlined && i >= n / 4 && i < n / 2;
		const uint64_t file = (file_of(g, f) + inside) % g->s.files;

		if (r % 8 == 0 || i == 0) {
			uint64_t c = draw(&price);

			base = 1 + (c >> 8) % ((uint64_t)1 << (1 + c % 16));
		}
		addr += i ? 1 + (r >> 3) % 8 : 0;
		if (!g->s.instr || r >> 8 & 1)
			line += 1 + (r >> 9) % 3;
		put_file(g, f, file);
		room(g);
		if (!was_open || j == due || !callee(g, f, j)) {
			line_costs(g, r >> 16, base, cost);
			for (uint64_t e = 0; e < g->s.events; e++)
				self[e] += cost[e];
			put_cost_line(g, file, addr, line, cost);
			if (g->s.jumps && (r >> 12) % 10 == 0)
				put_jump(g, r, base, addr, line);
		}
		for (; j < due; j++)
			if (callee(g, f, j))
				put_call(g, callee(g, f, j), base, addr, line, incl);
	}
}

static void put_function(struct gen *g, uint64_t f, uint64_t part)
{
	uint64_t self[EVENTS] = {0}, incl[EVENTS] = {0}, file = file_of(g, f);
	uint64_t n = 1 + g->lines * (32 + mix(g->s.seed ^ f * 7) % 65) / 64 / 64;

	if (obj_of(file) + 1 != g->in_obj)
		ref_obj(g, "ob=", obj_of(file));
	if (file + 1 != g->in_file)
		ref_file(g, "fl=", file);
	g->in_obj = obj_of(file) + 1;
	g->in_file = file + 1;
	ref_fn(g, "fn=", f);
	g->fresh = true;
	put_lines(g, f, part, n, self, incl);
	*g->p++ = '\n';
	for (uint64_t e = 0; e < g->s.events; e++) {
		g->left[f * g->s.events + e] = self[e] + incl[e];
		g->total[e] += self[e];
	}
}

static void put_header(struct gen *g, uint64_t part)
{
	room(g);
	if (part == 0)
		g->p = put_c(g->p,
			     "# callgrind format\nversion: 1\ncreator: callgrind-gen\n"
			     "pid: 4711\ncmd:  bench/gen\n");
	g->p = put_u64(put_c(g->p, "part: "), part + 1);
	g->p = put_c(g->p, "\n\n\ndesc: Trigger: bench/gen\n\npositions: ");
	g->p = put_c(g->p, g->s.instr ? "instr line\n" : "line\n");
	put_events(g);
	g->p = put_c(g->p, "\n\n");
	g->in_file = g->in_obj = 0;
	g->addr = g->line = 0;
	memset(g->total, 0, sizeof(g->total));
}

/* The first part decides how many lines a function has: what is left of its bytes is
 * shared by the functions that are left. */
static void adapt(struct gen *g, uint64_t want, uint64_t begun, uint64_t done)
{
	uint64_t size = size_now(g) - begun, left = g->end - g->first - done;
	uint64_t due = want * done / (g->end - g->first);

	if (left == 0 || done % 16)
		return;
	if (size < due && g->lines < (uint64_t)1 << 40)
		g->lines += g->lines / 16 + 1;
	else if (size > due && g->lines > 64)
		g->lines -= g->lines / 16;
}

static void put_part(struct gen *g, uint64_t part, uint64_t want, bool fit)
{
	uint64_t begun = size_now(g);

	put_header(g, part);
	count_callers(g);
	for (uint64_t f = g->end; f-- > g->first;) {
		put_function(g, f, part);
		if (fit)
			adapt(g, want, begun, g->end - f);
	}
	room(g);
	g->p = put_costs(put_c(g->p, "totals:"), g->total, g->s.events);
	*g->p++ = '\n';
}

/* Bytes of a cost line, and of a function's calls, about. */
static uint64_t line_bytes(const struct shape *s)
{
	return (s->instr ? 9 : 7) + (s->events - 1) + (s->jumps ? 4 : 0);
}

static uint64_t calls_bytes(const struct shape *s)
{
	return 12 + s->edges * ((s->instr ? 50 : 40) + 5 * s->events);
}

void put_callgrind(struct gen *g)
{
	struct shape *s = &g->s;
	uint64_t block = calls_bytes(s) + LINES * line_bytes(s), n = s->functions,
		 step = 0;
	uint64_t names = n * (s->name_bytes + 40), want;
	bool open = s->parts == 0;

	if (open)
		s->parts = s->bytes > names ? (s->bytes - names) / (n * block) : 0;
	s->parts += s->parts == 0;
	want = s->bytes / s->parts;
	g->lines = LINES * 64;
	if (want / block < n / 2) {
		/* Half of the calls leave a window. */
		n = want / (block - calls_bytes(s) / 2) + 1;
		step = s->functions / s->parts + 1;
		if (step > n) {
			g->lines = g->lines * n / step;
			n = step;
		} else if (step < n / 2) {
			step = n / 2;
		}
	} else if (want / n > calls_bytes(s)) {
		g->lines = 64 * (want / n - calls_bytes(s)) / line_bytes(s);
	}
	for (uint64_t part = 0, size = 0; part < s->parts; part++) {
		g->first = step ? part * step % s->functions : 0;
		g->end = min(g->first + n, s->functions);
		put_part(g, part, want, part == 0 && !step);
		/* As many as it takes, when nobody said how many. */
		if (open && part + 1 == s->parts &&
		    size_now(g) + (size_now(g) - size) / 2 < s->bytes)
			s->parts++;
		size = size_now(g);
	}
}
