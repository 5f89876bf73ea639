/*
 * tally.c - fold rows into functions, cost lines and call edges.
 *
 * The cost line after "calls=" is the inclusive cost of that call: it belongs to the
 * edge, never to the caller's self cost.  So for every event
 *	sum of self over all functions == "totals:"      (checked after the merge)
 *
 * Nearly every line was seen before, in the same order: a function's lines come again in
 * every part and every activation.  So each entry remembers its successor, and a hit is
 * one compare and one add:
 *
 *	head(f) -> line 12 -> call g at 13 -> line 14 -> ...
 *
 * A function's first block has no entries to predict from.  Its lines are packed as a
 * piece (piece.h), and become entries if a second block comes.  Entries are hashed only
 * when a block leaves the predicted order.
 *
 * When the room for entries is used up, the lines of further blocks are packed as pieces,
 * too, and in the end all entries.  Equal lines of a function are added when the index is
 * written.
 */
#include "index/tally/tally.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/vec.h"
#include "index/tally/tally_in.h"

int tally_init(struct tally *t, bool entry_state, bool keep, struct err *err)
{
	uint32_t start = entry_state ? NAME_ENTRY : NAME_ABSENT;

	memset(t, 0, sizeof(*t));
	arena_init(&t->arena, 0);
	spill_init(&t->pieces.packed, 0, NULL);
	spill_init(&t->parts.costs, 0, NULL);
	block_log_init(&t->log);
	for (int i = 0; i < SPACES; i++)
		if (names_init(&t->names[i], keep ? NULL : &t->arena))
			return tally_no_memory(err);
	t->names[SPACE_FN].references = true;
	if (vec_reserve(&t->entries.at, &t->entries.cap, 1, sizeof(*t->entries.at)) ||
	    vec_reserve(&t->entries.fn, &t->entries.fn_cap, 1, sizeof(*t->entries.fn)) ||
	    !tally_new_part(t))
		return tally_no_memory(err);
	t->entries.n = 1; /* entry 0 means "none" */
	tally_part(t, 0)->begins = !entry_state;
	t->now.ob = t->now.fl = t->now.file = t->now.base_file = t->now.fn_name = start;
	t->now.cfn = start;
	t->now.has_fl = t->now.has_cfn = entry_state;
	t->now.own_fl = NONE;
	t->now.fl_at = UINT64_MAX;
	t->waits.calls = t->waits.assumed = entry_state;
	t->now.fn = t->edges.caller = NONE;
	return 0;
}

uint64_t tally_held(const struct tally *t)
{
	const uint64_t costs = 2 * t->events.n * sizeof(uint64_t),
		       found = sizeof(uint64_t);
	uint64_t sum = t->arena.used;

	for (int i = 0; i < SPACES; i++)
		sum += t->names[i].n *
		       (sizeof(struct name_slot) + sizeof(struct name_use));
	return sum + t->fns.n * (sizeof(*t->fns.at) + found + costs) +
	       t->edges.n *
		       (sizeof(*t->edges.at) + found + 2 * sizeof(uint64_t) + costs) +
	       t->parts.n * sizeof(struct part_slot) + block_log_held(&t->log) +
	       t->events.nformula * sizeof(*t->events.formula);
}

void tally_free(struct tally *t)
{
	t->parts.later = false;
	tally_trim(t);
	for (int i = 0; i < SPACES; i++)
		names_free(&t->names[i]);
	hash_free(&t->events.by);
	void *const arrays[] = {
		t->events.name,	   t->events.col,   t->fns.at,	   t->fns.self,
		t->edges.at,	   t->edges.narrow, t->edges.sum,  t->events.col_of,
		t->events.formula, t->diag.odd,	    t->now.run,	   t->assumed.col,
		t->pieces.cost,	   t->waits.at,	    t->waits.cost, t->fns.target,
	};
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		free(arrays[i]);
	for (int i = 0; i < PART_CHUNKS; i++)
		free(t->parts.chunk[i]);
	spill_free(&t->pieces.packed);
	spill_free(&t->parts.costs);
	block_log_free(&t->log);
	arena_free(&t->arena);
	memset(t, 0, sizeof(*t));
}

