/*
 * reuse.c - an index as a tally; see reuse.h.
 *
 * Slots are the index's ids (name slots are ids + NAME_FIRST).  The lines of a function
 * become a chain of pieces (piece.h), packed and spilled like any other; parts become
 * encoded bytes again (part_code.h).
 *
 *	index of a, b  ->  tally 0 \
 *	file c         ->  tally 1 -> merge, save: as if a, b and c had been read
 *
 * So the merge needs no second way to add files, and a test can compare both ways byte
 * for byte.  Some facts are not in a tally, since the merge finds them in the text: the
 * headers of parts, diagnostics, the call tree.  These are in struct kept.
 */
#include "index/merge/reuse.h"
#include "index/tally/tally_write.h"
#include "index/base/err.h"

#include <string.h>

#include "index/base/map.h"
#include "index/base/vec.h"
#include "index/store/store_in.h"

struct reuse {
	struct tally *t;      /* what is made */
	struct store *st;     /* the index */
	const uint32_t *file; /* [files of the index]: their numbers now */
	struct arena scratch; /* of one function, or one part, at a time */
	struct kept *kept;
	struct err *err;
};

static int no_memory(struct reuse *r)
{
	return err_no_memory(r->err, "while adding files to an index");
}

struct reuse_look {
	struct store *st;
	bool possible;
};

/* Returns 0, or non-zero if the index is damaged; l->possible is the answer. */
static int check_complete(void *arg)
{
	struct reuse_look *l = arg;
	struct store *st = l->st;
	uint64_t kept[ODD_KINDS] = {0};
	uint32_t n = store_diag_count(st);

	/* An index keeps only the first lines of each kind; which ones depends on the
	 * order of the files. */
	for (uint32_t i = 0; i < n; i++)
		if (st->diag[i].line)
			kept[st->diag[i].kind]++;
	for (uint32_t i = 0; i < n; i++)
		if (kept[st->diag[i].kind] != st->diag[i].count)
			return 0;
	l->possible = true;
	return store_check(st, &(struct err){0});
}

/* A further file may tell which function a call without a file goes to, or that one without a
 * block is of a root after all; and a sum that did not fit, or of calls that nobody counted,
 * cannot be added to. */
bool reuse_possible(struct store *st)
{
	struct reuse_look l = {.st = st};

	/* An index of one part does not hold the costs and names of its part. */
	if (st->meta.files < 2 || st->meta.loose || st->meta.saturated ||
	    st->meta.uncounted || st->meta.tree.lost || st->meta.parts < 2)
		return false;
	return !map_guard(check_complete, &l, ERR_INDEX, &(struct err){0}) && l.possible;
}

/* ---- names, functions, edges ---- */

/* Names are appended in the order of the index, so each slot is an id + NAME_FIRST. */
static int take_space(struct reuse *r, enum name_space space, uint32_t n,
		      struct str (*of)(struct store *, uint32_t))
{
	for (uint32_t i = 0; i < n; i++)
		if (names_append(&r->t->names[space], of(r->st, i)) == UINT32_MAX)
			return no_memory(r);
	return 0;
}

static int take_names(struct reuse *r)
{
	const struct store_info *in = store_info(r->st);

	return take_space(r, SPACE_OBJ, in->objects, store_obj) ||
	       take_space(r, SPACE_FILE, in->files + in->inlined, store_file) ||
	       take_space(r, SPACE_FN, in->names, store_name);
}

/* The recorded events.  Derived ones are computed from their formulas once all files are
 * there (take_formulas()). */
static int take_events(struct reuse *r)
{
	struct tally *t = r->t;
	uint32_t n = store_info(r->st)->events;

	if (vec_reserve(&t->events.name, &t->events.cap, n, sizeof(*t->events.name)))
		return no_memory(r);
	for (uint32_t e = 0; e < n; e++) {
		struct store_event event;

		store_event(r->st, e, &event);
		t->events.name[e] = event.name;
	}
	t->events.n = n;
	t->negative = store_info(r->st)->negative;
	return 0;
}

static int take_functions(struct reuse *r)
{
	struct tally *t = r->t;
	size_t n = store_info(r->st)->functions, events = t->events.n;

	if (vec_reserve(&t->fns.at, &t->fns.cap, n, sizeof(*t->fns.at)) ||
	    vec_reserve(&t->fns.self, &t->fns.self_cap, n * events, sizeof(*t->fns.self)))
		return no_memory(r);
	for (uint32_t f = 0; f < n; f++) {
		t->fns.at[f] =
			(struct fn_slot){.ob = NAME_FIRST + store_fn_obj_id(r->st, f),
					 .fl = NAME_FIRST + store_fn_file_id(r->st, f),
					 .fn = NAME_FIRST + store_fn_name_id(r->st, f),
					 .begin = store_fn_begin(r->st, f)};
		for (uint32_t e = 0; e < events; e++)
			t->fns.self[f * events + e] =
				(uint64_t)store_fn_self(r->st, f, e);
	}
	t->fns.n = n;
	return 0;
}

