/* copy_refs.c - call sites and jumps from pieces to the index; see copy_refs.h. */
#include "index/detail/copy_refs.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/vec.h"
#include "index/detail/detail_lines.h"
#include "index/detail/detail_run.h"
#include "index/tally/tally.h"

enum {
	/* Bytes of a row at most but for its costs. */
	ROW_ROOM = 6 * VARINT_MAX,
	REFS_MAX = 1 << 17, /* of a kind */
	TIES_MAX = 32,	    /* rows of one place */
};

void copied_refs_init(struct copied_refs *c, struct detail_shape shape)
{
	*c = (struct copied_refs){.shape = shape};
}

void copied_refs_free(struct copied_refs *c)
{
	for (int k = 0; k < DETAIL_KINDS; k++)
		free(c->of[k].ref);
	free(c->sums.p);
	free(c->sorted);
	free(c->key);
	free(c->spare);
}

void copied_refs_clear(struct copied_refs *c)
{
	c->sums.n = 0;
	for (int k = 0; k < DETAIL_KINDS; k++) {
		c->of[k].n = 0;
		c->of[k].ordered = true;
	}
}

/* Behind the positions of a call, a jump, a jump on a condition, but for where a call goes and its
 * costs. */
static inline unsigned numbers(enum entry_kind kind)
{
	return kind == ENTRY_CALL ? 1 : kind == ENTRY_JUMP ? 3 : 4;
}

enum copy copy_ref(struct copied_refs *c, struct varint_reader *in, uint64_t tag,
		   struct copy_place *at, const struct copy_of *of)
{
	const enum entry_kind kind = tag & ONCE_KIND;
	struct copy_refs *refs = &c->of[kind == ENTRY_CALL ? DETAIL_SITES : DETAIL_JUMPS];
	const struct copy_ref *before = refs->n ? &refs->ref[refs->n - 1] : NULL;
	struct copy_ref r;

	copy_get_place(in, tag, at, of);
	/* A jump that goes where the ones before do. */
	if ((kind != ENTRY_CALL && tag >> ONCE_COSTS) || refs->n == REFS_MAX)
		return COPY_ODD;
	r = (struct copy_ref){.instr = at->instr, .line = at->line, .file = at->file};
	if (kind == ENTRY_CALL)
		r.what = of->edge[copy_get(in)] - of->first_edge;
	else
		r.what = kind == ENTRY_JCND ? JUMP_CONDITIONAL : 0;
	r.rest = in->p;
	in->p = copy_past_numbers(in->p, in->end, numbers(kind));
	if (kind == ENTRY_CALL && in->p) {
		/* Fewer costs than there are events stand in no index. */
		if (!copy_alike(&c->shape, tag >> ONCE_COSTS))
			return COPY_ODD;
		in->p = copy_past_costs(&c->shape, in->p, in->end);
	}
	if (!in->p || in->bad || !copy_fits(&c->shape, at))
		return COPY_ODD;
	r.n = (size_t)(in->p - r.rest);
	refs->ordered &= !before || r.file > before->file ||
			 (r.file == before->file &&
			  (r.instr > before->instr ||
			   (r.instr == before->instr && r.line > before->line)));
	if (vec_reserve_raw(&refs->ref, &refs->cap, refs->n + 1, sizeof(r)))
		return COPY_NO_MEMORY;
	refs->ref[refs->n++] = r;
	return COPY_DONE;
}

static bool same_place(const struct copy_ref *a, const struct copy_ref *b)
{
	return a->instr == b->instr && a->line == b->line && a->file == b->file;
}

/* What r is as a row. */
static struct detail_row row_of(const struct copy_ref *r, enum detail_kind kind,
				uint64_t *cost, uint32_t events)
{
	struct varint_reader in = {r->rest, r->rest + r->n, false};
	struct detail_row row = {.instr = r->instr,
				 .line = r->line,
				 .file = r->file,
				 .edge = r->what,
				 .cost = cost};

	if (kind == DETAIL_SITES) {
		row.calls = varint_get(&in);
		costs_get(&in, cost, events);
		return row;
	}
	row.to_instr = varint_get(&in);
	row.to_line = varint_get(&in);
	row.calls = varint_get(&in);
	row.taken = r->what & JUMP_CONDITIONAL ? varint_get(&in) : 0;
	return row;
}

/* Rows of one place, n of them, in their own order and equal ones added, to `to`; how many are left,
 * 0 when memory is out. */
