/*
 * gen.c - write a Callgrind-format profile of a given shape: bench/gen --help.
 *
 * The same options give the same bytes.  Calls go from a function to functions of higher
 * number, and a part is written from its highest function down, so when f is written the
 * inclusive cost of all it calls is known: each caller of g in turn takes its share,
 *
 *	share = left[g] / callers[g];   left[g] -= share;   callers[g] -= 1
 *
 * and the last takes the rest.  So self costs add up to "totals:", and the incoming edges
 * of a function to its inclusive cost, exactly.
 *
 * What a function looks like (its lines, steps, calls) depends on the seed and on the
 * function alone, its costs on the part too: parts repeat each other but for numbers, as
 * those of callgrind do.  With more functions than a part has room for, a part holds a
 * window of them, and windows of successive parts overlap by half.
 *
 * xdebug: a random walk of calls, one block per activation, callees before callers.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/base/str.h"
#include "repl/options.h"

enum {
	EVENTS = 64,
	ROOM = 1 << 20,		      /* bytes collected before they are written */
	LINE_ROOM = 64 + EVENTS * 21, /* bytes of the longest line but for names */
	LINES = 24,	  /* cost lines of a function, about, unless bytes ask for more */
	FN_SPAN = 0x1000, /* bytes of code between functions */
	NEAR = 8,	  /* calls reach that many functions a step */
	VARIANTS = 4,	  /* ways an xdebug function behaves */
	DEPTH = 40,
	LOOPS = 40, /* in an xdebug function that drives others */
};

struct shape {
	uint64_t bytes, functions, edges, parts, events, name_bytes, files, seed;
	bool instr, jumps, xdebug;
	bool full; /* names are written out each time, without ids */
	bool crlf;
	const char *path;
};

/* xdebug: a call of the activations that are open; its costs are in gen.made_cost. */
struct made {
	uint32_t fn, line;
};

struct gen {
	struct shape s;
	char *buf, *p;	  /* p: where the next byte goes */
	char *ends;	  /* as large twice: buf with CRs */
	uint64_t written; /* before buf */
	int fd;
	bool *fn_named, *file_named, *obj_named;
	uint64_t *left;	   /* events per function: inclusive cost not yet given away */
	uint32_t *callers; /* that have not taken their share */
	uint32_t *callee;  /* edges per function */
	uint64_t total[EVENTS];
	uint64_t first, end;	  /* functions of this part */
	uint64_t lines;		  /* of a function, in 1/64 */
	uint64_t in_file, in_obj; /* what the reader has in force, + 1; 0: nothing */
	uint64_t addr, line;	  /* the base of positions */
	bool fresh;		  /* no position in this block yet */
	struct made *made;
	uint64_t *made_cost; /* events per call */
	size_t nmade, made_cap;
};

static _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "gen: %s: %s\n", what, why);
	exit(1);
}

/* ---- numbers ---- */

static inline uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static inline uint64_t draw(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15;
	return mix(*state);
}

static inline uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- text ---- */

/* A CR before each newline. */
static size_t put_crs(char *to, const char *from, size_t n)
{
	char *p = to;

	for (size_t i = 0; i < n; i++) {
		if (from[i] == '\n')
			*p++ = '\r';
		*p++ = from[i];
	}
	return (size_t)(p - to);
}

static void flush(struct gen *g)
{
	size_t n = (size_t)(g->p - g->buf);
	const char *buf = g->buf;

	if (g->s.crlf) {
		n = put_crs(g->ends, g->buf, n);
		buf = g->ends;
	}
	for (size_t at = 0; at < n;) {
		ssize_t w = write(g->fd, buf + at, n - at);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			die(g->s.path ? g->s.path : "stdout", strerror(errno));
		at += (size_t)w;
	}
	g->written += n;
	g->p = g->buf;
}

/* Room for one line. */
static inline void room(struct gen *g)
{
	if (g->p - g->buf > ROOM)
		flush(g);
}