/* A row of sums is the count of calls, then a cost for each event. */
static int take_edges(struct reuse *r)
{
	struct tally *t = r->t;
	size_t n = store_info(r->st)->edges, width = t->events.n + 1;

	if (vec_reserve(&t->edges.at, &t->edges.cap, n, sizeof(*t->edges.at)) ||
	    vec_reserve(&t->edges.sum, &t->edges.sum_cap, n * width,
			sizeof(*t->edges.sum)))
		return no_memory(r);
	for (uint32_t i = 0; i < n; i++) {
		struct store_edge e;

		store_edge(r->st, i, &e);
		t->edges.at[i] =
			(struct edge_slot){.caller = e.caller, .callee = e.callee};
		t->edges.sum[i * width] = e.calls;
		for (uint32_t k = 0; k + 1 < width; k++)
			t->edges.sum[i * width + 1 + k] =
				(uint64_t)store_edge_incl(r->st, i, k);
	}
	t->edges.n = n;
	tally_narrow_edges(t);
	return 0;
}

/* ---- lines ---- */

static int write_failed(struct reuse *r)
{
	const int failed = r->t->spill_failed;

	return failed ? err_set(r->err, err_kind_of(failed, ERR_INDEX), 0,
				"cannot write a temporary file in %s: %s",
				r->t->pieces.packed.dir, strerror(failed))
		      : 0;
}

/* Add a row to the piece of function f.  A piece ends after PIECE_ROWS rows, so that it can
 * be spilled; the next one starts from zeros, since pieces are read one by one. */
static int put_row(struct reuse *r, fn_id f, struct piece_row *before,
		   const struct piece_row *row, const uint64_t *cost)
{
	if (piece_put(&r->t->pieces.packed.buf, before, row, cost))
		return no_memory(r);
	if (++r->t->pieces.rows < PIECE_ROWS)
		return 0;
	tally_end_piece(r->t, f);
	*before = (struct piece_row){0};
	return tally_begin_piece(r->t, f) ? no_memory(r) : write_failed(r);
}

static int take_lines(struct reuse *r, fn_id f, struct piece_row *before)
{
	uint32_t events = (uint32_t)r->t->events.n;
	struct store_line *line;
	int64_t *costs;
	size_t n;

	if (store_inlined_lines(r->st, f, &r->scratch, &line, &costs, &n, r->err))
		return r->err->kind;
	for (size_t i = 0; i < n; i++) {
		struct piece_row row = {.kind = ENTRY_COST,
					.ncost = events,
					.file = NAME_FIRST + line[i].file,
					.instr = line[i].instr,
					.line = line[i].line};

		if (put_row(r, f, before, &row, (const uint64_t *)costs + i * events))
			return r->err->kind;
	}
	r->t->fns.at[f].has_lines |= n > 0;
	return 0;
}

static int take_sites(struct reuse *r, fn_id f, struct piece_row *before)
{
	uint32_t events = (uint32_t)r->t->events.n;
	struct store_site *site;
	int64_t *costs;
	size_t n;

	if (store_sites(r->st, f, &r->scratch, &site, &costs, &n, r->err))
		return r->err->kind;
	for (size_t i = 0; i < n; i++) {
		struct piece_row row = {.kind = ENTRY_CALL,
					.ncost = events,
					.file = NAME_FIRST + site[i].file,
					.edge = site[i].edge,
					.instr = site[i].instr,
					.line = site[i].line,
					.count = site[i].calls};

		if (put_row(r, f, before, &row, (const uint64_t *)costs + i * events))
			return r->err->kind;
	}
	r->t->fns.at[f].has_lines |= n > 0;
	return 0;
}

/* The index keeps the function that a jump leads to, a tally its name and file. */
static int take_jumps(struct reuse *r, fn_id f, struct piece_row *before)
{
	struct store_jump *jump;
	size_t n;

	if (store_jumps(r->st, f, &r->scratch, &jump, &n, r->err))
		return r->err->kind;
	for (size_t i = 0; i < n; i++) {
		const uint32_t name = NAME_FIRST + store_fn_name_id(r->st, f);
		const uint32_t to_name =
			NAME_FIRST + store_fn_name_id(r->st, jump[i].to_fn);
		const uint64_t to =
			(uint64_t)to_name << 32 | (NAME_FIRST + jump[i].to_file);
		struct piece_row row = {
			.kind = jump[i].conditional ? ENTRY_JCND : ENTRY_JUMP,
			.file = NAME_FIRST + jump[i].file,
			.instr = jump[i].instr,
			.line = jump[i].line,
			.count = jump[i].executed,
			.taken = jump[i].taken,
			.to = {jump[i].to_instr, jump[i].to_line,
			       piece_target(name, NAME_FIRST + jump[i].file, to)}};

		if (put_row(r, f, before, &row, NULL))
			return r->err->kind;
	}
	return 0;
}

/* Lines, call sites and jumps of a function become a chain of pieces, as if they had been
 * read in a block.  Each piece may be spilled as soon as it ends, so memory does not grow
 * with the index. */