/* ---- functions ---- */

/* Add a slot, to the hash if *h is its hash; NONE if memory is out. */
static uint32_t new_fn(struct tally *t, const struct fn_slot *f, const uint32_t *h)
{
	const size_t e = t->events.n, n = t->fns.n + 1;

	if (n >= ENTRY_HEAD ||
	    vec_reserve_raw(&t->fns.at, &t->fns.cap, n, sizeof(*t->fns.at)) ||
	    vec_reserve_raw(&t->fns.part_self, &t->fns.part_self_cap, n * e,
			    sizeof(*t->fns.part_self)) ||
	    (h && hash_add(&t->fns.by, *h, (uint32_t)t->fns.n)))
		return NONE;
	for (size_t i = (n - 1) * e; i < n * e; i++)
		t->fns.part_self[i] = 0;
	t->fns.at[t->fns.n] = *f;
	return (uint32_t)t->fns.n++;
}

static bool same_target(const struct tally *t, uint32_t a, uint32_t b)
{
	return a == b || (a && b &&
			  memcmp(&t->fns.target[a - 1], &t->fns.target[b - 1],
				 sizeof(*t->fns.target)) == 0);
}

static bool same_fn(const struct tally *t, const struct fn_slot *a,
		    const struct fn_slot *b)
{
	return a->ob == b->ob && a->fl == b->fl && a->fn == b->fn &&
	       a->defaulted == b->defaulted && same_target(t, a->target, b->target);
}

/* Find or add the slot of f; NONE if memory is out.  Most names have one function, which
 * is found by *first, so only further ones are hashed. */
static uint32_t fn_slot(struct tally *t, const struct fn_slot *f, uint32_t *first)
{
	uint32_t h, probe, i;

	if (*first == NONE)
		return *first = new_fn(t, f, NULL);
	if (same_fn(t, &t->fns.at[*first], f))
		return *first;
	h = tally_hash(f->ob, f->fl, (uint64_t)f->fn << 1 | f->defaulted);
	if (f->target)
		h = tally_hash(h, t->fns.target[f->target - 1].at[0], 0);
	probe = hash_start(&t->fns.by, h);
	while ((i = hash_next(&t->fns.by, h, &probe)) != HASH_NONE)
		if (same_fn(t, &t->fns.at[i], f))
			return i;
	return new_fn(t, f, &h);
}

/* Is f, a slot of that name or NONE, the function in this object and file? */
static inline bool is_fn(const struct tally *t, uint32_t f, uint32_t ob, uint32_t fl,
			 bool defaulted)
{
	const struct fn_slot *at;

	if (f == NONE)
		return false;
	at = &t->fns.at[f];
	return at->ob == ob && at->fl == fl && at->defaulted == defaulted && !at->target;
}

/* Find a function by the cache in the name's slot. */
static inline uint32_t fn_cached(struct tally *t, uint32_t ob, uint32_t fl, uint32_t fn,
				 bool defaulted, bool callee)
{
	struct name_use *use = &t->names[SPACE_FN].use[fn];
	uint32_t *last = callee ? &use->callee : &use->block;
	const uint32_t other = callee ? use->block : use->callee;

	if (__builtin_expect(is_fn(t, *last, ob, fl, defaulted), 1))
		return *last;
	const struct fn_slot new = {
		.ob = ob, .fl = fl, .fn = fn, .defaulted = defaulted, .edge_from = NONE};

	*last = is_fn(t, other, ob, fl, defaulted) ? other
						   : fn_slot(t, &new, &use->first);
	return *last;
}

/* The slot of a callee at the target of this call; NONE if memory is out. */
static uint32_t fn_at(struct tally *t, uint32_t ob, uint32_t fl, uint32_t fn,
		      bool defaulted)
{
	struct tally_fns *f = &t->fns;
	const size_t before = f->n;
	struct fn_slot new = {
		.ob = ob, .fl = fl, .fn = fn, .defaulted = defaulted, .edge_from = NONE};
	uint32_t at;

	if (vec_reserve(&f->target, &f->target_cap, f->ntarget + 1, sizeof(*f->target)))
		return NONE;
	f->target[f->ntarget] = t->now.pending_to;
	new.target = (uint32_t)f->ntarget + 1;
	at = fn_slot(t, &new, &t->names[SPACE_FN].use[fn].first);
	f->ntarget += f->n > before;
	return at;
}

