/* blocks.c - see blocks.h. */
#include "tests/support/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/out.h"
#include "index/store/store.h"

void blocks_write(const struct made *m, FILE *f)
{
	static const char *const file[] = {"a.php", "php:internal"};

	for (int i = 0; i < m->n; i++) {
		const struct block *b = &m->block[i];

		if (i == 0 || b->part != m->block[i - 1].part)
			fprintf(f,
				"%sversion: 1\ncreator: xdebug 3.2.0\ncmd: x\npart: 1\n"
				"positions: line\n\nevents: Time Memory\n\n",
				i ? "==== NEW PROFILING FILE ====\n" : "");
		fprintf(f, "fl=(%u) %s\nfn=(%u) f%u\n%u %ju %ju\n", b->fn % 2 + 1,
			file[b->fn % 2], b->fn, b->fn, b->fn, (uintmax_t)b->own[0],
			(uintmax_t)b->own[1]);
		for (unsigned k = 0; k < b->ncall; k++)
			fprintf(f, "cfl=(%u) %s\ncfn=(%u) f%u\ncalls=%u 0 0\n%u %ju 0\n",
				b->call[k].fn % 2 + 1, file[b->call[k].fn % 2],
				b->call[k].fn, b->call[k].fn, b->call[k].count, k,
				(uintmax_t)b->call[k].cost);
		fprintf(f, "\n");
	}
}

/* ---- the simple reader ---- */

enum { AHEAD = 32, SLACK = 4 };

static bool near(const struct made *m, const struct call *call, int block, unsigned slack)
{
	const struct block *b = &m->block[block];
	const uint64_t d =
		call->cost > b->cost ? call->cost - b->cost : b->cost - call->cost;

	return call->count == 1 && call->fn == b->fn && d <= b->ncall + slack;
}

static bool fits(const struct made *m, const struct call *call, int block)
{
	return near(m, call, block, 0);
}

/* The open blocks of b's part before it, from the first to the last; their number. */
static int open_before(const struct made *m, int b, int *open)
{
	int n = 0;

	for (int i = 0; i < b; i++)
		if (m->block[i].open && m->block[i].part == m->block[b].part)
			open[n++] = i;
	return n;
}

static void give(struct made *m, int child, int parent)
{
	m->block[child].parent = parent;
	m->block[child].open = false;
}

/* How many of b's calls cost about what the blocks open[0] and on cost; -1: they have
 * other names. */
static int agreement(const struct made *m, const struct block *b, const int *open)
{
	int agree = 0;

	for (unsigned i = 0; i < b->ncall; i++) {
		if (m->block[open[i]].fn != b->call[i].fn)
			return -1;
		agree += fits(m, &b->call[i], open[i]);
	}
	return agree;
}

/* The calls of b, which was cut off, claim blocks in a row; false: it was not cut. */
static bool cut(struct made *m, int b, const int *open, int n)
{
	const struct block *of = &m->block[b];
	const int k = (int)of->ncall;
	const int enough = k - k / 8;
	int at = 0;

	if (!k || n <= k || agreement(m, of, open + n - k) >= enough)
		return false;
	while (at < n - k && agreement(m, of, open + at) < enough)
		at++;
	if (at == n - k)
		return false;
	for (int i = 0; i < k; i++)
		give(m, open[at + i], b);
	return true;
}

/* Whether the last blocks have the names of b's calls, and their costs. */
static bool in_row(const struct made *m, const struct block *b, const int *open, int n,
		   bool costs)
{
	const int k = (int)b->ncall;

	for (int i = 0; i < k; i++)
		if (n < k || b->call[i].count != 1 ||
		    b->call[i].fn != m->block[open[n - k + i]].fn ||
		    (costs && !fits(m, &b->call[i], open[n - k + i])))
			return false;
	return true;
}

/* The open block from `from` to before `end` that is best for call i; -1: none.  *n: how
 * many fit. */