static size_t add_equal(struct copied_refs *c, enum detail_kind kind,
			const struct copy_ref *from, size_t n, struct copy_ref *to)
{
	const uint32_t events = c->shape.events;
	struct detail_row row[TIES_MAX];
	uint64_t cost[TIES_MAX][COPY_EVENTS];
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		struct detail_row r = row_of(&from[i], kind, cost[i], events);
		size_t k = left;

		/* As the reader will see them. */
		r.to_instr = varint_unzigzag(r.instr, r.to_instr);
		r.to_line = varint_unzigzag(r.line, r.to_line);
		while (k > 0 && detail_compare(&row[k - 1], &r) > 0)
			k--;
		if (k > 0 && detail_compare(&row[k - 1], &r) == 0) {
			uint64_t *sum = (uint64_t *)(uintptr_t)row[k - 1].cost;

			row[k - 1].calls =
				detail_add(row[k - 1].calls, r.calls, &c->full);
			row[k - 1].taken =
				detail_add(row[k - 1].taken, r.taken, &c->full);
			for (uint32_t e = 0; kind == DETAIL_SITES && e < events; e++)
				sum[e] = detail_add(sum[e], cost[i][e], &c->full);
			continue;
		}
		memmove(&row[k + 1], &row[k], (left - k) * sizeof(*row));
		row[k] = r;
		left++;
	}
	for (size_t i = 0; i < left; i++) {
		unsigned char *p, *start;

		if (bytes_room(&c->sums, ROW_ROOM + costs_numbers(events) * VARINT_MAX))
			return 0;
		start = p = c->sums.p + c->sums.n;
		if (kind == DETAIL_JUMPS) {
			p = varint_put(p, varint_zigzag(row[i].instr, row[i].to_instr));
			p = varint_put(p, varint_zigzag(row[i].line, row[i].to_line));
		}
		p = varint_put(p, row[i].calls);
		if (kind == DETAIL_SITES)
			p = costs_put(p, row[i].cost, events);
		else if (row[i].edge & JUMP_CONDITIONAL)
			p = varint_put(p, row[i].taken);
		to[i] = from[0];
		to[i].what = row[i].edge;
		to[i].rest = NULL;
		to[i].at = c->sums.n;
		to[i].n = (size_t)(p - start);
		c->sums.n += to[i].n;
	}
	return left;
}

enum copy copied_refs_order(struct copied_refs *c, enum detail_kind kind)
{
	struct copy_refs *refs = &c->of[kind];
	size_t out = 0, n, left;

	if (refs->ordered)
		return COPY_DONE;
	if (vec_reserve_raw(&c->key, &c->key_cap, refs->n, sizeof(*c->key)) ||
	    vec_reserve_raw(&c->sorted, &c->sorted_cap, refs->n, sizeof(*c->sorted)))
		return COPY_NO_MEMORY;
	for (size_t i = 0; i < refs->n; i++)
		c->key[i] = (struct detail_key){refs->ref[i].instr, refs->ref[i].line,
						refs->ref[i].file, (uint32_t)i};
	if (detail_order(&c->key, &c->key_cap, &c->spare, &c->spare_cap, refs->n, NULL))
		return COPY_NO_MEMORY;
	for (size_t i = 0; i < refs->n; i++)
		c->sorted[i] = refs->ref[c->key[i].row];
	for (size_t i = 0; i < refs->n; i += n) {
		for (n = 1;
		     i + n < refs->n && same_place(&c->sorted[i], &c->sorted[i + n]); n++)
			;
		if (n > TIES_MAX)
			return COPY_ODD;
		left = 1;
		if (n == 1)
			refs->ref[out] = c->sorted[i];
		else
			left = add_equal(c, kind, &c->sorted[i], n, &refs->ref[out]);
		if (!left)
			return COPY_NO_MEMORY;
		out += left;
	}
	refs->n = out;
	return COPY_DONE;
}

/* Behind the row before, which w knows. */
static int put_ref(const struct copied_refs *c, struct detail_writer *w,
		   const struct copy_ref *r)
{
	const unsigned char *rest = r->rest ? r->rest : c->sums.p + r->at;
	struct bytes *b = w->b;
	unsigned char *p;

	if (bytes_room(b, ROW_ROOM + r->n))
		return -1;
	p = b->p + b->n;
	if (c->shape.instr)
		p = varint_put(p, r->instr - w->instr);
	if (c->shape.line)
		p = varint_put(p, varint_zigzag(w->line, r->line));
	p = varint_put(p, r->what);
	p = coded_put(p, (struct coded){rest, r->n});
	b->n = (size_t)(p - b->p);
	w->instr = r->instr;
	w->line = r->line;
	return 0;
}

int copied_refs_encode(const struct copied_refs *c, enum detail_kind kind,
		       struct bytes *b, uint64_t *n)
{
	const struct copy_refs *refs = &c->of[kind];
	struct detail_writer w = {.b = b, .kind = kind, .shape = &c->shape};

	*n = refs->n;
	if (bytes_put(b, refs->n))
		return -1;
	for (size_t i = 0, end = 0; i < refs->n; i++) {
		if (i == end) {
			while (end < refs->n && refs->ref[end].file == refs->ref[i].file)
				end++;
			if (detail_write_group(&w, refs->ref[i].file, end - i))
				return -1;
		}
		if (put_ref(c, &w, &refs->ref[i]))
			return -1;
	}
	return 0;
}
