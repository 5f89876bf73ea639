/*
 * simulate.c - random programs, their profiles, and what is true of them; see simulate.h.
 *
 * The program runs step by step: the activation on top of a thread's stack spends something,
 * calls, or returns; now and then another thread goes on, or everything is dumped.  Whom it
 * calls is drawn anew, or by habit: from the names on top of the stack.  A profile forgets
 * who called the caller, so habits are what makes estimates wrong and bounds tell.
 *
 * Inlined code is an activation, too, in the function that it is inlined into.  The profile
 * has its cost and its calls at lines of another file.
 *
 * What is true of stacks is found by running along them.  A stack is the one of the caller
 * and one name more, and callers come first, so one pass over the activations is enough:
 *
 *	state[i] = next(state[parent[i]], name[i])
 */
#include "tests/support/simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/count.h"
#include "index/base/hash.h"
#include "index/base/out.h"

enum { FRACTIONS = 10, LIBRARY = 2 };

static const char *const files[] = {"a.c", "src/b.c", "src/c.h"};
static const char *const headers[SIMULATE_INLINED] = {"h0.h", "h1.h", "h2.h", "h3.h"};
static const char *const objects[] = {"/bin/prog", "/lib/libx.so"};
static const char *const classes[] = {"(no class)", "Alpha", "beta::Gamma"};

static uint32_t base_of(const struct simulated *s, uint32_t name)
{
	return name / s->levels;
}

static uint32_t file_of(uint32_t function)
{
	return function / 2 % COUNT(files);
}

/* Code of one name that is inlined in two objects would be two functions. */
static uint32_t object_of(const struct simulated *s, uint32_t function)
{
	return !s->inlined && function % 5 == LIBRARY;
}

static uint32_t class_of(uint32_t function)
{
	return function % COUNT(classes);
}

/* The number of inlined code; SIMULATE_NONE: a function. */
static uint32_t inlined_of(const struct simulated *s, uint32_t name)
{
	const uint32_t first = s->functions * s->levels;

	return name < first ? SIMULATE_NONE : name - first;
}

static void name_all(struct simulated *s)
{
	for (uint32_t j = 0; j < s->inlined; j++)
		snprintf(s->text[s->functions * s->levels + j], SIMULATE_TEXT, "%s (inl)",
			 headers[j]);
	for (uint32_t i = 0; i < s->functions * s->levels; i++) {
		uint32_t f = base_of(s, i), level = i % s->levels + 1;
		int n = snprintf(s->text[i], SIMULATE_TEXT, "%s%sf%u",
				 class_of(f) ? classes[class_of(f)] : "",
				 class_of(f) ? "::" : "", f);

		if (level > 1)
			snprintf(s->text[i] + n, SIMULATE_TEXT - (size_t)n, "'%u", level);
	}
}

uint32_t simulate_find(const struct simulated *s, const char *name)
{
	for (uint32_t i = 0; i < s->names; i++)
		if (strcmp(s->text[i], name) == 0)
			return i;
	return SIMULATE_NONE;
}

simulate_set simulate_group(const struct simulated *s, enum simulate_group kind,
			    const char *name)
{
	simulate_set set = 0;

	for (uint32_t i = 0; i < s->names; i++) {
		uint32_t f = base_of(s, i), in = inlined_of(s, i);
		const char *group = in != SIMULATE_NONE ? kind == GROUP_FILE ? headers[in]
									     : s->text[i]
				    : kind == GROUP_FILE   ? files[file_of(f)]
				    : kind == GROUP_OBJECT ? objects[object_of(s, f)]
				    : kind == GROUP_CLASS  ? classes[class_of(f)]
							   : s->text[f * s->levels];

		if (strcmp(group, name) == 0)
			set |= (simulate_set)1 << i;
	}
	return set;
}

/* ---- the program ---- */

struct running {
	struct simulated *s;
	uint64_t state;
	uint32_t stack[SIMULATE_THREADS][SIMULATE_CALLS], n[SIMULATE_THREADS];
	uint32_t thread, part;
};