/* End the current block, if any. */
void tally_leave(struct tally *t)
{
	uint32_t f = t->now.fn;

	if (f == NONE)
		return;
	tally_end_block(t);
	if (t->pieces.open)
		tally_end_piece(t, f);
	t->pieces.open = false;
	t->now.fn = NONE;
}

/* ---- blocks ---- */

/* "fn=": end the block before. */
static void row_fn(struct tally *t, uint32_t name)
{
	tally_leave(t);
	t->now.fn_name = name;
	t->now.has_fn = true;
	t->now.own_fl = t->now.fl_at == t->cost_lines ? t->now.fl : NONE;
	if (t->now.has_fl)
		t->now.file = t->now.fl;
	t->now.base_file = t->now.file;
	t->now.has_cob = t->now.has_cfi = t->now.has_jfi = t->now.has_jfn = false;
	t->now.cfn_waits = false;
	t->now.fn_waits = true;
	t->now.inlined = NAME_ABSENT;
}

int tally_enter_block(struct tally *t)
{
	const uint32_t file = t->now.has_fl ? t->now.fl : t->now.file;
	const uint32_t fl = t->now.own_fl != NONE ? t->now.own_fl : file;
	uint32_t f = fn_cached(t, t->now.ob, fl, t->now.fn_name, false, false), last;
	struct fn_slot *s = &t->fns.at[f == NONE ? 0 : f];

	if (f == NONE)
		return -1;
	t->pieces.open = !s->head && (!s->ended || !tally_piece_has_room(t, s->piece_n));
	t->pieces.no_room += s->ended && t->pieces.open ? s->piece_n : 0;
	if (t->pieces.open ? tally_begin_piece(t, f)
			   : !s->head && tally_unpack_piece(t, f, &last))
		return -1;
	if (tally_activation(t, f))
		return -1;
	t->log.without |= !t->log.on;
	t->now.fn = f;
	t->now.entry = t->fns.at[f].head;
	t->now.moved = fl != file;
	t->now.fn_waits = false;
	return t->fns.at[f].stamp == t->parts.n ? 0 : tally_touch_fn(t, f);
}

int tally_new_block(struct tally *t, uint32_t name, bool *begun)
{
	const uint32_t f =
		fn_cached(t, t->now.ob, t->now.has_fl ? t->now.fl : t->now.file, name,
			  false, false);

	if (f == NONE)
		return -1;
	*begun = !t->fns.at[f].head;
	if (!*begun)
		return 0;
	row_fn(t, name);
	return tally_enter_block(t);
}

/* The piece has PIECE_ROWS lines and its block goes on.  Begin another piece, unless its
 * lines repeat: a packed line takes a tenth of an entry, but entries bound the memory
 * by the number of different lines. */
static int next_piece(struct tally *t)
{
	const uint32_t f = t->now.fn;

	tally_end_piece(t, f);
	t->pieces.no_room += t->fns.at[f].piece_n;
	if (t->fns.at[f].head || tally_all_different(t, f) ||
	    !tally_piece_has_room(t, t->fns.at[f].piece_n))
		return tally_begin_piece(t, f);
	t->pieces.open = false;
	return tally_unpack_piece(t, f, &t->now.entry);
}

int tally_pack_line(struct tally *t, struct piece_row *r, const uint64_t *cost)
{
	const uint64_t *by_event = cost;

	if (!t->events.col_is_event && r->ncost) {
		memset(t->pieces.cost, 0, t->events.n * sizeof(*t->pieces.cost));
		tally_add_costs(t, t->pieces.cost, cost, r->ncost);
		by_event = t->pieces.cost;
		r->ncost = (uint32_t)t->events.n;
	}
	if (piece_put(&t->pieces.packed.buf, &t->pieces.last, r, by_event))
		return -1;
	return ++t->pieces.rows < PIECE_ROWS ? 0 : next_piece(t);
}

