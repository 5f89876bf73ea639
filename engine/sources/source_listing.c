/*
 * source_listing.c - source of f, asm of f: the text of the program with its costs.
 *
 * Both work alike.  Places (a line of a file, an instruction of an object) are in order,
 * each with the cost spent there, and below it a row per callee.  Text without cost is
 * shown for a few lines around; the rest is a gap.
 *
 *     group   file: inlined files are groups of their own   |  object
 *     pos     line                                          |  address
 *
 * The places of the functions are collected first, then the text is read for them.  Where
 * inlined code begins and ends (inlined.h), a row says so.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/rows/exec_set.h"
#include "engine/rows/fn_detail.h"
#include "engine/sources/inlined.h"
#include "engine/sources/source.h"
#include "engine/sources/source_text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { CONTEXT = 4, APART = 1024, LONGEST = 16 /* bytes of an instruction */ };
enum row_kind { ROW_FILE, ROW_LINE, ROW_CALL, ROW_JUMP, ROW_GAP, ROW_INLINED };

static const char *const kind_names[] = {"file", "line", "call",
					 "jump", "gap",	 "inlined"};

/* An event at a place; sorted by group, pos, kind, other. */
struct at {
	uint32_t group;
	enum row_kind kind;  /* ROW_LINE, ROW_CALL, ROW_JUMP */
	uint64_t pos, other; /* callee; address or line jumped to */
	uint64_t calls, executed;
	bool conditional;
	fn_id fn;
	file_id file, inlined; /* the same with a name, as in store_inlined_lines() */
	uint64_t line, instr;
	size_t costs; /* index in listing.costs of its self or inclusive costs */
};

struct row {
	enum row_kind kind;
	const struct at *at; /* NULL: text only */
	uint32_t group;
	uint64_t pos;
	struct str text;
};

struct group {
	uint32_t id;
	bool own;     /* belongs to a function that the query names */
	bool missing; /* its file has no text */
	uint64_t self;
	size_t first, n; /* of listing.at */
};

struct listing {
	struct store *st;
	uint32_t events, event;
	bool asm_;
	struct at *at;
	size_t n, cap;
	uint64_t *costs;
	size_t ncosts, costs_cap;
	struct row *row;
	size_t nrows, rows_cap;
	struct text_file *files;
	struct inlining *in;
	const struct inline_frame *mark; /* that of the row before */
};

static struct at *new_at(struct exec *x, struct listing *l, const uint64_t *costs)
{
	size_t at = l->ncosts;

	if (exec_grow(x, &l->at, &l->cap, l->n, l->n + 1, sizeof(*l->at)) ||
	    exec_grow(x, &l->costs, &l->costs_cap, at, at + l->events,
		      sizeof(*l->costs)) ||
	    exec_rows(x, l->n + 1))
		return NULL;
	for (uint32_t e = 0; e < l->events; e++)
		l->costs[at + e] = costs ? costs[e] : 0;
	l->ncosts += l->events;
	l->at[l->n] = (struct at){.costs = at};
	return &l->at[l->n++];
}

static void place_entry(struct listing *l, struct at *at, fn_id f, file_id file,
			uint64_t line, uint64_t instr)
{
	struct str name;

	at->inlined = file;
	store_inlined(l->st, file, &file, &name);
	at->group = l->asm_ ? store_fn_obj_id(l->st, f) : file;
	at->pos = l->asm_ ? instr : line;
	at->fn = f;
	at->file = file;
	at->line = line;
	at->instr = instr;
}

static int add_jumps(struct exec *x, struct listing *l, fn_id f, struct arena *scratch)
{
	struct store_jump *jump = NULL;
	size_t n = 0;

	if (fn_jumps(x, f, scratch, &jump, &n))
		return (int)x->err->kind;
	for (size_t i = 0; i < n; i++) {
		struct at *at = new_at(x, l, NULL);

		if (!at)
			return (int)x->err->kind;
		place_entry(l, at, f, jump[i].file, jump[i].line, jump[i].instr);
		at->kind = ROW_JUMP;
		at->other = jump[i].to_instr;
		at->conditional = jump[i].conditional;
		at->executed = jump[i].executed;
		at->calls = jump[i].taken;
	}
	return 0;
}

