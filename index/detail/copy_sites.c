/*
 * copy_sites.c - copy call sites and jumps from pieces to the index; see copy_sites.h.
 *
 *	piece	tag, positions, edge, | calls, costs	what follows the edge stays as it is
 *	index	positions, edge,      | calls, costs	(left out if the site is the only one)
 *
 * A site is its place, its edge and a pointer to the rest.  Sites mostly stand in the text
 * in the order of the index, so ordering is mostly a look at each.  Two sites with one place
 * and edge are unpacked, added and packed again in `sums`.
 */
#include "index/detail/copy_sites.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/cost.h"
#include "index/base/vec.h"
#include "index/detail/detail_lines.h"
#include "index/detail/detail_run.h"
#include "index/tally/tally.h"

enum {
	/* Most bytes of a row without its costs. */
	ROW_ROOM = 6 * VARINT_MAX,
	SITES_MAX = 1 << 17, /* of a kind */
	TIES_MAX = 32,	     /* at one place */
};

void copy_sites_init(struct copy_sites *c, struct detail_shape shape)
{
	*c = (struct copy_sites){.shape = shape};
}

void copy_sites_free(struct copy_sites *c)
{
	for (int k = 0; k < DETAIL_KINDS; k++)
		free(c->of[k].site);
	free(c->sums.p);
	free(c->sorted);
	free(c->key);
	free(c->spare);
	edge_uses_free(&c->uses);
}

void copy_sites_clear(struct copy_sites *c)
{
	c->sums.n = 0;
	for (int k = 0; k < DETAIL_KINDS; k++) {
		c->of[k].n = 0;
		c->of[k].ordered = true;
	}
}

/* Write a row's numbers to c->sums, as the index has them; *to tells where.  0, or -1
 * when memory is out. */
static int put_sum(struct copy_sites *c, enum detail_kind kind,
		   const struct detail_row *row, struct copy_site *to)
{
	const uint32_t events = c->shape.events;
	unsigned char *start;

	if (bytes_room(&c->sums, (DETAIL_NUMBERS + costs_numbers(events)) * VARINT_MAX))
		return -1;
	start = c->sums.p + c->sums.n;
	to->what = row->edge;
	to->rest = NULL;
	to->at = c->sums.n;
	to->n = (size_t)(detail_put_rest(start, kind, row, events) - start);
	c->sums.n += to->n;
	return 0;
}

/* Read a call, whose bytes are the same in the index. */
static enum copied get_call(const struct copy_sites *c, struct varint_reader *in,
			    uint64_t ncost, const struct copy_of *of, struct copy_site *r)
{
	/* In the index every call has the costs of all events. */
	if (!copy_alike(&c->shape, ncost))
		return COPY_NOT;
	r->what = of->edge[copy_get(in)] - of->first_edge;
	r->rest = in->p;
	in->p = copy_past_numbers(in->p, in->end, 1);
	if (in->p)
		in->p = copy_past_costs(&c->shape, in->p, in->end);
	if (!in->p)
		return COPY_NOT;
	r->n = (size_t)(in->p - r->rest);
	return COPY_DONE;
}

/* Read a jump that stays in the function and the file, whose bytes are the same in the
 * index. */
static enum copied get_jump(struct varint_reader *in, struct copy_site *r)
{
	r->rest = in->p;
	in->p = copy_past_numbers(in->p, in->end, r->what & JUMP_CONDITIONAL ? 4 : 3);
	if (!in->p)
		return COPY_NOT;
	r->n = (size_t)(in->p - r->rest);
	return COPY_DONE;
}

/* Read a jump that leaves the function or the file.  The index has its target first, and
 * as ids. */
static enum copied get_far_jump(struct copy_sites *c, struct varint_reader *in,
				uint64_t tag, struct copy_place *at,
				const struct copy_of *of, struct copy_site *r)
{
	struct detail_row row = {
		.instr = r->instr, .line = r->line, .file = r->file, .edge = r->what};

	row.to_instr = varint_unzigzag(r->instr, varint_get(in));
	row.to_line = varint_unzigzag(r->line, varint_get(in));
	if (tag & PIECE_TO) {
		at->to = varint_get(in) << 32;
		at->to |= varint_get(in);
	}
	row.calls = varint_get(in);
	row.taken = r->what & JUMP_CONDITIONAL ? varint_get(in) : row.calls;
	if (in->bad)
		return COPY_NOT;
	of->set_target(of->arg, at->slot, at->to, &row);
	return put_sum(c, DETAIL_JUMPS, &row, r) ? COPY_NO_MEMORY : COPY_DONE;
}