/* A call in a first block: add its cost to the edge at once. */
static int pack_call(struct tally *t, struct piece_row *r, uint32_t callee,
		     const uint64_t *cost)
{
	uint64_t *sum = tally_edge_numbers(t, t->now.fn, callee, &r->edge);

	if (!sum || tally_activates(t, callee, r->count, r->ncost ? cost[0] : 0))
		return -1;
	count_add(sum, r->count);
	tally_add_costs(t, sum + 1, cost, r->ncost);
	return tally_pack_line(t, r, cost);
}

/* The current part has no lines yet: a file may begin with "NEW PROFILING FILE". */
static bool part_is_empty(const struct tally *t)
{
	return tally_part(t, t->parts.n - 1)->begins && !t->parts.used;
}

void tally_restart(struct tally *t)
{
	tally_leave(t);
	t->now.ob = t->now.fl = t->now.file = t->now.base_file = t->now.fn_name =
		t->now.cfn = NAME_ABSENT;
	t->now.has_fl = t->now.has_cfn = t->now.has_cob = t->now.has_cfi =
		t->now.has_jfi = t->now.has_jfn = false;
	t->now.inlined = NAME_ABSENT;
	t->now.fn_waits = t->now.cfn_waits = t->now.has_fn = false;
	t->now.own_fl = NONE;
	t->now.fl_at = UINT64_MAX;
	tally_begin_waits(t);
	t->parts.used = false;
	t->now.pending = PENDING_NONE;
}

int tally_log_part(struct tally *t)
{
	tally_leave(t);
	return tally_log_last(t) || block_log_part(&t->log) ? -1 : 0;
}

struct part_slot *tally_new_part(struct tally *t)
{
	const uint64_t i = t->parts.n;
	const bool first = (i & (i + 1)) == 0; /* of a chunk of i + 1 slots */
	struct part_slot **chunk =
		&t->parts.chunk[63u ^ (unsigned)__builtin_clzll(i + 1)];
	struct part_slot *p;

	if (i >= NONE - 1 ||
	    (first && !(*chunk = vec_block((size_t)(i + 1) * sizeof(**chunk)))))
		return NULL;
	t->parts.n++;
	p = tally_part(t, i);
	memset(p, 0, sizeof(*p));
	return p;
}

static int row_part(struct tally *t, const struct row *r, struct err *err)
{
	struct part_slot *p;

	if (r->kind == LINE_FILE && part_is_empty(t))
		return 0;
	tally_leave(t);
	if (tally_end_waits(t, err))
		return err->kind;
	if (tally_log_last(t) || block_log_part(&t->log))
		return tally_no_memory(err);
	if (tally_end_part(t, TALLY_PARTS, false, err))
		return err->kind;
	if (!(p = tally_new_part(t)))
		return tally_no_memory(err);
	p->begins = true;
	p->new_file = r->kind == LINE_FILE;
	p->offset = t->text_bytes + r->at;
	p->blocks_at = t->log.blocks;
	tally_restart(t);
	for (int i = 0; i < SPACES; i++)
		p->names_at[i] = (uint32_t)t->names[i].n;
	if (r->kind == LINE_FILE) {
		t->now.meaning++;
		t->events.ncol = 0;
		t->now.positions = STR("");
		t->now.apart = t->now.begins = t->log.on = false;
		for (int i = 0; i < SPACES; i++)
			names_restart(&t->names[i]);
	}
	return 0;
}

/* ---- body lines ---- */

