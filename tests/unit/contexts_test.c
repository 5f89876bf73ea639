/*
 * contexts_test.c - the call tree of Xdebug's profiles is that of a simple reader.
 *
 * The program with arguments, `contexts_test FILE [JOBS [STRETCH [MEM]]]`, prints the
 * contexts of a profile, one a line: functions from the root down joined by ';', then
 * calls, and self and inclusive cost of each event.  tests/e2e/contexts.t compares them
 * with a reader in Python.
 */
#include <stdlib.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/out.h"
#include "index/build.h"
#include "tests/support/dice.h"
#include "tests/support/tap.h"

/* How to read. */
struct way {
	unsigned jobs;
	size_t stretch, at_once;
	uint64_t mem;
	const char *index; /* NULL: a temporary one */
	uint32_t read;	   /* files to read, if another index has the others; 0: any */
};

static struct store *open_by(const char *const *path, size_t n, const struct way *way,
			     struct err *err)
{
	const struct build_opts opts = {.no_write = !way->index,
					.rebuild = !way->index,
					.index_path = way->index,
					.merge = true,
					.jobs = way->jobs,
					.stretch = way->stretch,
					.at_once = way->at_once,
					.mem = way->mem};
	struct build_report report;
	struct store *st = NULL;

	if (build_open_set(path, n, &opts, &st, &report, err))
		return NULL;
	if (way->read)
		is_u64(report.read, way->read, "the other files are not read again");
	return st;
}

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

static void say_tree(struct out *o, struct store *st)
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

/* The tree of a set of files, checked; or the error. */
static struct out tree_of(const char *const *path, size_t n, const struct way *way)
{
	struct err err = {0};
	struct store *st = open_by(path, n, way, &err);
	struct store_verified checked;
	struct out o;

	out_mem(&o);
	if (st)
		say_tree(&o, st);
	if (st)
		store_verify(st, NULL, &checked, &err);
	if (err.kind)
		out_c(&o, err.text);
	store_close(st);
	return o;
}

/* Each group that has a context: its name, then its functions with level and callers. */
static void say_groups(struct out *o, struct store *st)
{
	for (group_id g = 0; g < store_groups(st); g++) {
		const uint32_t n = store_group_size(st, g);
		struct str callers;
		bool exact;

		if (n == 1 &&
		    store_fn_context(st, store_group_fn(st, g, 0), &callers) == 1 &&
		    !callers.n)
			continue;
		out_str(o, store_group_name(st, g));
		out_c(o, ":");
		for (uint32_t i = 0; i < n; i++) {
			const fn_id f = store_group_fn(st, g, i);

			out_char(o, ' ');
			out_u64(o, store_fn_context(st, f, &callers));
			out_char(o, '(');
			out_str(o, callers);
			out_char(o, ')');
			if (store_group_of(st, f) != g)
				out_c(o, " another group's");
		}
		out_c(o, " = ");
		out_u64(o, store_group_incl(st, g, 0, &exact));
		out_c(o, exact ? "\n" : " or less\n");
	}
}

static struct out groups_of(const char *path)
{
	struct err err = {0};
	struct store *st = open_by(&path, 1, &(struct way){.jobs = 1}, &err);
	struct store_verified checked;
	struct out o;

	out_mem(&o);
	if (st)
		say_groups(&o, st);
	if (st)
		store_verify(st, NULL, &checked, &err);
	if (err.kind)
		out_c(&o, err.text);
	store_close(st);
	return o;
}

static int print_groups(const char *path)
{
	struct out o = groups_of(path);

	fwrite(o.buf, 1, o.n, stdout);
	out_close(&o);
	return 0;
}

static int print_tree(int argc, char **argv)
{
	const struct way way = {.jobs = argc > 2 ? (unsigned)atoi(argv[2]) : 1,
				.stretch = argc > 3 ? (size_t)atoll(argv[3]) : 0,
				.mem = argc > 4 ? (uint64_t)atoll(argv[4]) : 0};
	struct out o = tree_of((const char *const *)&argv[1], 1, &way);

	fwrite(o.buf, 1, o.n, stdout);
	out_close(&o);
	return 0;
}

/* ---- generated profiles ---- */

enum { NAMES = 6, BLOCKS = 400, CALLS = 12, EVENTS = 2 };

struct call {
	unsigned fn, count;
	uint64_t cost;
};

/* An activation, as it is written. */
struct block {
	unsigned fn, ncall, part;
	uint64_t own[EVENTS], cost; /* cost: inclusive, of the first event */
	struct call call[CALLS];
	int parent; /* by the simple reader; -1: a root */
	bool open;
};

struct made {
	struct block block[BLOCKS];
	int n;
};

