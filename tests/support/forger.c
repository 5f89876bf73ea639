/*
 * forger.c - see forger.h.
 *
 * Values are changed as what they are: a column row by row, packed ones number by number,
 * meta and part headers field by field.  Most single numbers that are wrong are refused when
 * their block is read.  So there are also forgeries that agree with the rules: a whole column
 * anew, in range and, where it ascended, ascending; a column exchanged for one of another
 * index.
 */
#include "tests/support/forger.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "engine/query.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/order.h"
#include "index/build.h"
#include "index/format/column_code.h"
#include "index/format/meta_code.h"
#include "index/save/store_write.h"
#include "tests/support/fuzzing.h"
#include "tests/support/sample.h"
#include "tests/support/tap.h"

enum { PAGE = 4096, EDITS = 5, QUESTIONS = 6, FILES = 3, FUNCTIONS = 300, PATHS = 160 };

/* ---- profiles ---- */

static const char sample[] = SAMPLE_HEAD
	"fn=(5) C\n0x50 1 2\ncfn=(6) D\ncalls=1 0x60\n0x52 1 4\njump=1 0x50 1\n0x56 2\n"
	"fn=(6)\n0x60 1 3\ncfn=(5)\ncalls=1 0x50\n0x62 1 1\n" SAMPLE_TAIL;

/* Three dumps of one process, the last to be added to the index of the others. */
static const char *const dumps[FILES] = {
	("version: 1\ncreator: c\npid: 77\ncmd: ./prog\npart: 1\nevents: Ir Dr\nob=(1) lib\n"
	 "fl=(1) a.c\nfn=(1) main\n1 5 1\ncfn=(2) work\ncalls=2 7\n2 9 1\nfn=(2)\n7 9 1\n"
	 "what\ntotals: 14 2\n"),
	("version: 1\ncreator: c\npid: 77\ncmd: ./prog\npart: 2\npositions: instr line\n"
	 "events: Ir\nob=(1) lib\nfl=(1) a.c\nfn=(1) work\n0x10 7 4\njump=3 0x20 7\n0x10 7\n"
	 "cfi=(2) b.c\ncfn=(2) work'2\ncalls=1 0x20 1\n0x14 8 3\nfl=(2)\nfn=(2)\n0x20 1 3\n"),
	("version: 1\ncreator: c\npid: 77\ncmd: ./prog\npart: 3\nevents: Dr Ir\nob=(1) lib\n"
	 "fl=(1) a.c\nfn=(1) main\n1 1 6\ncfn=(3) more\ncalls=1 4\n3 1 2\nfn=(3)\n4 1 2\n"),
};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void put_name(FILE *f, unsigned k)
{
	fprintf(f, "g%u%s", k % 50 == 49 ? k - 1 : k, k % 50 == 49 ? "'2" : "");
}

/* Some hundred functions in two parts that call each other, in large cycles, too. */
static void write_graph(FILE *f)
{
	uint64_t r = 88172645463325252;

	fputs("version: 1\ncreator: c\npid: 5\ncmd: ./graph\n", f);
	for (unsigned part = 1; part <= 2; part++) {
		fprintf(f, "part: %u\nthread: %u\nevents: Ir Dr\n", part, part);
		for (unsigned k = 0; k < FUNCTIONS; k++) {
			fprintf(f, "ob=(%u) o%u\nfl=(%u) d%u/f%u.c\nfn=(%u) ", k % 3 + 1,
				k % 3 + 1, k % 9 + 1, k % 3, k % 9 + 1, k + 1);
			put_name(f, k);
			fprintf(f, "\n%u %u\n", k + 1, k + 1);
			for (unsigned c = 0; c < 4; c++) {
				unsigned to = (unsigned)(next_random(&r) % FUNCTIONS);

				/* Mostly forward: a tree with some circles. */
				if (c && to < k)
					continue;
				fprintf(f, "cfn=(%u) ", to + 1);
				put_name(f, to);
				fprintf(f, "\ncalls=%u %u\n%u %u 1\n", c + 1, to + 1,
					k + 2 + c, (unsigned)(next_random(&r) % 1000));
			}
		}
	}
}

