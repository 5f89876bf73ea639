/*
 * save_detail.c - write cost lines, call sites and jumps to the index.
 *
 *	functions  0 .. 99 | 100 .. 120 | 121 .. 450 | ...	units of about equal work,
 *
 * packed on several threads and written in order (ordered.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/err.h"
#include "index/base/ordered.h"
#include "index/base/vec.h"
#include "index/detail/detail.h"
#include "index/save/save.h"

enum {
	UNIT_WEIGHT = 1 << 15, /* entries of a unit, about */
	/* Units in work per thread, and in all: writing other tables delays them. */
	SLOTS = 32,
	MOST_SLOTS = 128,
	MEM = 256 << 20,
	FN_SHARE = 8,	    /* share of the memory for one packed function, */
	FN_LEAST = 4 << 20, /* and its least bytes */
	HELD_SHARE = 4,	    /* share of the memory for units that wait to be written */
	KEPT = 1 << 20,	    /* bytes of buffer that a written unit keeps */
};

static const struct {
	enum index_table rows, places;
} tables[DETAIL_KINDS] = {
	[DETAIL_LINES] = {TABLE_LINES, TABLE_LINES_AT},
	[DETAIL_SITES] = {TABLE_SITES, TABLE_SITES_AT},
	[DETAIL_JUMPS] = {TABLE_JUMPS, TABLE_JUMPS_AT},
};

/* A packed function: the ends of its rows in the unit's bytes. */
struct packed_fn {
	size_t end[DETAIL_KINDS];
	uint64_t first_line;
};

struct detail_unit {
	int unread;	/* why a function could not be packed: detail_unread() */
	bool too_large; /* it was too large */
	uint32_t failed;
	uint64_t held; /* bytes, while the unit waits */
	struct bytes bytes[DETAIL_KINDS];
	uint64_t rows[DETAIL_KINDS];
	struct packed_fn *fn;
	size_t fn_cap;
};

struct detail_writing {
	const struct profile *p;
	uint32_t *from; /* first function of each unit, and the end of the last */
	size_t nunits;
	struct packer pack[DETAIL_KINDS];
	uint64_t *at[DETAIL_KINDS]; /* per function: place of its rows */
	uint64_t rows[DETAIL_KINDS];
	uint64_t *first_line;
	uint64_t mem, fn_most;
	_Atomic uint64_t held; /* bytes of all waiting units */
	const atomic_int *cancel;
	save_others *others;
	void *others_arg;
	struct err *err;
};

struct detail_worker {
	struct detail_writing *w;
	struct detail *detail;
};

static int too_large(const struct detail_writing *w, uint32_t f, struct err *err)
{
	const struct str name = w->p->name[SPACE_FN][w->p->fn_name[f]];

	err_set(err, ERR_LIMIT, 0,
		"the lines, calls and jumps of %.*s take more than %" PRIu64
		" MiB, packed: that is more than --mem has for one function",
		STR_ARG(str_cut(name, 100)), w->fn_most >> 20);
	return err_hint(err,
			"no program has such functions; if this one does, raise --mem");
}

/* Report why a unit could not be packed. */
static int not_packed(const struct detail_writing *w, const struct detail_unit *u,
		      struct err *err)
{
	if (u->too_large)
		return too_large(w, u->failed, err);
	if (!u->unread || err_kind_of(u->unread, ERR_INDEX) == ERR_LIMIT)
		return err_no_memory(err, "while writing the index");
	return err_set(err, ERR_INDEX, 0, "cannot read back a temporary file: %s",
		       strerror(u->unread));
}

/* A worker packing a unit. */
struct packing {
	const struct detail_worker *worker;
	struct detail_unit *unit;
	size_t item;
};

/*
 * The line where a function begins that no call tells.  With addresses this is the line
 * of the lowest one in the function's own file: rows are in the order of files and
 * addresses.  Without them only the lowest line is known, which may be that of an inlined
 * function above.
 */
static uint64_t line_of_start(const struct profile *p, uint32_t f, const struct bytes *b,
			      size_t from, uint64_t lowest)
{
	const struct detail_shape shape = {(uint32_t)p->nevent, p->has_instr,
					   p->has_line};
	struct detail_reader r;
	uint64_t *cost, n, line = lowest;

	if (!p->has_instr || !p->has_line || !lowest ||
	    !(cost = malloc((p->nevent + 1) * sizeof(*cost))))
		return lowest;
	n = detail_begin(&r, DETAIL_LINES, &shape, b->p + from, b->p + b->n);
	for (; n > 0 && !r.in.bad; n--) {
		detail_next(&r, cost);
		if (r.row.file == p->fn_file[f] && r.row.line) {
			line = r.row.line;
			break;
		}
	}
	free(cost);
	return line;
}

