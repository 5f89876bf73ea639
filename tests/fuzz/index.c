/*
 * index.c - fuzz the reading of an index: a sound one is damaged, opened and asked.
 *
 * An input is a script: which profile's index, what to ask, and edits.  Checksums would stop
 * plain damage at once, so there are two kinds of edits.
 *
 *	forged	bytes of a value's payload, or its header, change and its check is made
 *		anew: whatever the file says then, reading it ends, with an answer or an error
 *	raw	bytes of the file change, or its end is missing: every answer is the one of the
 *		sound index or there is an error, and a value that changed is found by store_verify()
 *
 * A script does not hold offsets in the file but numbers of values, so it means about the same
 * when the format grows.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/query.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/out.h"
#include "index/build.h"
#include "index/format/tables.h"
#include "index/format/meta_code.h"
#include "tests/support/derived.h"
#include "tests/support/fuzzing.h"

enum { BASES = 3, VALUES = 400, EDITS = 24, ASKED = 3, PAGE = 4096 };

/* Two parts, a cycle, jumps, several objects and files, a derived event, an odd line. */
static const char small[] =
	"version: 1\ncreator: callgrind-3.19.0\npid: 7\ncmd: ./x y\npart: 1\n"
	"desc: Trigger: Program termination\npositions: instr line\nevents: Ir Dr\n"
	"event: X = 2 Ir + Dr : Ex\nob=(1) /bin/x\nfl=(1) a.c\nfn=(1) main\n0x10 1 1 1\n"
	"cfn=(2) A\ncalls=2 0x20 2\n0x12 2 10\nfn=(2)\n0x20 3 3\ncfn=(3) B\ncalls=1 0x30 6\n"
	"0x22 4 7\nfn=(3)\n0x30 6 5\ncfi=(2) a.h\ncfn=(2)\ncalls=1 0x20 3\n0x32 6 1\n"
	"cob=(2) /lib/h\ncfi=(2)\ncfn=(4) H\ncalls=1 0x90 9\n0x34 7 2\njcnd=1/4 0x30 6\n"
	"0x36 8\ntotals: 9 1\npart: 2\nevents: Ir Dw\nob=(2)\nfl=(2)\nfn=(4)\n0x90 9 2 4\n"
	"+1 +1 1\nwhat\nsummary: 3 4\n";
static const char *const others[BASES] = {NULL, "tests/fixtures/quirks/z_mut.cg",
					  "tests/fixtures/small/clreq-combine.out"};

struct base {
	char *p; /* the index file */
	size_t n;
	struct value_header *value[VALUES];
	size_t nvalue;
	struct out answer[256]; /* by question; fd -2: not asked yet */
	int kind[256];
};

static struct base bases[BASES];
static char path[128];

/* ---- sound indexes ---- */

/* Values stand behind the header of a page of their own. */
static void find_values(struct base *b)
{
	for (size_t at = 0; at + PAGE <= b->n; at += PAGE) {
		struct value_header *h = (void *)(b->p + at + 16);

		if (h->magic != VALUE_MAGIC || h->check != value_check(h, h + 1))
			continue;
		if (b->nvalue == VALUES)
			fuzz_fail("an index of more than %d values", VALUES);
		b->value[b->nvalue++] = h;
	}
}

/* Paths, times and inodes would make the file another one in every run. */
static void forget_source(struct base *b)
{
	struct value_header *h = NULL;
	struct varint_reader from = {0};
	struct bytes to = {0};
	struct arena a;
	struct meta m = {0};
	struct coder in = {.from = &from, .arena = &a}, out = {.to = &to};

	for (size_t i = 0; i < b->nvalue; i++)
		if (b->value[i]->table == TABLE_META)
			h = b->value[i];
	if (!h)
		fuzz_fail("no meta value");
	from.p = (const unsigned char *)(h + 1);
	from.end = from.p + h->bytes;
	arena_init(&a, 0);
	meta_code(&in, &m);
	for (uint64_t i = 0; !in.failed && i < m.files; i++)
		m.file[i].id = (struct source_id){.path = STR("/p")};
	m.profile = STR("p");
	m.built_s = 0;
	meta_code(&out, &m);
	if (in.failed || out.failed || to.n > h->bytes)
		fuzz_fail("the meta value cannot be made anew");
	memset(h + 1, 0, (size_t)h->bytes);
	memcpy(h + 1, to.p, to.n);
	h->bytes = to.n;
	h->check = value_check(h, h + 1);
	free(to.p);
	arena_free(&a);
}

static void write_file(const char *to, const void *p, size_t n)
{
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, p, n) != (ssize_t)n || close(fd))
		fuzz_fail("cannot write %s", to);
}

static struct base *base_of(unsigned i)
{
	struct build_opts opts = {.index_path = path, .rebuild = true, .jobs = 1};
	struct build_report report;
	struct base *b = &bases[i];
	struct err err = {0};
	struct store *st;
	struct stat sb;
	char profile[128];
	FILE *f;