/* ---- sound indexes ---- */

struct value {
	struct value_header head;
	unsigned char *p; /* malloc'd, head.bytes */
	bool gone;
};

struct values {
	struct value *at;
	size_t n;
};

static struct base {
	const char *fixture; /* NULL: written below */
	char path[FILES][PATHS];
	size_t files; /* that the index is of */
	struct values values;
} bases[] = {
	{.files = 1},
	{.files = FILES - 1},
	{.files = 1},
	{.files = 1, .fixture = "tests/fixtures/small/thr-septhreads-combine-bb.out"},
	{.files = 1},
};

enum { SAMPLE, SET, GRAPH, FIXTURE, PACKED, BASES };

static char index_path[PATHS];

static void forget_files(void)
{
	for (size_t b = 0; b < BASES; b++) {
		for (size_t i = 0; i < FILES; i++)
			if (bases[b].path[i][0] && !bases[b].fixture)
				unlink(bases[b].path[i]);
		for (size_t i = 0; i < bases[b].values.n; i++)
			free(bases[b].values.at[i].p);
		free(bases[b].values.at);
	}
	unlink(index_path);
}

static void *get(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		fuzz_fail("out of memory");
	return p;
}

static void append(struct values *v, const struct value_header *h, const void *p)
{
	if ((v->n & (v->n - 1)) == 0)
		v->at = realloc(v->at, (v->n ? 2 * v->n : 1) * sizeof(*v->at));
	if (!v->at)
		fuzz_fail("out of memory");
	v->at[v->n] = (struct value){.head = *h, .p = get((size_t)h->bytes)};
	memcpy(v->at[v->n++].p, p, (size_t)h->bytes);
}

/* Each value begins after the header of a page of its own. */
static void read_values(struct values *v)
{
	FILE *f = fopen(index_path, "r");
	struct stat sb;
	char *p;

	if (!f || fstat(fileno(f), &sb) ||
	    fread(p = get((size_t)sb.st_size), 1, (size_t)sb.st_size, f) !=
		    (size_t)sb.st_size)
		fuzz_fail("cannot read %s", index_path);
	fclose(f);
	for (size_t at = 0; at + PAGE <= (size_t)sb.st_size; at += PAGE) {
		const struct value_header *h = (const void *)(p + at + 16);

		if (h->magic == VALUE_MAGIC && h->check == value_check(h, h + 1))
			append(v, h, h + 1);
	}
	free(p);
}

/* The sample: parts of a packed file are unpacked again. */
static void write_packed(const char *path)
{
	gzFile z = gzopen(path, "w");

	if (!z || gzputs(z, sample) < 0 || gzclose(z))
		fuzz_fail("cannot write %s", path);
}

static void write_profile(const char *path, size_t which, size_t file)
{
	FILE *f;

	if (which == PACKED) {
		write_packed(path);
		return;
	}
	f = fopen(path, "w");
	if (!f)
		fuzz_fail("cannot write %s", path);
	if (which == SAMPLE)
		fputs(sample, f);
	else if (which == SET)
		fputs(dumps[file], f);
	else
		write_graph(f);
	if (fclose(f))
		fuzz_fail("cannot write %s", path);
}

static int open_base(const struct base *b, size_t files, bool rebuild, struct store **st,
		     struct err *err)
{
	const struct build_opts opts = {
		.index_path = index_path, .rebuild = rebuild, .jobs = 1, .trust = true};
	const char *path[FILES] = {b->path[0], b->path[1], b->path[2]};
	struct build_report report;

	return build_open_set(path, files, &opts, st, &report, err);
}

void forger_begin(void)
{
	const char *dir = fuzz_directory();

	if (index_path[0])
		return;
	snprintf(index_path, sizeof(index_path), "%s/index.quern", dir);
	atexit(forget_files);
	for (size_t b = 0; b < BASES; b++) {
		struct err err = {0};
		struct store *st;

		for (size_t i = 0; i < FILES; i++) {
			if (bases[b].fixture)
				snprintf(bases[b].path[i], PATHS, "%s", bases[b].fixture);
			else
				snprintf(bases[b].path[i], PATHS, "%s/forged%zu.%zu", dir,
					 b, i);
			if (!bases[b].fixture)
				write_profile(bases[b].path[i], b, i);
		}
		if (open_base(&bases[b], bases[b].files, true, &st, &err))
			fuzz_fail("%s", err.text);
		store_close(st);
		read_values(&bases[b].values);
		unlink(index_path);
	}
}