static int best_of(const struct made *m, const struct block *b, int i, const int *open,
		   int from, int end, unsigned slack, int *n)
{
	uint64_t least = 0;
	int best = -1, most = 0;

	*n = 0;
	for (int at = end - 1; at >= from; at--) {
		uint64_t off = 0;
		int run = 0;

		while (run < AHEAD && run <= i && run <= at &&
		       fits(m, &b->call[i - run], open[at - run])) {
			off += (uint64_t)llabs(
				(long long)(b->call[i - run].cost -
					    m->block[open[at - run]].cost));
			run++;
		}
		if (!near(m, &b->call[i], open[at], slack))
			continue;
		++*n;
		off = (uint64_t)(end - at) << (off < 16 ? off : 16);
		if (best < 0 || run > most || (run == most && off < least)) {
			best = at;
			most = run;
			least = off;
		}
	}
	return best;
}

/* Keep the most calls whose places rise: place[i], or -1. */
static void keep_rising(int *place, int k)
{
	int length[CALLS], longest = 0;

	for (int i = 0; i < k; i++) {
		length[i] = place[i] >= 0;
		for (int j = 0; j < i; j++)
			if (place[i] >= 0 && place[j] >= 0 && place[j] < place[i] &&
			    length[j] >= length[i])
				length[i] = length[j] + 1;
		longest = length[i] > longest ? length[i] : longest;
	}
	for (int i = k; i-- > 0;)
		if (longest && length[i] == longest)
			longest--;
		else
			place[i] = -1;
}

/* First the calls that fit one open block, then the others between them. */
static void place_calls(const struct made *m, const struct block *b, const int *open,
			int n, int *place)
{
	const int k = (int)b->ncall;
	int fit, end = n;

	for (int i = 0; i < k; i++) {
		place[i] = best_of(m, b, i, open, 0, n, 0, &fit);
		place[i] = fit == 1 ? place[i] : -1;
	}
	keep_rising(place, k);
	for (int i = k; i-- > 0;) {
		int from = 0;

		for (int j = 0; j < i; j++)
			from = place[j] >= 0 ? place[j] + 1 : from;
		if (place[i] < 0 && end > from && fits(m, &b->call[i], open[end - 1]))
			place[i] = end - 1;
		else if (place[i] < 0)
			place[i] = best_of(m, b, i, open, from, end, 0, &fit);
		end = place[i] >= 0 ? place[i] : end;
	}
}

static bool fits_none(const struct made *m, const struct block *b, const int *open, int n,
		      const int *place)
{
	for (int i = 0; i < (int)b->ncall; i++) {
		int fit;

		if (place[i] < 0 && best_of(m, b, i, open, 0, n, 0, &fit) < 0)
			return true;
	}
	return false;
}

/* The calls of b claim blocks; how many find none. */
static uint64_t claim(struct made *m, int b, int *open, int n)
{
	struct block *of = &m->block[b];
	const int k = (int)of->ncall;
	int place[CALLS] = {0};
	uint64_t lost = 0;
	bool row = in_row(m, of, open, n, true);

	if (!row) {
		place_calls(m, of, open, n, place);
		row = fits_none(m, of, open, n, place) && in_row(m, of, open, n, false);
	}
	for (int i = 0; i < k; i++)
		if (row || place[i] >= 0)
			give(m, open[row ? n - k + i : place[i]], b);
	for (int i = k; !row && i-- > 0;) {
		int fit, at;

		if (place[i] >= 0)
			continue;
		n = open_before(m, b, open);
		at = best_of(m, of, i, open, 0, n, SLACK, &fit);
		if (at >= 0)
			give(m, open[at], b);
		lost += at < 0;
	}
	return lost;
}

uint64_t blocks_kept(struct made *m)
{
	int open[BLOCKS];
	uint64_t lost = 0;

	for (int b = 0; b < m->n; b++) {
		const bool last =
			b + 1 == m->n || m->block[b + 1].part != m->block[b].part;
		const int n = open_before(m, b, open);

		m->block[b].open = true;
		if (!last || !cut(m, b, open, n))
			lost += claim(m, b, open, n);
	}
	return lost;
}

/* A stack with its sums. */
struct stack {
	char name[BLOCKS * 3];
	uint64_t calls, self[EVENTS], incl[EVENTS];
};

static void stack_name(const struct made *m, int b, char *to)
{
	*to = 0;
	if (m->block[b].parent >= 0) {
		stack_name(m, m->block[b].parent, to);
		strcat(to, ";");
	}
	sprintf(to + strlen(to), "f%u", m->block[b].fn);
}

