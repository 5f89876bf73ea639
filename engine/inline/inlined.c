/*
 * inlined.c - which code of a function is inlined, and from where; see inlined.h.
 *
 * Three things tell: the debug information of the object (engine/inline), if the profile has
 * addresses; the name that the profile has for a cost line (cfni=); and the file of a cost
 * line.  Debug information is asked for all addresses of a query at once, object by
 * object.
 */
#include "engine/inline/inlined.h"
#include "index/base/need.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/names/name.h"
#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/order.h"

bool inlined_line(struct store *st, fn_id f, file_id file)
{
	const file_id own = store_fn_file_id(st, f);

	return file != own && !str_eq(store_file(st, own), STR("???")) &&
	       !str_eq(store_file(st, file), STR("???"));
}

/* ---- by debug information ---- */

struct inlining_place {
	obj_id obj;
	struct dwarf_place at;
};

struct inlining {
	struct exec *x;
	struct store *st;
	struct inlining_place *place; /* asked for */
	size_t n, cap;
	bool unread; /* under --safe, some was not read before */
	struct inline_frame
		*named; /* [inlined] of the store; name.p NULL: not made yet */
};

void inlining_new(struct exec *x, struct inlining **out)
{
	struct inlining *in = *out = EXEC_ARRAY(x, struct inlining, 1);

	in->x = x;
	in->st = x->g->st;
	if (store_info(in->st)->inlined)
		in->named =
			EXEC_ARRAY(x, struct inline_frame, store_info(in->st)->inlined);
}

void inlining_want(struct inlining *in, fn_id f, file_id file, uint64_t line,
		   uint64_t instr)
{
	const obj_id obj = store_fn_obj_id(in->st, f);
	const bool safe = in->x->open->safe;
	enum inlines_want want;
	struct str name;

	if (!store_info(in->st)->has_instr)
		return;
	want = inlines_wanted(in->x->open->inlines, in->st, obj,
			      safe ? NULL : in->x->open->objects, instr);
	in->unread = in->unread || (safe && want != WANT_NOTHING);
	if (safe || want == WANT_NOTHING ||
	    (want == WANT_REASON && in->n && in->place[in->n - 1].obj == obj))
		return;
	store_inlined(in->st, file, &file, &name);
	exec_grow(in->x, &in->place, &in->cap, in->n, in->n + 1, sizeof(*in->place));
	in->place[in->n++] =
		(struct inlining_place){obj, {instr, line, store_file(in->st, file)}};
}

static int by_address(const void *pa, const void *pb)
{
	const struct inlining_place *a = pa, *b = pb;
	const int c = order_u64(a->obj, b->obj);

	return c ? c : order_u64(a->at.address, b->at.address);
}

/* Objects whose inlined functions are not known. */
struct inlining_lack {
	struct str name;
	const char *why;
	size_t n;
};

static void note_lack(struct exec *x, const struct inlining_lack *l)
{
	struct str more = {"", 0};

	if (!l->n)
		return;
	if (l->n > 1)
		more = arena_printf(x->a, ", and for %zu more object%s", l->n - 1,
				    l->n == 2 ? "" : "s");
	exec_notef(x, "inlined code is told by its file alone for %.*s (%s)%.*s",
		   STR_ARG(l->name), l->why, STR_ARG(more));
}

/* Ask for the places [from, to) of one object. */
static void read_places(struct inlining *in, size_t from, size_t to,
			struct dwarf_place *at, struct inlining_lack *lack)
{
	struct exec *x = in->x;
	const char *why = NULL;
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		if (!n || at[n - 1].address != in->place[i].at.address)
			at[n++] = in->place[i].at;
	need(inlines_read(x->open->inlines, in->st, in->place[from].obj, x->open->objects,
			  at, n, x->open->cancel, &why, x->err),
	     x->err);
	if (why && !lack->n++) {
		lack->name = store_obj(in->st, in->place[from].obj);
		lack->why = why;
	}
}

void inlining_read(struct inlining *in, bool note)
{
	struct exec *x = in->x;
	struct inlining_lack lack = {0};
	struct dwarf_place *at;

	if (note && in->unread) {
		exec_note(x, STR("inlined code is told by its file alone: no "
				 "object is read under --safe"));
		return;
	}
	if (!in->n)
		return;
	at = EXEC_ARRAY(x, struct dwarf_place, in->n);
	qsort(in->place, in->n, sizeof(*in->place), by_address);
	for (size_t from = 0, to; from < in->n; from = to) {
		for (to = from + 1;
		     to < in->n && in->place[to].obj == in->place[from].obj; to++)
			;
		read_places(in, from, to, at, &lack);
	}
	in->n = 0;
	if (note)
		note_lack(x, &lack);
}

