/*
 * store_places.c - count the places of a profile: (file, line), or (file, line, address),
 * of each function's cost lines and call sites.  Call sites are mostly at places of cost
 * lines.  The count is kept.
 */
#include <stdlib.h>

#include "index/base/cancel.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/vec.h"
#include "index/lines/decode.h"
#include "index/store/store_in.h"

struct place_key {
	uint64_t instr, line;
	uint32_t file;
};

struct line_places {
	struct place_key *key;
	size_t n, cap;
	bool by_instr;
};

static int cmp_places(const void *pa, const void *pb)
{
	const struct place_key *a = pa, *b = pb;
	int c = order_u64(a->file, b->file);

	c = c ? c : order_u64(a->instr, b->instr);
	return c ? c : order_u64(a->line, b->line);
}

static int add_place(struct line_places *p, file_id file, uint64_t line, uint64_t instr,
		     struct err *err)
{
	const struct place_key key = {p->by_instr ? instr : 0, line, file};

	/* Several addresses of a line often come one after the other. */
	if (p->n && cmp_places(&p->key[p->n - 1], &key) == 0)
		return 0;
	if (p->n == p->cap && vec_reserve(&p->key, &p->cap, p->n + 1, sizeof(*p->key)))
		return err_no_memory(err, NULL);
	p->key[p->n++] = key;
	return 0;
}

static int line_place(void *arg, const struct store_line *row, const int64_t *costs,
		      struct err *err)
{
	(void)costs;
	return add_place(arg, row->file, row->line, row->instr, err);
}

/* The places of the call sites of f; their numbers are not needed. */
static int site_places(struct store *st, fn_id f, struct line_places *p, uint64_t *costs,
		       struct err *err)
{
	const struct detail_row *d;
	struct detail_reader r;
	uint64_t n = 0;

	if (store_open_sites(st, f, &r, &n, err))
		return err->kind;
	for (d = &r.row; n; n--) {
		detail_next(&r, costs);
		if (r.in.bad || d->file >= st->info.files)
			return store_bad_site(st, err);
		if (add_place(p, d->file, d->line, d->instr, err))
			break;
	}
	return err->kind;
}

static bool ascend(const struct place_key *p, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (cmp_places(&p[i - 1], &p[i]) > 0)
			return false;
	return true;
}

static void sort_places(struct place_key *p, size_t n)
{
	if (!ascend(p, n))
		qsort(p, n, sizeof(*p), cmp_places);
}

/* Count the different ones of two lists, which are sorted here. */
static uint64_t count_places(struct place_key *a, size_t na, struct place_key *b,
			     size_t nb)
{
	const struct place_key *last = NULL;
	uint64_t n = 0;

	sort_places(a, na);
	sort_places(b, nb);
	while (na || nb) {
		const bool from_a = na && (!nb || cmp_places(a, b) <= 0);
		const struct place_key *now = from_a ? a : b;

		n += !last || cmp_places(last, now) != 0;
		last = now;
		if (from_a)
			a++, na--;
		else
			b++, nb--;
	}
	return n;
}

int store_places(struct store *st, bool by_instr, const struct cancel *cancel,
		 uint64_t *n, struct err *err)
{
	enum { SOME = 256 }; /* functions between two polls */
	struct line_places p = {.by_instr = by_instr};
	uint64_t all = 0, costs[EVENTS_MAX];

	for (fn_id f = 0; !st->places[by_instr] && f < st->info.functions; f++) {
		size_t lines;

		p.n = 0;
		if (store_each_line(st, f, line_place, &p, err))
			break;
		lines = p.n;
		if (site_places(st, f, &p, costs, err) ||
		    (f % SOME == 0 && cancel_poll(cancel, err)))
			break;
		if (p.n)
			all += count_places(p.key, lines, p.key + lines, p.n - lines);
	}
	free(p.key);
	if (err->kind)
		return err->kind;
	if (!st->places[by_instr])
		st->places[by_instr] = 1 + all;
	*n = st->places[by_instr] - 1;
	return 0;
}