/* ---- scripts ---- */

/* The packed one is the sample, so it comes less often. */
static const struct base *take_base(struct fuzz_bytes *s)
{
	const size_t n = (size_t)fuzz_take(s, 1);

	return &bases[n / 4 % 8 == 7 ? PACKED : n % 4];
}

static size_t below(struct fuzz_bytes *s, size_t n)
{
	return n ? (size_t)fuzz_take(s, n > 256 ? 2 : 1) % n : 0;
}

/* A number for one that is now `now`, of several whose largest is `most`. */
static uint64_t number(struct fuzz_bytes *s, uint64_t now, uint64_t most)
{
	switch (fuzz_take(s, 1) % 16) {
	case 0: return 0;
	case 1: return 1;
	case 2: return most;
	case 3: return most + 1;
	case 4: return most - 1;
	case 5: return now + 1;
	case 6: return now - 1;
	case 7: return INT32_MAX;
	case 8: return UINT32_MAX;
	case 9: return UINT32_MAX - 1;
	case 10: return UINT64_MAX;
	case 11: return (uint64_t)1 << fuzz_take(s, 1) % 64;
	case 12: return fuzz_take(s, 1);
	case 13: return fuzz_take(s, 4);
	case 14: return now * 2;
	default: return fuzz_take(s, 8);
	}
}

/* ---- columns ---- */

struct rows {
	uint64_t *row;
	size_t n;
	uint64_t most;
	bool ascends;
};

static struct rows decode(const struct value *v)
{
	struct rows c = {.n = v->head.rows, .ascends = true};

	/* Its rows may have been forged before. */
	if (c.n > BLOCK_ROWS || !column_sound(v->p, v->head.bytes, v->head.rows))
		c.n = 0;
	c.row = get((c.n + 1) * sizeof(*c.row));
	memset(c.row, 0, (c.n + 1) * sizeof(*c.row));
	column_unpack(c.row, sizeof(*c.row), v->p, c.n ? v->head.bytes : 0,
		      (uint32_t)c.n);
	for (size_t i = 0; i < c.n; i++) {
		c.most = c.row[i] > c.most ? c.row[i] : c.most;
		c.ascends &= !i || c.row[i] >= c.row[i - 1];
	}
	return c;
}

static void replace(struct value *v, const void *p, size_t n)
{
	unsigned char *copy = get(n);

	memcpy(copy, p, n);
	free(v->p);
	v->p = copy;
	v->head.bytes = n;
}

static void encode(struct value *v, struct rows *c)
{
	uint64_t *p = get(column_room((uint32_t)c->n));

	replace(v, p, column_pack(p, c->row, sizeof(*c->row), (uint32_t)c->n));
	free(p);
	free(c->row);
}

/* All rows anew, none above the largest; in order where they were, the ends as they were. */
static void anew(struct rows *c, uint64_t seed)
{
	const uint64_t first = c->row[0], last = c->row[c->n - 1];
	uint64_t r = seed * 0x9e3779b97f4a7c15 | 1;

	for (size_t i = 0; i < c->n; i++)
		c->row[i] =
			next_random(&r) % (c->most < UINT64_MAX ? c->most + 1 : c->most);
	if (!c->ascends)
		return;
	qsort(c->row, c->n, sizeof(*c->row), compare_u64);
	c->row[0] = first;
	c->row[c->n - 1] = last;
}

static void shuffle(struct rows *c, uint64_t seed)
{
	uint64_t r = seed * 0x9e3779b97f4a7c15 | 1;

	for (size_t i = c->n; i > 1; i--) {
		size_t k = next_random(&r) % i;
		uint64_t was = c->row[k];

		c->row[k] = c->row[i - 1];
		c->row[i - 1] = was;
	}
}

static void swap(struct rows *c, size_t i, size_t k)
{
	uint64_t was = c->row[i];

	c->row[i] = c->row[k];
	c->row[k] = was;
}