	if (b->p)
		return b;
	snprintf(path, sizeof(path), "%s/index.quern", fuzz_directory());
	snprintf(profile, sizeof(profile), "%s/profile", fuzz_directory());
	if (!others[i])
		write_file(profile, small, sizeof(small) - 1);
	if (build_open(others[i] ? others[i] : profile, &opts, &st, &report, &err))
		fuzz_fail("%s", err.text);
	store_close(st);
	unlink(profile);
	f = fopen(path, "r");
	if (!f || fstat(fileno(f), &sb) || !(b->p = malloc((size_t)sb.st_size)) ||
	    fread(b->p, 1, (size_t)sb.st_size, f) != (size_t)sb.st_size)
		fuzz_fail("cannot read %s", path);
	fclose(f);
	unlink(path);
	b->n = (size_t)sb.st_size;
	find_values(b);
	forget_source(b);
	for (int q = 0; q < 256; q++)
		b->answer[q].fd = -2;
	return b;
}

/* ---- damage ---- */

struct damage {
	const struct base *b;
	char *p; /* the file, damaged */
	size_t n;
	bool touched[VALUES]; /* its check is to be made anew */
	bool forged, raw;
};

static struct value_header *value_in(struct damage *d, size_t i)
{
	return (void *)(d->p + ((const char *)d->b->value[i] - d->b->p));
}

/* Room of a value: to the end of its last page. */
static size_t room(const struct damage *d, size_t i)
{
	const struct value_header *h = d->b->value[i];
	size_t used = 16 + sizeof(*h) + (size_t)h->bytes;

	return (used + PAGE - 1) / PAGE * PAGE - 16 - sizeof(*h);
}

static void forge_payload(struct damage *d, size_t i, struct fuzz_bytes *in, size_t width)
{
	struct value_header *h = value_in(d, i);
	size_t at = (size_t)fuzz_take(in, 2) * (width < 4 ? 1 : width);
	uint64_t v = fuzz_take(in, width);

	d->touched[i] = d->forged = true;
	at %= (size_t)d->b->value[i]->bytes + 1;
	at = width < 4 ? at : at / width * width;
	if (at + width <= room(d, i))
		memcpy((char *)(h + 1) + at, &v, width);
}

/* Numbers that are just wrong: around what stands there, around the largest. */
static void forge_number(struct damage *d, size_t i, struct fuzz_bytes *in)
{
	struct value_header *h = value_in(d, i);
	unsigned width =
		table_width((enum index_table)d->b->value[i]->table) == 4 ? 4 : 8;
	size_t at =
		(size_t)fuzz_take(in, 2) % (d->b->value[i]->bytes / width + 1) * width;
	uint64_t now = 0, how = fuzz_take(in, 1);

	d->touched[i] = d->forged = true;
	if (at + width > room(d, i))
		return;
	memcpy(&now, (char *)(h + 1) + at, width);
	now = how < 64	  ? now + how - 32
	      : how < 128 ? (uint64_t)1 << (how - 64)
			  : how - 256;
	memcpy((char *)(h + 1) + at, &now, width);
}

static void forge_header(struct damage *d, size_t i, struct fuzz_bytes *in)
{
	struct value_header *h = value_in(d, i);
	uint64_t field = fuzz_take(in, 1), v = fuzz_take(in, 2), how = fuzz_take(in, 1);

	d->touched[i] = d->forged = true;
	v = how & 1 ? 0 - v : v;
	switch (field % 5) {
	case 0: h->rows = how & 2 ? (uint32_t)v : h->rows + (uint32_t)v; break;
	case 1: h->bytes = how & 2 ? v : h->bytes + v; break;
	case 2: h->table = (uint16_t)v; break;
	case 3: h->event = (uint16_t)v; break;
	default: h->block = (uint32_t)v; break;
	}
}

/* The payload of another value, whole: a sound column in a wrong place. */
static void forge_exchange(struct damage *d, size_t i, struct fuzz_bytes *in)
{
	size_t from = (size_t)fuzz_take(in, 1) % d->b->nvalue;
	struct value_header *h = value_in(d, i);
	const struct value_header *g = d->b->value[from];

	d->touched[i] = d->forged = true;
	if (g->bytes > room(d, i))
		return;
	memcpy(h + 1, g + 1, (size_t)g->bytes);
	h->bytes = g->bytes;
	h->rows = g->rows;
}