/* A function without a block has its cost at line 0 of its file, behind `lines` in b. */
static int put_calls_only(const struct profile *p, uint32_t f, struct bytes *b,
			  size_t lines, uint64_t *n)
{
	const struct detail_shape shape = {(uint32_t)p->nevent, p->has_instr,
					   p->has_line};
	const struct detail_key at = {.file = p->fn_file[f]};

	b->n = lines;
	*n = 1;
	return detail_encode_lines(b, &shape, &at, 1,
				   (const uint64_t *)p->self + f * p->nevent);
}

static int pack_guarded(void *arg)
{
	const struct packing *now = arg;
	const struct detail_worker *worker = now->worker;
	const size_t item = now->item;
	const uint32_t from = worker->w->from[item], to = worker->w->from[item + 1];
	struct detail *d = worker->detail;
	struct detail_unit *u = now->unit;

	for (int k = 0; k < DETAIL_KINDS; k++)
		u->bytes[k].n = u->rows[k] = 0;
	if (vec_reserve(&u->fn, &u->fn_cap, to - from, sizeof(*u->fn)))
		return -1;
	for (uint32_t f = from; f < to; f++) {
		struct packed_fn *at = &u->fn[f - from];
		const size_t lines = u->bytes[DETAIL_LINES].n;
		uint64_t n[DETAIL_KINDS];

		if (detail_pack(d, f, u->bytes, n, &at->first_line)) {
			u->unread = detail_unread(d);
			u->failed = f;
			return -1;
		}
		if (worker->w->p->calls_only[f] &&
		    put_calls_only(worker->w->p, f, &u->bytes[DETAIL_LINES], lines,
				   &n[DETAIL_LINES]))
			return -1;
		if (worker->w->p->fn_begin[f])
			at->first_line = worker->w->p->fn_begin[f];
		else
			at->first_line =
				line_of_start(worker->w->p, f, &u->bytes[DETAIL_LINES],
					      lines, at->first_line);
		for (int k = 0; k < DETAIL_KINDS; k++) {
			at->end[k] = u->bytes[k].n;
			u->rows[k] += n[k];
		}
	}
	return 0;
}

static int pack(void *arg, void *slot, size_t item)
{
	struct packing now = {arg, slot, item};
	struct detail_writing *w = now.worker->w;
	struct detail_unit *u = slot;
	struct err err = {0};
	int rc;

	bytes_limit((size_t)w->fn_most);
	rc = map_guard(pack_guarded, &now, ERR_INDEX, &err);
	u->too_large = bytes_limit(0) && !u->unread;
	if (err.kind)
		u->unread = EIO;
	u->held = 0;
	for (int k = 0; k < DETAIL_KINDS; k++)
		u->held += u->bytes[k].n;
	atomic_fetch_add(&w->held, u->held);
	return rc ? -1 : 0;
}

static bool too_much_held(const void *arg)
{
	const struct detail_writing *w = arg;

	return atomic_load(&w->held) > w->mem / HELD_SHARE;
}

/* Free a large buffer after writing: large units are rare. */
static void save_detail_let_go(struct detail_writing *w, struct detail_unit *u)
{
	atomic_fetch_sub(&w->held, u->held);
	for (int k = 0; k < DETAIL_KINDS; k++)
		if (u->bytes[k].cap > KEPT) {
			free(u->bytes[k].p);
			u->bytes[k] = (struct bytes){0};
		}
}

static int write_unit(void *arg, void *slot, size_t item, int failed)
{
	struct detail_writing *w = arg;
	struct detail_unit *u = slot;
	const uint32_t from = w->from[item], to = w->from[item + 1];
	size_t begin[DETAIL_KINDS] = {0};

	if (w->cancel && atomic_load_explicit(w->cancel, memory_order_relaxed))
		return err_set(w->err, ERR_CANCEL, 0, "interrupted");
	if (failed)
		return not_packed(w, u, w->err);
	for (uint32_t f = from; f < to; f++) {
		const struct packed_fn *fn = &u->fn[f - from];

		w->first_line[f] = fn->first_line;
		for (int k = 0; k < DETAIL_KINDS; k++) {
			if (bytes_append(&w->pack[k].buf, u->bytes[k].p + begin[k],
					 fn->end[k] - begin[k]))
				return err_no_memory(w->err, "while writing the index");
			if (packer_end_row(&w->pack[k], &w->at[k][f], w->err))
				return w->err->kind;
			begin[k] = fn->end[k];
		}
	}
	for (int k = 0; k < DETAIL_KINDS; k++)
		w->rows[k] += u->rows[k];
	save_detail_let_go(w, u);
	return 0;
}

static int save_detail_finish(struct detail_writing *w, struct store_writer *store)
{
	const size_t n = w->p->nfn;

	for (int k = 0; k < DETAIL_KINDS; k++)
		if (packer_flush(&w->pack[k], w->err) ||
		    store_writer_column(store, tables[k].places, 0, w->at[k], n, w->err))
			return w->err->kind;
	return store_writer_column(store, TABLE_FN_LINE, 0, w->first_line, n, w->err);
}