static void forge_column(struct value *v, struct fuzz_bytes *s)
{
	struct rows c = decode(v);
	size_t how = below(s, 12), from = below(s, c.n), to = below(s, c.n), n;
	uint64_t x;

	if (c.n == 0) {
		free(c.row);
		return;
	}
	n = to > from ? to - from : 1;
	switch (how) {
	case 0:
	case 1: c.row[from] = number(s, c.row[from], c.most); break;
	case 2: swap(&c, from, to); break;
	case 3:
		x = number(s, c.row[from], c.most);
		for (size_t i = from; i < from + n; i++)
			c.row[i] = x;
		break;
	case 4: /* as a red team did */
		for (size_t i = from; i < from + n; i++)
			c.row[i] = i % 2 ? c.most : 0;
		break;
	case 5:
		for (size_t i = 0; i < n / 2; i++)
			swap(&c, from + i, from + n - 1 - i);
		break;
	case 6:
		n = n < c.n - to ? n : c.n - to;
		n = n < c.n - from ? n : c.n - from;
		memmove(c.row + to, c.row + from, n * sizeof(*c.row));
		break;
	case 7: anew(&c, fuzz_take(s, 2)); break;
	case 8: shuffle(&c, fuzz_take(s, 2)); break;
	case 9: c.row[c.n - 1] = number(s, c.row[c.n - 1], c.most); break;
	case 10: c.row[0] = number(s, c.row[0], c.most); break;
	default:
		x = number(s, 1, c.most);
		for (size_t i = from; i < from + n; i++)
			c.row[i] += x;
		break;
	}
	encode(v, &c);
}

/* ---- packed values ---- */

static void forge_bytes(struct value *v, struct fuzz_bytes *s)
{
	size_t at = below(s, (size_t)v->head.bytes), n = below(s, 8) + 1;

	for (size_t i = at; i < at + n && i < v->head.bytes; i++)
		v->p[i] = (unsigned char)fuzz_take(s, 1);
}

/* One number of a value of varints becomes another, is there twice, or no more. */
static void forge_varint(struct value *v, struct fuzz_bytes *s)
{
	struct varint_reader r = {v->p, v->p + v->head.bytes, false};
	size_t which = (size_t)fuzz_take(s, 2), how = below(s, 4), n = 0, from, to;
	unsigned char *p;
	uint64_t now = 0;

	/* One of the first ones: there are the counts. */
	if (how == 3)
		which %= 8;
	while (r.p < r.end && !r.bad && n++ < 3000)
		varint_get(&r);
	which %= n ? n : 1;
	r = (struct varint_reader){v->p, v->p + v->head.bytes, false};
	from = to = 0;
	for (size_t i = 0; i <= which && r.p < r.end && !r.bad; i++) {
		from = (size_t)(r.p - v->p);
		now = varint_get(&r);
		to = (size_t)(r.p - v->p);
	}
	p = get((size_t)v->head.bytes + 4 * VARINT_MAX);
	memcpy(p, v->p, from);
	n = from;
	if (how == 2) /* twice */
		n = (size_t)(varint_put(p + n, now) - p);
	if (how == 2)
		n = (size_t)(varint_put(p + n, now) - p);
	else if (how != 1 || below(s, 2))
		n = (size_t)(varint_put(p + n, number(s, now, now)) - p);
	memcpy(p + n, v->p + to, (size_t)v->head.bytes - to);
	replace(v, p, n + (size_t)v->head.bytes - to);
	free(p);
}

static void forge_strings(struct value *v, struct fuzz_bytes *s)
{
	size_t at = below(s, v->head.rows + (size_t)1) * sizeof(uint32_t);
	uint32_t offset;

	if (fuzz_take(s, 1) % 2 || at + sizeof(offset) > v->head.bytes) {
		forge_bytes(v, s);
		return;
	}
	memcpy(&offset, v->p + at, sizeof(offset));
	offset = (uint32_t)number(s, offset, v->head.bytes);
	memcpy(v->p + at, &offset, sizeof(offset));
}

/* ---- meta and part headers ---- */

