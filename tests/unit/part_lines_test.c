/*
 * part_lines_test.c - parts and activations that are read from the profile again: Ctrl-C, and
 * a file that changes meanwhile.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/out.h"
#include "index/build.h"
#include "index/each_activation.h"
#include "index/part_lines.h"
#include "tests/support/pack.h"
#include "tests/support/one_profile.h"
#include "tests/support/tap.h"

static int refuse(void *arg, struct err *err)
{
	unsigned *before = arg;

	return (*before)-- ? 0 : err_set(err, ERR_CANCEL, 0, "interrupted");
}

/* A part of more text than is read between two looks at Ctrl-C: behind the first, which is
 * small, within it, and behind it. */
static void test_part_interrupted(void)
{
	static const uint8_t both[] = {1, 1};
	struct build_opts opts = {.no_write = true};
	struct part_lines *lines = NULL;
	struct build_report report;
	struct err err = {0};
	struct store *st;
	struct out o;

	out_mem(&o);
	out_c(&o, "events: Ir\nfn=f\n1 1\npart: 2\n");
	for (int i = 0; i < 1 << 19; i++)
		out_printf(&o, "%d 1\n", 1000000 + i);
	write_file(profile, o.buf, o.n);
	out_close(&o);
	st = open_profile(&opts, &report);
	if (!ok(st != NULL, "a part of 5 MiB"))
		return;
	for (unsigned k = 0; k < 3; k++) {
		unsigned before = k;
		const struct part_lines_opts how = {.poll = refuse, .arg = &before};

		err_clear(&err);
		is_u64((uint64_t)part_lines_read(st, both, &how, &lines, &err),
		       ERR_CANCEL, "reading it again is interrupted, look %u", k);
		ok(!lines, "  and nothing comes of it: %s", err.text);
	}
	store_close(st);
}

static int take_one(void *arg, const struct activation *a)
{
	(void)arg;
	(void)a;
	return 0;
}

/* The walks over the blocks of an Xdebug profile: of single calls, and of the lines of a span. */
static void test_walks_interrupted(void)
{
	struct build_opts opts = {.no_write = true};
	struct blocks_forward *forward = NULL;
	struct blocks *blocks = NULL;
	struct build_report report;
	struct err err = {0};
	struct store *st;
	struct out o;

	out_mem(&o);
	out_c(&o,
	      "version: 1\ncreator: xdebug 3.2.0\npositions: line\n\nevents: Time_(10ns)\n\n");
	for (int i = 0; i < 1 << 16; i++)
		out_printf(&o, "fl=/a.php\nfn=f\n3 %d\n\n", i % 7);
	out_c(&o, "fl=/a.php\nfn={main}\n1 1\n");
	for (int i = 0; i < 1 << 16; i++)
		out_printf(&o, "cfl=/a.php\ncfn=f\ncalls=1 0 0\n2 %d\n", i % 7);
	write_file(profile, o.buf, o.n);
	out_close(&o);
	st = open_profile(&opts, &report);
	if (!ok(st && !blocks_read(st, &opts, &blocks, &err), "blocks of 65,536 calls %s",
		err.text))
		return;
	for (unsigned k = 0; k < 3; k++) {
		unsigned before = k;
		const struct activation_asked how = {
			.take = take_one, .poll = refuse, .poll_arg = &before};

		err_clear(&err);
		is_u64((uint64_t)each_activation(blocks, &how, &err), ERR_CANCEL,
		       "calls are interrupted, look %u", k);
		before = k;
		err_clear(&err);
		is_u64((uint64_t)blocks_forward(blocks, &how, &forward, &err), ERR_CANCEL,
		       "and how they claim each other");
		ok(!forward, "  and nothing comes of it: %s", err.text);
	}
	blocks_free(blocks);
	store_close(st);
}

/* The first file of a set grows. */
static int append(void *arg, struct err *err)
{
	int fd = open(arg, O_WRONLY | O_APPEND);

	(void)err;
	if (fd < 0 || write(fd, "x", 1) != 1 || close(fd))
		abort();
	return 0;
}

/* A file that changed while its part was read is found before the next file is read. */
static void test_part_changed(void)
{
	static const uint8_t both[] = {1, 1};
	static const char first[] = "pid: 1\npart: 1\nevents: Ir\nfl=a\nfn=f\n1 1\n",
			  second[] = "pid: 1\npart: 2\nevents: Ir\nfl=a\nfn=f\n1 2\n";
	struct build_opts opts = {.no_write = true};
	struct part_lines *lines = NULL;
	struct build_report report;
	char name[2][160];
	const char *const path[] = {name[0], name[1]};
	const struct part_lines_opts whole = {0},
				     grows = {.poll = append, .arg = name[0]};
	struct store *st = NULL;
	struct err err = {0};
	size_t n;
	char *p;

	for (int i = 0; i < 2; i++)
		snprintf(name[i], sizeof(name[i]), "%s/q.%d", dir, i + 1);
	p = pack_text(PACK_GZIP, 1, first, sizeof(first) - 1, &n);
	write_file(path[0], p, n);
	free(p);
	write_file(path[1], second, sizeof(second) - 1);
	if (!ok(!build_open_set(path, 2, &opts, &st, &report, &err), "a set %s",
		err.text))
		return;
	is_u64((uint64_t)part_lines_read(st, both, &whole, &lines, &err), 0,
	       "its parts are read again");
	part_lines_free(lines);
	lines = NULL;
	is_u64((uint64_t)part_lines_read(st, both, &grows, &lines, &err), ERR_PROFILE,
	       "a file that grows meanwhile");
	ok(!lines && strstr(err.text, "q.1") && strstr(err.text, "changed"),
	   "  is said: %s", err.text);
	store_close(st);
}

int main(void)
{
	one_profile_begin();
	test_part_interrupted();
	test_walks_interrupted();
	test_part_changed();
	one_profile_end();
	return done_testing();
}