static int add_function(struct exec *x, struct listing *l, fn_id f, struct arena *scratch)
{
	struct store_line *line = NULL;
	struct store_site *site = NULL;
	uint64_t *self = NULL, *incl = NULL;
	size_t nl = 0, ns = 0;
	struct at *at;

	if (fn_inlined_lines(x, f, scratch, &line, &self, &nl) ||
	    fn_sites(x, f, scratch, &site, &incl, &ns))
		return (int)x->err->kind;
	for (size_t i = 0; i < nl; i++) {
		if (!(at = new_at(x, l, self + i * l->events)))
			return (int)x->err->kind;
		at->kind = ROW_LINE;
		place_entry(l, at, f, line[i].file, line[i].line, line[i].instr);
	}
	for (size_t i = 0; i < ns; i++) {
		if (!(at = new_at(x, l, incl + i * l->events)))
			return (int)x->err->kind;
		at->kind = ROW_CALL;
		at->other = site[i].callee;
		at->calls = site[i].calls;
		place_entry(l, at, f, site[i].file, site[i].line, site[i].instr);
	}
	return l->asm_ ? add_jumps(x, l, f, scratch) : 0;
}

static int by_place(const void *pa, const void *pb)
{
	const struct at *a = pa, *b = pb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->pos != b->pos)
		return a->pos < b->pos ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return (a->other > b->other) - (a->other < b->other);
}

static void add_up(uint64_t *to, uint64_t v)
{
	if (__builtin_add_overflow(*to, v, to))
		*to = UINT64_MAX;
}

/* Merge entries of the same place, kind and callee. */
static void merge(struct listing *l)
{
	size_t n = 0;

	if (l->n)
		qsort(l->at, l->n, sizeof(*l->at), by_place);
	for (size_t i = 0; i < l->n; i++) {
		struct at *last = n ? &l->at[n - 1] : NULL;

		if (!last || by_place(last, &l->at[i])) {
			l->at[n++] = l->at[i];
			continue;
		}
		if (l->at[i].instr < last->instr)
			last->instr = l->at[i].instr;
		if (l->at[i].inlined > last->inlined)
			last->inlined = l->at[i].inlined;
		add_up(&last->calls, l->at[i].calls);
		add_up(&last->executed, l->at[i].executed);
		for (uint32_t e = 0; e < l->events; e++)
			add_up(&l->costs[last->costs + e], l->costs[l->at[i].costs + e]);
	}
	l->n = n;
}

static int gather_places(struct exec *x, struct listing *l, const struct fn_set *set)
{
	uint32_t functions = store_info(l->st)->functions;
	struct arena scratch;

	arena_init(&scratch, x->a->cap);
	for (fn_id f = 0; f < functions && !x->err->kind; f++) {
		uint32_t here = graph_of_store(x->g, f);

		if (here == GRAPH_NONE || !fnset_has(set, here))
			continue;
		arena_reset(&scratch);
		if (!add_function(x, l, f, &scratch))
			exec_poll_now(x);
	}
	arena_free(&scratch);
	merge(l);
	return (int)x->err->kind;
}

/* ---- groups: the functions' own files, then the costliest ---- */