static void set_meta(struct meta *m, struct fuzz_bytes *s)
{
	uint64_t *const counts[] = {&m->functions,
				    &m->edges,
				    &m->cycles,
				    &m->cycle_members,
				    &m->parts,
				    &m->strings[0],
				    &m->strings[1],
				    &m->strings[2],
				    &m->pairs,
				    &m->lines,
				    &m->sites,
				    &m->jumps,
				    &m->diagnostics,
				    &m->loose,
				    (uint64_t *)&m->total[0],
				    &m->file[0].bytes,
				    &m->file[m->files - 1].lines,
				    &m->input_bytes,
				    &m->input_lines};
	bool *const flags[] = {&m->has_line,  &m->has_instr, &m->saturated,
			       &m->truncated, &m->totals,    &m->negative};
	size_t i = below(s, COUNT(counts) + COUNT(flags));
	/* Of another edit's meta value there may be none. */
	uint64_t *coef =
		m->all_events ? (uint64_t *)m->event[m->all_events - 1].coef : NULL;

	if (i >= COUNT(counts)) {
		*flags[i - COUNT(counts)] = !*flags[i - COUNT(counts)];
		return;
	}
	if (coef && fuzz_take(s, 1) % 8 == 0)
		coef[0] = number(s, coef[0], coef[0]);
	*counts[i] = number(s, *counts[i], *counts[i]);
}

static void set_part(struct part *p, struct fuzz_bytes *s)
{
	uint64_t file = p->file;
	uint64_t *const fields[] = {&file,	&p->part,  &p->pid,	  &p->thread,
				    &p->offset, &p->bytes, &p->functions, &file};
	size_t i = below(s, COUNT(fields));

	*fields[i] = number(s, *fields[i], *fields[i]);
	p->file = (uint32_t)file;
}

static void forge_meta(struct value *v, struct fuzz_bytes *s)
{
	struct varint_reader from = {v->p, v->p + v->head.bytes, false};
	struct bytes to = {0};
	struct arena a;
	struct meta m = {0};
	struct coder in = {.from = &from, .arena = &a}, out = {.to = &to};

	arena_init(&a, 0);
	meta_code(&in, &m);
	if (!in.failed) {
		set_meta(&m, s);
		meta_code(&out, &m);
		if (out.failed)
			fuzz_fail("out of memory");
		replace(v, to.p, to.n);
	}
	free(to.p);
	arena_free(&a);
}

static void forge_parts(struct value *v, struct fuzz_bytes *s)
{
	struct varint_reader from = {v->p, v->p + v->head.bytes, false};
	struct bytes to = {0};
	struct arena a;
	struct coder in = {.from = &from, .arena = &a}, out = {.to = &to};
	size_t which = below(s, v->head.rows);

	arena_init(&a, 0);
	for (size_t i = 0; i < v->head.rows && !in.failed && !out.failed; i++) {
		struct part p = {0};

		part_head_code(&in, &p);
		if (i == which)
			set_part(&p, s);
		part_head_code(&out, &p);
	}
	if (!in.failed && !out.failed && to.n)
		replace(v, to.p, to.n);
	free(to.p);
	arena_free(&a);
}

/* ---- values ---- */

static void forge_header(struct values *all, size_t i, struct fuzz_bytes *s)
{
	struct value *v = &all->at[i];
	uint64_t n;

	switch (fuzz_take(s, 1) % 8) {
	case 0: v->gone = true; break;
	case 1: v->head.rows = (uint32_t)number(s, v->head.rows, v->head.rows); break;
	case 2: v->head.table = (uint16_t)(fuzz_take(s, 1) % INDEX_TABLES); break;
	case 3: v->head.event = (uint16_t)number(s, v->head.event, 1); break;
	case 4: v->head.block = (uint32_t)number(s, v->head.block, 1); break;
	case 5:
		n = number(s, v->head.bytes, v->head.bytes);
		v->head.bytes = n < v->head.bytes ? n : v->head.bytes;
		break;
	default: { /* one more, of another place */
		struct value_header h = v->head;

		h.table = (uint16_t)(fuzz_take(s, 1) % INDEX_TABLES);
		h.event = (uint16_t)(fuzz_take(s, 1) % 4);
		append(all, &h, v->p);
		break;
	}
	}
}