/* Write an activation and all below it; its number, or -1: there is no more room. */
static int activate(struct made *m, unsigned part, unsigned depth)
{
	struct block b = {.fn = dice_below(NAMES), .part = part, .parent = -1};
	unsigned calls = depth ? dice_below(4) : 0;

	for (unsigned e = 0; e < EVENTS; e++)
		b.own[e] = dice_below(4) ? dice_below(900) : dice_below(1 << 30);
	b.cost = b.own[0];
	for (unsigned i = 0; i < calls; i++) {
		const int at = activate(m, part, depth - 1);

		if (at < 0)
			break;
		b.call[b.ncall++] = (struct call){m->block[at].fn, 1,
						  m->block[at].cost + dice_below(2)};
		b.cost += b.call[b.ncall - 1].cost;
	}
	if (m->n == BLOCKS)
		return -1;
	m->block[m->n] = b;
	return m->n++;
}

/* Move some blocks to where another stack ran in between. */
static void interleave(struct made *m)
{
	for (int i = 0; i + 1 < m->n; i++)
		if (m->block[i].part == m->block[i + 1].part && !dice_below(6)) {
			const struct block b = m->block[i];

			m->block[i] = m->block[i + 1];
			m->block[i + 1] = b;
		}
}

/* Names, counts and calls that contradict. */
static void contradict(struct made *m, unsigned every)
{
	for (int i = 0; i < m->n; i++) {
		struct block *b = &m->block[i];

		if (dice_below(every))
			continue;
		switch (dice_below(4)) {
		case 0: b->fn = dice_below(NAMES); break;
		case 1: b->ncall -= b->ncall > 0; break;
		case 2:
			if (b->ncall)
				b->call[dice_below(b->ncall)].count = dice_below(3);
			break;
		default:
			if (b->ncall)
				b->call[dice_below(b->ncall)].fn = dice_below(NAMES);
		}
		b->cost = b->own[0];
		for (unsigned k = 0; k < b->ncall; k++)
			b->cost += b->call[k].cost;
	}
}

static void make(struct made *m, unsigned seed)
{
	*m = (struct made){.n = 0};
	dice_state = seed;
	for (unsigned part = 0, parts = 1 + dice_below(3); part < parts; part++)
		for (unsigned root = 0, roots = 1 + dice_below(3); root < roots; root++)
			activate(m, part, 1 + dice_below(6));
	if (seed % 4 == 1)
		interleave(m);
	if (seed % 4 == 2)
		contradict(m, 200);
	if (seed % 8 == 3)
		contradict(m, 4);
	if (seed % 8 == 7 && m->n > 3 && m->block[m->n - 1].ncall)
		m->block[m->n - 1].ncall = 1 + dice_below(m->block[m->n - 1].ncall);
}

static void write_text(const struct made *m, FILE *f)
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

static bool about(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) <= 8 + a / 256;
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
		agree += about(b->call[i].cost, m->block[open[i]].cost);
	}
	return agree;
}

/* The calls of b, which was cut off, claim blocks in a row; false: it was not cut. */
static bool cut(struct made *m, int b, const int *open, int n)
{
	const struct block *of = &m->block[b];
	const int k = (int)of->ncall;
	int best = n - k, most = k && n > k ? agreement(m, of, open + best) : k;

	for (int at = 0; at < n - k && most < k - k / 8; at++) {
		const int agree = agreement(m, of, open + at);

		if (agree > most) {
			most = agree;
			best = at;
		}
	}
	if (best == n - k || !k || n <= k)
		return false;
	for (int i = 0; i < k; i++)
		give(m, open[best + i], b);
	return true;
}

/* The open block for a call among open[0..n); -1: none. */
static int pick(const struct made *m, const struct call *call, const int *open, int n,
		bool *row)
{
	int named = -1;

	*row = *row && n && call->count == 1 && m->block[open[n - 1]].fn == call->fn;
	if (*row)
		return n - 1;
	for (int i = n - 1; i >= 0 && call->count == 1; i--) {
		if (m->block[open[i]].fn != call->fn)
			continue;
		if (about(call->cost, m->block[open[i]].cost))
			return i;
		if (named < 0)
			named = i;
	}
	return named;
}