static int by_weight(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;

	if (a->own != b->own)
		return a->own ? -1 : 1;
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static uint64_t cost_at(const struct listing *l, const struct at *at, uint32_t e)
{
	return store_event_of(l->st, e, l->costs + at->costs);
}

static int groups(struct exec *x, struct listing *l, const struct fn_set *set,
		  struct group **out, size_t *n)
{
	struct group *g = EXEC_ARRAY(x, struct group, l->n + 1);

	*n = 0;
	if (!(*out = g))
		return (int)x->err->kind;
	for (size_t i = 0; i < l->n; i++) {
		if (*n == 0 || g[*n - 1].id != l->at[i].group)
			g[(*n)++] = (struct group){.id = l->at[i].group, .first = i};
		g[*n - 1].n++;
		if (l->at[i].kind == ROW_LINE)
			add_up(&g[*n - 1].self, cost_at(l, &l->at[i], l->event));
	}
	for (fn_id f = 0; !l->asm_ && f < store_info(l->st)->functions; f++) {
		uint32_t here = graph_of_store(x->g, f);

		if (here == GRAPH_NONE || !fnset_has(set, here))
			continue;
		for (size_t i = 0; i < *n; i++)
			g[i].own |= g[i].id == store_fn_file_id(l->st, f);
	}
	if (*n)
		qsort(g, *n, sizeof(*g), by_weight);
	return 0;
}

/* ---- rows ---- */

static struct row *new_row(struct exec *x, struct listing *l, enum row_kind kind,
			   uint32_t group)
{
	if (exec_grow(x, &l->row, &l->rows_cap, l->nrows, l->nrows + 1,
		      sizeof(*l->row)) ||
	    exec_rows(x, l->nrows + 1) || exec_poll(x))
		return NULL;
	l->row[l->nrows] = (struct row){.kind = kind, .group = group, .text = STR("")};
	return &l->row[l->nrows++];
}

static struct str callee_name(struct exec *x, const struct at *at)
{
	uint32_t f = graph_of_store(x->g, (fn_id)at->other);

	return f == GRAPH_NONE ? STR("???") : graph_name(x->g, f);
}

static int put_place(struct exec *x, struct listing *l, const struct at *at,
		     struct str text)
{
	struct row *r = new_row(x, l, at->kind, at->group);
	struct str name;

	if (!r)
		return (int)x->err->kind;
	r->at = at;
	r->pos = at->pos;
	if (at->kind == ROW_LINE) {
		r->text = text;
	} else if (at->kind == ROW_CALL) {
		name = callee_name(x, at);
		r->text = (struct str){NULL, 0};
		char *p = arena_alloc(x->a, name.n + 4);

		if (p) {
			memcpy(p, "=> ", 3);
			memcpy(p + 3, name.p, name.n);
			r->text = (struct str){p, name.n + 3};
		}
	} else if (at->conditional) {
		r->text =
			arena_printf(x->a, "-> 0x%" PRIx64 "  %s of %s times", at->other,
				     GROUPED(at->calls), GROUPED(at->executed));
	} else {
		r->text = arena_printf(x->a, "-> 0x%" PRIx64 "  %s times", at->other,
				       GROUPED(at->calls));
	}
	return r->text.p ? 0 : arena_full(x->a, x->err);
}

/* Add the rows of all entries at at[0].pos; returns how many entries. */
static int put_places(struct exec *x, struct listing *l, const struct at *at, size_t n,
		      struct str text, size_t *used)
{
	size_t i = 0;

	if (at[0].kind != ROW_LINE) {
		struct row *r = new_row(x, l, ROW_LINE, at[0].group);

		if (!r)
			return (int)x->err->kind;
		r->pos = at[0].pos;
		r->text = text;
	}
	for (; i < n && at[i].pos == at[0].pos; i++)
		if (put_place(x, l, &at[i], text))
			return (int)x->err->kind;
	*used = i;
	return 0;
}

static size_t find_pos(const struct text_file *f, uint64_t pos)
{
	size_t lo = 0, hi = f->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->line[mid].pos < pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int put_text_rows(struct exec *x, struct listing *l, const struct group *g,
			 const struct text_line *t)
{
	struct row *r = new_row(x, l, ROW_LINE, g->id);

	if (!r)
		return (int)x->err->kind;
	r->pos = t->pos;
	r->text = text_clean(x->a, t->text);
	return r->text.p ? 0 : arena_full(x->a, x->err);
}

static int put_gap(struct exec *x, struct listing *l, const struct group *g, size_t n)
{
	struct row *r = n ? new_row(x, l, ROW_GAP, g->id) : NULL;

	if (!n)
		return 0;
	if (!r)
		return (int)x->err->kind;
	r->text = arena_printf(x->a, "... %s %s%s without cost", GROUPED(n),
			       l->asm_ ? "instruction" : "line", n == 1 ? "" : "s");
	return r->text.p ? 0 : arena_full(x->a, x->err);
}

/* Add the text before index `to`: the last lines as context, the rest as a gap. */
static int put_before(struct exec *x, struct listing *l, const struct group *g,
		      const struct text_file *f, size_t *next, size_t to, bool first)
{
	size_t after = first ? 0 : CONTEXT, from = *next;

	if (to - from > after + CONTEXT + 1) {
		for (; after > 0; after--, from++)
			if (put_text_rows(x, l, g, &f->line[from]))
				return (int)x->err->kind;
		if (!first && put_gap(x, l, g, to - CONTEXT - from))
			return (int)x->err->kind;
		from = to - CONTEXT;
	}
	for (; from < to; from++)
		if (put_text_rows(x, l, g, &f->line[from]))
			return (int)x->err->kind;
	*next = to;
	return 0;
}

/* Look up the places of all groups. */
static int find_inlined(struct exec *x, struct listing *l)
{
	if (inlining_new(x, &l->in))
		return (int)x->err->kind;
	for (size_t i = 0; i < l->n; i++) {
		const struct at *at = &l->at[i];

		if (inlining_want(l->in, at->fn, at->inlined, at->line, at->instr))
			return (int)x->err->kind;
	}
	return inlining_read(l->in, false);
}

/* Equal for code of one function in `source`, of one chain of inlined calls in `asm`. */
static bool same_mark(const struct listing *l, const struct inline_frame *a,
		      const struct inline_frame *b)
{
	if (!l->asm_ || !a || !b)
		return a && b ? a->number == b->number : a == b;
	for (; a && b; a = a->outer, b = b->outer)
		if (a != b && (a->number != b->number || a->line != b->line ||
			       !str_eq(a->file, b->file)))
			return false;
	return a == b;
}

/* "-- inlined: NAME --"; names can be longer than arena_printf() writes. */
static struct str mark_text(struct exec *x, struct str name)
{
	const struct str before = STR("-- inlined: "), behind = STR(" --");
	char *p = arena_alloc(x->a, before.n + name.n + behind.n);

	if (!p)
		return (struct str){NULL, 0};
	memcpy(p, before.p, before.n);
	memcpy(p + before.n, name.p, name.n);
	memcpy(p + before.n + name.n, behind.p, behind.n);
	return (struct str){p, before.n + name.n + behind.n};
}

/* Before the rows of a place: say where inlined code begins, and where it ends. */
static int put_mark(struct exec *x, struct listing *l, const struct at *at)
{
	const struct inline_frame *f;
	struct str name;
	struct row *r;

	inlining_at(l->in, at->fn, at->inlined, at->instr, &f);
	if (same_mark(l, f, l->mark))
		return 0;
	l->mark = f;
	if (!(r = new_row(x, l, ROW_INLINED, at->group)))
		return (int)x->err->kind;
	if (!f) {
		r->text = STR("-- not inlined --");
		return 0;
	}
	name = l->asm_ ? inlining_chain(x->a, f) : f->name;
	r->text = name.p ? mark_text(x, name) : name;
	return r->text.p ? 0 : arena_full(x->a, x->err);
}

static int put_group(struct exec *x, struct listing *l, const struct group *g,
		     const struct text_file *f, size_t *strays)
{
	const struct at *at = l->at + g->first;
	struct str unknown = l->asm_ ? STR("") : STR("(line not known)");
	size_t next = 0, used = 1;
	bool first = true;

	l->mark = NULL;
	for (size_t i = 0; i < g->n; i += used) {
		size_t here = find_pos(f, at[i].pos);
		bool known = here < f->n && f->line[here].pos == at[i].pos;
		struct str text = at[i].pos ? STR("") : unknown;

		if (known && put_before(x, l, g, f, &next, here, first))
			return (int)x->err->kind;
		if (known) {
			text = text_clean(x->a, f->line[here].text);
			next = here + 1;
			first = false;
		} else if (f->n && at[i].pos) {
			text = l->asm_ ? STR("(no instruction starts here)")
				       : STR("(the file ends before this line)");
			++*strays;
		}
		if (!text.p)
			return arena_full(x->a, x->err);
		if (put_mark(x, l, &at[i]) ||
		    put_places(x, l, at + i, g->n - i, text, &used))
			return (int)x->err->kind;
	}
	for (size_t k = 0; k < CONTEXT && next < f->n && !first; k++)
		if (put_text_rows(x, l, g, &f->line[next++]))
			return (int)x->err->kind;
	return 0;
}

static int put_group_head(struct exec *x, struct listing *l, const struct group *g,
			  const struct text_file *f, struct str name)
{
	struct row *r = new_row(x, l, ROW_FILE, g->id);
	const char *inlined = l->asm_ || g->own ? "" : ", inlined";

	if (!r)
		return (int)x->err->kind;
	if (f->line)
		r->text = arena_printf(x->a, "-- %.*s%s --", STR_ARG(f->path), inlined);
	else
		r->text = arena_printf(x->a, "-- %.*s%s: no text: %s --", STR_ARG(name),
				       inlined, f->why);
	if (!r->text.p)
		return arena_full(x->a, x->err);
	if (f->line && f->newer)
		return text_note_newer(x, f);
	return 0;
}

/* ---- instructions ---- */

/* The text is wanted around places that are close together: *n ranges of them. */
static struct text_range *wanted_text(struct exec *x, const struct at *at, size_t places,
				      size_t *n)
{
	struct text_range *r = EXEC_ARRAY(x, struct text_range, places + 1);

	*n = 0;
	for (size_t i = 0; r && i < places; i++) {
		const uint64_t last = graph_add(at[i].pos, LONGEST);

		if (!*n || at[i].pos - at[i - 1].pos >= APART)
			r[(*n)++] = (struct text_range){at[i].pos, last};
		r[*n - 1].last = last;
	}
	return r;
}

static int read_object(struct exec *x, struct listing *l, const struct group *g,
		       struct text_file *f)
{
	struct roots_file object;
	struct text_range *range;
	size_t cap = 0, n;

	*f = (struct text_file){0};
	if (!(range = wanted_text(x, l->at + g->first, g->n, &n)))
		return (int)x->err->kind;
	if (!roots_open(x->objects, store_obj(l->st, g->id), x->a, &object, &f->why))
		return 0;
	f->path = object.path;
	f->newer = text_newer(l->st, object.mtime_ns);
	if (!disassemble(x, &object, range, n, f, &cap) && f->n == 0 && !f->why)
		f->why = "objdump finds no instructions there";
	close(object.fd);
	if (f->why)
		f->n = 0, f->line = NULL;
	return (int)x->err->kind;
}

/* One note for all files without text; their rows have the reason of each. */
static int note_missing(struct exec *x, const struct listing *l, const struct group *g,
			size_t n, size_t missing, const char *why)
{
	enum { NAMED = 3 };
	struct str list = {"", 0};
	size_t named = 0;

	for (size_t i = 0; i < n && named < NAMED; i++)
		if (g[i].missing)
			list = arena_printf(
				x->a, "%.*s%s%.*s", STR_ARG(list), named++ ? ", " : "",
				STR_ARG(l->asm_ ? store_obj(l->st, g[i].id)
						: store_file(l->st, g[i].id)));
	if (missing < 2)
		return exec_note(x, arena_printf(x->a, "%.*s: %s; see --source-root",
						 STR_ARG(list), why));
	return exec_note(x, arena_printf(x->a,
					 "%s of %s files have no text: %.*s%s;"
					 " see --source-root",
					 GROUPED(missing), GROUPED(n), STR_ARG(list),
					 missing > NAMED ? ", ..." : ""));
}

static int put_groups(struct exec *x, struct listing *l, struct group *g, size_t n)
{
	struct text_file object, *f = &object;
	size_t strays = 0, missing = 0;
	const char *why = NULL;

	for (size_t i = 0; i < n; i++) {
		struct str name =
			l->asm_ ? store_obj(l->st, g[i].id) : store_file(l->st, g[i].id);

		if (l->asm_ ? read_object(x, l, &g[i], &object)
			    : text_of_file(x, &l->files, g[i].id, &f))
			return (int)x->err->kind;
		if (put_group_head(x, l, &g[i], f, name) ||
		    put_group(x, l, &g[i], f, &strays))
			return (int)x->err->kind;
		if (f->line)
			continue;
		g[i].missing = true;
		missing++;
		why = f->why;
	}
	if (missing && note_missing(x, l, g, n, missing, why))
		return (int)x->err->kind;
	if (strays)
		return exec_note(x,
				 arena_printf(x->a,
					      "%s %s not in the text: it is not "
					      "what was measured",
					      GROUPED(strays),
					      strays == 1 ? "place is" : "places are"));
	return 0;
}

static int listing_open(struct exec *x, const struct source *s, struct table *t)
{
	struct listing *l = EXEC_ARRAY(x, struct listing, 1);
	struct fn_set *set = NULL;
	struct group *g;
	size_t n;

	if (!l)
		return (int)x->err->kind;
	*l = (struct listing){.st = x->g->st,
			      .events = store_info(x->g->st)->events,
			      .event = x->event,
			      .asm_ = s->kind == S_ASM};
	if (fn_detail_check(x, s, t->src->name))
		return (int)x->err->kind;
	if (l->asm_ && !store_info(l->st)->has_instr) {
		exec_fail(x, s->span, "this profile has no instruction addresses");
		return err_hint(x->err, "run callgrind with --dump-instr=yes");
	}
	if (l->asm_ && x->safe)
		return exec_fail(x, s->span, "asm runs objdump: not under --safe");
	if (exec_set(x, s->of, &set) || gather_places(x, l, set) || find_inlined(x, l) ||
	    groups(x, l, set, &g, &n) || put_groups(x, l, g, n))
		return (int)x->err->kind;
	t->data = l;
	t->ordered = true;
	return table_init(x, t, t->src, x->g, l->nrows);
}

/* ---- columns ---- */

static const struct row *listing_row(const struct table *t, uint32_t r)
{
	return &((const struct listing *)t->data)->row[r];
}

static struct str row_kind(const struct table *t, uint32_t r)
{
	return str_c(kind_names[listing_row(t, r)->kind]);
}

static struct str row_file(const struct table *t, uint32_t r)
{
	const struct listing *l = t->data;
	const struct row *row = listing_row(t, r);

	if (!l->asm_)
		return store_file(l->st, row->group);
	return row->at ? store_file(l->st, row->at->file) : STR("");
}

static struct str row_obj(const struct table *t, uint32_t r)
{
	const struct listing *l = t->data;

	return store_obj(l->st, listing_row(t, r)->group);
}

static uint64_t row_pos(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return listing_row(t, r)->pos;
}

static bool no_pos(const struct table *t, uint32_t r)
{
	return listing_row(t, r)->pos == 0;
}

/* Rows below a line repeat its number in machine formats only, as a key. */
static uint64_t row_at_line(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return listing_row(t, r)->at ? listing_row(t, r)->at->line : 0;
}

static bool no_at_line(const struct table *t, uint32_t r)
{
	return row_at_line(t, r, 0) == 0;
}

static uint64_t row_cost(const struct table *t, uint32_t r, uint32_t e)
{
	return listing_row(t, r)->at ? cost_at(t->data, listing_row(t, r)->at, e) : 0;
}

static bool no_self(const struct table *t, uint32_t r)
{
	return listing_row(t, r)->kind != ROW_LINE || !listing_row(t, r)->at;
}

static bool no_incl(const struct table *t, uint32_t r)
{
	return listing_row(t, r)->kind != ROW_CALL;
}

static uint64_t row_self(const struct table *t, uint32_t r, uint32_t e)
{
	return no_self(t, r) ? 0 : row_cost(t, r, e);
}

static uint64_t row_incl(const struct table *t, uint32_t r, uint32_t e)
{
	return no_incl(t, r) ? 0 : row_cost(t, r, e);
}

static bool no_calls(const struct table *t, uint32_t r)
{
	return listing_row(t, r)->kind != ROW_CALL && listing_row(t, r)->kind != ROW_JUMP;
}

static uint64_t row_calls(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return no_calls(t, r) ? 0 : listing_row(t, r)->at->calls;
}

static struct str row_callee(const struct table *t, uint32_t r)
{
	return no_incl(t, r) ? STR("") : callee_name(t->x, listing_row(t, r)->at);
}

static struct str row_text(const struct table *t, uint32_t r)
{
	return listing_row(t, r)->text;
}

#define LISTING_COSTS                                                             \
	{"self", COL_COST, SHOW_M | SHOW_T | PER_EVENT | ADDS_UP, .u = row_self,  \
	 .absent = no_self},                                                      \
		{"self%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL, .u = NULL,  \
		 .absent = no_self},                                              \
		{"calls", COL_COUNT, SHOW_M | SHOW_T, .u = row_calls,             \
		 .absent = no_calls},                                             \
		{"incl", COL_COST, SHOW_M | SHOW_T | PER_EVENT, .u = row_incl,    \
		 .absent = no_incl},                                              \
		{"callee", COL_NAME, SHOW_M, .s = row_callee, .absent = no_incl}, \
	{                                                                         \
		"text", COL_STR, SHOW_M | SHOW_T, .s = row_text                   \
	}

static const struct col_def source_cols[] = {
	{"kind", COL_STR, SHOW_M, .s = row_kind},
	{"file", COL_FILE, SHOW_M, .s = row_file},
	{"line", COL_LINE, SHOW_M | SHOW_T, .u = row_pos, .absent = no_pos},
	LISTING_COSTS,
};
static const struct col_def asm_cols[] = {
	{"kind", COL_STR, SHOW_M, .s = row_kind},
	{"obj", COL_OBJ, SHOW_M, .s = row_obj},
	{"instr", COL_ADDR, SHOW_M | SHOW_T, .u = row_pos, .absent = no_pos},
	{"file", COL_FILE, SHOW_M, .s = row_file},
	{"line", COL_LINE, SHOW_M | SHOW_T, .u = row_at_line, .absent = no_at_line},
	LISTING_COSTS,
};

const struct source_def source_source = {
	"source", "rows",	"self", source_cols, COUNT(source_cols),
	true,	  listing_open, NULL,	NULL,
};
const struct source_def source_asm = {
	"asm", "rows", "self", asm_cols, COUNT(asm_cols), true, listing_open, NULL, NULL,
};