/* A sound value of the same table in the place of this one, maybe of another index. */
static void forge_exchange(struct value *v, struct fuzz_bytes *s)
{
	const struct values *from = &take_base(s)->values;
	const size_t skip = below(s, 4);
	size_t met = 0;

	for (size_t i = 0; i < from->n; i++)
		if (from->at[i].head.table == v->head.table && met++ == skip) {
			const struct value *w = &from->at[i];

			if (fuzz_take(s, 1) % 2)
				v->head.rows = w->head.rows;
			replace(v, w->p, (size_t)w->head.bytes);
			return;
		}
}

/* One of the values of a table: tables of many events have many. */
static size_t pick(const struct values *all, struct fuzz_bytes *s)
{
	unsigned table = (unsigned)fuzz_take(s, 1) % INDEX_TABLES;
	size_t which = below(s, 16), found = all->n;

	for (unsigned tries = 0; found == all->n && tries < INDEX_TABLES;
	     tries++, table++) {
		size_t n = 0, met = 0;

		for (size_t i = 0; i < all->n; i++)
			n += all->at[i].head.table == table % INDEX_TABLES;
		for (size_t i = 0; i < all->n && n && found == all->n; i++)
			if (all->at[i].head.table == table % INDEX_TABLES &&
			    met++ == which % n)
				found = i;
	}
	return found;
}

static void edit(struct values *all, struct fuzz_bytes *s)
{
	size_t i = pick(all, s), how = below(s, 16);
	struct value *v = &all->at[i];
	enum index_table t = (enum index_table)v->head.table;

	if (how == 0)
		forge_header(all, i, s);
	else if (how == 1)
		forge_exchange(v, s);
	else if (how == 2)
		forge_bytes(v, s);
	else if (table_width(t))
		forge_column(v, s);
	else if (t == TABLE_META)
		forge_meta(v, s);
	else if (t == TABLE_PART)
		forge_parts(v, s);
	else if (t >= TABLE_OBJ && t <= TABLE_NAME)
		forge_strings(v, s);
	else
		forge_varint(v, s);
}

static int by_key(const void *x, const void *y)
{
	const struct value_header *a = &((const struct value *)x)->head;
	const struct value_header *b = &((const struct value *)y)->head;
	int c = order_u64(a->table, b->table);

	c = c ? c : order_u64(a->event, b->event);
	return c ? c : order_u64(a->block, b->block);
}

