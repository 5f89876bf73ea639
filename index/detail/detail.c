/*
 * detail.c - the entries of one function; see detail.h.
 *
 * A counting sort finds the slots of each function in all tallies.  Each slot has a chain
 * of pieces (piece.h), whose lines are in the order of the text.  So a piece mostly
 * repeats the lines of the pieces before it.  The next line is looked for after the row
 * of the line before, and added to its row if it is there:
 *
 *	row	12  13  call g at 13  14  ...
 *	piece	        ^ expected next
 *
 * There are three ways to the packed rows; all write the same bytes:
 *
 *	one piece			cost lines are copied, mostly without unpacking
 *					(copy_lines.h); the rest is held as below
 *	several pieces			rows held, ordered, equal ones added, packed
 *	more rows than may be held	packed in runs, which are merged (detail_run.h)
 *
 * Cost lines, which are most rows, are held in arrays of their own (detail_lines.h).
 */
#include "index/detail/detail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/bisect.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/sort.h"
#include "index/base/vec.h"
#include "index/detail/copy_lines.h"
#include "index/detail/detail_lines.h"
#include "index/detail/detail_run.h"
#include "index/detail/edge_uses.h"

enum {
	RUN_BYTES = 32 << 20, /* of rows and their costs, about */
	LEAST_ROOM = 1 << 6,  /* numbers in the first allocation of costs */
	MOST_ROOM = 1 << 12,  /* in the largest one */
	/* The data of the function FETCH ahead is prefetched, the slots of the one 2 FETCH
	 * ahead. */
	FETCH = 16,
};

struct slot_ref {
	uint32_t tally, slot;
};

/* Where each function's lines are, and the functions that jumps may go to.  Threads that
 * share the work share these. */
struct fn_places {
	uint32_t *slot_first; /* per function: into slots */
	struct slot_ref *slots;
	struct sort_pair *by_obj; /* functions by name and object, then by number */
};

/* Call sites or jumps. */
struct held {
	struct detail_row *row;
	size_t n, cap;
	size_t expected; /* the first row that the next one may be */
	size_t known;	 /* rows of the pieces before this one */
};

struct detail {
	const struct profile *p;
	struct fn_places at;
	bool borrowed;		  /* `at` belongs to another one */
	size_t run_rows;	  /* rows held at once */
	const atomic_int *cancel; /* may be NULL */
	struct bytes piece;	  /* scratch: a piece */
	uint64_t *cost;		  /* scratch: the costs of one row */
	/* scratch: keys to order rows by; ordered rows, exchanged with held.row */
	struct detail_key *key, *spare;
	size_t key_cap, spare_cap;
	struct detail_row *sorted;
	size_t sorted_cap;
	struct edge_uses uses; /* scratch: of call sites */
	uint64_t loose;
	bool full;  /* detail_full() */
	int unread; /* detail_unread() */
	struct detail_shape shape;
	/* the function at hand */
	uint32_t fn;
	unsigned kinds; /* bit per kind that is wanted */
	struct detail_lines lines;
	struct copy_lines copy;		/* the cost lines, if copied, not held */
	struct held held[DETAIL_KINDS]; /* cost lines: see lines */
	struct detail_runs runs[DETAIL_KINDS];
	size_t n, most;		   /* rows held; at `most` they become a run */
	struct arena sums;	   /* costs of call sites */
	uint64_t *room, *room_end; /* zeros, allocated from sums */
	size_t next_room;
	uint64_t first_line; /* lowest known line in its own file; 0: none is known */
};

/* A counting sort, as edges_by_caller() of merge.c does it: at the end slots[slot_first[f]]
 * is the first slot of f, in the order of the tallies. */
static int slots_by_function(struct detail *d)
{
	const struct profile *p = d->p;
	size_t n = 0;

	for (size_t k = 0; k < p->ntally; k++)
		n += p->tally[k]->fns.n;
	d->at.slot_first = calloc(p->nfn + 3, sizeof(*d->at.slot_first));
	d->at.slots = vec_block((n + 1) * sizeof(*d->at.slots));
	if (!d->at.slot_first || !d->at.slots)
		return -1;
	for (size_t k = 0; k < p->ntally; k++)
		for (size_t i = 0; i < p->tally[k]->fns.n; i++)
			if (p->map[k].fn[i] != NO_ID)
				d->at.slot_first[p->map[k].fn[i] + 2]++;
	for (size_t f = 1; f <= p->nfn + 1; f++)
		d->at.slot_first[f] += d->at.slot_first[f - 1];
	for (size_t k = 0; k < p->ntally; k++)
		for (size_t i = 0; i < p->tally[k]->fns.n; i++)
			if (p->map[k].fn[i] != NO_ID)
				d->at.slots[d->at.slot_first[p->map[k].fn[i] + 1]++] =
					(struct slot_ref){(uint32_t)k, (uint32_t)i};
	return 0;
}