static uint32_t tally_name_of(struct tally *t, enum name_space space,
			      const struct batch *b, const struct row *r, struct err *err)
{
	struct names *names = &t->names[space];
	struct str text = {r->p, r->len};
	enum name_event event = NAME_OK;
	uint32_t slot;

	if (__builtin_expect(r->flags == NAME_ID, 1)) {
		if (r->a < names->by_id_n && names->by_id[r->a])
			return names->by_id[r->a];
		slot = names_id(names, r->a, tally_line_of(t, b, r));
	} else if (r->flags == (NAME_ID | NAME_TEXT)) {
		slot = names_known(names, r->a, text);
		if (slot)
			return slot;
		slot = names_define(names, r->a, text, tally_line_of(t, b, r), &event);
	} else if (r->flags == NAME_TEXT) {
		slot = names_text(names, text, 0);
	} else {
		return NAME_ABSENT;
	}
	if (slot == NONE)
		tally_no_memory(err);
	t->now.meaning += event == NAME_MET || event == NAME_REDEFINED;
	if (event == NAME_REDEFINED)
		tally_add_odd(t, ODD_ID_REDEFINED, tally_line_of(t, b, r), text, err);
	return slot;
}

/* The callee, at the line `to`, of this call by cob=, cfi= and cfn=; NONE if memory is out. */
static uint32_t callee_at(struct tally *t, uint64_t to)
{
	const uint32_t ob = t->now.has_cob ? t->now.cob : t->now.ob,
		       fl = t->now.has_cfi ? t->now.cfi : t->now.base_file;
	const uint32_t callee =
		t->now.pending_has_to && !t->now.has_cob
			? fn_at(t, ob, fl, t->now.cfn, !t->now.has_cfi)
			: fn_cached(t, ob, fl, t->now.cfn, !t->now.has_cfi, true);

	t->now.pending_has_to = t->now.has_cob = t->now.has_cfi = false;
	t->fns.at[t->now.fn].has_lines = true;
	if (callee != NONE)
		tally_begins(t, callee, to);
	return callee;
}

uint64_t *tally_call(struct tally *t, uint32_t cfn, uint64_t to, uint32_t *edge)
{
	uint32_t callee;

	t->now.cfn = cfn;
	t->now.has_cfn = true;
	callee = callee_at(t, to);
	return callee == NONE ? NULL : tally_edge_numbers(t, t->now.fn, callee, edge);
}

int tally_pack_call(struct tally *t, struct piece_row *r, uint64_t to,
		    const uint64_t *cost)
{
	const uint32_t callee = callee_at(t, to);

	t->cost_lines++;
	return callee == NONE ? -1 : pack_call(t, r, callee, cost);
}

/* After the entry of a call or jump.  In callgrind's files it leaves the base as it
 * was, so a head that was current stays so. */
static void behind_record(struct tally *t, uint32_t before)
{
	if (t->now.apart && tally_is_head(t, before))
		t->now.entry = before;
}

/* The line after calls=: add the call's inclusive cost. */
static int row_call_cost(struct tally *t, const struct row *r, const uint64_t *cost,
			 struct err *err)
{
	struct tally_key k = {.instr = r->a, .line = r->b, .file = t->now.file};
	struct piece_row row = {.kind = ENTRY_CALL,
				.ncost = r->nc,
				.file = t->now.file,
				.instr = r->a,
				.line = r->b,
				.count = t->now.pending_a};
	const uint32_t before = t->now.entry;
	uint32_t callee, i;

	t->now.pending = PENDING_NONE;
	t->now.file = t->now.base_file;
	if (t->pieces.open)
		return tally_pack_call(t, &row, t->now.pending_line, cost)
			       ? tally_no_memory(err)
			       : 0;
	callee = callee_at(t, t->now.pending_line);
	if (callee == NONE)
		return tally_no_memory(err);
	t->cost_lines++;
	k.kind_callee = ENTRY_KIND_CALLEE(ENTRY_CALL, callee);
	i = tally_entry_at(t, &k);
	if (!i && t->pieces.open)
		return pack_call(t, &row, callee, cost) ? tally_no_memory(err) : 0;
	if (!i || tally_activates(t, callee, t->now.pending_a, r->nc ? cost[0] : 0) ||
	    tally_add_calls(t, i, t->entries.at[i].val, t->now.pending_a))
		return tally_no_memory(err);
	tally_add_costs(t, t->entries.val + t->entries.at[i].val + 2, cost, r->nc);
	behind_record(t, before);
	return 0;
}