static uint32_t below(struct running *r, uint32_t n)
{
	r->state += 0x9e3779b97f4a7c15;
	return (uint32_t)(hash_mix(r->state) % n);
}

static uint32_t top(const struct running *r)
{
	return r->n[r->thread] ? r->stack[r->thread][r->n[r->thread] - 1] : SIMULATE_NONE;
}

/* below(), but mostly the same for the same names on top of the stack. */
static uint32_t usual(struct running *r, uint32_t n, uint64_t what)
{
	uint32_t depth = r->n[r->thread];
	uint64_t h = hash_mix(r->s->seed * 64 + what);

	if (!r->s->habits || below(r, 6) == 0)
		return below(r, n);
	for (uint32_t i = depth > 3 ? depth - 3 : 0; i < depth; i++)
		h = hash_mix(h + base_of(r->s, r->s->name[r->stack[r->thread][i]]) + 1);
	return (uint32_t)((h + below(r, 2) * 0x9e3779b97f4a7c15) % n);
}

static uint32_t forward(struct running *r, uint32_t caller)
{
	uint32_t n = r->s->functions - caller - 1;

	return n ? caller + 1 + usual(r, n, 1) : SIMULATE_NONE;
}

/* SIMULATE_NONE: it calls nothing. */
static uint32_t callee_of(struct running *r, uint32_t caller)
{
	uint32_t n = r->s->functions, first = caller - caller % 3;

	switch (usual(r, 3, 2) ? r->s->recursion : RECURSION_NONE) {
	case RECURSION_DIRECT: return below(r, 2) ? caller : forward(r, caller);
	case RECURSION_MUTUAL: return first + usual(r, n - first < 3 ? n - first : 3, 3);
	case RECURSION_CALLBACK:
		if (caller % 5 != LIBRARY)
			return LIBRARY;
		return usual(r, n, 4);
	case RECURSION_ANY: return usual(r, n, 5);
	default: return forward(r, caller);
	}
}

static void spend(struct running *r)
{
	struct simulated *s = r->s;
	uint32_t most = usual(r, 4, 6) ? 30 : 2000;

	if (s->rounded)
		most *= FRACTIONS;
	if (below(r, 5))
		s->self[top(r)][r->part] += below(r, most);
}

/* The level of f, were it called now. */
static uint32_t level_of(const struct running *r, uint32_t f)
{
	uint32_t level = 0;

	for (uint32_t i = 0; i < r->n[r->thread]; i++) {
		const uint32_t name = r->s->name[r->stack[r->thread][i]];

		level += inlined_of(r->s, name) == SIMULATE_NONE &&
			 base_of(r->s, name) == f;
	}
	return level < r->s->levels ? level : r->s->levels - 1;
}

/* The function that activation i is of, or that its code is inlined into. */
static uint32_t function_of(const struct simulated *s, uint32_t i)
{
	return inlined_of(s, s->name[i]) == SIMULATE_NONE ? s->name[i]
							  : s->name[s->parent[i]];
}

/* The name that is called, or is inlined and runs next; SIMULATE_NONE: nothing. */
static uint32_t next_name(struct running *r, uint32_t caller)
{
	const struct simulated *s = r->s;
	uint32_t f;

	if (caller == SIMULATE_NONE)
		f = below(r, 5) ? r->thread % s->functions : below(r, s->functions);
	else if (s->inlined && inlined_of(s, s->name[caller]) == SIMULATE_NONE &&
		 below(r, 3) == 0)
		return s->functions * s->levels + usual(r, s->inlined, 7);
	else
		f = callee_of(r, base_of(s, function_of(s, caller)));
	return f == SIMULATE_NONE ? f : f * s->levels + level_of(r, f);
}

static void call(struct running *r)
{
	struct simulated *s = r->s;
	uint32_t caller = top(r), i = s->calls;

	s->name[i] = next_name(r, caller);
	if (s->name[i] == SIMULATE_NONE)
		return;
	s->parent[i] = caller;
	s->thread[i] = r->thread;
	s->entered[i] = r->part;
	s->calls++;
	r->stack[r->thread][r->n[r->thread]++] = i;
	spend(r);
}