/* Order functions by name and object, for jump_target(): their numbers are in the order of
 * name and file. */
static int order_targets(struct detail *d)
{
	const struct profile *p = d->p;

	d->at.by_obj = vec_block((p->nfn + 1) * sizeof(*d->at.by_obj));
	if (!d->at.by_obj)
		return -1;
	for (size_t f = 0; f < p->nfn; f++)
		d->at.by_obj[f] = (struct sort_pair){
			(uint64_t)p->fn_name[f] << 32 | p->fn_obj[f], (uint32_t)f};
	return sort_pairs(d->at.by_obj, p->nfn);
}

/* Allocate a struct detail without `at`; NULL when memory is out. */
static struct detail *with_scratch(const struct profile *p, size_t run_rows)
{
	struct detail *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->p = p;
	d->shape = (struct detail_shape){(uint32_t)p->nevent, p->has_instr, p->has_line};
	d->run_rows = run_rows ? run_rows
			       : RUN_BYTES / (sizeof(struct detail_row) +
					      sizeof(struct detail_key) * 2 +
					      (p->nevent + 2) * sizeof(uint64_t));
	arena_init(&d->sums, 0);
	detail_lines_init(&d->lines, p->nevent);
	copy_lines_init(&d->copy, d->shape);
	d->cost = calloc(EVENTS_MAX, sizeof(*d->cost));
	if (!d->cost) {
		free(d);
		return NULL;
	}
	return d;
}

static int no_memory(struct err *err)
{
	return err_set(err, ERR_LIMIT, 0, "out of memory while ordering cost lines");
}

int detail_new(const struct profile *p, size_t run_rows, struct detail **out,
	       struct err *err)
{
	struct detail *d = with_scratch(p, run_rows);
	int rc = -1;

	if (d)
		rc = slots_by_function(d) || order_targets(d);
	if (rc) {
		detail_free(d);
		return no_memory(err);
	}
	*out = d;
	return 0;
}

int detail_share(const struct detail *of, unsigned share, struct detail **out,
		 struct err *err)
{
	struct detail *d = with_scratch(of->p, of->run_rows / share + 1);

	if (!d)
		return no_memory(err);
	d->cancel = of->cancel;
	d->at = of->at;
	d->borrowed = true;
	*out = d;
	return 0;
}

void detail_stop_by(struct detail *d, const atomic_int *cancel)
{
	d->cancel = cancel;
}

void detail_free(struct detail *d)
{
	if (!d)
		return;
	if (!d->borrowed) {
		free(d->at.slot_first);
		free(d->at.slots);
		free(d->at.by_obj);
	}
	for (int k = 0; k < DETAIL_KINDS; k++) {
		free(d->held[k].row);
		detail_runs_free(&d->runs[k]);
	}
	detail_lines_free(&d->lines);
	copy_lines_free(&d->copy);
	free(d->cost);
	free(d->key);
	free(d->spare);
	free(d->sorted);
	free(d->piece.p);
	edge_uses_free(&d->uses);
	arena_free(&d->sums);
	free(d);
}

uint64_t detail_loose(const struct detail *d)
{
	return d->loose;
}

bool detail_full(const struct detail *d)
{
	bool full = d->full || d->lines.full || d->copy.full;

	for (int k = 0; k < DETAIL_KINDS; k++)
		full |= d->runs[k].full;
	return full;
}

uint64_t detail_weight(const struct detail *d, uint32_t f)
{
	const uint32_t end = d->at.slot_first[d->p->nfn];
	uint64_t sum = 1;

	for (uint32_t s = d->at.slot_first[f]; s < d->at.slot_first[f + 1]; s++) {
		const struct slot_ref *at = &d->at.slots[s];
		const struct slot_ref *soon = s + FETCH < end ? at + FETCH : at;

		__builtin_prefetch(
			&d->p->tally[soon->tally]->fns.at[soon->slot].pieces_n);
		/* A row takes two bytes or more. */
		sum += d->p->tally[at->tally]->fns.at[at->slot].pieces_n / 2;
	}
	return sum;
}

