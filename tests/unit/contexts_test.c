/*
 * contexts_test.c - the call tree of Xdebug's profiles is that of a simple reader.
 *
 * The program with arguments, `contexts_test FILE [JOBS [STRETCH [MEM]]]`, prints the
 * contexts of a profile, one a line: functions from the root down joined by ';', then
 * calls, and self and inclusive cost of each event.  tests/e2e/contexts.t compares them
 * with a reader in Python.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/base/err_struct.h"
#include "index/base/out.h"
#include "index/build.h"
#include "index/contexts/claims.h"
#include "tests/support/blocks.h"
#include "tests/support/derived.h"
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

/* The inclusive cost of event 0, if the index has it. */
static void say_incl(struct out *o, struct store *st, group_id g)
{
	const uint32_t *known = store_u32(st, TABLE_GROUP_KNOWN);
	const fn_id f = store_group_fn(st, g, 0);

	if (store_group_size(st, g) == 1 && !store_fn_nests(st, f))
		out_u64(o, (uint64_t)store_fn_incl(st, f, 0));
	else if (known && known[g])
		out_u64(o, (uint64_t)store_group_incl(st, g, 0));
	else
		out_c(o, "?");
	out_char(o, '\n');
}

/* Each group that has a context: its name, then its functions with level and callers. */
static void say_groups(struct out *o, struct store *st)
{
	for (group_id g = 0; g < store_info(st)->groups; g++) {
		const uint32_t n = store_group_size(st, g);
		struct str callers;

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
		say_incl(o, st, g);
	}
}

/* What `say` tells of a set of files, whose index is verified; or the error. */
static struct out told(void (*say)(struct out *, struct store *), const char *const *path,
		       size_t n, const struct way *way)
{
	struct err err = {0};
	struct store *st = open_by(path, n, way, &err);
	struct store_verified checked;
	struct out o;

	out_mem(&o);
	if (st)
		say(&o, st);
	if (st)
		derived_verify(st, &checked, &err);
	if (err.kind)
		out_c(&o, err.text);
	store_close(st);
	return o;
}

static struct out tree_of(const char *const *path, size_t n, const struct way *way)
{
	return told(blocks_say, path, n, way);
}

static struct out groups_of(const char *path)
{
	return told(say_groups, &path, 1, &(struct way){.jobs = 1});
}

static int print(struct out o)
{
	fwrite(o.buf, 1, o.n, stdout);
	out_close(&o);
	return 0;
}

static int print_tree(int argc, char **argv)
{
	const struct way way = {.jobs = argc > 2 ? (unsigned)atoi(argv[2]) : 1,
				.stretch = argc > 3 ? (size_t)atoll(argv[3]) : 0,
				.mem = argc > 4 ? (uint64_t)atoll(argv[4]) : 0};

	return print(tree_of((const char *const *)&argv[1], 1, &way));
}

/* ---- generated profiles ---- */

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
		b.call[b.ncall++] = (struct call){
			m->block[at].fn, 1,
			m->block[at].cost + dice_below(m->block[at].ncall + 1)};
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
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	struct out first;
	uint64_t lost;

	if (!f)
		abort();
	make(&m, seed);
	blocks_write(&m, f);
	fclose(f);
	lost = blocks_kept(&m);
	first = tree_of(paths, 1, &ways[0]);
	ok(blocks_are(&m, lost, &first),
	   "seed %u: %d blocks, %ju calls that find nothing", seed, m.n, (uintmax_t)lost);
	for (size_t i = 1; i < COUNT(ways); i++) {
		struct out got = tree_of(paths, 1, &ways[i]);

		ok(got.n == first.n && memcmp(got.buf, first.buf, got.n) == 0,
		   "seed %u: the same by %u threads in stretches of %zu bytes", seed,
		   ways[i].jobs, ways[i].stretch);
		out_close(&got);
	}
	out_close(&first);
	unlink(path);
}

/* ---- a contradiction at each block ---- */

enum edit { FLIPPED, REMOVED, TWICE, EDITS };

/* Change block i; false: there is nothing to change. */
static bool edit_block(struct made *m, int i, enum edit how)
{
	const struct block b = m->block[i];
	const size_t after = (size_t)(m->n - i - 1) * sizeof(b);

	if (how == FLIPPED) {
		if (i + 1 >= m->n || m->block[i + 1].part != b.part)
			return false;
		m->block[i] = m->block[i + 1];
		m->block[i + 1] = b;
	} else if (how == REMOVED) {
		memmove(&m->block[i], &m->block[i + 1], after);
		m->n--;
	} else if (m->n < BLOCKS) {
		memmove(&m->block[i + 2], &m->block[i + 1], after);
		m->block[i + 1] = b;
		m->n++;
	}
	return m->n > 0;
}