/* The inlined function that the profile names; NULL: none.  Where it is called is not
 * known, nor what it is inlined into. */
static const struct inline_frame *named(const struct inlining *in, file_id file)
{
	struct inline_frame *f;
	struct str name;
	file_id of;

	if (file < store_info(in->st)->files || !store_inlined(in->st, file, &of, &name))
		return NULL;
	f = &in->named[file - store_info(in->st)->files];
	if (f->name.p)
		return f;
	f->number = inlines_name(in->x->open->inlines, in->st, &name);
	if (f->number == UINT32_MAX)
		return NULL;
	f->name = name;
	f->file = STR("");
	return f;
}

void inlining_known(struct exec *x, obj_id obj, bool by_name)
{
	if (!x->inlined)
		x->inlined = EXEC_ARRAY(x, uint8_t, store_info(x->g->st)->objects + 1);
	x->inlined[obj] |= by_name ? 2 : 1;
}

bool inlining_at(const struct inlining *in, fn_id f, file_id file, uint64_t instr,
		 const struct inline_frame **frame)
{
	enum inlined_is is = INLINED_UNKNOWN;
	struct str name;

	*frame = NULL;
	if (in->x->by_file) {
		store_inlined(in->st, file, &file, &name);
		return inlined_line(in->st, f, file);
	}
	if (store_info(in->st)->has_instr)
		is = inlines_at(in->x->open->inlines, in->st, store_fn_obj_id(in->st, f),
				instr, frame);
	if (is == INLINED_UNKNOWN && (*frame = named(in, file)))
		return true;
	return is == INLINED_UNKNOWN ? inlined_line(in->st, f, file) : is == INLINED_YES;
}

/* Join the names by " in "; they can be long, and many. */
struct str inlining_chain(struct arena *a, const struct inline_frame *f, bool brief)
{
	static const char in[] = " in ";
	size_t n = 0;
	struct str name;
	char *p;

	for (const struct inline_frame *i = f; i; i = i->outer)
		n += i->name.n + sizeof(in) - 1;
	if (!(p = arena_alloc(a, n + 1)))
		return (struct str){NULL, 0};
	n = 0;
	for (const struct inline_frame *i = f; i; i = i->outer) {
		if (n)
			memcpy(p + n, in, sizeof(in) - 1);
		n += n ? sizeof(in) - 1 : 0;
		name = brief ? name_short(i->name, a) : i->name;
		if (name.n)
			memcpy(p + n, name.p, name.n);
		n += name.n;
	}
	return (struct str){p, n};
}

/* Empty for a frame of which only the name is known; "main.cpp:?" if the compiler has no
 * line for a call. */
struct str inlining_calls(struct arena *a, const struct inline_frame *f)
{
	struct str s = {"", 0};

	if (f && !f->outer && !f->file.n)
		return s;
	for (const struct inline_frame *i = f; i && s.p; i = i->outer) {
		const struct str file = str_basename(i->file);
		char line[24] = "?";

		if (i->line)
			snprintf(line, sizeof(line), "%llu", (unsigned long long)i->line);
		s = arena_printf(a, "%.*s%s%.*s:%s", STR_ARG(s), i == f ? "" : " in ",
				 STR_ARG(file), line);
	}
	return s;
}

/* ---- the share of rows ---- */

struct inlined_sum {
	struct store *st;
	fn_id f;
	file_id last; /* the file of the line before, and whether it is inlined */
	bool is;
	uint32_t event;
	int64_t sum;
	uint64_t lines;
};

enum { LINES_MOST = 1 << 20 }; /* of all functions of a table: a few milliseconds */

static int sum_line(void *arg, const struct store_line *row, const int64_t *costs,
		    struct err *err)
{
	struct inlined_sum *s = arg;

	if (++s->lines > LINES_MOST)
		return err_set(err, ERR_LIMIT, 0, "too many lines");
	if (row->file != s->last) {
		s->last = row->file;
		s->is = inlined_line(s->st, s->f, row->file);
	}
	if (s->is)
		cost_add(&s->sum, store_event_of(s->st, s->event, costs));
	return 0;
}

bool inlined_share(struct store *st, const fn_id *f, size_t n, uint32_t event,
		   int64_t *sum)
{
	struct inlined_sum s = {.st = st, .event = event};
	struct err ignored = {0};

	for (size_t i = 0; i < n; i++) {
		s.f = f[i];
		s.last = UINT32_MAX;
		if (store_each_line(st, f[i], sum_line, &s, &ignored))
			return false;
	}
	*sum = s.sum;
	return true;
}