int detail_unread(const struct detail *d)
{
	return d->unread;
}

static const enum detail_kind kinds[] = {
	/* by enum entry_kind */
	DETAIL_LINES,
	DETAIL_SITES,
	DETAIL_JUMPS,
	DETAIL_JUMPS,
};

/* Zeros for a row's costs, NULL when memory is out.  Many functions have a few rows, some
 * have a million: room is made for ever more rows at once. */
static uint64_t *new_costs(struct detail *d)
{
	const size_t n = d->p->nevent;

	if ((size_t)(d->room_end - d->room) < n || !d->room) {
		size_t room = n > d->next_room ? n : d->next_room;

		if (d->next_room < MOST_ROOM)
			d->next_room *= 2;
		d->room = ARENA_ARRAY(&d->sums, uint64_t, room);
		if (!d->room) {
			d->room_end = NULL;
			return NULL;
		}
		d->room_end = d->room + room;
	}
	d->room += n;
	return d->room - n;
}

static void forget_costs(struct detail *d)
{
	arena_reset(&d->sums);
	d->room = d->room_end = NULL;
	d->next_room = LEAST_ROOM;
}

/* Is function f before the one of that name, file and object? */
static bool before(const struct profile *p, uint32_t f, uint32_t name, uint32_t file,
		   uint32_t obj)
{
	if (p->fn_name[f] != name)
		return p->fn_name[f] < name;
	if (p->fn_file[f] != file)
		return p->fn_file[f] < file;
	return p->fn_obj[f] < obj;
}

/* The function that a jump goes to: `from` if it has that name, in whatever file; else the
 * one of that name and file in its object; else the first of that name there; else
 * `from`. */
static uint32_t jump_target(const struct detail *d, uint32_t from, uint32_t name,
			    uint32_t file)
{
	const struct profile *p = d->p;
	const uint32_t obj = p->fn_obj[from];
	const uint64_t key = (uint64_t)name << 32 | obj;
	struct bisect b = bisect_in(0, p->nfn);

	if (p->fn_name[from] == name)
		return from;
	while (bisect_next(&b))
		bisect_step(&b, before(p, (uint32_t)b.mid, name, file, obj));
	if (b.lo < p->nfn && p->fn_name[b.lo] == name && p->fn_file[b.lo] == file &&
	    p->fn_obj[b.lo] == obj)
		return (uint32_t)b.lo;
	b = bisect_in(0, p->nfn);
	while (bisect_next(&b))
		bisect_step(&b, d->at.by_obj[b.mid].key < key);
	return b.lo < p->nfn && d->at.by_obj[b.lo].key == key ? d->at.by_obj[b.lo].value
							      : from;
}

/* Set to_fn, to_file and their flags of a jump in the file `file`, a slot of tally k; `to` is
 * its target as in piece.h, for the function with the name slot fn_name. */
static void set_target(struct detail *d, size_t k, uint32_t fn_name, uint32_t file,
		       uint64_t to, struct detail_row *r)
{
	const struct profile *p = d->p;
	const struct merge_map *m = &p->map[k];
	const uint64_t slots = piece_goes_to(fn_name, file, to);
	const uint32_t name = m->name[SPACE_FN][slots >> 32];

	r->to_file = m->name[SPACE_FILE][(uint32_t)slots];
	r->to_fn = jump_target(d, d->fn, name, r->to_file);
	d->loose += p->fn_name[r->to_fn] != name ||
		    (r->to_fn != d->fn && p->fn_file[r->to_fn] != r->to_file);
	r->edge |= (r->to_fn != d->fn ? JUMP_OTHER_FN : 0) |
		   (r->to_file != r->file ? JUMP_OTHER_FILE : 0);
}

static void detail_add_row(struct detail *d, struct detail_row *to,
			   const struct detail_row *r)
{
	uint64_t *sum = (uint64_t *)(uintptr_t)to->cost;

	d->full |= count_add(&to->calls, r->calls) && !r->cost;
	d->full |= count_add(&to->taken, r->taken);
	for (size_t e = 0; r->cost && e < d->p->nevent; e++)
		d->full |= cost_add_bits(&sum[e], r->cost[e]);
}