static void run(struct running *r, uint32_t calls)
{
	struct simulated *s = r->s;

	while (s->calls < calls) {
		if (below(r, 8) == 0)
			r->thread = below(r, s->threads);
		if (s->parts > r->part + 1 && below(r, calls / s->parts + 1) == 0)
			r->part++;
		if (r->n[r->thread] && below(r, 90) == 0)
			r->n[r->thread] = 0; /* another root */
		if (r->n[r->thread] && below(r, s->deep ? 4 : 2) == 0)
			r->n[r->thread]--;
		if (r->n[r->thread] && below(r, 3) == 0)
			spend(r);
		call(r);
	}
}

static void choose(struct running *r)
{
	struct simulated *s = r->s;

	s->rounded = below(r, 5) == 0;
	s->levels = s->rounded || below(r, 3) == 0 ? 1 : 1 + below(r, SIMULATE_LEVELS);
	s->functions = 3 + below(r, below(r, 2) ? 4 : SIMULATE_FUNCTIONS - 2);
	s->inlined = s->rounded || below(r, 3) ? 0 : 1 + below(r, SIMULATE_INLINED);
	s->names = s->functions * s->levels + s->inlined;
	s->parts = s->rounded || below(r, 2) ? 1 : 1 + below(r, SIMULATE_PARTS);
	s->threads = s->rounded || below(r, 2) ? 1 : 1 + below(r, SIMULATE_THREADS);
	s->separate = s->threads > 1 && below(r, 2);
	s->recursion = (enum simulate_recursion)below(r, RECURSIONS);
	s->deep = below(r, 2);
	s->habits = below(r, 3);
	s->compressed = below(r, 2);
	s->cut = below(r, 8) == 0;
	/* Drawn apart: programs of a seed stay what they were. */
	s->events =
		s->rounded ? 1 : 1 + (uint32_t)(hash_mix(s->seed + 3) % SIMULATE_EVENTS);
	if (!s->rounded && !s->inlined && hash_mix(s->seed + 1) % 3 == 0)
		s->callers = 1 + (uint32_t)(hash_mix(s->seed + 2) % SIMULATE_CALLERS);
}

/* ---- names with callers ---- */

/* The functions that an activation was called by, the nearest first.  callgrind does not put
 * a function before itself. */
static void find_callers(const struct simulated *s, uint32_t i,
			 uint32_t (*callers)[SIMULATE_CALLERS])
{
	const uint32_t up = s->parent[i];

	for (uint32_t k = 0; k < s->callers; k++)
		callers[i][k] = SIMULATE_NONE;
	if (up == SIMULATE_NONE)
		return;
	if (base_of(s, s->name[up]) == base_of(s, s->name[i])) {
		memcpy(callers[i], callers[up], sizeof(callers[i]));
		return;
	}
	for (uint32_t k = 0; k < s->callers; k++)
		callers[i][k] = k ? callers[up][k - 1] : base_of(s, s->name[up]);
}

static uint32_t context_of(struct simulated *s, uint32_t name, const uint32_t *callers)
{
	char text[SIMULATE_CONTEXT_TEXT];
	int n = snprintf(text, sizeof(text), "%s", s->text[name]);
	uint32_t c;

	for (uint32_t k = 0; k < s->callers && callers[k] != SIMULATE_NONE; k++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "'%s",
			      s->text[callers[k] * s->levels]);
	for (c = 0; c < s->contexts; c++)
		if (strcmp(s->context_text[c], text) == 0)
			return c;
	memcpy(s->context_text[c], text, sizeof(text));
	s->context_name[c] = name;
	return s->contexts++;
}

static void name_contexts(struct simulated *s)
{
	uint32_t callers[SIMULATE_CALLS][SIMULATE_CALLERS];

	s->contexts = s->callers ? 0 : s->names;
	for (uint32_t i = 0; i < s->contexts; i++) {
		memcpy(s->context_text[i], s->text[i], sizeof(s->text[i]));
		s->context_name[i] = i;
	}
	for (uint32_t i = 0; i < s->calls; i++) {
		find_callers(s, i, callers);
		s->context[i] =
			s->callers ? context_of(s, s->name[i], callers[i]) : s->name[i];
	}
}

