/*
 * listing.c - the rows of a listing; see listing.h.
 *
 * The places of the functions are collected first, then the text is read for them.
 */
#include "engine/listing/listing.h"
#include "index/base/need.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "engine/files/roots.h"
#include "engine/graph/graph.h"
#include "engine/names/name.h"
#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/bisect.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"

enum { CONTEXT = 4, APART = 1024, LONGEST = 16 /* bytes of an instruction */ };

/* Add a row; text.p NULL: it found the arena full. */
static struct listing_row *put_row(struct exec *x, struct listing *l,
				   enum listing_kind kind, uint32_t group, uint64_t pos,
				   struct str text)
{
	if (!text.p)
		need_memory(x->a);
	exec_grow(x, &l->row, &l->rows_cap, l->nrows, l->nrows + 1, sizeof(*l->row));
	exec_rows(x, l->nrows + 1);
	exec_poll(x);
	l->row[l->nrows] = (struct listing_row){
		.kind = kind, .group = group, .pos = pos, .text = text, .name = STR("")};
	return &l->row[l->nrows++];
}

static struct str callee_name(struct exec *x, const struct listing_place *at)
{
	uint32_t f = graph_of_store(x->g, (fn_id)at->other);

	return f == GRAPH_NONE ? store_fn_shown(x->g->st, (fn_id)at->other)
			       : graph_name(x->g, f);
}

static struct str jump_target(struct exec *x, const struct listing *l,
			      const struct listing_place *at)
{
	if (l->instrs)
		return arena_printf(x->a, "0x%" PRIx64, at->other);
	if (at->to_file == at->group)
		return arena_printf(x->a, "line %" PRIu64, at->other);
	return arena_printf(x->a, "%.*s:%" PRIu64,
			    STR_ARG(str_basename(store_file(l->st, at->to_file))),
			    at->other);
}

static struct str jump_text(struct exec *x, const struct listing *l,
			    const struct listing_place *at)
{
	const struct str to = jump_target(x, l, at);

	if (at->conditional)
		return arena_printf(x->a, "-> %.*s  %s of %s time%s", STR_ARG(to),
				    GROUPED(at->calls), GROUPED(at->executed),
				    at->executed == 1 ? "" : "s");
	return arena_printf(x->a, "-> %.*s  %s time%s", STR_ARG(to), GROUPED(at->calls),
			    at->calls == 1 ? "" : "s");
}

static void put_place(struct exec *x, struct listing *l, const struct listing_place *at,
		      struct str text)
{
	struct str name = STR("");
	struct listing_row *r;

	if (at->kind == LISTING_CALL) {
		name = callee_name(x, at);
		text = arena_join(x->a, STR("=> "),
				  x->open->people ? name_short(name, x->a) : name,
				  STR(""));
	} else if (at->kind == LISTING_INLINED) {
		name = at->name;
		text = arena_join(x->a, STR("=> "),
				  x->open->people ? name_short(name, x->a) : name,
				  STR(", inlined"));
	} else if (at->kind == LISTING_JUMP) {
		text = jump_text(x, l, at);
	}
	r = put_row(x, l, at->kind, at->group, at->pos, text);
	r->at = at;
	r->name = name;
}

/* Add the rows of all entries at at[0].pos; returns how many entries. */
static void put_places(struct exec *x, struct listing *l, const struct listing_place *at,
		       size_t n, struct str text, size_t *used)
{
	size_t i = 0;

	if (at[0].kind != LISTING_LINE)
		put_row(x, l, LISTING_LINE, at[0].group, at[0].pos, text);
	for (; i < n && at[i].pos == at[0].pos; i++)
		put_place(x, l, &at[i], text);
	*used = i;
}

static size_t find_pos(const struct text_file *f, uint64_t pos)
{
	struct bisect b = bisect_in(0, f->n);

	while (bisect_next(&b))
		bisect_step(&b, f->line[b.mid].pos < pos);
	return b.lo;
}

/* "call 43f0 <std::vector<int>::at(int)+0x8>": people see the short name. */
static struct str brief_target(struct exec *x, struct str s)
{
	const size_t from = str_find(s, '<');
	struct str name, behind;

	if (!x->open->people || from == s.n || s.p[s.n - 1] != '>')
		return s;
	name = (struct str){s.p + from + 1, s.n - from - 2};
	behind = str_from(name, str_find_str(name, STR("@plt")));
	if (!behind.n)
		behind = str_from(name, str_find_str(name, STR("+0x")));
	name.n -= behind.n;
	name = name_short(name, x->a);
	return arena_printf(x->a, "%.*s<%.*s%.*s>", (int)from, s.p, STR_ARG(name),
			    STR_ARG(behind));
}