/* Order rows that are not in order. */
static int sort_rows(struct detail *d, struct held *h)
{
	struct detail_row *rows = h->row;
	size_t cap = h->cap;

	if (h->n > UINT32_MAX ||
	    vec_reserve_raw(&d->key, &d->key_cap, h->n, sizeof(*d->key)) ||
	    vec_reserve(&d->sorted, &d->sorted_cap, h->n, sizeof(*d->sorted)))
		return -1;
	for (size_t i = 0; i < h->n; i++)
		d->key[i] = (struct detail_key){h->row[i].instr, h->row[i].line,
						h->row[i].file, (uint32_t)i};
	if (detail_order(&d->key, &d->key_cap, &d->spare, &d->spare_cap, h->n, rows))
		return -1;
	for (size_t i = 0; i < h->n; i++)
		d->sorted[i] = rows[d->key[i].row];
	h->row = d->sorted;
	h->cap = d->sorted_cap;
	d->sorted = rows;
	d->sorted_cap = cap;
	return 0;
}

/* Order the rows and add equal ones, which are neighbours then.  0, or -1 when memory is
 * out. */
static int sort_and_add(struct detail *d, struct held *h)
{
	size_t last = 0, i = 1;

	while (i < h->n && detail_compare(&h->row[i - 1], &h->row[i]) < 0)
		i++;
	if (i >= h->n)
		return 0;
	if (sort_rows(d, h))
		return -1;
	for (i = 1; i < h->n; i++) {
		if (detail_compare(&h->row[last], &h->row[i]) == 0) {
			detail_add_row(d, &h->row[last], &h->row[i]);
		} else if (++last != i) {
			h->row[last] = h->row[i];
		}
	}
	h->n = last + 1;
	return 0;
}

/* Find the call sites that are the only ones of their edges. */
static int mark_alone_sites(struct detail *d, struct held *h)
{
	edge_uses_begin(&d->uses);
	for (size_t i = 0; i < h->n; i++)
		if (edge_uses_add(&d->uses, h->row[i].edge))
			return -1;
	for (size_t i = 0; i < h->n; i++)
		h->row[i].alone = edge_uses_once(&d->uses, h->row[i].edge);
	return 0;
}

/* Order the rows held of a kind and append them to b: *n rows; `all`: they are all of
 * the function.  0, or -1 when memory is out. */
static int encode(struct detail *d, enum detail_kind kind, bool all, struct bytes *b,
		  uint64_t *n)
{
	struct held *h = &d->held[kind];

	if (kind == DETAIL_LINES) {
		if (detail_lines_order(&d->lines))
			return -1;
		*n = d->lines.n;
		return detail_encode_lines(b, &d->shape, d->lines.key, d->lines.n,
					   d->lines.cost);
	}
	if (sort_and_add(d, h) || (all && kind == DETAIL_SITES && mark_alone_sites(d, h)))
		return -1;
	*n = h->n;
	return detail_encode(b, kind, &d->shape, h->row, h->n);
}

static void hold_nothing(struct detail *d)
{
	d->n = 0;
	detail_lines_clear(&d->lines);
	for (int k = 0; k < DETAIL_KINDS; k++)
		d->held[k].n = d->held[k].expected = d->held[k].known = 0;
	forget_costs(d);
}

/* Make a run of the rows held. */
static int end_run(struct detail *d)
{
	uint64_t n;

	for (int k = 0; k < DETAIL_KINDS; k++)
		if (encode(d, (enum detail_kind)k, false, &d->runs[k].bytes, &n) ||
		    detail_runs_end(&d->runs[k]))
			return -1;
	hold_nothing(d);
	return 0;
}

/* Add a row; NULL when memory is out. */
static struct detail_row *new_row(struct detail *d, enum detail_kind kind)
{
	struct held *h = &d->held[kind];

	if ((d->n >= d->most && end_run(d)) ||
	    vec_reserve(&h->row, &h->cap, h->n + 1, sizeof(*h->row)))
		return NULL;
	d->n++;
	return &h->row[h->n++];
}

static bool wanted(const struct detail *d, enum detail_kind kind)
{
	return d->kinds >> kind & 1;
}

/* The row held that equals r, or NULL.  Only the next few rows after the last hit are
 * compared: a piece may leave out rows, but nearly always keeps their order.  A row that
 * is missed here is added as new, and sort_and_add() finds its equal later. */
static struct detail_row *known_row(struct held *h, const struct detail_row *r)
{
	size_t end = h->known - h->expected > DETAIL_SKIPPED
			     ? h->expected + DETAIL_SKIPPED
			     : h->known;