void simulate_fold(struct simulated *s)
{
	const uint32_t all = s->functions * s->levels;

	for (uint32_t i = 0; i < s->calls; i++)
		s->name[i] = s->name[i] < all ? base_of(s, s->name[i])
					      : s->name[i] - all + s->functions;
	for (uint32_t f = 0; f < s->functions; f++)
		memmove(s->text[f], s->text[f * s->levels], sizeof(s->text[f]));
	for (uint32_t i = all; i < s->names; i++)
		memmove(s->text[i - all + s->functions], s->text[i], sizeof(s->text[i]));
	s->names -= all - s->functions;
	s->levels = 1;
}

void simulate(struct simulated *s, uint64_t seed)
{
	struct running *r = calloc(1, sizeof(*r));

	if (!r)
		abort();
	memset(s, 0, sizeof(*s));
	r->s = s;
	r->state = hash_mix(s->seed = seed);
	choose(r);
	name_all(s);
	run(r, 5 + below(r, below(r, 2) ? 40 : SIMULATE_CALLS - 5));
	free(r);
	name_contexts(s);
	memcpy(s->incl, s->self, sizeof(s->incl));
	for (uint32_t i = s->calls; i-- > 0;)
		for (uint32_t p = 0; s->parent[i] != SIMULATE_NONE && p < s->parts; p++)
			s->incl[s->parent[i]][p] += s->incl[i][p];
	simulate_ask(s, SIMULATE_NONE, SIMULATE_NONE);
}

/* ---- its profile ---- */

struct writing {
	const struct simulated *s;
	struct out *o;
	bool named[SIMULATE_NAMES + SIMULATE_CALLS],
		filed[COUNT(files) + SIMULATE_INLINED], placed[SIMULATE_GROUPS];
};

static uint64_t rounded(uint64_t fractions)
{
	return (fractions + FRACTIONS / 2) / FRACTIONS;
}

static void write_word(struct writing *w, const char *spec, uint32_t id, const char *word,
		       bool *known)
{
	if (!w->s->compressed)
		out_printf(w->o, "%s%s\n", spec, word);
	else if (*known)
		out_printf(w->o, "%s(%u)\n", spec, id + 1);
	else
		out_printf(w->o, "%s(%u) %s\n", spec, id + 1, word);
	*known = true;
}

/* Where a function is, and its name; as the callee of a call or as itself. */
static void write_function(struct writing *w, uint32_t context, bool callee)
{
	uint32_t f = base_of(w->s, w->s->context_name[context]), file = file_of(f),
		 object = object_of(w->s, f);

	if (!w->s->rounded)
		write_word(w, callee ? "cob=" : "ob=", object, objects[object],
			   &w->placed[object]);
	write_word(w, callee ? w->s->rounded ? "cfl=" : "cfi=" : "fl=", file, files[file],
		   &w->filed[file]);
	write_word(w, callee ? "cfn=" : "fn=", context, w->s->context_text[context],
		   &w->named[context]);
}

/* callgrind leaves out zeros at the end of a line. */
static void write_costs(struct writing *w, uint32_t line, const uint64_t *cost)
{
	uint32_t n = w->s->events;

	while (n > 0 && !cost[n - 1] && !w->s->rounded)
		n--;
	out_printf(w->o, "%u", line);
	for (uint32_t e = 0; e < n; e++)
		out_printf(w->o, " %" PRIu64, cost[e]);
	out_c(w->o, "\n");
}

static uint32_t line_of(const struct simulated *s, uint32_t context)
{
	return 20 * base_of(s, s->context_name[context]) + 1;
}

static void write_call(struct writing *w, uint32_t caller, uint32_t callee,
		       uint64_t calls, const uint64_t *cost)
{
	write_function(w, callee, true);
	out_printf(w->o, "calls=%" PRIu64 " %u%s\n", calls,
		   w->s->rounded ? 0 : line_of(w->s, callee), w->s->rounded ? " 0" : "");
	write_costs(w, line_of(w->s, caller) + 1 + callee % 7, cost);
}