static void put_text_rows(struct exec *x, struct listing *l,
			  const struct listing_group *g, const struct text_line *t)
{
	struct str text = text_clean(x->a, t->text);

	text = l->instrs && text.n ? brief_target(x, text) : text;
	put_row(x, l, LISTING_LINE, g->id, t->pos, text);
}

static void put_gap(struct exec *x, struct listing *l, const struct listing_group *g,
		    size_t n)
{
	if (n)
		put_row(x, l, LISTING_GAP, g->id, 0,
			arena_printf(x->a, "... %s %s%s without cost here", GROUPED(n),
				     l->instrs ? "instruction" : "line",
				     n == 1 ? "" : "s"));
}

/* Add the text before index `to`: the last lines as context, the rest as a gap. */
static void put_before(struct exec *x, struct listing *l, const struct listing_group *g,
		       const struct text_file *f, size_t *next, size_t to, bool first)
{
	size_t after = first ? 0 : CONTEXT, from = *next;

	if (to - from > after + CONTEXT + 1) {
		for (; after > 0; after--, from++)
			put_text_rows(x, l, g, &f->line[from]);
		if (!first)
			put_gap(x, l, g, to - CONTEXT - from);
		from = to - CONTEXT;
	}
	for (; from < to; from++)
		put_text_rows(x, l, g, &f->line[from]);
	*next = to;
}

/* Look up the places of all groups. */
static void find_inlined(struct exec *x, struct listing *l)
{
	inlining_new(x, &l->in);
	for (size_t i = 0; i < l->nplaces && !l->bare; i++) {
		const struct listing_place *at = &l->place[i];

		inlining_want(l->in, at->fn, at->inlined, at->line, at->instr);
	}
	inlining_read(l->in, false);
}

/* Equal for code of one function in `source`, of one chain of inlined calls in `asm`. */
static bool same_mark(const struct listing *l, const struct inline_frame *a,
		      const struct inline_frame *b)
{
	if (!l->instrs || !a || !b)
		return a && b ? a->number == b->number : a == b;
	for (; a && b; a = a->outer, b = b->outer)
		if (a != b && (a->number != b->number || a->line != b->line ||
			       !str_eq(a->file, b->file)))
			return false;
	return a == b;
}

/* Before the rows of a place: say where inlined code begins, and where it ends. */
static void put_mark(struct exec *x, struct listing *l, const struct listing_place *at)
{
	const struct inline_frame *f;
	struct str name, text = {0};
	struct listing_row *r;

	inlining_at(l->in, at->fn, at->inlined, at->instr, &f);
	if (same_mark(l, f, l->mark))
		return;
	l->mark = f;
	if (!f) {
		put_row(x, l, LISTING_INLINED, at->group, 0, STR("-- not inlined --"));
		return;
	}
	name = l->instrs	 ? inlining_chain(x->a, f, x->open->people)
	       : x->open->people ? name_short(f->name, x->a)
				 : f->name;
	if (name.p)
		text = arena_join(x->a, STR("-- inlined: "), name, STR(" --"));
	r = put_row(x, l, LISTING_INLINED, at->group, 0, text);
	r->name = name;
}

static void put_group(struct exec *x, struct listing *l, const struct listing_group *g,
		      size_t *strays)
{
	const struct listing_place *at = l->place + g->first_place;
	const struct text_file *f = g->text;
	struct str unknown = l->instrs ? STR("") : STR("(line not known)");
	size_t next = 0, used = 1;
	bool first = true;

	l->mark = NULL;
	for (size_t i = 0; i < g->places; i += used) {
		size_t here = find_pos(f, at[i].pos);
		bool known = here < f->n && f->line[here].pos == at[i].pos;
		struct str text = at[i].pos ? STR("") : unknown;

		if (known) {
			put_before(x, l, g, f, &next, here, first);
			text = text_clean(x->a, f->line[here].text);
			text = l->instrs && text.n ? brief_target(x, text) : text;
			next = here + 1;
			first = false;
		} else if (f->n && at[i].pos) {
			text = l->instrs ? STR("(no instruction starts here)")
					 : STR("(the file ends before this line)");
			++*strays;
		}
		put_mark(x, l, &at[i]);
		put_places(x, l, at + i, g->places - i, text, &used);
	}
	for (size_t k = 0; k < CONTEXT && next < f->n && !first; k++)
		put_text_rows(x, l, g, &f->line[next++]);
}

static struct str group_name(const struct listing *l, const struct listing_group *g)
{
	return l->instrs ? store_obj(l->st, g->id) : store_file(l->st, g->id);
}