	for (size_t i = h->expected; i < end; i++)
		if (h->row[i].instr == r->instr && h->row[i].line == r->line &&
		    detail_compare(&h->row[i], r) == 0) {
			h->expected = i + 1;
			return &h->row[i];
		}
	return NULL;
}

/* Add n costs, in the order of the events of tally k. */
static void add_costs(struct detail *d, size_t k, uint64_t *sum, uint32_t n)
{
	const uint32_t *event = d->p->map[k].event;

	for (uint32_t e = 0; e < n; e++)
		d->full |= cost_add_bits(&sum[event[e]], d->cost[e]);
}

/* Add a cost line with the ncost costs at *in; 0: with those of the line before, o->costs. */
static inline int read_line(struct detail *d, struct varint_reader *in,
			    const uint32_t *event, uint64_t instr, uint64_t line,
			    uint32_t file, uint32_t ncost, struct piece_row *o)
{
	struct varint_reader said = {o->costs, in->end, false}, *from = in;
	size_t before;
	uint64_t *sum;

	if (d->n >= d->most && end_run(d))
		return -1;
	before = d->lines.n;
	sum = detail_lines_row(&d->lines, instr, line, file);
	if (!sum)
		return -1;
	d->n += d->lines.n - before;
	if (ncost) {
		o->costs = in->p;
		o->ncosts = ncost;
	} else {
		from = &said;
		ncost = o->costs ? o->ncosts : 0;
	}
	costs_get(from, d->cost, ncost);
	for (uint32_t e = 0; e < ncost; e++)
		d->full |= cost_add_bits(&sum[event[e]], d->cost[e]);
	return 0;
}

/* Read cost lines of a piece, up to a row of another kind; o is the row before, and
 * becomes the last line. */
static int read_lines(struct detail *d, size_t k, struct varint_reader *from,
		      struct piece_row *o)
{
	const struct merge_map *m = &d->p->map[k];
	const uint32_t own = d->p->fn_file[d->fn];
	struct varint_reader in = *from;
	struct detail_key at = {o->instr, o->line, m->name[SPACE_FILE][o->file], 0};
	int rc = 0;

	while (in.p < in.end && (*in.p & PIECE_KIND) == ENTRY_COST) {
		const uint64_t tag = varint_get(&in);
		uint64_t instr = at.instr, line = at.line;

		if (tag & PIECE_FILE) {
			o->file = (uint32_t)varint_get(&in);
			at.file = m->name[SPACE_FILE][o->file];
		}
		if (tag & PIECE_INSTR)
			instr = varint_unzigzag(instr, varint_get(&in));
		if (tag & PIECE_LINE)
			line = varint_unzigzag(line, varint_get(&in));
		if (in.bad)
			break;
		at.instr = instr;
		at.line = line;
		rc = read_line(d, &in, m->event, instr, line, at.file,
			       (uint32_t)(tag >> PIECE_COSTS), o);
		if (at.file == own && line_below(line, d->first_line))
			d->first_line = line;
		if (rc)
			break;
	}
	o->instr = at.instr;
	o->line = at.line;
	*from = in;
	return rc;
}

static int hold_row(struct detail *d, size_t k, uint32_t slot, const struct piece_row *o)
{
	const enum detail_kind kind = kinds[o->kind];
	const struct profile *p = d->p;
	const struct merge_map *m = &p->map[k];
	struct detail_row *to, r;
	uint64_t *sum;

	r = (struct detail_row){
		.instr = o->instr, .line = o->line, .file = m->name[SPACE_FILE][o->file]};
	if (kind == DETAIL_JUMPS) {
		r.to_instr = o->to[0];
		r.to_line = o->to[1];
		r.edge = o->kind == ENTRY_JCND ? JUMP_CONDITIONAL : 0;
		r.to_fn = d->fn;
		r.to_file = r.file;
		if (o->to[2])
			set_target(d, k, p->tally[k]->fns.at[slot].fn, o->file, o->to[2],
				   &r);
	} else {
		r.edge = m->edge[o->edge] - p->out_first[d->fn];
	}
	to = known_row(&d->held[kind], &r);
	if (!to) {
		to = new_row(d, kind);
		if (!to)
			return -1;
		*to = r;
	}
	d->full |= count_add(&to->calls, o->count) && kind == DETAIL_JUMPS;
	if (kind == DETAIL_JUMPS) {
		d->full |= count_add(&to->taken, o->taken);
		return 0;
	}
	sum = to->cost ? (uint64_t *)(uintptr_t)to->cost : new_costs(d);
	if (!sum)
		return -1;
	to->cost = sum;
	add_costs(d, k, sum, o->ncost);
	return 0;
}