/* What one part, and one thread or all, have of the program. */
struct summed {
	uint64_t self[SIMULATE_CALLS][SIMULATE_EVENTS];
	uint64_t calls[SIMULATE_CALLS][SIMULATE_CALLS],
		cost[SIMULATE_CALLS][SIMULATE_CALLS][SIMULATE_EVENTS];
};

/* The function itself, or the inlined code in it: place[0] and on. */
struct places {
	struct summed at[1 + SIMULATE_INLINED];
	uint64_t all[SIMULATE_EVENTS];
};

/* The context in whose block activation i is. */
static uint32_t written_as(const struct simulated *s, uint32_t i)
{
	return s->callers ? s->context[i] : function_of(s, i);
}

/* What activation i spends of event e for each unit of the first one, by its function. */
static uint64_t weight(const struct simulated *s, uint32_t i, uint32_t e)
{
	return e ? hash_mix(hash_mix(s->seed + e) ^ s->name[i] / s->levels) % 8 : 1;
}

static void sum_up(const struct simulated *s, uint32_t part, uint32_t thread, uint32_t e,
		   struct places *sum)
{
	uint64_t incl[SIMULATE_CALLS] = {0};

	for (uint32_t i = s->calls; i-- > 0;) {
		const uint32_t caller = s->parent[i], in = inlined_of(s, s->name[i]);
		const uint64_t self = s->self[i][part] * weight(s, i, e);
		struct summed *from;
		uint32_t to;

		incl[i] += self;
		if (caller != SIMULATE_NONE)
			incl[caller] += incl[i];
		if (thread != SIMULATE_NONE && s->thread[i] != thread)
			continue;
		sum->at[in + 1].self[written_as(s, i)][e] += self;
		sum->all[e] += self;
		if (caller == SIMULATE_NONE || in != SIMULATE_NONE)
			continue;
		from = &sum->at[inlined_of(s, s->name[caller]) + 1];
		to = s->callers ? s->context[i] : s->name[i];
		from->calls[written_as(s, caller)][to] += !e && s->entered[i] == part;
		from->cost[written_as(s, caller)][to][e] += incl[i];
	}
}

static bool spends_or_calls(const struct writing *w, const struct summed *sum, uint32_t f)
{
	bool any = sum->self[f][0];

	for (uint32_t c = 0; c < w->s->contexts; c++)
		any |= sum->calls[f][c] || sum->cost[f][c][0];
	return any;
}

/* Of callgrind's calls none changes the file for those after it.  in: SIMULATE_NONE: the
 * function's own file. */
static void write_lines(struct writing *w, const struct summed *sum, uint32_t f,
			uint32_t in)
{
	const uint32_t id = (uint32_t)COUNT(files) + in;

	if (sum->self[f][0]) {
		if (in != SIMULATE_NONE)
			write_word(w, "fi=", id, headers[in], &w->filed[id]);
		write_costs(w, line_of(w->s, f), sum->self[f]);
	}
	for (uint32_t c = 0; c < w->s->contexts; c++)
		if (sum->calls[f][c] || sum->cost[f][c][0]) {
			if (in != SIMULATE_NONE)
				write_word(w, "fi=", id, headers[in], &w->filed[id]);
			write_call(w, f, c, sum->calls[f][c], sum->cost[f][c]);
		}
}

static void write_block(struct writing *w, const struct places *sum, uint32_t f)
{
	bool any = false;

	for (uint32_t j = 0; j <= w->s->inlined; j++)
		any |= spends_or_calls(w, &sum->at[j], f);
	if (!any)
		return;
	out_c(w->o, "\n");
	write_function(w, f, false);
	for (uint32_t j = 0; j <= w->s->inlined; j++)
		write_lines(w, &sum->at[j], f, j - 1);
}

static void write_sums(struct writing *w, const char *key, const uint64_t *all)
{
	out_c(w->o, key);
	for (uint32_t e = 0; e < w->s->events; e++)
		out_printf(w->o, " %" PRIu64, all[e]);
	out_c(w->o, "\n");
}