static uint64_t size_now(const struct gen *g)
{
	return g->written + (uint64_t)(g->p - g->buf);
}

static inline char *put_u64(char *p, uint64_t v)
{
	char digit[20];
	unsigned n = 0;

	if (v < 10) {
		*p = (char)('0' + v);
		return p + 1;
	}
	for (; v; v /= 10)
		digit[n++] = (char)('0' + v % 10);
	while (n)
		*p++ = digit[--n];
	return p;
}

static char *put_hex(char *p, uint64_t v)
{
	unsigned n = 1;

	while (n < 16 && v >> (4 * n))
		n++;
	memcpy(p, "0x", 2);
	p += 2;
	while (n)
		*p++ = "0123456789abcdef"[v >> (4 * --n) & 15];
	return p;
}

static char *put_c(char *p, const char *text)
{
	size_t n = strlen(text);

	memcpy(p, text, n);
	return p + n;
}

static inline char *put_step(char *p, uint64_t from, uint64_t to)
{
	if (from == to) {
		*p = '*';
		return p + 1;
	}
	*p = to > from ? '+' : '-';
	return put_u64(p + 1, to > from ? to - from : from - to);
}

/* Costs as callgrind writes them: zeros at the end are left out. */
static inline char *put_costs(char *p, const uint64_t *cost, uint64_t n)
{
	while (n > 1 && cost[n - 1] == 0)
		n--;
	for (uint64_t e = 0; e < n; e++) {
		*p++ = ' ';
		p = put_u64(p, cost[e]);
	}
	*p++ = '\n';
	return p;
}

/* ---- names ---- */

static const char *const words[] = {
	"parse",  "emit",   "buffer", "node",  "visit",	 "hash",   "insert", "lookup",
	"alloc",  "free",   "token",  "scan",  "merge",	 "render", "index",  "query",
	"cache",  "stream", "flush",  "copy",  "queue",	 "lock",   "reader", "writer",
	"config", "layout", "widget", "event", "signal", "thread", "module", "symbol",
};
enum { WORDS = sizeof(words) / sizeof(words[0]) };

static const char *word(uint64_t r)
{
	return words[r % WORDS];
}

/* "app::parse_token::merge4711(buffer const&)", unlike every other by its number. */
static char *put_fn_name(struct gen *g, char *p, uint64_t f)
{
	uint64_t r = mix(g->s.seed ^ f << 1);
	bool php = g->s.xdebug;
	char *from = p;

	if (f == 0)
		return put_c(p, php ? "{main}" : "main");
	p = put_c(put_c(p, php ? "App\\" : "app::"), word(r));
	p = put_c(put_c(p, php ? "\\" : "_"), word(r >> 8));
	p = put_c(put_c(p, php ? "->" : "::"), word(r >> 16));
	p = put_u64(p, f);
	if (!php)
		p = put_c(put_c(put_c(p, "("), word(r >> 24)), " const&)");
	while ((uint64_t)(p - from) + 12 < g->s.name_bytes) {
		*p++ = '<';
		p = put_c(p, word(r = mix(r)));
		*p++ = '>';
	}
	while ((uint64_t)(p - from) < g->s.name_bytes)
		*p++ = '_';
	return p;
}

/* "fn=(12)", and true when the name is to follow: the first time, or, without ids, always. */
static bool begin_ref(struct gen *g, const char *key, uint64_t id, bool *named)
{
	const bool first = !*named;

	room(g);
	g->p = put_c(g->p, key);
	*named = true;
	if (g->s.full)
		return true;
	*g->p++ = '(';
	g->p = put_u64(g->p, id);
	*g->p++ = ')';
	if (first)
		*g->p++ = ' ';
	return first;
}

static void ref_fn(struct gen *g, const char *key, uint64_t f)
{
	if (begin_ref(g, key, f + 1, &g->fn_named[f]))
		g->p = put_fn_name(g, g->p, f);
	*g->p++ = '\n';
}