/* Read the pieces of a function's slot in tally k. */
static int read_pieces(struct detail *d, size_t k, uint32_t slot)
{
	const struct fn_slot *fn = &d->p->tally[k]->fns.at[slot];
	const struct spill *packed = &d->p->tally[k]->pieces.packed;
	uint64_t at = fn->piece_at, n = fn->piece_n;

	while (n) {
		const unsigned char *bytes = spill_read(packed, at, n, &d->piece);
		struct varint_reader in = {bytes, bytes ? bytes + n : NULL, false};
		struct piece_row o = {0};

		if (!bytes) {
			d->unread = errno;
			return -1;
		}
		if (d->cancel && atomic_load_explicit(d->cancel, memory_order_relaxed))
			return -1;
		for (int i = 0; i < DETAIL_KINDS; i++) {
			d->held[i].expected = 0;
			d->held[i].known = d->held[i].n;
		}
		detail_lines_again(&d->lines);
		n = piece_before(&in, &at);
		if (n)
			spill_fetch(packed, at);
		for (;;) {
			if (wanted(d, DETAIL_LINES) && read_lines(d, k, &in, &o))
				return -1;
			if (!piece_get(&in, &o, d->cost))
				break;
			if (wanted(d, kinds[o.kind]) && hold_row(d, k, slot, &o))
				return -1;
		}
	}
	return 0;
}

static void begin_fn(struct detail *d, uint32_t f, unsigned kinds_wanted, size_t most)
{
	d->fn = f;
	d->kinds = kinds_wanted;
	d->most = most;
	d->first_line = 0;
	hold_nothing(d);
}

/* Read all pieces of f in all tallies, and hold their rows of the kinds wanted; `most`: how
 * many are held before they become a run. */
static int gather(struct detail *d, uint32_t f, unsigned kinds_wanted, size_t most)
{
	const struct fn_places *at = &d->at;

	begin_fn(d, f, kinds_wanted, most);
	for (uint32_t s = at->slot_first[f]; s < at->slot_first[f + 1]; s++) {
		const size_t k = at->slots[s].tally;

		if (read_pieces(d, k, at->slots[s].slot))
			return -1;
	}
	return 0;
}

int detail_pack_kind(struct detail *d, uint32_t f, enum detail_kind kind, struct bytes *b)
{
	uint64_t n;

	b->n = 0;
	return gather(d, f, 1u << kind, SIZE_MAX) || encode(d, kind, false, b, &n) ? -1
										   : 0;
}

/* Prefetch the data of later functions: functions come by name, but their pieces lie in
 * the order of the text. */
static void fetch_next(const struct detail *d, uint32_t f)
{
	const struct fn_places *at = &d->at;
	const size_t nfn = d->p->nfn;
	const size_t soon = f + FETCH < nfn ? f + FETCH : nfn;
	const size_t later = soon + FETCH < nfn ? soon + FETCH : nfn;

	for (uint32_t s = at->slot_first[later]; s < at->slot_first[later + 1]; s++)
		__builtin_prefetch(&d->p->tally[at->slots[s].tally]
					    ->fns.at[at->slots[s].slot]
					    .piece_at);
	for (uint32_t s = at->slot_first[soon]; s < at->slot_first[soon + 1]; s++) {
		const struct slot_ref *slot = &at->slots[s];
		const struct tally *t = d->p->tally[slot->tally];
		const struct fn_slot *fn = &t->fns.at[slot->slot];

		spill_fetch(&t->pieces.packed, fn->piece_at);
		/* Its edges are mostly next to each other. */
		if (fn->edge_out - 1 < t->edges.n)
			__builtin_prefetch(
				&d->p->map[slot->tally].edge[fn->edge_out - 1]);
	}
}

/* The only slot of f with lines; NULL: several have, or none. */
static const struct slot_ref *only_slot(const struct detail *d, uint32_t f)
{
	const struct fn_places *at = &d->at;
	const struct slot_ref *only = NULL;

	for (uint32_t s = at->slot_first[f]; s < at->slot_first[f + 1]; s++) {
		const struct slot_ref *slot = &at->slots[s];

		if (!d->p->tally[slot->tally]->fns.at[slot->slot].piece_n)
			continue;
		if (only)
			return NULL;
		only = slot;
	}
	return only;
}