/* The line after jump=: the jump's source. */
static int row_jump_source(struct tally *t, const struct row *r, struct err *err)
{
	uint64_t to[3] = {t->now.pending_instr, t->now.pending_line,
			  (uint64_t)(t->now.has_jfn ? t->now.jfn : t->now.fn_name) << 32 |
				  (t->now.has_jfi ? t->now.jfi : t->now.base_file)};
	struct tally_key k = {.instr = r->a, .line = r->b, .file = t->now.file, .to = to};
	const uint32_t before = t->now.entry;
	uint32_t i = 0;

	t->now.file = t->now.base_file;
	k.kind_callee =
		ENTRY_KIND_CALLEE(t->now.pending_jcnd ? ENTRY_JCND : ENTRY_JUMP, 0);
	t->now.pending = PENDING_NONE;
	t->now.has_jfi = t->now.has_jfn = false;
	t->cost_lines++;
	if (!t->pieces.open)
		i = tally_entry_at(t, &k);
	if (!i && t->pieces.open) {
		struct piece_row row = {
			.kind = (uint8_t)ENTRY_KIND(k.kind_callee),
			.file = k.file,
			.instr = r->a,
			.line = r->b,
			.count = t->now.pending_a,
			.taken = t->now.pending_b,
			.to = {to[0], to[1],
			       piece_target(t->now.fn_name, k.file, to[2])}};

		return tally_pack_line(t, &row, NULL) ? tally_no_memory(err) : 0;
	}
	if (!i)
		return tally_no_memory(err);
	tally_add_count(t, t->entries.val + t->entries.at[i].val + 3, t->now.pending_a);
	tally_add_count(t, t->entries.val + t->entries.at[i].val + 4, t->now.pending_b);
	behind_record(t, before);
	return 0;
}

/* The file of a cost line: one with an inlined function is a name of its own.
 * UINT32_MAX: memory is out. */
static inline uint32_t line_file(struct tally *t)
{
	return __builtin_expect(t->now.inlined == NAME_ABSENT, 1)
		       ? t->now.file
		       : names_pair(&t->names[SPACE_FILE], t->now.file, t->now.inlined);
}

static inline __attribute__((always_inline)) int
row_cost(struct tally *t, const struct batch *b, const struct row *r,
	 const uint64_t *cost, struct err *err)
{
	struct tally_key k = {.instr = r->a, .line = r->b};
	uint32_t i = 0;

	if (__builtin_expect(t->now.pending == PENDING_SKIP ||
				     t->now.pending == PENDING_JUMP_SKIP,
			     0)) {
		t->now.pending = PENDING_NONE;
		t->now.file = t->now.base_file;
		t->cost_lines++;
		return 0;
	}
	if (t->now.fn == NONE) {
		if (tally_enter_block(t))
			return tally_no_memory(err);
		if (t->log.on && b)
			t->log.line = tally_line_of(t, b, r);
	}
	if (t->now.pending == PENDING_CALL)
		return row_call_cost(t, r, cost, err);
	if (t->now.pending == PENDING_JUMP)
		return row_jump_source(t, r, err);
	k.file = line_file(t);
	if (k.file == NONE)
		return tally_no_memory(err);
	t->now.base_file = t->now.file;
	tally_add_costs(t, t->now.run, cost, r->nc);
	t->now.ran = true;
	t->fns.at[t->now.fn].has_lines = true;
	t->cost_lines++;
	if (!t->pieces.open)
		i = tally_entry_at(t, &k);
	if (!i && t->pieces.open) {
		struct piece_row row = {.kind = ENTRY_COST,
					.ncost = r->nc,
					.file = k.file,
					.instr = r->a,
					.line = r->b};

		return tally_pack_line(t, &row, cost) ? tally_no_memory(err) : 0;
	}
	if (__builtin_expect(!i, 0))
		return tally_no_memory(err);
	tally_add_costs(t, t->entries.val + t->entries.at[i].val, cost, r->nc);
	return 0;
}

int tally_row_cost(struct tally *t, const struct row *r, const uint64_t *cost,
		   struct err *err)
{
	return row_cost(t, NULL, r, cost, err);
}