/* Is a after b? */
static bool site_after(const struct copy_site *a, const struct copy_site *b)
{
	return a->file != b->file     ? a->file > b->file
	       : a->instr != b->instr ? a->instr > b->instr
				      : a->line > b->line;
}

enum copied copy_sites_take(struct copy_sites *c, struct varint_reader *in, uint64_t tag,
			    struct copy_place *at, const struct copy_of *of)
{
	const enum entry_kind kind = tag & PIECE_KIND;
	struct site_list *list = &c->of[kind == ENTRY_CALL ? DETAIL_SITES : DETAIL_JUMPS];
	struct copy_site r;
	enum copied rc;

	copy_get_place(in, tag, at, of);
	if (list->n == SITES_MAX || in->bad || !copy_fits(&c->shape, at))
		return COPY_NOT;
	r = (struct copy_site){.instr = at->instr, .line = at->line, .file = at->file};
	r.what = kind == ENTRY_JCND ? JUMP_CONDITIONAL : 0;
	if (kind == ENTRY_CALL)
		rc = get_call(c, in, tag >> PIECE_COSTS, of, &r);
	else if (at->to || tag & PIECE_TO)
		rc = get_far_jump(c, in, tag, at, of, &r);
	else
		rc = get_jump(in, &r);
	if (rc)
		return rc;
	if (list->n)
		list->ordered &= site_after(&r, &list->site[list->n - 1]);
	if (vec_reserve_raw(&list->site, &list->cap, list->n + 1, sizeof(r)))
		return COPY_NO_MEMORY;
	list->site[list->n++] = r;
	return COPY_DONE;
}

/* The numbers of r, packed. */
static const unsigned char *rest_of(const struct copy_sites *c, const struct copy_site *r)
{
	return r->rest ? r->rest : c->sums.p + r->at;
}

static bool same_place(const struct copy_site *a, const struct copy_site *b)
{
	return a->instr == b->instr && a->line == b->line && a->file == b->file;
}

/* Unpack r; its costs go to `cost`. */
static struct detail_row copy_sites_row_of(const struct copy_sites *c,
					   enum detail_kind kind,
					   const struct copy_site *r, uint64_t *cost)
{
	const unsigned char *rest = rest_of(c, r);
	struct detail_reader in = {.in = {rest, rest + r->n, false},
				   .kind = kind,
				   .shape = c->shape,
				   .row = {.instr = r->instr,
					   .line = r->line,
					   .file = r->file,
					   .edge = r->what,
					   .cost = cost}};

	detail_get_rest(&in, cost);
	return in.row;
}

/* Add the numbers of `from` to those of *to. */
static void copy_sites_add_row(struct copy_sites *c, enum detail_kind kind,
			       struct detail_row *to, const struct detail_row *from)
{
	uint64_t *sum = (uint64_t *)(uintptr_t)to->cost;

	c->full |= count_add(&to->calls, from->calls);
	c->full |= count_add(&to->taken, from->taken);
	for (uint32_t e = 0; kind == DETAIL_SITES && e < c->shape.events; e++)
		c->full |= cost_add_bits(&sum[e], from->cost[e]);
}

/* Order n rows of one place by where they go, add equal ones, and write them to `to`.
 * Returns how many are left, 0 when memory is out. */
static size_t add_equal(struct copy_sites *c, enum detail_kind kind,
			const struct copy_site *from, size_t n, struct copy_site *to)
{
	struct detail_row row[TIES_MAX];
	uint64_t cost[TIES_MAX][COPY_EVENTS];
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		const struct detail_row r = copy_sites_row_of(c, kind, &from[i], cost[i]);
		size_t k = left;

		while (k > 0 && detail_compare(&row[k - 1], &r) > 0)
			k--;
		if (k > 0 && detail_compare(&row[k - 1], &r) == 0) {
			copy_sites_add_row(c, kind, &row[k - 1], &r);
			continue;
		}
		memmove(&row[k + 1], &row[k], (left - k) * sizeof(*row));
		row[k] = r;
		left++;
	}
	for (size_t i = 0; i < left; i++) {
		to[i] = from[0];
		if (put_sum(c, kind, &row[i], &to[i]))
			return 0;
	}
	return left;
}