/* Take the rows of the piece at *in: cost lines are copied, others held. */
static enum copied copy_piece(struct detail *d, struct varint_reader *in,
			      const struct slot_ref *slot)
{
	const uint32_t *file = d->p->map[slot->tally].name[SPACE_FILE];
	struct copy_place at = {.file = file[0]};
	struct piece_row o = {0};
	enum copied rc;

	copy_lines_clear(&d->copy);
	for (;;) {
		rc = copy_lines_take(&d->copy, in, &at, file, d->p->fn_file[d->fn],
				     &d->first_line);
		if (rc || in->p == in->end)
			return rc ? rc : in->bad ? COPY_NOT : COPY_DONE;
		o.instr = at.instr;
		o.line = at.line;
		o.file = at.slot;
		if (d->n == d->most || !piece_get(in, &o, d->cost))
			return COPY_NOT;
		if (hold_row(d, slot->tally, slot->slot, &o))
			return COPY_NO_MEMORY;
		at.instr = o.instr;
		at.line = o.line;
		at.slot = o.file;
		at.file = file[o.file];
		if (!copy_fits(&d->shape, &at))
			return COPY_NOT;
	}
}

/* The rows of a function that has one piece, as most have, and no more than are held at
 * once. */
static enum copied copy_all(struct detail *d, uint32_t f, struct bytes b[DETAIL_KINDS],
			    uint64_t n[DETAIL_KINDS])
{
	const struct profile *p = d->p;
	const struct slot_ref *slot = only_slot(d, f);
	const struct spill *packed;
	struct varint_reader in = {0};
	const struct fn_slot *fn;
	uint64_t at;
	enum copied rc;

	if (p->nevent > COPY_EVENTS || p->nevent == 0 || !slot ||
	    detail_weight(d, f) > d->run_rows)
		return COPY_NOT;
	fn = &p->tally[slot->tally]->fns.at[slot->slot];
	for (size_t e = 0; e < p->tally[slot->tally]->events.n; e++)
		if (p->map[slot->tally].event[e] != e)
			return COPY_NOT;
	packed = &p->tally[slot->tally]->pieces.packed;
	at = fn->piece_at;
	in.p = spill_read(packed, at, fn->piece_n, &d->piece);
	if (!in.p) {
		d->unread = errno;
		return COPY_NO_MEMORY;
	}
	in.end = in.p + fn->piece_n;
	if (piece_before(&in, &at))
		return COPY_NOT;
	begin_fn(d, f, 0, d->run_rows);
	rc = copy_piece(d, &in, slot);
	if (rc)
		return rc;
	return copy_lines_encode(&d->copy, &b[DETAIL_LINES], &n[DETAIL_LINES]) ||
			       encode(d, DETAIL_SITES, true, &b[DETAIL_SITES],
				      &n[DETAIL_SITES]) ||
			       encode(d, DETAIL_JUMPS, true, &b[DETAIL_JUMPS],
				      &n[DETAIL_JUMPS])
		       ? COPY_NO_MEMORY
		       : COPY_DONE;
}

int detail_pack(struct detail *d, uint32_t f, struct bytes b[DETAIL_KINDS],
		uint64_t n[DETAIL_KINDS], uint64_t *first_line)
{
	const uint64_t loose = d->loose;
	enum copied copy;

	fetch_next(d, f);
	copy = copy_all(d, f, b, n);
	*first_line = d->first_line;
	if (copy != COPY_NOT)
		return copy == COPY_DONE ? 0 : -1;
	d->loose = loose;
	if (gather(d, f, (1u << DETAIL_KINDS) - 1, d->run_rows))
		return -1;
	/* All kinds end their runs together. */
	if (d->runs[0].n && end_run(d))
		return -1;
	for (int k = 0; k < DETAIL_KINDS; k++) {
		const enum detail_kind kind = (enum detail_kind)k;

		if (d->runs[k].n ? detail_runs_merge(&d->runs[k], kind, &d->shape,
						     d->cancel, &b[k], &n[k])
				 : encode(d, kind, true, &b[k], &n[k]))
			return -1;
	}
	*first_line = d->first_line;
	return 0;
}