static int take_details(struct reuse *r)
{
	struct tally *t = r->t;

	for (uint32_t f = 0; f < t->fns.n; f++) {
		struct piece_row before = {0};

		arena_reset(&r->scratch);
		if (tally_begin_piece(t, f))
			return no_memory(r);
		if (take_lines(r, f, &before) || take_sites(r, f, &before) ||
		    take_jumps(r, f, &before))
			return r->err->kind;
		tally_end_piece(t, f);
		if (write_failed(r))
			return r->err->kind;
	}
	return 0;
}

/* ---- parts ---- */

static int take_part_costs(struct reuse *r, uint32_t p, struct part_slot *slot)
{
	struct part_rows fns, edges;

	arena_reset(&r->scratch);
	if (store_part_rows(r->st, p, &r->scratch, &fns, &edges, r->err))
		return r->err->kind;
	slot->events = r->t->events.n;
	return tally_put_part(r->t, slot, &fns, &edges) ? no_memory(r) : write_failed(r);
}

static int take_sums(struct reuse *r, uint32_t p, bool has, int64_t **sums,
		     int64_t (*of)(struct store *, uint32_t, uint32_t))
{
	if (!has)
		return 0;
	*sums = ARENA_ARRAY(&r->t->arena, int64_t, r->t->events.n + 1);
	if (!*sums)
		return no_memory(r);
	for (uint32_t e = 0; e < r->t->events.n; e++)
		(*sums)[e] = of(r->st, p, e);
	return 0;
}

static int take_parts(struct reuse *r, struct kept *kept)
{
	struct tally *t = r->t;
	uint32_t n = store_info(r->st)->parts;

	kept->part = ARENA_ARRAY(&t->arena, struct part, (size_t)n + 1);
	if (!kept->part)
		return no_memory(r);
	if (n == 0)
		t->parts.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct part *to = &kept->part[i];
		/* A new tally has a part already. */
		struct part_slot *slot = i ? tally_new_part(t) : tally_part(t, 0);

		store_part(r->st, i, to);
		to->file = r->file[to->file];
		if (!slot)
			return no_memory(r);
		slot->begins = true;
		if (take_sums(r, i, to->has_totals, &to->totals, store_part_totals) ||
		    take_sums(r, i, to->has_summary, &to->summary, store_part_summary) ||
		    take_part_costs(r, i, slot))
			return r->err->kind;
	}
	return 0;
}

/* ---- the rest ---- */

static int take_odds(struct reuse *r, struct kept *kept)
{
	uint32_t n = store_diag_count(r->st);

	kept->odd = ARENA_ARRAY(&r->t->arena, struct odd_line, (size_t)n + 1);
	if (!kept->odd)
		return no_memory(r);
	for (uint32_t i = 0; i < n; i++) {
		const struct diag *d = &r->st->diag[i];

		/* The merge checks formulas again. */
		if (d->kind != ODD_EVENT_FORMULA)
			kept->odd[kept->nodd++] = (struct odd_line){
				(enum odd)d->kind, r->file[d->file], d->line, d->text};
	}
	return 0;
}

static int take_formulas(struct reuse *r)
{
	struct tally *t = r->t;

	for (uint64_t i = 0; i < r->st->meta.files; i++) {
		const struct input_file *f = &r->st->meta.file[i];

		if (vec_reserve(&t->events.formula, &t->events.formula_cap,
				t->events.nformula + f->formulas,
				sizeof(*t->events.formula)))
			return no_memory(r);
		for (uint64_t k = 0; k < f->formulas; k++) {
			tally_know_spaced(t, f->formula[k].text);
			t->events.formula[t->events.nformula] = f->formula[k];
			t->events.formula[t->events.nformula++].file = r->file[i];
		}
	}
	return 0;
}

/* In this order: functions need the slots of names, edges those of functions, and details
 * both. */
static int reuse_take_all(void *arg)
{
	struct reuse *r = arg;

	return take_names(r) || take_events(r) || take_functions(r) || take_edges(r) ||
	       take_details(r) || take_parts(r, r->kept) || take_odds(r, r->kept) ||
	       take_formulas(r) || store_check(r->st, r->err);
}

int reuse_index(struct tally *t, struct store *st, const uint32_t *file,
		size_t spill_limit, const char *spill_dir, struct err *err)
{
	struct reuse r = {.t = t, .st = st, .file = file, .err = err};
	int rc;

	if (tally_init(t, false, true, err)) {
		tally_free(t); /* free the rest; the caller frees a whole tally */
		return err->kind;
	}
	spill_init(&t->pieces.packed, spill_limit, spill_dir);
	spill_init(&t->parts.costs, spill_limit, spill_dir);
	r.kept = ARENA_NEW(&t->arena, struct kept);
	if (!r.kept)
		return no_memory(&r);
	r.kept->st = st;
	arena_init(&r.scratch, 0);
	rc = map_guard(reuse_take_all, &r, ERR_INDEX, err);
	arena_free(&r.scratch);
	r.kept->lost_file = file[st->meta.tree.file];
	t->kept = r.kept;
	t->of_file = UINT32_MAX;
	t->text_bytes = store_info(st)->input_bytes;
	t->lines = store_info(st)->input_lines;
	return rc ? err->kind : 0;
}