/* The writer wants keys to ascend. */
static void write_index(struct values *all)
{
	struct store_writer *w = NULL;
	struct err err = {0};
	int fd = open(index_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	const struct value *last = NULL;

	qsort(all->at, all->n, sizeof(*all->at), by_key);
	if (fd < 0 || store_writer_open(index_path, fd, 1 << 26, &w, &err))
		fuzz_fail("cannot write %s: %s", index_path, err.text);
	for (size_t i = 0; i < all->n; i++) {
		const struct value *v = &all->at[i];
		const struct value_header *h = &v->head;

		if (v->gone || (last && by_key(last, v) == 0))
			continue;
		last = v;
		if (store_writer_put(w, (enum index_table)h->table, h->event, h->block,
				     h->rows, v->p, h->bytes, &err))
			fuzz_fail("%s", err.text);
	}
	if (store_writer_finish(w, &err))
		fuzz_fail("%s", err.text);
	store_writer_close(w);
	close(fd);
}

/* ---- asking ---- */

/* Those that lean on the numbers of the graph most; the others are fuzz_question()'s. */
static const char *const hard[] = {
	"hide /[02468]$/ | functions",
	"hide /[13579]$/ | calltree from * depth 3",
	"hide /1/ | hide /2/ | path from * to *",
	"focus /[02468]$/ | calls",
	"ignore /[147]$/ | functions | take 20",
	"collapse by file | hide /1/ | calls",
	"collapse by object | focus * | functions",
	"cut 1% | calls",
	"with inlined | hide #0 | calls",
	"part 1 | hide /[1-5]/ | functions",
	"part 2 | focus /[1-5]/ | calltree from *",
	"part 1,2 | collapse by file | cycles",
	"thread 2 | functions | sort incl",
	"cycles | show cycle, functions, calls, self, incl",
	"functions of cycle:1 | sort incl",
	"callers of cycle:1 depth all",
	"callees of * depth all | take 30",
	"calltree to * depth all | take 50",
	"calltree from * | take 200",
	"all 20 paths from * to * | take 40",
	"shortest 20 paths from main to *",
	"widest 20 paths from * to * avoiding /1$/",
	"cost of /1$/ via /2$/ under *",
	"cost of * under * avoiding /3$/",
	"parts of /1$/",
	"parts vs base",
	"functions vs base | where delta = 0 | take 3",
	"lines of *",
	"callsites of *",
	"jumps of *",
	"instrs of *",
	"source of /1$/",
	"asm of /1$/",
	"lines of line:1",
	"functions of file:a* or obj:o1",
	"info /1$/",
	"find g1",
	"top 5 by incl",
	"part 1 | lines | take 9",
	"part 2 | callsites | take 9",
	"part 1 | instrs",
};

static const char *question(struct fuzz_bytes *s)
{
	uint64_t which = fuzz_take(s, 1), other = fuzz_take(s, 1);

	return other % 4 ? hard[which % COUNT(hard)] : fuzz_question((unsigned)which);
}

static void complete(struct session *s)
{
	struct err err = {0};
	struct str *names;
	struct arena a;
	size_t n;

	arena_init(&a, 1 << 24);
	if (query_complete_function(s, STR("g"), 20, &a, &names, &n, &err) &&
	    !err.text[0])
		fuzz_fail("nothing to complete, without words");
	arena_free(&a);
}

/* Each question in a session of its own, which has met nothing yet, or all in one. */
static void ask(struct fuzz_bytes *s, unsigned times)
{
	struct err err = {0};
	struct session *session;
	struct store *st;

	if (store_open(index_path, true, &st, &err)) {
		if (!err.text[0])
			fuzz_fail("refused without words");
		return;
	}
	session = fuzz_session(st);
	for (unsigned i = 0; session && i < times; i++) {
		const char *q = question(s);
		enum format format =
			(enum format)(FORMAT_TABLE + fuzz_take(s, 1) % (FORMAT_END - 1));

		fuzz_ask(session, str_c(q), format, NULL);
	}
	if (session)
		complete(session);
	session_free(session);
	store_close(st);
}

static void verify(void)
{
	struct store_verified verified;
	struct err err = {0};
	struct store *st;

	if (!store_open(index_path, true, &st, &err)) {
		store_verify(st, NULL, &verified, &err);
		store_close(st);
	}
	if (err.kind && (!err.text[0] || (err.kind == ERR_INDEX && !err.hint[0])))
		fuzz_fail("--verify says of damage only '%s'", err.text);
}

/* The reader for adding is a reader like any other. */
static void add(const struct base *b, struct fuzz_bytes *s)
{
	struct err err = {0};
	struct store *st;

	if (!open_base(b, b->files + 1, false, &st, &err)) {
		store_close(st);
		ask(s, 1);
	} else if (!err.text[0]) {
		fuzz_fail("not added, without words");
	}
}

void forger_run(const uint8_t *script, size_t n)
{
	struct fuzz_bytes s = {script, n};
	struct values all = {0};
	const struct base *b;
	unsigned edits, together;

	forger_begin();
	b = take_base(&s);
	for (size_t i = 0; i < b->values.n; i++)
		append(&all, &b->values.at[i].head, b->values.at[i].p);
	edits = (unsigned)below(&s, EDITS) + 1;
	together = (unsigned)fuzz_take(&s, 1) % 2;
	for (unsigned i = 0; i < edits; i++)
		edit(&all, &s);
	write_index(&all);
	for (size_t i = 0; i < all.n; i++)
		free(all.at[i].p);
	free(all.at);
	for (unsigned i = 0; i < (together ? 1 : QUESTIONS); i++)
		ask(&s, together ? QUESTIONS : 1);
	verify();
	if (b == &bases[SET])
		add(b, &s);
	unlink(index_path);
}