/* Find the call sites that are the only ones of their edges. */
static enum copied mark_alone(struct copy_sites *c)
{
	struct site_list *list = &c->of[DETAIL_SITES];

	edge_uses_begin(&c->uses);
	for (size_t i = 0; i < list->n; i++)
		if (edge_uses_add(&c->uses, list->site[i].what))
			return COPY_NO_MEMORY;
	for (size_t i = 0; i < list->n; i++)
		list->site[i].alone = edge_uses_once(&c->uses, list->site[i].what);
	return COPY_DONE;
}

/* Order the sites by their keys, then put those of one place together, by add_equal(). */
static enum copied order_sites(struct copy_sites *c, enum detail_kind kind)
{
	struct site_list *list = &c->of[kind];
	size_t out = 0, n, left;

	if (list->ordered)
		return COPY_DONE;
	if (vec_reserve_raw(&c->key, &c->key_cap, list->n, sizeof(*c->key)) ||
	    vec_reserve_raw(&c->sorted, &c->sorted_cap, list->n, sizeof(*c->sorted)))
		return COPY_NO_MEMORY;
	for (size_t i = 0; i < list->n; i++)
		c->key[i] = (struct detail_key){list->site[i].instr, list->site[i].line,
						list->site[i].file, (uint32_t)i};
	if (detail_order(&c->key, &c->key_cap, &c->spare, &c->spare_cap, list->n, NULL))
		return COPY_NO_MEMORY;
	for (size_t i = 0; i < list->n; i++)
		c->sorted[i] = list->site[c->key[i].row];
	for (size_t i = 0; i < list->n; i += n) {
		for (n = 1;
		     i + n < list->n && same_place(&c->sorted[i], &c->sorted[i + n]); n++)
			;
		if (n > TIES_MAX)
			return COPY_NOT;
		left = 1;
		if (n == 1)
			list->site[out] = c->sorted[i];
		else
			left = add_equal(c, kind, &c->sorted[i], n, &list->site[out]);
		if (!left)
			return COPY_NO_MEMORY;
		out += left;
	}
	list->n = out;
	return COPY_DONE;
}

enum copied copy_sites_order(struct copy_sites *c, enum detail_kind kind)
{
	const enum copied rc = order_sites(c, kind);

	return rc || kind != DETAIL_SITES ? rc : mark_alone(c);
}

/* Write r; w knows the row before it. */
static int put_site(const struct copy_sites *c, struct detail_writer *w,
		    const struct copy_site *r)
{
	struct bytes *b = w->b;
	unsigned char *p;

	if (bytes_room(b, ROW_ROOM + r->n))
		return -1;
	p = b->p + b->n;
	if (c->shape.instr)
		p = varint_put(p, r->instr - w->instr);
	if (c->shape.line)
		p = varint_put(p, varint_zigzag(w->line, r->line));
	p = varint_put(p, w->kind == DETAIL_SITES ? detail_edge_code(r->what, r->alone)
						  : r->what);
	if (!r->alone)
		p = coded_put(p, (struct coded){rest_of(c, r), r->n});
	b->n = (size_t)(p - b->p);
	w->instr = r->instr;
	w->line = r->line;
	return 0;
}

int copy_sites_encode(const struct copy_sites *c, enum detail_kind kind, struct bytes *b,
		      uint64_t *n)
{
	const struct site_list *list = &c->of[kind];
	struct detail_writer w = {.b = b, .kind = kind, .shape = &c->shape};

	*n = list->n;
	if (bytes_put(b, list->n))
		return -1;
	for (size_t i = 0, end = 0; i < list->n; i++) {
		if (i == end) {
			while (end < list->n &&
			       list->site[end].file == list->site[i].file)
				end++;
			if (detail_write_group(&w, list->site[i].file, end - i))
				return -1;
		}
		if (put_site(c, &w, &list->site[i]))
			return -1;
	}
	return 0;
}
