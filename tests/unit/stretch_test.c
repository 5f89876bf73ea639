/*
 * stretch_test.c - one answer, however the text is cut and however many threads read it.
 *
 * Every fixture, and a profile long enough to be replayed (replay.h), is indexed as one
 * stretch, in stretches of 64 bytes and up, with each instruction set in turn, and packed, in blocks of
 * 64 bytes and up (feed.h); all that the index says is compared, and its values to the bit.
 */
#include <dirent.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "index/base/err_struct.h"
#include "index/base/out.h"
#include "index/build.h"
#include "index/base/isa.h"
#include "index/read/stretch.h"
#include "tests/support/derived.h"
#include "tests/support/naive.h"
#include "tests/support/tap.h"

static void put(struct out *o, const char *what, const uint64_t *v, size_t n)
{
	out_c(o, what);
	for (size_t i = 0; i < n; i++) {
		out_char(o, ' ');
		out_u64(o, v[i]);
	}
	out_char(o, '\n');
}

#define PUT(o, what, ...)                             \
	put(o, what, (const uint64_t[]){__VA_ARGS__}, \
	    sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void say_function(struct out *o, struct store *st, fn_id f, struct arena *a)
{
	const struct store_info *in = store_info(st);
	struct store_line *line;
	struct store_site *site;
	struct store_jump *jump;
	struct err err = {0};
	int64_t *costs;
	size_t n;

	out_str(o, store_fn_name(st, f));
	out_str(o, store_fn_file(st, f));
	out_str(o, store_fn_obj(st, f));
	PUT(o, " f", f, store_fn_cycle(st, f), store_fn_calls(st, f),
	    store_fn_line(st, f));
	for (uint32_t e = 0; e < in->all_events; e++)
		PUT(o, "e", (uint64_t)store_fn_self(st, f, e),
		    (uint64_t)store_fn_incl(st, f, e), (uint64_t)store_fn_nests(st, f));
	arena_reset(a);
	if (!store_lines(st, f, a, &line, &costs, &n, &err))
		for (size_t i = 0; i < n; i++) {
			PUT(o, "l", line[i].file, line[i].line, line[i].instr);
			put(o, "", (const uint64_t *)costs + i * in->events, in->events);
		}
	if (!store_sites(st, f, a, &site, &costs, &n, &err))
		for (size_t i = 0; i < n; i++) {
			PUT(o, "s", site[i].edge, site[i].callee, site[i].file,
			    site[i].line, site[i].instr, site[i].calls);
			put(o, "", (const uint64_t *)costs + i * in->events, in->events);
		}
	if (!store_jumps(st, f, a, &jump, &n, &err))
		for (size_t i = 0; i < n; i++)
			PUT(o, "j", jump[i].to_fn, jump[i].file, jump[i].to_file,
			    jump[i].line, jump[i].instr, jump[i].to_line,
			    jump[i].to_instr, jump[i].conditional, jump[i].executed,
			    jump[i].taken);
	out_c(o, err.text);
}

static void say_part(struct out *o, struct store *st, uint32_t p, struct arena *a)
{
	const struct store_info *in = store_info(st);
	struct part part;
	struct err err = {0};
	uint64_t *calls;
	int64_t *costs;
	uint32_t *ids;
	size_t n;

	store_part(st, p, &part);
	out_str(o, part.desc);
	out_str(o, part.cmd);
	PUT(o, " p", part.part, part.pid, part.thread, part.offset, part.bytes,
	    part.functions, part.has_totals, part.has_summary);
	for (uint32_t e = 0; e < in->events; e++)
		PUT(o, "e", (uint64_t)store_part_self(st, p, e),
		    (uint64_t)store_part_totals(st, p, e),
		    (uint64_t)store_part_summary(st, p, e));
	arena_reset(a);
	if (!store_part_functions(st, p, a, &ids, &costs, &n, &err))
		for (size_t i = 0; i < n; i++) {
			PUT(o, "f", ids[i]);
			put(o, "", (const uint64_t *)costs + i * in->events, in->events);
		}
	if (!store_part_edges(st, p, a, &ids, &calls, &costs, &n, &err))
		for (size_t i = 0; i < n; i++) {
			PUT(o, "c", ids[i], calls[i]);
			put(o, "", (const uint64_t *)costs + i * in->events, in->events);
		}
	out_c(o, err.text);
}

/* Read so that the other threads have nothing left while this one has. */
static void pause_a_moment(void *arg, const struct build_progress *p)
{
	(void)arg;
	(void)p;
	nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
}

/* A way to read: threads, the bytes of a stretch, of memory, and those that are worth giving. */
struct way {
	unsigned jobs;
	size_t stretch;
	uint64_t mem;
	size_t give;
	size_t piece;
};

/* All that the index of path says, or the error. */
static struct out say(const char *path, const struct way *way, uint64_t *lines)
{
	struct build_opts opts = {.no_write = true,
				  .jobs = way->jobs,
				  .stretch = way->stretch,
				  .mem = way->mem,
				  .give = way->give,
				  .at_once = way->piece,
				  .progress = way->give ? pause_a_moment : NULL};
	struct build_report report;
	struct store_verified checked;
	struct store_tree tree;
	struct store *st = NULL;
	struct err err = {0};
	struct arena a;
	struct out o;

	out_mem(&o);
	*lines = 0;
	if (build_open(path, &opts, &st, &report, &err)) {
		out_c(&o, err.text);
		return o;
	}
	const struct store_info *in = store_info(st);

	arena_init(&a, 0);
	*lines = in->input_lines;
	PUT(&o, "info", in->events, in->all_events, in->functions, in->edges, in->cycles,
	    in->parts, in->names, in->files, in->objects, in->lines, in->callsites,
	    in->jumps, in->diagnostics, in->input_bytes, in->input_lines, in->saturated);
	store_tree(st, &tree);
	PUT(&o, "tree", tree.whole, tree.contexts, tree.activations, tree.lost, tree.line,
	    tree.file);
	out_str(&o, tree.why);
	for (fn_id f = 0; f < in->functions; f++)
		say_function(&o, st, f, &a);
	for (edge_id i = 0; i < in->edges; i++) {
		struct store_edge e;

		store_edge(st, i, &e);
		PUT(&o, "edge", e.caller, e.callee, e.calls, e.recursive, e.in_cycle);
	}
	for (uint32_t p = 0; p < in->parts; p++)
		say_part(&o, st, p, &a);
	for (uint32_t i = 0; i < store_diag_count(st); i++) {
		struct store_diag d;

		store_diag(st, i, &d);
		out_str(&o, d.kind);
		out_str(&o, d.text);
		PUT(&o, " d", d.count, d.line);
	}
	if (derived_verify(st, &checked, &err))
		out_c(&o, err.text);
	PUT(&o, "all", checked.values, checked.digest);
	arena_free(&a);
	store_close(st);
	return o;
}

static uint64_t newlines(const char *path)
{
	FILE *f = fopen(path, "r");
	uint64_t n = 0;
	int c;

	while (f && (c = getc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

/* path packed, into packed. */
static bool pack(const char *path, const char *packed)
{
	FILE *f = fopen(path, "r");
	gzFile to = gzopen(packed, "w1");
	char buf[4096];
	size_t n;

	while (f && to && (n = fread(buf, 1, sizeof(buf), f)))
		gzwrite(to, buf, (unsigned)n);
	if (f)
		fclose(f);
	return to && gzclose(to) == Z_OK;
}

static void check_packed(const char *path, const char *name, const struct out *want)
{
	static const size_t blocks[] = {64, 333, 5000, 0};
	char packed[] = "/tmp/stretch_test.gz.XXXXXX";
	int fd = mkstemp(packed);
	uint64_t lines;

	if (fd < 0 || close(fd) || !pack(path, packed))
		abort();
	for (size_t i = 0; i < COUNT(blocks); i++) {
		struct out got =
			say(packed, &(struct way){2, blocks[i], 0, 0, 0}, &lines);

		/* A refusal names the file. */
		ok((got.n == want->n && memcmp(got.buf, want->buf, got.n) == 0) ||
			   (lines == 0 && got.n && strstr(got.buf, packed) == got.buf),
		   "%s: packed, blocks of %zu bytes", name, blocks[i]);
		out_close(&got);
	}
	unlink(packed);
}

static void check(const char *path, const char *name)
{
	/* mem of 15: no room for an entry, and all is spilled at once */
	static const struct way ways[] = {
		{2, 64, 0, 0, 0},
		{3, 200, 0, 0, 600},
		{1, 1000, 15, 0, 0},
		{8, 5000, 0, 0, 2000},
		{2, 100000, 0, 0, 0},
		{1, 1 << 30, 15, 0, 3000},
		{3, 3000, 20000, 0, 0},
		{1, 0, 20000, 0, 64},
		{2, 20000, 80000, 0, 0},
		{2, 10000, 0, 200, 0},
		{4, 1 << 30, 0, 1000, 1000},
		{1, 1 << 30, 0, 0, 1},
		{1, 1 << 30, 0, 0, 10000},
	};
	const char *const *sets = isa_names();
	uint64_t lines, count = newlines(path);
	size_t nsets = 0;
	struct out want = say(path, &(struct way){.jobs = 1}, &lines);

	if (lines)
		is_u64(lines, count, "%s: lines", name);
	while (sets[nsets])
		nsets++;
	for (size_t i = 0; i < COUNT(ways); i++) {
		isa_force(sets[i % nsets]);
		struct out got = say(path, &ways[i], &lines);

		ok(got.n == want.n && memcmp(got.buf, want.buf, got.n) == 0,
		   "%s: %u threads, stretches of %zu bytes, %u bytes of memory, %s%s, "
		   "%zu bytes at hand",
		   name, ways[i].jobs, ways[i].stretch, (unsigned)ways[i].mem, isa_name(),
		   ways[i].give ? ", given away" : "", ways[i].piece);
		out_close(&got);
	}
	isa_force(sets[0]);
	check_packed(path, name, &want);
	out_close(&want);
}

/* One file in `every`. */
static void check_directory(const char *dir, int every)
{
	struct dirent **entry;
	char path[400];
	int n = scandir(dir, &entry, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		const char *name = entry[i]->d_name;

		if (i % every == 0 && name[0] != '.' && !strstr(name, ".json") &&
		    !strstr(name, ".md") && !strstr(name, ".quern")) {
			snprintf(path, sizeof(path), "%s/%s", dir, name);
			check(path, name);
		}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	else
		skip("the fixtures are not below the current directory");
}

/* "fn=(12) name12", or without the name. */
static void write_name(FILE *f, const char *key, int id, const char *name)
{
	fprintf(f, "%s=(%d)", key, id);
	if (name)
		fprintf(f, " %s%d", name, id);
	fputc('\n', f);
}

/* A function's head: objects, files and names come and go, and are said again in some parts. */
static void write_head(FILE *f, int part, int fn)
{
	bool anew = part == 1 || part == 40, said = anew || (part + fn) % 4 == 0;

	if (part % 5 == 2 && fn % 4 == 0)
		fprintf(f, "fe=(%d)\n", fn / 3 + 1);
	if (fn % 6 == 1)
		write_name(f, "\nob", fn / 6 + 1, said ? "object" : NULL);
	if (fn % 3 == 1)
		write_name(f, fn % 6 == 1 ? "fl" : "\nfl", fn / 3 + 1,
			   said ? "file" : NULL);
	write_name(f, fn % 3 == 1 ? "fn" : "\nfn", fn,
		   part == 33 && fn == 5 ? "other"
		   : said		 ? "name"
					 : NULL);
}

/* Many parts of the same functions, so that nearly all of it is replayed; names redefined,
 * columns swapped and a new file in the middle must not be.  Of two columns, or of one. */
static void write_repeated(FILE *f, bool two)
{
	static const char *const callee[] = {" name3", " name4", " name5",
					     " name6", " name7", " name8"};
	const char *events = two ? "Ir Dr" : "Ir", *swapped = two ? "Dr Ir" : "Dr";

	fprintf(f, "# callgrind format\nevents: %s\npositions: instr line\n", events);
	for (int part = 1; part <= 60; part++) {
		if (part == 40)
			fprintf(f,
				"\n==== NEW PROFILING FILE ====\npositions: instr line\n");
		fprintf(f, "\npart: %d\n", part);
		if (part % 20 == 0)
			fprintf(f, "events: %s\n", swapped);
		if (part % 20 == 3 || part == 40)
			fprintf(f, "events: %s\n", events);
		if (part == 25)
			fprintf(f, "positions: line\n");
		if (part == 28)
			fprintf(f, "positions: instr line\n");
		for (int fn = 1; fn <= 12; fn++) {
			bool line = part >= 25 && part < 28;

			write_head(f, part, fn);
			if (!line)
				fprintf(f, "0x%x ", fn * 64);
			fprintf(f, "%d %d", fn * 10, part);
			fprintf(f, two ? " %d\n" : "\n", fn);
			for (int i = 0; i < 6; i++) {
				const char *at = line ? "+1" : "+4 *";

				if ((i + part * fn) % 7 == 0)
					fprintf(f,
						"cfi=(%d)\ncfn=(%d)%s\ncalls=%d %s\n%s %d%s\n",
						i % 4 + 1, i + 3,
						part > 40 && part % 2 ? callee[i] : "",
						part % 2 ? part % 13 : 1234567, at, at,
						part * 1000 + i, two ? " 7" : "");
				else if (i == 2)
					fprintf(f, "jump=%d %s\n%s \n", part, at, at);
				else if (i == 4)
					fprintf(f, "jcnd=%d/%d %s\n%s \n", part, 99, at,
						at);
				else if (two)
					fprintf(f, "%s %d %d\n", at, part * (i + 1), i);
				else
					fprintf(f, "%s %d\n", at,
						i % 2 ? part : 123456789);
			}
		}
		fprintf(f, two ? "totals: 1 2\n" : "totals: 1\n");
	}
}

/* However it is read, the sums are right too: columns change places in some parts. */
static void check_naive(const char *path, const char *name)
{
	static char text[1 << 20];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text), f) : 0;
	char why[400] = "";

	ok(n > 1000 && naive_agree(text, n, 0, why, sizeof(why)),
	   "%s: as the simple reader has it", name);
	if (*why)
		fprintf(stderr, "# %s\n", why);
	if (f)
		fclose(f);
}

static void check_repeated(bool two)
{
	const char *name = two ? "repeated, two columns" : "repeated, one column";
	char path[] = "/tmp/stretch_test.XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f)
		return;
	write_repeated(f, two);
	fclose(f);
	check(path, name);
	check_naive(path, name);
	unlink(path);
}

/* Costs and counts of which a few are more than a sum can be: lines, functions, calls and jumps
 * reach the end in one part or only in several. */
static void write_beyond(FILE *f)
{
	fprintf(f, "# callgrind format\nevents: Ir Dr\npositions: line\n");
	for (int part = 1; part <= 12; part++) {
		fprintf(f, "\npart: %d\n", part);
		for (int fn = 1; fn <= 5; fn++) {
			const uint64_t cost = UINT64_MAX >> (2 * fn - 1);

			fprintf(f, "\nfn=(%d)%s\n", fn, part == 1 ? " f" : "");
			for (int line = 1; line <= 4; line++)
				fprintf(f, "%d %" PRIu64 " %d\n", line, cost, line);
			fprintf(f, "cfn=(%d)\ncalls=%" PRIu64 " 1\n9 %" PRIu64 " 7\n",
				fn % 5 + 1, cost, cost);
			fprintf(f, "jump=%" PRIu64 " 3\n4\n", cost);
		}
	}
}

static void check_beyond(void)
{
	char path[] = "/tmp/stretch_test.XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f)
		abort();
	write_beyond(f);
	fclose(f);
	check(path, "sums above 2^64");
	unlink(path);
}

/* ---- what one thread gives another ---- */

static void pause_reading(void *arg, uint64_t done)
{
	(void)done;
	nanosleep(&(struct timespec){.tv_nsec = *(const long *)arg}, NULL);
}

/* The stretches that a text becomes, halves at first, where one half is read slowly. */
static size_t stretches_of(const char *text, size_t n, long pause)
{
	const struct stretch_opts o = {.jobs = 2,
				       .stretch = n / 2 + 1,
				       .give = 1000,
				       .progress = pause_reading,
				       .arg = &pause};
	struct stretches s;
	struct err err = {0};
	size_t got = 0, lines = 0;

	if (!stretches_read(&s, text, n, &o, &err)) {
		for (got = 0; got < s.n; got++)
			lines += s.tally[got]->lines;
		for (const char *p = text; p < text + n; p++)
			lines -= *p == '\n';
	}
	stretches_free(&s);
	return lines ? 0 : got;
}

/* A thread that has read all it had gets more. */
static void check_given(void)
{
	size_t got = 0, n;
	char *text = NULL;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		abort();
	write_repeated(f, false);
	fclose(f);
	for (long pause = 1000; got <= 2 && pause < 1000000000; pause *= 3)
		got = stretches_of(text, n, pause);
	ok(got > 2, "a thread that waits gets half of what another one has");
	printf("# %zu stretches\n", got);
	free(text);
}

/* EVERY: read one fixture in so many. */
int main(int argc, char **argv)
{
	int every = argc > 1 ? atoi(argv[1]) : getenv("QUERN_TORTURE") ? 1 : 2;

	check_directory("tests/fixtures/quirks", every);
	check_directory("tests/fixtures/small", every);
	check_repeated(true);
	check_repeated(false);
	check_beyond();
	check_given();
	return done_testing();
}