/* Set the parents; how many calls found nothing. */
static uint64_t read_simply(struct made *m)
{
	int open[BLOCKS];
	uint64_t lost = 0;

	for (int b = 0; b < m->n; b++) {
		struct block *of = &m->block[b];
		const bool last = b + 1 == m->n || m->block[b + 1].part != of->part;
		int n = open_before(m, b, open);
		bool row = true;

		of->open = true;
		if (last && cut(m, b, open, n))
			continue;
		for (unsigned k = of->ncall; k-- > 0;) {
			const int at = pick(m, &of->call[k], open, n, &row);

			if (at < 0) {
				lost++;
				continue;
			}
			give(m, open[at], b);
			n = at;
		}
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

/* Whether what say_tree() wrote has these stacks, each once. */
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

/* What say_tree() should write first. */
static bool has_head(const struct out *o, const struct made *m, uint64_t lost, bool tree)
{
	char want[100];

	snprintf(want, sizeof(want), "%s %d %ju ", tree ? "tree" : "no tree", m->n,
		 (uintmax_t)lost);
	return o->n > strlen(want) && memcmp(o->buf, want, strlen(want)) == 0;
}

static void check_made(unsigned seed)
{
	static const struct way ways[] = {
		{.jobs = 1},
		{.jobs = 2, .stretch = 64},
		{.jobs = 3, .stretch = 700},
		{.jobs = 1, .stretch = 1 << 30, .mem = 15},
		{.jobs = 2, .stretch = 3000, .at_once = 300, .mem = 15}};
	static struct made m;
	char path[] = "/tmp/contexts_test.XXXXXX";
	const char *const paths[] = {path};
	struct stack *stack = calloc(BLOCKS, sizeof(*stack));
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	struct out first;
	size_t n = 0;
	uint64_t lost;
	bool tree;

	if (!f || !stack)
		abort();
	make(&m, seed);
	write_text(&m, f);
	fclose(f);
	lost = read_simply(&m);
	tree = lost * 100 <= (uint64_t)m.n;
	for (int b = 0; tree && b < m.n; b++)
		n = add_block(&m, b, stack, n);
	first = tree_of(paths, 1, &ways[0]);
	ok(has_head(&first, &m, lost, tree) && has_stacks(&first, stack, n),
	   "seed %u: %d blocks, %ju calls that find nothing, %zu stacks", seed, m.n,
	   (uintmax_t)lost, n);
	for (size_t i = 1; i < COUNT(ways); i++) {
		struct out got = tree_of(paths, 1, &ways[i]);

		ok(got.n == first.n && memcmp(got.buf, first.buf, got.n) == 0,
		   "seed %u: the same by %u threads in stretches of %zu bytes", seed,
		   ways[i].jobs, ways[i].stretch);
		out_close(&got);
	}
	out_close(&first);
	free(stack);
	unlink(path);
}

/* ---- sets of files ---- */

/* Files that are added to an index, or read in batches, have the tree of all. */
static void check_set(unsigned seed)
{
	enum { FILES = 4 };
	static struct made m;
	char path[FILES][40], index[] = "/tmp/contexts_test.quern.XXXXXX";
	const char *paths[FILES];
	const int fd = mkstemp(index);
	struct out all, some, added;

	if (fd < 0 || close(fd) || unlink(index))
		abort();
	for (unsigned i = 0; i < FILES; i++) {
		FILE *f;

		snprintf(path[i], sizeof(path[i]), "/tmp/contexts_test.%u.%u", seed, i);
		paths[i] = path[i];
		f = fopen(path[i], "w");
		if (!f)
			abort();
		make(&m, 4 * (seed * FILES + i));
		write_text(&m, f);
		fclose(f);
	}
	all = tree_of(paths, FILES, &(struct way){.jobs = 2});
	some = tree_of(paths, 2, &(struct way){.jobs = 1, .index = index});
	added = tree_of(paths, FILES,
			&(struct way){.jobs = 2, .index = index, .read = 2});
	ok(added.n == all.n && memcmp(added.buf, all.buf, all.n) == 0 && some.n < all.n &&
		   memcmp(all.buf, "tree ", 5) == 0,
	   "seed %u: two files are added to an index of two", seed);
	for (unsigned i = 0; i < FILES; i++)
		unlink(path[i]);
	unlink(index);
	out_close(&all);
	out_close(&some);
	out_close(&added);
}

/* ---- groups ---- */

/* Functions with the names of calls: each line is "caller callee", or "name" alone; all
 * are of one file, and each costs 1. */
struct named {
	const char *name, *creator, *calls, *want;
};

static const struct named named[] = {
	{"no context", "callgrind-3.19.0", "main\tf\nf\tg\n", ""},
	{"a level", "callgrind-3.19.0", "main\tf\nf\tf'2\nf'2\tf'2\n",
	 "f: 1() 2() = 2\n"},
	{"two levels", "callgrind-3.19.0", "main\tf\nf\tf'2\nf'2\tf'3\nf'3\tf'3\n",
	 "f: 1() 2() 3() = 3\n"},
	{"a level without another", "callgrind-3.19.0", "main\tf'2\n", ""},
	{"level 1 calls itself", "callgrind-3.19.0", "main\tf\nmain\tf'2\nf\tf\n", ""},
	{"a level that nothing calls", "callgrind-3.19.0", "main\tf\nf'2\tg\n", ""},
	{"callers", "callgrind-3.19.0", "main\tg'main\ng'main\tf'g\nmain\tf'main\n",
	 "f: 1(g) 1(main) = 2 or less\ng: 1(main) = 2\n"},
	{"callers of callers", "callgrind-3.19.0",
	 "main\tg'main\ng'main\tf'g'main\nf'g'main\th'f'g\n",
	 "f: 1(g'main) = 2\ng: 1(main) = 3\nh: 1(f'g) = 1\n"},
	{"a level and callers", "callgrind-3.19.0",
	 "main\tf'main\nf'main\tf'2'main\nf'2'main\tf'2'main\n",
	 "f: 2(main) 1(main) = 2\n"},
	{"callers that do not call it", "callgrind-3.19.0", "main\tf'g\nmain\tg\n", ""},
	{"others call it, too", "callgrind-3.19.0", "main\tg\ng\tf'g\nmain\tf'g\n", ""},
	{"names of OCaml", "callgrind-3.19.0",
	 "main\tcamlA.x'\nmain\tcamlA.go'_12\ncamlA.x'\tcamlA.go'_12\n", ""},
	{"a context of such a name", "callgrind-3.19.0",
	 "main\tgo'\ngo'\tx''go'\nx''go'\ty'x'\n", "x': 1(go') = 2\ny: 1(x') = 1\n"},
	{"Rust", "callgrind-3.19.0", "main\t<A<'a> as B>::f'main\n",
	 "<A<'a> as B>::f: 1(main) = 1\n"},
	{"another producer", "yappi", "main\tf\nf\tf'2\nf'2\tf'2\n", ""},
	{"a file of callers alone", "callgrind-3.19.0", "main\tf'main\n",
	 "f: 1(main) = 1\n"},
};

/* A line "caller callee" of `calls`; its end, or NULL. */
static const char *next_call(const char *calls, struct str *from, struct str *to)
{
	const char *tab = strchr(calls, '\t'), *end = strchr(calls, '\n');

	if (!tab || !end)
		return NULL;
	*from = (struct str){calls, (size_t)(tab - calls)};
	*to = (struct str){tab + 1, (size_t)(end - tab - 1)};
	return end + 1;
}

/* How much a function costs with all that it calls, once each: the text is a tree but for
 * functions that call themselves. */
static unsigned inclusive(const char *calls, struct str f)
{
	struct str from, to;
	unsigned sum = 1;

	for (const char *p = calls; (p = next_call(p, &from, &to));)
		if (str_eq(from, f) && !str_eq(to, f))
			sum += inclusive(calls, to);
	return sum;
}

static void check_named(const struct named *n)
{
	char path[] = "/tmp/contexts_test.XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	struct str from, to;
	struct out got;

	if (!f)
		abort();
	fprintf(f, "creator: %s\nevents: Ir\n\nfl=a.c\n", n->creator);
	for (const char *p = n->calls; (p = next_call(p, &from, &to));) {
		fprintf(f, "fn=%.*s\n1 0\ncfn=%.*s\ncalls=1 1\n1 %u\n", STR_ARG(from),
			STR_ARG(to), inclusive(n->calls, to));
		if (!str_eq(from, to))
			fprintf(f, "fn=%.*s\n1 1\n", STR_ARG(to));
	}
	fclose(f);
	got = groups_of(path);
	ok(got.n == strlen(n->want) && memcmp(got.buf, n->want, got.n) == 0, "%s",
	   n->name);
	if (got.n != strlen(n->want) || memcmp(got.buf, n->want, got.n) != 0)
		printf("# got %.*s# want %s", (int)got.n, got.buf, n->want);
	out_close(&got);
	unlink(path);
}

/* callgrind's own names: each "'" is that of a context. */
static void check_recorded(const char *path)
{
	struct err err = {0};
	struct store *st = open_by(&path, 1, &(struct way){.jobs = 1}, &err);
	uint32_t whole = 0;

	for (fn_id f = 0; st && f < store_info(st)->functions; f++) {
		const struct str name = store_fn_name(st, f);
		struct str callers;

		whole += memchr(name.p, '\'', name.n) &&
			 store_fn_context(st, f, &callers) == 1 && !callers.n;
	}
	ok(st && store_any_grouped(st), "%s: names are split", path);
	is_u64(whole, 0, "%s: all of them", path);
	store_close(st);
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "--groups") == 0)
		return print_groups(argv[2]);
	if (argc > 1)
		return print_tree(argc, argv);
	for (unsigned seed = 0; seed < 120; seed++)
		check_made(seed);
	for (unsigned seed = 0; seed < 10; seed++)
		check_set(seed);
	for (size_t i = 0; i < COUNT(named); i++)
		check_named(&named[i]);
	check_recorded("tests/fixtures/small/mutual-callers3.out");
	check_recorded("tests/fixtures/small/mutual-recs3.out");
	check_recorded("tests/fixtures/small/lua-default.out");
	return done_testing();
}