static void put_group_head(struct exec *x, struct listing *l,
			   const struct listing_group *g)
{
	const char *inlined = l->instrs || g->own ? "" : ", inlined";
	const struct text_file *f = g->text;
	const struct str text =
		f->line ? arena_printf(x->a, "-- %.*s%s --", STR_ARG(f->path), inlined)
			: arena_printf(x->a, "-- %.*s%s: no text: %s --",
				       STR_ARG(group_name(l, g)), inlined, f->why);

	put_row(x, l, LISTING_FILE, g->id, 0, text);
	if (f->line && f->newer)
		text_note_newer(x, f);
}

/* ---- instructions ---- */

/* The text is wanted around places that are close together: *n ranges of them. */
static struct text_range *wanted_text(struct exec *x, const struct listing_place *at,
				      size_t places, size_t *n)
{
	struct text_range *r = EXEC_ARRAY(x, struct text_range, places + 1);

	*n = 0;
	for (size_t i = 0; i < places; i++) {
		const uint64_t last = count_sum(at[i].pos, LONGEST);

		if (!*n || at[i].pos - at[i - 1].pos >= APART)
			r[(*n)++] = (struct text_range){at[i].pos, last};
		r[*n - 1].last = last;
	}
	return r;
}

/* The text of an object that listing_ahead() read; NULL: none. */
static struct text_file *object_ahead(const struct listing *l, obj_id obj)
{
	struct text_file *f = *l->files;

	while (f && f->file != obj)
		f = f->next;
	return f;
}

static void disassemble_places(struct exec *x, struct listing *l,
			       const struct listing_group *g, struct text_file *f)
{
	struct roots_file object;
	struct text_range *range;
	size_t cap = 0, n;

	range = wanted_text(x, l->place + g->first_place, g->places, &n);
	if (!roots_open(x->open->objects, store_obj(l->st, g->id), x->a, &object,
			&f->why))
		return;
	f->path = object.path;
	f->newer = text_newer(l->st, object.mtime_ns);
	if (!disassemble(x, &object, range, n, f, &cap) && f->n == 0 && !f->why)
		f->why = "objdump finds no instructions there";
	close(object.fd);
	if (f->why)
		f->n = 0, f->line = NULL;
	need((int)x->err->kind, x->err);
}

static void read_object(struct exec *x, struct listing *l, struct listing_group *g)
{
	struct exec reader = *x;
	struct text_file *f;

	if ((g->text = object_ahead(l, g->id)))
		return;
	reader.a = l->texts;
	f = EXEC_ARRAY(&reader, struct text_file, 1);
	*f = (struct text_file){.file = g->id, .next = *l->files};
	g->text = *l->files = f;
	disassemble_places(&reader, l, g, f);
}

static void read_file(struct exec *x, struct listing *l, struct listing_group *g)
{
	struct exec reader = *x; /* keeps the text for other listings */
	struct text_file *f = NULL;

	reader.a = l->texts;
	if (l->bare) {
		f = EXEC_ARRAY(x, struct text_file, 1);
		f->why = "it is not in this report";
	} else {
		text_of_file(&reader, l->files, g->id, &f);
	}
	g->text = f;
}

/* One note for all files without text; their rows have the reason of each. */
static void note_missing(struct exec *x, const struct listing *l)
{
	struct texts_missing m = {.list = STR("")};

	for (size_t i = 0; i < l->ngroups; i++)
		text_missing(x, &m, l->group[i].text, group_name(l, &l->group[i]));
	if (m.n)
		exec_note(x, text_missing_note(x, &m, l->ngroups));
}

static void note_strays(struct exec *x, size_t strays)
{
	if (!strays)
		return;
	exec_notef(x, "%s %s not in the text: it is not what was measured",
		   GROUPED(strays), strays == 1 ? "place is" : "places are");
}

static void put_groups(struct exec *x, struct listing *l)
{
	size_t strays = 0;

	for (size_t i = 0; i < l->ngroups; i++) {
		struct listing_group *g = &l->group[i];

		g->first = l->nrows;
		if (!l->instrs)
			read_file(x, l, g);
		else
			read_object(x, l, g);
		put_group_head(x, l, g);
		put_group(x, l, g, &strays);
		g->n = l->nrows - g->first;
	}
	if (!l->bare)
		note_missing(x, l);
	note_strays(x, strays);
}

void listing_fill(struct exec *x, struct listing *l, const struct fn_set *set)
{
	listing_gather(x, l, set);
	find_inlined(x, l);
	listing_merge(x, l);
	listing_groups(x, l);
	put_groups(x, l);
}

void listing_ahead(struct exec *x, struct listing *l, const struct fn_set *set)
{
	listing_gather(x, l, set);
	find_inlined(x, l);
	if (!l->instrs)
		return;
	listing_merge(x, l);
	listing_groups(x, l);
	for (size_t i = 0; i < l->ngroups; i++)
		read_object(x, l, &l->group[i]);
}