static void ref_file(struct gen *g, const char *key, uint64_t file)
{
	if (begin_ref(g, key, file + 1, &g->file_named[file])) {
		uint64_t r = mix(g->s.seed ^ ~file);

		g->p = put_c(put_c(g->p, "/src/"), word(r));
		g->p = put_c(put_c(g->p, "/"), word(r >> 8));
		g->p = put_u64(g->p, file);
		g->p = put_c(g->p, g->s.xdebug ? ".php" : ".cc");
	}
	*g->p++ = '\n';
}

static void ref_obj(struct gen *g, const char *key, uint64_t obj)
{
	if (begin_ref(g, key, obj + 1, &g->obj_named[obj])) {
		g->p = put_c(put_c(g->p, "/usr/lib/lib"), word(obj));
		g->p = put_c(put_u64(g->p, obj), ".so");
	}
	*g->p++ = '\n';
}

static inline uint64_t file_of(const struct gen *g, uint64_t f)
{
	return f * g->s.files / g->s.functions;
}

static inline uint64_t obj_of(uint64_t file)
{
	return file / 16;
}

/* ---- the call graph ---- */

/* The j-th callee of f, or 0 (which nobody calls) when there is none: two children of a
 * tree that reaches everybody, then neighbours, some far and some that many call. */
static uint64_t pick_callee(const struct gen *g, uint64_t f, uint64_t j)
{
	uint64_t n = g->s.functions, r, to;

	if (f + 1 >= n)
		return 0;
	if (j < 2 && 2 * f + 1 + j < n)
		return 2 * f + 1 + j;
	r = mix(g->s.seed ^ (f * 64 + j) << 8);
	to = f + 1 + j * NEAR + (r >> 8) % NEAR;
	if ((r & 3) == 0)
		to = n - 1 - (r >> 8) % (n / 100 + 1);
	if ((r & 3) == 1 || to <= f || to >= n)
		to = f + 1 + (r >> 8) % (n - f - 1);
	return to;
}

static void make_graph(struct gen *g)
{
	for (uint64_t f = 0; f < g->s.functions; f++) {
		uint32_t *to = g->callee + f * g->s.edges;

		for (uint64_t j = 0; j < g->s.edges; j++) {
			to[j] = (uint32_t)pick_callee(g, f, j);
			for (uint64_t i = 0; i < j; i++)
				if (to[i] == to[j])
					to[j] = 0;
		}
	}
}

/* The j-th callee of f in this part, or 0. */
static inline uint64_t callee(const struct gen *g, uint64_t f, uint64_t j)
{
	uint64_t to = g->callee[f * g->s.edges + j];

	return to >= g->first && to < g->end ? to : 0;
}

static void count_callers(struct gen *g)
{
	memset(g->callers + g->first, 0, (g->end - g->first) * sizeof(*g->callers));
	for (uint64_t f = g->first; f < g->end; f++)
		for (uint64_t j = 0; j < g->s.edges; j++) {
			uint64_t to = callee(g, f, j);

			if (to)
				g->callers[to]++;
		}
}

/* ---- callgrind ---- */