static bool is_call_pending(const struct tally *t)
{
	return t->now.pending == PENDING_CALL || t->now.pending == PENDING_SKIP;
}

/* Forget the target of a call, or of a jump. */
static void forget_target(struct tally *t, bool call)
{
	if (call)
		t->now.pending_has_to = t->now.has_cob = t->now.has_cfi = false;
	else
		t->now.has_jfi = t->now.has_jfn = false;
}

/* Drop a calls= or jump= that is not followed by its line. */
static int drop_pending(struct tally *t, const struct batch *b, const struct row *r,
			struct err *err)
{
	const bool call = is_call_pending(t);

	t->now.pending = PENDING_NONE;
	t->now.file = t->now.base_file;
	forget_target(t, call);
	return tally_row_odd(t, b, r, call ? ODD_CALL_NO_LINE : ODD_JUMP_NO_LINE, err);
}

static int row_calls(struct tally *t, const struct batch *b, const struct row *r,
		     struct err *err)
{
	const bool call = r->kind <= LINE_CALLS_BAD;
	const bool bad = r->kind == LINE_CALLS_BAD || r->kind == LINE_JUMP_BAD;
	const bool no_cfn = r->kind == LINE_CALLS && !t->now.has_cfn;

	if (call && tally_has_calls(t, err))
		return err->kind;
	t->now.pending_a = r->a;
	if (bad || no_cfn) {
		t->now.pending = call ? PENDING_SKIP : PENDING_JUMP_SKIP;
		forget_target(t, call);
		return no_cfn ? tally_row_odd(t, b, r, ODD_CALL_NO_CFN, err) : 0;
	}
	t->now.pending = call ? PENDING_CALL : PENDING_JUMP;
	t->now.pending_line = r->b;
	t->now.pending_has_to = call && r->nc == 2;
	if (t->now.pending_has_to)
		memcpy(&t->now.pending_to, &b->cost[r->cost], sizeof(t->now.pending_to));
	if (!call) {
		t->now.pending_jcnd = r->kind == LINE_JCND;
		t->now.pending_b = t->now.pending_jcnd ? r->b : r->a;
		t->now.pending_instr = b->cost[r->cost];
		t->now.pending_line = b->cost[r->cost + 1];
	}
	return 0;
}

/* A line that names something. */
static int row_name(struct tally *t, const struct batch *b, const struct row *r,
		    struct err *err)
{
	uint32_t slot = 0;

	switch ((enum line_kind)r->kind) {
	case LINE_FN:
		slot = tally_name_of(t, SPACE_FN, b, r, err);
		row_fn(t, slot);
		break;
	case LINE_FL:
		if (!t->now.has_fn) /* lines before any fn= are those of a file */
			tally_leave(t);
		slot = t->now.fl = t->now.file = t->now.base_file =
			tally_name_of(t, SPACE_FILE, b, r, err);
		t->now.has_fl = t->now.moved = true;
		t->now.fl_at = t->cost_lines;
		t->now.inlined = NAME_ABSENT;
		t->now.cfn_waits = false;
		break;
	case LINE_FI:
		slot = tally_name_of(t, SPACE_FILE, b, r, err);
		tally_set_file(t, slot);
		break;
	case LINE_OB:
		slot = t->now.ob = tally_name_of(t, SPACE_OBJ, b, r, err);
		t->now.moved = true;
		break;
	case LINE_CFN:
		slot = t->now.cfn = tally_name_of(t, SPACE_FN, b, r, err);
		t->now.has_cfn = t->now.cfn_waits = true;
		break;
	case LINE_CFI:
		slot = t->now.cfi = tally_name_of(t, SPACE_FILE, b, r, err);
		t->now.has_cfi = true;
		break;
	case LINE_COB:
		slot = t->now.cob = tally_name_of(t, SPACE_OBJ, b, r, err);
		t->now.has_cob = t->says_callee_obj = true;
		break;
	case LINE_JFI:
		slot = t->now.jfi = tally_name_of(t, SPACE_FILE, b, r, err);
		t->now.has_jfi = true;
		break;
	case LINE_JFN:
		slot = t->now.jfn = tally_name_of(t, SPACE_FN, b, r, err);
		t->now.has_jfn = true;
		break;
	case LINE_INLINED:
		slot = tally_name_of(t, SPACE_FN, b, r, err);
		t->now.inlined =
			slot != NONE && str_eq(t->names[SPACE_FN].slot[slot].text,
					       STR("???"))
				? NAME_ABSENT
				: slot;
		break;
	default: break;
	}
	return slot == NONE ? err->kind : 0;
}

