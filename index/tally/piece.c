/* piece.c - packed lines of first blocks; see piece.h. */
#include "index/tally/piece.h"

#include "index/tally/tally.h"

int piece_put(struct bytes *b, struct piece_row *before, const struct piece_row *r,
	      const uint64_t *cost)
{
	static const uint64_t nothing[1];
	const bool to = r->kind >= ENTRY_JUMP && r->to[2] != before->to[2];
	uint32_t ncost = r->ncost;
	const uint64_t di = varint_zigzag(before->instr, r->instr);
	const uint64_t dl = varint_zigzag(before->line, r->line);
	unsigned char *p;

	if (r->kind == ENTRY_COST) {
		bool like;

		if (ncost == 0) {
			cost = nothing;
			ncost = 1;
		}
		like = ncost == 1 && before->cost_known && before->cost == cost[0];
		before->cost_known = ncost == 1;
		before->cost = cost[0];
		ncost = like ? 0 : ncost;
	}
	if (bytes_room(b, piece_room(ncost)))
		return -1;
	p = varint_put(b->p + b->n, (uint64_t)ncost << PIECE_COSTS | r->kind |
					    (r->file != before->file ? PIECE_FILE : 0) |
					    (di ? PIECE_INSTR : 0) |
					    (dl ? PIECE_LINE : 0) | (to ? PIECE_TO : 0));
	if (r->file != before->file)
		p = varint_put(p, r->file);
	p = piece_put_change(p, di);
	p = piece_put_change(p, dl);
	before->file = r->file;
	before->instr = r->instr;
	before->line = r->line;
	if (r->kind == ENTRY_CALL) {
		p = varint_put(p, r->edge);
		p = varint_put(p, r->count);
	} else if (r->kind != ENTRY_COST) {
		p = varint_put_flat(p, varint_zigzag(r->instr, r->to[0]));
		p = varint_put(p, varint_zigzag(r->line, r->to[1]));
		if (to) {
			p = varint_put(p, r->to[2] >> 32);
			p = varint_put(p, r->to[2] & UINT32_MAX);
			before->to[2] = r->to[2];
		}
		p = varint_put(p, r->count);
		if (r->kind == ENTRY_JCND)
			p = varint_put(p, r->taken);
	}
	p = costs_put(p, cost, ncost);
	b->n = (size_t)(p - b->p);
	return 0;
}

bool piece_get(struct varint_reader *in, struct piece_row *r, uint64_t *cost)
{
	uint64_t tag;

	if (in->p >= in->end)
		return false;
	tag = varint_get(in);
	r->kind = tag & PIECE_KIND;
	r->ncost = (uint32_t)(tag >> PIECE_COSTS);
	if (tag & PIECE_FILE)
		r->file = (uint32_t)varint_get(in);
	if (tag & PIECE_INSTR)
		r->instr = varint_unzigzag(r->instr, varint_get(in));
	if (tag & PIECE_LINE)
		r->line = varint_unzigzag(r->line, varint_get(in));
	if (r->kind == ENTRY_CALL) {
		r->edge = (uint32_t)varint_get(in);
		r->count = varint_get(in);
	} else if (r->kind != ENTRY_COST) {
		r->to[0] = varint_unzigzag(r->instr, varint_get(in));
		r->to[1] = varint_unzigzag(r->line, varint_get(in));
		if (tag & PIECE_TO) {
			r->to[2] = varint_get(in) << 32;
			r->to[2] |= varint_get(in);
		}
		r->ncost = 0;
		r->count = varint_get(in);
		r->taken = r->kind == ENTRY_JCND ? varint_get(in) : r->count;
	}
	if (r->kind == ENTRY_COST && r->ncost == 0) {
		struct varint_reader before = {r->costs, in->end, false};

		r->ncost = r->costs ? r->ncosts : 0;
		costs_get(&before, cost, r->ncost);
		return !in->bad;
	}
	if (r->kind == ENTRY_COST) {
		r->costs = in->p;
		r->ncosts = r->ncost;
	}
	costs_get(in, cost, r->ncost);
	return !in->bad;
}