/* The position at the start of a line: absolute in a new block, else steps. */
static inline void put_position(struct gen *g, uint64_t addr, uint64_t line)
{
	char *p = g->p;

	if (g->s.instr) {
		p = g->fresh ? put_hex(p, addr) : put_step(p, g->addr, addr);
		*p++ = ' ';
	}
	p = g->fresh ? put_u64(p, line) : put_step(p, g->line, line);
	g->p = p;
	g->fresh = false;
	g->addr = addr;
	g->line = line;
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

static inline uint64_t start_line(uint64_t f)
{
	return 20 + mix(f) % 5000;
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

/* Enter or leave another file, as inlined code does. */
static void put_inlined(struct gen *g, uint64_t f, bool enter)
{
	uint64_t file = (file_of(g, f) + enter) % g->s.files;

	ref_file(g, enter ? "fi=" : "fe=", file);
	g->in_file = file + 1;
}

/* The n lines and the calls of f; self and incl grow. */
static void put_lines(struct gen *g, uint64_t f, uint64_t part, uint64_t n,
		      uint64_t *self, uint64_t *incl)
{
	uint64_t look = mix(g->s.seed ^ f * 3), price = mix(look ^ (part + 1) << 20);
	uint64_t addr = start_addr(f), line = start_line(f), base = 1, cost[EVENTS];
	uint64_t every = n / (g->s.edges + 1) + 1, j = 0;
	bool inlined = look % 8 == 0 && n > 8;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t r = draw(&look), due = i + 1 < n ? (i + 1) / every : g->s.edges;

		if (inlined && (i == n / 4 || i == n / 2))
			put_inlined(g, f, i == n / 4);
		if (r % 8 == 0 || i == 0) {
			uint64_t c = draw(&price);

			base = 1 + (c >> 8) % ((uint64_t)1 << (1 + c % 16));
		}
		addr += i ? 1 + (r >> 3) % 8 : 0;
		if (!g->s.instr || r >> 8 & 1)
			line += 1 + (r >> 9) % 3;
		room(g);
		put_position(g, addr, line);
		line_costs(g, r >> 16, base, cost);
		for (uint64_t e = 0; e < g->s.events; e++)
			self[e] += cost[e];
		g->p = put_costs(g->p, cost, g->s.events);
		if (g->s.jumps && (r >> 12) % 10 == 0)
			put_jump(g, r, base, addr, line);
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

static void put_events(struct gen *g)
{
	static const char *const names[] = {
		"Ir",	"Dr", "Dw",  "I1mr", "D1mr", "D1mw", "ILmr",	 "DLmr",
		"DLmw", "Bc", "Bcm", "Bi",   "Bim",  "Ge",   "sysCount",
	};

	g->p = put_c(g->p, "events:");
	for (uint64_t e = 0; e < g->s.events; e++)
		if (g->s.xdebug && e < 2)
			g->p = put_c(g->p, e ? " Memory_(bytes)" : " Time_(10ns)");
		else if (e < sizeof(names) / sizeof(names[0]))
			g->p = put_c(put_c(g->p, " "), names[e]);
		else
			g->p = put_u64(put_c(g->p, " Event"), e);
	*g->p++ = '\n';
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

static void put_callgrind(struct gen *g)
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

/* ---- xdebug ---- */

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
static void put_xdebug(struct gen *g)
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

/* ---- the command line ---- */

static const char help[] =
	"usage: gen [OPTION]... > FILE\n"
	"  --bytes SIZE       about so large: 256M, 4.5G (16M)\n"
	"  --functions N      each with a name of its own (10000)\n"
	"  --edges N          calls per function, to as many others (4)\n"
	"  --parts N          as the size asks, some 24 lines per function and part\n"
	"  --events N         1 to 64 (1; xdebug 2)\n"
	"  --positions WHICH  line, or \"instr line\" (line)\n"
	"  --jumps            jumps too\n"
	"  --name-bytes N     length of a function's name (as it comes)\n"
	"  --files N          source files (a fortieth of the functions)\n"
	"  --names WHICH      ids, or full: written out each time (ids)\n"
	"  --ends WHICH       lf, or crlf (lf)\n"
	"  --style STYLE      callgrind, or xdebug: a block per activation (callgrind)\n"
	"  --seed N           another profile of the same shape (1)\n"
	"  -o FILE            instead of standard output\n";

static _Noreturn void usage(const char *what, const char *value)
{
	fprintf(stderr, "gen: %s '%s'; gen --help\n", what, value);
	exit(2);
}

static uint64_t number(const char *name, const char *value, uint64_t least, uint64_t most)
{
	uint64_t v;

	if (!options_size(value, &v) || v < least || v > most)
		usage(name, value);
	return v;
}

static void is_default(const char *name, const char *value)
{
	static const char *const usual[][2] = {{"--positions", "line"},
					       {"--style", "callgrind"},
					       {"--names", "ids"},
					       {"--ends", "lf"}};

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (strcmp(name, usual[i][0]) == 0 && strcmp(value, usual[i][1]) == 0)
			return;
	usage(name, value);
}

static void set(struct shape *s, const char *name, const char *value)
{
	const struct {
		const char *name;
		uint64_t *to, least, most;
	} numbers[] = {
		{"--bytes", &s->bytes, 1, (uint64_t)1 << 44},
		{"--size", &s->bytes, 1, (uint64_t)1 << 44},
		{"--functions", &s->functions, 2, 100000000},
		{"--edges", &s->edges, 1, 60},
		{"--edges-per-function", &s->edges, 1, 60},
		{"--parts", &s->parts, 1, 100000000},
		{"--events", &s->events, 1, EVENTS},
		{"--name-bytes", &s->name_bytes, 0, 1 << 16},
		{"--files", &s->files, 1, 100000000},
		{"--seed", &s->seed, 0, UINT64_MAX},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strcmp(name, numbers[i].name) == 0) {
			*numbers[i].to =
				number(name, value, numbers[i].least, numbers[i].most);
			return;
		}
	if (strcmp(name, "--positions") == 0 && strcmp(value, "instr line") == 0)
		s->instr = true;
	else if (strcmp(name, "--style") == 0 && strcmp(value, "xdebug") == 0)
		s->xdebug = true;
	else if (strcmp(name, "--names") == 0 && strcmp(value, "full") == 0)
		s->full = true;
	else if (strcmp(name, "--ends") == 0 && strcmp(value, "crlf") == 0)
		s->crlf = true;
	else if (strcmp(name, "-o") == 0)
		s->path = value;
	else
		is_default(name, value);
}

static void read_options(struct shape *s, int argc, char **argv)
{
	*s = (struct shape){.bytes = 16 << 20, .functions = 10000, .edges = 4, .seed = 1};
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0) {
			fputs(help, stdout);
			exit(0);
		}
		if (strcmp(argv[i], "--jumps") == 0)
			s->jumps = true;
		else if (i + 1 < argc)
			set(s, argv[i], argv[i + 1]), i++;
		else
			usage("what is", argv[i]);
	}
	if (s->events == 0)
		s->events = s->xdebug ? 2 : 1;
	if (s->files == 0)
		s->files = s->functions / 40 + 1;
	s->files = min(s->files, s->functions);
}

static void *array(uint64_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		die("functions", "out of memory");
	return p;
}

int main(int argc, char **argv)
{
	struct gen g = {.fd = STDOUT_FILENO};
	uint64_t size;

	read_options(&g.s, argc, argv);
	if (g.s.path)
		g.fd = open(g.s.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (g.fd < 0)
		die(g.s.path, strerror(errno));
	size = ROOM + LINE_ROOM * 2 + g.s.name_bytes + 4096;
	g.buf = g.p = array(size, 1);
	g.ends = array(size, 2);
	g.fn_named = array(g.s.functions, sizeof(*g.fn_named));
	g.file_named = array(g.s.files, sizeof(*g.file_named));
	g.obj_named = array(g.s.files, sizeof(*g.obj_named));
	g.left = array(g.s.functions * g.s.events, sizeof(*g.left));
	g.callers = array(g.s.functions, sizeof(*g.callers));
	g.callee = array(g.s.functions * g.s.edges, sizeof(*g.callee));
	g.end = g.s.functions;
	make_graph(&g);
	(g.s.xdebug ? put_xdebug : put_callgrind)(&g);
	flush(&g);
	if (g.s.path && close(g.fd))
		die(g.s.path, strerror(errno));
	free(g.buf);
	free(g.ends);
	free(g.fn_named);
	free(g.file_named);
	free(g.obj_named);
	free(g.left);
	free(g.callers);
	free(g.callee);
	free(g.made);
	free(g.made_cost);
	return 0;
}