static void write_part(struct writing *w, uint32_t part, uint32_t thread, bool first)
{
	struct places *sum = calloc(1, sizeof(*sum));

	if (!sum)
		abort();
	for (uint32_t e = 0; e < w->s->events; e++)
		sum_up(w->s, part, thread, e, sum);
	if (!first)
		out_c(w->o, "\n");
	if (first || thread != SIMULATE_NONE)
		out_c(w->o, "# callgrind format\nversion: 1\n"
			    "creator: callgrind-3.19.0\npid: 12\ncmd: ./prog\n");
	out_printf(w->o, "part: %u\n", part + 1);
	if (thread != SIMULATE_NONE)
		out_printf(w->o, "thread: %u\n", thread + 1);
	out_printf(w->o, "\ndesc: Trigger: %s\n\npositions: line\nevents: Ir%s\n",
		   part + 1 < w->s->parts ? "Client Request" : "Program termination",
		   w->s->events == 1   ? ""
		   : w->s->events == 2 ? " Dr"
				       : " Dr Bc");
	write_sums(w, "summary:", sum->all);
	for (uint32_t f = 0; f < w->s->contexts; f++)
		write_block(w, sum, f);
	out_c(w->o, "\n");
	write_sums(w, "totals:", sum->all);
	free(sum);
}

/* A block for each activation, in the order in which they return. */
static void write_activation(struct writing *w, uint32_t i)
{
	const struct simulated *s = w->s;
	uint64_t cost;

	for (uint32_t c = i + 1; c < s->calls; c++)
		if (s->parent[c] == i)
			write_activation(w, c);
	write_function(w, s->context[i], false);
	cost = rounded(s->self[i][0]);
	write_costs(w, line_of(s, s->context[i]), &cost);
	for (uint32_t c = i + 1; c < s->calls; c++)
		if (s->parent[c] == i) {
			cost = rounded(s->incl[c][0]);
			write_call(w, s->context[i], s->context[c], 1, &cost);
		}
	out_c(w->o, "\n");
}

static void write_rounded(struct writing *w)
{
	uint64_t all = 0;

	out_c(w->o,
	      "version: 1\ncreator: xdebug 3.3.1 (PHP 8.2.15)\ncmd: /srv/index.php\n"
	      "part: 1\npositions: line\n\nevents: Time_(10ns)\n\n");
	for (uint32_t i = 0; i < w->s->calls; i++) {
		all += w->s->self[i][0];
		if (w->s->parent[i] == SIMULATE_NONE)
			write_activation(w, i);
	}
	out_printf(w->o, "summary: %" PRIu64 "\n", rounded(all));
}

/* Somewhere behind the header; a line is whole or not there. */
static void cut_off(const struct simulated *s, struct out *o, size_t from)
{
	size_t head = o->n - from < 200 ? o->n - from : 200;
	size_t at = from + head + hash_mix(s->seed) % (o->n - from - head + 1);

	while (at < o->n && o->buf[at - 1] != '\n')
		at++;
	o->n = at;
}

void simulate_write(const struct simulated *s, struct out *o)
{
	struct writing w = {.s = s, .o = o};
	size_t from = o->n;

	if (s->rounded)
		write_rounded(&w);
	for (uint32_t p = 0; p < s->parts && !s->rounded; p++) {
		if (!s->separate)
			write_part(&w, p, SIMULATE_NONE, p == 0);
		for (uint32_t t = 0; t < s->threads && s->separate; t++)
			write_part(&w, p, t, p == 0 && t == 0);
	}
	if (s->cut)
		cut_off(s, o, from);
}

/* ---- the truth ---- */

void simulate_ask(struct simulated *s, uint32_t part, uint32_t thread)
{
	for (uint32_t i = 0; i < s->calls; i++) {
		s->asked[i] = 0;
		if (thread != SIMULATE_NONE && s->thread[i] != thread)
			continue;
		for (uint32_t p = 0; p < s->parts; p++)
			if (part == SIMULATE_NONE || part == p)
				s->asked[i] += s->self[i][p];
	}
}

static bool has(simulate_set set, uint32_t name)
{
	return set >> name & 1;
}