/* What cannot be placed is a root, and counted; the sums are those of all blocks. */
static void check_edits(unsigned seed, enum edit how)
{
	static const char *const title[] = {"flipped", "removed", "twice"};
	static struct made whole, m;
	char path[] = "/tmp/contexts_test.XXXXXX";
	const char *const paths[] = {path};
	int fd = mkstemp(path), wrong = 0, asked = 0;

	if (fd < 0 || close(fd))
		abort();
	make(&whole, seed);
	for (int i = 0; i < whole.n && i < 120; i++) {
		struct out said;
		uint64_t lost;
		FILE *f;

		m = whole;
		if (!edit_block(&m, i, how))
			continue;
		if (!(f = fopen(path, "w")))
			abort();
		blocks_write(&m, f);
		fclose(f);
		lost = blocks_kept(&m);
		said = tree_of(paths, 1, &(struct way){.jobs = 1});
		wrong += !blocks_are(&m, lost, &said);
		asked++;
		out_close(&said);
	}
	ok(asked && !wrong, "seed %u: each of %d blocks %s", seed, asked, title[how]);
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
		blocks_write(&m, f);
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

/* ---- seams that are in a file ---- */

static void log_block(struct block_log *l, uint32_t name, uint64_t cost, uint64_t *self)
{
	if (block_log_next(l, name, name, self, 1, 0))
		abort();
	self[name] += cost;
}

/* Two stretches: a b a b main(a b, which is cut off); a part begins, whose block a goes on in
 * stretch 2, where main calls it. */
static void log_two_parts(struct block_log l[2], size_t limit)
{
	uint64_t self[3] = {0};

	for (int k = 0; k < 2; k++) {
		block_log_init(&l[k]);
		l[k].on = true;
		l[k].seams.limit = limit;
		l[k].seams.dir = "/tmp";
	}
	for (uint32_t i = 0; i < 4; i++)
		log_block(&l[0], i % 2, i < 2 ? 1000 : 2000, self);
	log_block(&l[0], 2, 5, self);
	if (block_log_call(&l[0], 0, 1, 1000) || block_log_call(&l[0], 1, 1, 1000) ||
	    block_log_last(&l[0], self, 1, 0) || block_log_part(&l[0]))
		abort();
	log_block(&l[0], 0, 3000, self);
	if (block_log_last(&l[0], self, 1, 0) || block_log_finish(&l[0]))
		abort();
	log_block(&l[1], 2, 5, self);
	if (block_log_call(&l[1], 0, 1, 3000) || block_log_last(&l[1], self, 1, 0) ||
	    block_log_finish(&l[1]))
		abort();
}

/* Where seams stand in a file and in memory, the claims are the same. */
static void check_seams(size_t limit)
{
	static const uint32_t same[] = {0, 1, 2};
	static const uint64_t want[] = {0, 1, 5};
	struct block_log l[2];
	struct context_stretch s[2] = {{&l[0], same, same, same, 0},
				       {&l[1], same, same, same, 9}};
	struct err err = {0};
	struct claims c;
	bool right;

	log_two_parts(l, limit);
	/* What stands behind the seams that are read from the file is no seam. */
	if (bytes_room(&l[0].seams.scratch, 64))
		abort();
	memset(l[0].seams.scratch.p, 0, l[0].seams.scratch.cap);
	right = !claims_resolve(&c, s, 2, UINT64_MAX, NULL, &err) && c.n == COUNT(want);
	for (size_t i = 0; right && i < c.n; i++)
		right = c.of[i].key == want[i];
	ok(right && !c.lost, "a cut block, seams over %zu bytes in a file: %s", limit,
	   err.text);
	claims_free(&c);
	block_log_free(&l[0]);
	block_log_free(&l[1]);
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
	 "f: 1(g) 1(main) = 2\ng: 1(main) = 2\n"},
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
	if (!ok(str_eq(out_text(&got), str_c(n->want)), "%s", n->name))
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

/* A recursion of LEVELS: every level is a context, of few bytes. */
static void check_deep(void)
{
	enum { LEVELS = 200000 };
	char path[] = "/tmp/contexts_test.XXXXXX", index[] = "/tmp/contexts_test.XXXXXX";
	const char *const paths[] = {path};
	int fd = mkstemp(path), other = mkstemp(index);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	struct err err = {0};
	struct store_tree tree = {0};
	struct store *st;

	if (!f || other < 0 || close(other) || unlink(index))
		abort();
	fprintf(f,
		"version: 1\ncreator: xdebug 3.2.0\nevents: Time\n\nfl=a\nfn=(1) f\n1 0\n\n");
	for (unsigned i = 1; i < LEVELS; i++)
		fprintf(f, "fn=(1)\n1 0\ncfl=a\ncfn=(1)\ncalls=1 0 0\n1 0\n\n");
	fclose(f);
	st = open_by(paths, 1, &(struct way){.jobs = 2, .index = index}, &err);
	if (st)
		store_tree(st, &tree);
	is_u64(tree.contexts, LEVELS, "a recursion of %d levels: %s", LEVELS, err.text);
	is_u64(st ? store_context_parent(st, LEVELS - 1) : 0, LEVELS - 2,
	       "  the last is under it");
	store_close(st);
	unlink(path);
	unlink(index);
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "--groups") == 0)
		return print(groups_of(argv[2]));
	if (argc > 1)
		return print_tree(argc, argv);
	for (unsigned seed = 0; seed < 120; seed++)
		check_made(seed);
	for (unsigned seed = 4; seed < 20; seed += 4)
		for (enum edit how = FLIPPED; how < EDITS; how++)
			check_edits(seed, how);
	for (unsigned seed = 0; seed < 10; seed++)
		check_set(seed);
	check_deep();
	for (size_t limit = 0; limit < 40; limit++)
		check_seams(limit);
	for (size_t i = 0; i < COUNT(named); i++)
		check_named(&named[i]);
	check_recorded("tests/fixtures/small/mutual-callers3.out");
	check_recorded("tests/fixtures/small/mutual-recs3.out");
	check_recorded("tests/fixtures/small/lua-default.out");
	return done_testing();
}