/* Add block b's own costs to its stack, and to those of all that called it. */
static size_t add_block(const struct made *m, int b, struct stack *stack, size_t n)
{
	for (int at = b; at >= 0; at = m->block[at].parent) {
		char name[sizeof(stack->name)];
		size_t i = 0;

		stack_name(m, at, name);
		while (i < n && strcmp(stack[i].name, name) != 0)
			i++;
		if (i == n) {
			stack[n] = (struct stack){.calls = 0};
			strcpy(stack[n++].name, name);
		}
		stack[i].calls += at == b;
		for (unsigned e = 0; e < EVENTS; e++) {
			stack[i].self[e] += at == b ? m->block[b].own[e] : 0;
			stack[i].incl[e] += m->block[b].own[e];
		}
	}
	return n;
}

/* Whether the line is one of the stacks. */
static bool is_stack(const char *line, size_t n, const struct stack *stack, size_t stacks)
{
	char want[sizeof(stack->name) + 200];

	for (size_t i = 0; i < stacks; i++) {
		const struct stack *s = &stack[i];
		const int len = snprintf(want, sizeof(want), "%s %ju %ju %ju %ju %ju",
					 s->name, (uintmax_t)s->calls,
					 (uintmax_t)s->self[0], (uintmax_t)s->self[1],
					 (uintmax_t)s->incl[0], (uintmax_t)s->incl[1]);

		if ((size_t)len == n && memcmp(line, want, n) == 0)
			return true;
	}
	return false;
}

/* Whether what blocks_say() wrote has these stacks, each once. */
static bool has_stacks(const struct out *o, const struct stack *stack, size_t n)
{
	const char *p = memchr(o->buf, '\n', o->n), *end = o->buf + o->n;
	size_t found = 0;

	for (const char *nl; p && ++p < end; p = nl, found++) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl || !is_stack(p, (size_t)(nl - p), stack, n))
			return false;
	}
	return found == n;
}

/* What blocks_say() should write first. */
static bool has_head(const struct out *o, const struct made *m, uint64_t lost, bool tree)
{
	char want[100];

	snprintf(want, sizeof(want), "%s %d %ju ", tree ? "tree" : "no tree", m->n,
		 (uintmax_t)lost);
	return o->n > strlen(want) && memcmp(o->buf, want, strlen(want)) == 0;
}

/* ---- what the index says ---- */

/* The functions of a context, the root first. */
static void say_stack(struct out *o, struct store *st, context_id c)
{
	context_id *up = malloc(sizeof(*up));
	size_t n = 0;

	for (; c != NO_CONTEXT; c = store_context_parent(st, c)) {
		up = realloc(up, (n + 1) * sizeof(*up));
		if (!up)
			abort();
		up[n++] = c;
	}
	while (n-- > 0) {
		out_str(o, store_fn_name(st, store_context_fn(st, up[n])));
		if (n)
			out_char(o, ';');
	}
	free(up);
}

void blocks_say(struct out *o, struct store *st)
{
	const struct store_info *in = store_info(st);
	struct store_tree tree;

	store_tree(st, &tree);
	out_c(o, tree.whole ? "tree" : "no tree");
	for (size_t i = 0; i < 3; i++) {
		out_char(o, ' ');
		out_u64(o, (uint64_t[]){tree.activations, tree.lost, tree.line}[i]);
	}
	out_char(o, '\n');
	for (context_id c = 0; c < tree.contexts; c++) {
		say_stack(o, st, c);
		out_char(o, ' ');
		out_u64(o, store_context_calls(st, c));
		for (uint32_t e = 0; e < 2 * in->events; e++) {
			out_char(o, ' ');
			out_u64(o, e < in->events
					   ? store_context_self(st, c, e)
					   : store_context_incl(st, c, e - in->events));
		}
		out_char(o, '\n');
	}
}

bool blocks_are(const struct made *m, uint64_t lost, const struct out *said)
{
	struct stack *stack = calloc((size_t)m->n + 1, sizeof(*stack));
	const bool tree = lost * 100 <= (uint64_t)m->n;
	size_t n = 0;
	bool are;

	if (!stack)
		abort();
	for (int b = 0; tree && b < m->n; b++)
		n = add_block(m, b, stack, n);
	are = has_head(said, m, lost, tree) && has_stacks(said, stack, n);
	free(stack);
	return are;
}