static uint64_t in_units(const struct simulated *s, uint64_t cost)
{
	return s->rounded ? rounded(cost) : cost;
}

/* Take activation i out: its caller calls what it called, and spends its cost. */
static void take_out(struct simulated *s, uint32_t i)
{
	const uint32_t up = s->parent[i];

	if (up != SIMULATE_NONE)
		s->asked[up] += s->asked[i];
	for (uint32_t c = i + 1; c < s->calls; c++) {
		const uint32_t parent = s->parent[c] == i ? up : s->parent[c];

		s->name[c - 1] = s->name[c];
		s->asked[c - 1] = s->asked[c];
		s->parent[c - 1] =
			parent != SIMULATE_NONE && parent > i ? parent - 1 : parent;
	}
	s->calls--;
	s->hidden++;
}

void simulate_stage(struct simulated *s, enum simulate_filter how, simulate_set of)
{
	bool in_set[SIMULATE_CALLS];

	for (uint32_t i = 0; i < s->calls; i++) {
		in_set[i] = has(of, s->name[i]) ||
			    (s->parent[i] != SIMULATE_NONE && in_set[s->parent[i]]);
		if (how != FILTER_HIDE && in_set[i] != (how == FILTER_FOCUS))
			s->asked[i] = 0;
	}
	for (uint32_t i = s->calls; how == FILTER_HIDE && i-- > 0;)
		if (has(of, s->name[i]))
			take_out(s, i);
}

/* How far a stack got: what is asked for is on it at WHOLE, cannot come any more at LOST. */
enum { WHOLE = 1 << 20, LOST };

struct asking {
	const uint32_t *chain;
	uint32_t n;
	simulate_set of, from;
	const struct simulate_cost *cost;
	uint32_t (*next)(const struct asking *a, uint32_t state, uint32_t name);
};

static uint64_t sum_whole(const struct simulated *s, const struct asking *a)
{
	uint32_t state[SIMULATE_CALLS];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < s->calls; i++) {
		state[i] = s->parent[i] == SIMULATE_NONE ? 0 : state[s->parent[i]];
		if (state[i] < WHOLE)
			state[i] = a->next(a, state[i], s->name[i]);
		if (state[i] == WHOLE)
			sum += s->asked[i];
	}
	return in_units(s, sum);
}

static uint32_t next_incl(const struct asking *a, uint32_t state, uint32_t name)
{
	(void)state;
	return has(a->of, name) ? WHOLE : 0;
}

/* What of it was seen so far, in this order. */
enum { SEEN_NOTHING, SEEN_UNDER, SEEN_VIA };

static uint32_t next_cost(const struct asking *a, uint32_t state, uint32_t name)
{
	const struct simulate_cost *q = a->cost;
	bool below = !q->under || state != SEEN_NOTHING;

	if (has(q->avoiding, name))
		return q->under ? SEEN_NOTHING : LOST;
	if (state == SEEN_NOTHING && (!q->under || has(q->under, name)))
		state = SEEN_UNDER;
	if (state == SEEN_UNDER && (!q->via || has(q->via, name)))
		state = SEEN_VIA;
	return below && state == SEEN_VIA && has(q->of, name) ? WHOLE : state;
}

static uint32_t next_chain(const struct asking *a, uint32_t state, uint32_t name)
{
	if (state == 0 && a->from && !has(a->from, name))
		return 0;
	if (name != a->chain[state])
		return LOST;
	return state + 1 == a->n ? WHOLE : state + 1;
}

/* state: 1 in `from`, then one more for each of the chain. */
static uint32_t next_left(const struct asking *a, uint32_t state, uint32_t name)
{
	if (state < 2 && has(a->from, name))
		return 1;
	if (state == 0)
		return 0;
	if (name != a->chain[state - 1])
		return LOST;
	return state == a->n ? WHOLE : state + 1;
}

uint64_t simulate_self(const struct simulated *s, simulate_set of)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < s->calls; i++)
		if (has(of, s->name[i]))
			sum += s->asked[i];
	return in_units(s, sum);
}

uint64_t simulate_incl(const struct simulated *s, simulate_set of)
{
	return sum_whole(s, &(struct asking){.of = of, .next = next_incl});
}

