/*
 * gen.h - the inside of bench/gen: what it writes, what it writes with.
 *
 *	gen.c		the command line
 *	gen_text.c	numbers, lines and names as text
 *	gen_graph.c	who calls whom
 *	gen_callgrind.c	parts, as callgrind writes them
 *	gen_xdebug.c	a block per activation
 */
#ifndef QUERN_BENCH_GEN_H
#define QUERN_BENCH_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	EVENTS = 64,
	ROOM = 1 << 20,		      /* bytes collected before they are written */
	LINE_ROOM = 64 + EVENTS * 21, /* bytes of the longest line but for names */
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
	uint64_t first, end; /* functions of this part */
	uint64_t lines;	     /* of a function, in 1/64 */
	uint64_t in_file;    /* file of the last cost line, + 1; 0: none yet */
	uint64_t in_obj;     /* object of the current function, + 1; 0: none yet */
	uint64_t addr, line; /* the base of positions */
	bool fresh;	     /* no cost line in this block yet */
	struct made *made;
	uint64_t *made_cost; /* events per call */
	size_t nmade, made_cap;
};

_Noreturn void die(const char *what, const char *why);

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

/* ---- text: put_*() write at p, and return where it ends ---- */

/* Write what is collected. */
void flush(struct gen *g);
uint64_t size_now(const struct gen *g);

/* Room for one line. */
static inline void room(struct gen *g)
{
	if (g->p - g->buf > ROOM)
		flush(g);
}

char *put_u64(char *p, uint64_t v);
char *put_hex(char *p, uint64_t v);
char *put_c(char *p, const char *text);
/* "+3", "-3" or "*". */
char *put_step(char *p, uint64_t from, uint64_t to);
/* Costs as callgrind writes them: zeros at the end are left out. */
char *put_costs(char *p, const uint64_t *cost, uint64_t n);

/* A line "fn=(12) name", by its key; the name where it has to be said. */
void ref_fn(struct gen *g, const char *key, uint64_t f);
void ref_file(struct gen *g, const char *key, uint64_t file);
void ref_obj(struct gen *g, const char *key, uint64_t obj);
void put_events(struct gen *g);

static inline uint64_t file_of(const struct gen *g, uint64_t f)
{
	return f * g->s.files / g->s.functions;
}

static inline uint64_t obj_of(uint64_t file)
{
	return file / 16;
}

static inline uint64_t start_line(uint64_t f)
{
	return 20 + mix(f) % 5000;
}

/* ---- the call graph ---- */

void make_graph(struct gen *g);
/* How many callers each function of this part has. */
void count_callers(struct gen *g);

/* The j-th callee of f in this part, or 0. */
static inline uint64_t callee(const struct gen *g, uint64_t f, uint64_t j)
{
	uint64_t to = g->callee[f * g->s.edges + j];

	return to >= g->first && to < g->end ? to : 0;
}

/* ---- the two styles ---- */

void put_callgrind(struct gen *g);
void put_xdebug(struct gen *g);

#endif