/* A test with small runs gets small units, too. */
static int cut_units(struct detail_writing *w, const struct detail *d, size_t run)
{
	const uint64_t most = run ? run : UNIT_WEIGHT;
	uint64_t weight = 0;
	size_t cap = 0;

	for (uint32_t f = 0; f < w->p->nfn; f++) {
		if (weight == 0) {
			if (vec_reserve(&w->from, &cap, w->nunits + 2, sizeof(*w->from)))
				return -1;
			w->from[w->nunits++] = f;
		}
		weight += detail_weight(d, f);
		if (weight >= most)
			weight = 0;
	}
	if (w->nunits)
		w->from[w->nunits] = (uint32_t)w->p->nfn;
	return 0;
}

static int writing_init(struct detail_writing *w, struct store_writer *store,
			const struct detail *d, size_t run)
{
	const size_t n = w->p->nfn + 1;
	int rc = cut_units(w, d, run);

	w->first_line = malloc(n * sizeof(*w->first_line));
	for (int k = 0; k < DETAIL_KINDS; k++) {
		w->pack[k] = (struct packer){.w = store, .table = tables[k].rows};
		w->at[k] = malloc(n * sizeof(*w->at[k]));
		rc = rc || !w->at[k] ? -1 : 0;
	}
	return rc || !w->first_line ? err_no_memory(w->err, "while writing the index")
				    : 0;
}

static void writing_free(struct detail_writing *w)
{
	for (int k = 0; k < DETAIL_KINDS; k++) {
		packer_free(&w->pack[k]);
		free(w->at[k]);
	}
	free(w->first_line);
	free(w->from);
}

static void units_free(struct detail_unit *u, size_t n)
{
	for (size_t i = 0; u && i < n; i++) {
		for (int k = 0; k < DETAIL_KINDS; k++)
			free(u[i].bytes[k].p);
		free(u[i].fn);
	}
	free(u);
}

static int write_others(void *arg, bool wait, enum ordered_left *left)
{
	const struct detail_writing *w = arg;

	return w->others(w->others_arg, wait, left);
}

/* Write the units, packed by up to `jobs` workers; the first exists already. */
static int write_all(struct detail_writing *w, struct detail_worker *worker,
		     unsigned jobs, struct meta *meta)
{
	struct ordered o = {.items = w->nunits,
			    .nslots = jobs < MOST_SLOTS / SLOTS ? SLOTS * (size_t)jobs
								: MOST_SLOTS,
			    .slot_size = sizeof(struct detail_unit),
			    .make = pack,
			    .beside = write_others,
			    .take = write_unit,
			    .full = too_much_held,
			    .arg = w};
	struct detail_unit *unit = calloc(o.nslots, sizeof(*unit));
	void **each = calloc(jobs, sizeof(*each));
	int rc = unit && each ? 0 : err_no_memory(w->err, "while writing the index");

	for (; !rc && o.nworkers < jobs; o.nworkers++) {
		struct detail_worker *to = &worker[o.nworkers];
		struct err ignored = {0};

		to->w = w;
		if (o.nworkers &&
		    detail_share(worker[0].detail, jobs, &to->detail, &ignored))
			break;
		each[o.nworkers] = to;
	}
	o.slots = unit;
	o.worker = each;
	rc = rc || ordered_run(&o);
	for (unsigned i = 0; i < o.nworkers; i++) {
		meta->loose += detail_loose(worker[i].detail);
		meta->saturated |= detail_full(worker[i].detail);
	}
	for (unsigned i = 1; i < o.nworkers; i++)
		detail_free(worker[i].detail);
	units_free(unit, o.nslots);
	free(each);
	return rc ? w->err->kind : 0;
}

int save_detail(const struct profile *p, struct store_writer *store, struct meta *meta,
		const struct save_opts *opts, save_others *others, void *arg,
		struct err *err)
{
	const uint64_t mem = opts->mem ? opts->mem : MEM;
	struct detail_writing w = {.p = p,
				   .mem = mem,
				   .fn_most = mem / FN_SHARE > FN_LEAST ? mem / FN_SHARE
									: FN_LEAST,
				   .cancel = opts->cancel,
				   .others = others,
				   .others_arg = arg,
				   .err = err};
	struct detail_worker *worker = calloc(opts->jobs, sizeof(*worker));
	int rc;

	if (!worker)
		return err_no_memory(err, "while writing the index");
	for (size_t k = 0; k < p->ntally; k++)
		spill_map(&p->tally[k]->pieces.packed);
	rc = detail_new(p, opts->run, &worker[0].detail, err);
	if (!rc)
		detail_stop_by(worker[0].detail, opts->cancel);
	meta->loose = p->loose;
	rc = rc || writing_init(&w, store, worker[0].detail, opts->run) ||
	     write_all(&w, worker, opts->jobs, meta) || save_detail_finish(&w, store);
	meta->lines = w.rows[DETAIL_LINES];
	meta->sites = w.rows[DETAIL_SITES];
	meta->jumps = w.rows[DETAIL_JUMPS];
	writing_free(&w);
	detail_free(worker[0].detail);
	free(worker);
	return rc ? err->kind : 0;
}