static int tally_row(struct tally *t, const struct batch *b, const struct row *r,
		     struct err *err);

/* A cost line with more costs than there are events: the decoder counts the words of
 * events:, and an event's name may have several. */
static int row_of_more(struct tally *t, const struct batch *b, struct row r,
		       struct err *err)
{
	r.nc = (uint16_t)t->events.ncol;
	if (!(r.flags & COST_EXTRA) && tally_row_odd(t, b, &r, ODD_EXTRA_COSTS, err))
		return err->kind;
	return tally_row(t, b, &r, err);
}

static int tally_row(struct tally *t, const struct batch *b, const struct row *r,
		     struct err *err)
{
	if (__builtin_expect(r->kind == LINE_COST, 1)) {
		bool waits = false;

		if (__builtin_expect(r->nc > t->events.ncol, 0))
			return row_of_more(t, b, *r, err);
		t->negative |= (r->flags & COST_NEGATIVE) != 0;
		if (__builtin_expect(t->now.cfn_waits, 0) &&
		    (tally_wait(t, b, r, &waits, err) || waits))
			return err->kind;
		return row_cost(t, b, r, &b->cost[r->cost], err);
	}
	if (__builtin_expect(t->now.pending != PENDING_NONE, 0) &&
	    drop_pending(t, b, r, err))
		return err->kind;
	t->parts.used |=
		r->kind == LINE_ODD ? r->a == ODD_HEADER_VALUE : r->kind != LINE_FILE;
	switch ((enum line_kind)r->kind) {
	case LINE_CALLS:
	case LINE_CALLS_BAD:
	case LINE_JUMP:
	case LINE_JCND:
	case LINE_JUMP_BAD: return row_calls(t, b, r, err);
	case LINE_PART:
	case LINE_FILE: return row_part(t, r, err);
	case LINE_KEY: return tally_row_key(t, b, r, err);
	case LINE_ODD:
		return tally_add_odd(t, (enum odd)r->a, tally_line_of(t, b, r),
				     (struct str){r->p, r->len}, err);
	default: return row_name(t, b, r, err);
	}
}

int tally_rows(struct tally *t, const struct batch *b, size_t from, size_t to,
	       struct err *err)
{
	for (size_t i = from; i < to; i++)
		if (tally_row(t, b, &b->row[i], err))
			return err->kind;
	return 0;
}

int tally_batch(struct tally *t, const struct batch *b, struct err *err)
{
	if (tally_rows(t, b, 0, b->n, err))
		return err->kind;
	t->lines += b->newlines;
	t->text_bytes += b->bytes;
	return t->spill_failed || t->log.failed ? tally_not_spilled(t, err) : 0;
}

int tally_end(struct tally *t, enum tally_parts_of parts, struct str next_line,
	      struct err *err)
{
	if (t->now.pending != PENDING_NONE &&
	    tally_add_odd(t, is_call_pending(t) ? ODD_CALL_NO_LINE : ODD_JUMP_NO_LINE,
			  t->lines + (next_line.n > 0),
			  next_line.n ? next_line : STR("(end of the file)"), err))
		return err->kind;
	tally_leave(t);
	t->waits.left = t->waits.n;
	if (tally_end_waits(t, err))
		return err->kind;
	if (tally_log_last(t) || block_log_finish(&t->log))
		return tally_no_memory(err);
	if (tally_end_part(t, parts, true, err))
		return err->kind;
	if (!t->spill_failed && tally_pack(t))
		return tally_no_memory(err);
	tally_trim(t);
	tally_narrow_edges(t);
	return t->spill_failed || t->log.failed ? tally_not_spilled(t, err) : 0;
}