static void edit(struct damage *d, struct fuzz_bytes *in)
{
	uint64_t op = fuzz_take(in, 1), at;
	size_t i = (size_t)fuzz_take(in, 1) % d->b->nvalue;

	switch (op % 10) {
	case 0:
	case 1: forge_number(d, i, in); break;
	case 2: forge_payload(d, i, in, 1); break;
	case 3: forge_payload(d, i, in, 2); break;
	case 4: forge_payload(d, i, in, 4); break;
	case 5: forge_payload(d, i, in, 8); break;
	case 6: forge_header(d, i, in); break;
	case 7: forge_exchange(d, i, in); break;
	case 8: /* mostly the pages of the tree, which are the first and the last */
		at = fuzz_take(in, 2) % (2 * PAGE);
		at = i % 3 == 0	  ? at % d->n
		     : i % 3 == 1 ? d->n - 1 - at % d->n
				  : (size_t)((char *)d->b->value[i] - d->b->p) - 16 +
					    at % PAGE;
		d->raw = true;
		d->p[at % d->n] = (char)(d->p[at % d->n] ^ (fuzz_take(in, 1) | 1));
		break;
	default:
		d->raw = true;
		d->n -= (size_t)(fuzz_take(in, 3) % d->n);
		break;
	}
}

static void make_checks(struct damage *d)
{
	for (size_t i = 0; i < d->b->nvalue; i++) {
		struct value_header *h = value_in(d, i);

		if (d->touched[i] && (char *)(h + 1) <= d->p + d->b->n &&
		    h->bytes <= (uint64_t)(d->p + d->b->n - (char *)(h + 1)))
			h->check = value_check(h, h + 1);
	}
}

/* Some value is not what it was. */
static bool values_differ(struct damage *d)
{
	for (size_t i = 0; i < d->b->nvalue; i++) {
		const struct value_header *h = d->b->value[i];
		size_t at = (size_t)((const char *)h - d->b->p);
		size_t n = sizeof(*h) + (size_t)h->bytes;

		if (at + n > d->n || memcmp(d->p + at, h, n) != 0)
			return true;
	}
	return false;
}

/* ---- asking ---- */

static int ask(struct store *st, unsigned question, struct out *to)
{
	struct session *s = fuzz_session(st);
	int kind = ERR_INDEX;

	out_mem(to);
	if (s)
		kind = fuzz_ask(s, str_c(fuzz_question(question)),
				(enum format)(FORMAT_TABLE + question % (FORMAT_END - 1)),
				to);
	session_free(s);
	return kind;
}

/* What the sound index answers. */
static void ask_sound(struct base *b, unsigned question)
{
	struct store *st;
	struct err err = {0};

	if (b->answer[question].fd != -2)
		return;
	write_file(path, b->p, b->n);
	if (store_open(path, true, &st, &err))
		fuzz_fail("the sound index: %s", err.text);
	b->kind[question] = ask(st, question, &b->answer[question]);
	if (store_check(st, &err))
		fuzz_fail("the sound index: %s", err.text);
	store_close(st);
}

/* On a busy machine either answer may end at its limit of time. */
static void compare(struct base *b, unsigned question, int kind, const struct out *got,
		    struct store *st)
{
	const struct out *want = &b->answer[question];
	struct err err = {0};

	if (store_check(st, &err) || kind == ERR_INDEX || kind == ERR_LIMIT ||
	    b->kind[question] == ERR_LIMIT)
		return;
	if (kind != b->kind[question] || got->n != want->n ||
	    (got->n && memcmp(got->buf, want->buf, got->n) != 0))
		fuzz_fail(
			"a damaged index answers '%s' with (%d)\n%.*s\ninstead of (%d)\n%.*s",
			fuzz_question(question), kind, (int)got->n,
			got->n ? got->buf : "", b->kind[question], (int)want->n,
			want->n ? want->buf : "");
}

static void ask_damaged(struct base *b, struct damage *d, const uint8_t *questions)
{
	struct err err = {0};
	struct store_verified verified;
	struct store *st;

	if (store_open(path, true, &st, &err)) {
		if (!err.text[0])
			fuzz_fail("refused without words");
		return;
	}
	for (int i = 0; i < ASKED; i++) {
		struct out got;
		int kind = ask(st, questions[i], &got);

		if (d->raw && !d->forged)
			compare(b, questions[i], kind, &got, st);
		out_close(&got);
	}
	if (!derived_verify(st, &verified, &err) && d->raw && !d->forged &&
	    values_differ(d))
		fuzz_fail("damage that is not found");
	store_close(st);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct damage d = {0};
	struct fuzz_bytes in = {data, size};
	uint8_t questions[ASKED];
	struct base *b;

	if (size < 1 + ASKED)
		return 0;
	b = base_of(fuzz_take(&in, 1) % 16 ? in.p[-1] % 2 : 2);
	for (int i = 0; i < ASKED; i++) {
		questions[i] = (uint8_t)fuzz_take(&in, 1);
		ask_sound(b, questions[i]);
	}
	fuzz_begin();
	d = (struct damage){.b = b, .n = b->n, .p = malloc(b->n)};
	if (!d.p)
		fuzz_fail("out of memory");
	memcpy(d.p, b->p, b->n);
	for (int i = 0; i < EDITS && in.n; i++)
		edit(&d, &in);
	make_checks(&d);
	write_file(path, d.p, d.n);
	ask_damaged(b, &d, questions);
	unlink(path);
	free(d.p);
	fuzz_end();
	return 0;
}