uint64_t simulate_cost(const struct simulated *s, const struct simulate_cost *q)
{
	return sum_whole(s, &(struct asking){.cost = q, .next = next_cost});
}

void simulate_causes(const struct simulated *s, simulate_set of, uint64_t *causes)
{
	memset(causes, 0, SIMULATE_NAMES * sizeof(*causes));
	for (uint32_t i = 0; i < s->calls; i++) {
		const uint32_t caller = s->parent[i];
		simulate_set above = 0;

		if (!(of >> s->name[i] & 1) || s->name[i] >= s->functions * s->levels ||
		    caller == SIMULATE_NONE || of >> s->name[caller] & 1)
			continue;
		for (uint32_t up = caller; up != SIMULATE_NONE; up = s->parent[up])
			above |= (simulate_set)1 << s->name[up];
		for (uint32_t f = 0; f < s->names; f++)
			causes[f] += above >> f & 1;
	}
}

uint64_t simulate_chain(const struct simulated *s, const uint32_t *chain, uint32_t n,
			simulate_set from)
{
	return sum_whole(
		s, &(struct asking){
			   .chain = chain, .n = n, .from = from, .next = next_chain});
}

uint64_t simulate_left(const struct simulated *s, const uint32_t *chain, uint32_t n,
		       simulate_set from)
{
	return sum_whole(
		s, &(struct asking){
			   .chain = chain, .n = n, .from = from, .next = next_left});
}

/* The activation of the name that i runs in, the innermost; SIMULATE_NONE: none. */
static uint32_t running_in(const struct simulated *s, uint32_t i, uint32_t name)
{
	while (i != SIMULATE_NONE && s->name[i] != name)
		i = s->parent[i];
	return i;
}

uint64_t simulate_filtered(const struct simulated *s, enum simulate_filter how,
			   simulate_set of, uint32_t name, bool incl)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < s->calls; i++) {
		uint32_t spends =
			SIMULATE_NONE; /* the innermost function that is shown */
		bool in_set = false;

		for (uint32_t k = i; k != SIMULATE_NONE; k = s->parent[k]) {
			const bool of_set = has(of, s->name[k]);

			in_set |= of_set;
			if (spends == SIMULATE_NONE && !(how == FILTER_HIDE && of_set))
				spends = s->name[k];
		}
		if (how != FILTER_HIDE && in_set != (how == FILTER_FOCUS))
			continue;
		if (incl ? running_in(s, i, name) != SIMULATE_NONE : spends == name)
			sum += s->asked[i];
	}
	return in_units(s, sum);
}

uint64_t simulate_callers(const struct simulated *s, const uint32_t *chain, uint32_t n,
			  uint32_t of)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < s->calls; i++) {
		uint32_t up = running_in(s, i, of), k = 0;

		if (up == SIMULATE_NONE)
			continue;
		while (up != SIMULATE_NONE && s->name[up] == of)
			up = s->parent[up];
		while (k < n && up != SIMULATE_NONE && s->name[up] == chain[k]) {
			up = s->parent[up];
			k++;
		}
		if (k == n)
			sum += s->asked[i];
	}
	return in_units(s, sum);
}

uint64_t simulate_root(const struct simulated *s, uint32_t name)
{
	uint32_t root[SIMULATE_CALLS];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < s->calls; i++) {
		root[i] = s->parent[i] == SIMULATE_NONE ? i : root[s->parent[i]];
		if (s->name[root[i]] == name)
			sum += s->asked[i];
	}
	return in_units(s, sum);
}

uint64_t simulate_slack(const struct simulated *s, simulate_set at)
{
	/* The callers of hidden calls have their cost. */
	uint64_t sum = 1 + (at == ~(simulate_set)0 ? 3 * (uint64_t)s->hidden : 0);

	for (uint32_t i = 0; i < s->calls; i++) {
		sum += has(at, s->name[i]) ? 2 : 0;
		sum += s->parent[i] != SIMULATE_NONE && has(at, s->name[s->parent[i]]);
	}
	return s->rounded ? sum : 0;
}
