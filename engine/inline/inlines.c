/*
 * inlines.c - the inlined calls that were read, by object; see inlines.h.
 *
 *	inlines_child.c		reads the object, in a process of its own
 *	inlines_keep.c		what earlier sessions read
 *
 * Both give the same (inline_code.h), which inlines_add.c adds to the object.
 */
#include "engine/inline/inlines.h"

#include <stdlib.h>
#include <unistd.h>

#include "engine/files/roots.h"
#include "engine/inline/inlines_child.h"
#include "engine/inline/inlines_in.h"
#include "index/base/bisect.h"
#include "index/base/err_struct.h"
#include "index/format/meta_code.h"

enum {
	/* valgrind and libdw read another line for one address of 150, but for several of a
	 * function.  So at most one line in DIFFER may be another.  If it is at most one in
	 * SURE, of FEW or more, the object is what was measured; else the addresses with
	 * another line are left out.  Fewer lines do not tell it for the whole object. */
	DIFFER = 4,
	SURE = 50,
	FEW = 100,
};

struct inlines *inlines_new(void)
{
	return calloc(1, sizeof(struct inlines));
}

void inlines_limit(struct inlines *c, size_t bytes)
{
	c->most = bytes;
}

static void object_free(struct inlined_object *o)
{
	arena_free(&o->arena);
	free(o->at);
	free(o);
}

void inlines_drop(struct inlines *c, const struct store *st)
{
	c->recent = NULL;
	for (struct inlined_object **o = &c->objects; *o;) {
		struct inlined_object *now = *o;

		if (now->st == st) {
			*o = now->next;
			object_free(now);
		} else {
			o = &now->next;
		}
	}
	for (struct inlined_profile **p = &c->profiles; *p;) {
		struct inlined_profile *now = *p;

		if (now->st == st) {
			*p = now->next;
			inlined_profile_free(now);
		} else {
			p = &now->next;
		}
	}
}

void inlines_free(struct inlines *c)
{
	while (c && (c->objects || c->profiles))
		inlines_drop(c, c->objects ? c->objects->st : c->profiles->st);
	if (!c)
		return;
	strset_free(&c->names);
	free(c);
}

static bool is_sure(const struct inlined_object *o)
{
	const uint64_t all = o->agree + o->differ;

	return all >= FEW && o->differ <= all / SURE;
}

static void forget(struct inlined_object *o)
{
	o->n = o->last = 0;
	o->agree = o->differ = 0;
	o->stamped = o->none = false;
	o->build_id = STR("");
}

/* ---- objects ---- */

/* The object, with what is kept of it; NULL: err is set. */
static struct inlined_object *object_get(struct inlines *c, struct store *st, obj_id obj,
					 struct err *err)
{
	struct inlined_object *o = c->recent;

	if (o && o->st == st && o->obj == obj)
		return o;
	for (o = c->objects; o && (o->st != st || o->obj != obj);)
		o = o->next;
	if (o)
		return c->recent = o;
	if (!(o = calloc(1, sizeof(*o)))) {
		no_memory_for_inlines(err);
		return NULL;
	}
	o->st = st;
	o->obj = obj;
	o->name = store_obj(st, obj);
	o->next = c->objects;
	c->objects = c->recent = o;
	return inlined_take_kept(c, o, err) ? NULL : o;
}

/* ---- reading objects ---- */

static const char rebuilt[] = "it was built anew since its inlined functions were read";

static bool same_build(const struct inlined_object *o, struct str build_id)
{
	return o->build_id.n && str_eq(o->build_id, build_id);
}

static void stamp(struct inlines *c, struct inlined_object *o,
		  const struct roots_file *file, struct str build_id)
{
	struct inlined_profile *p = inlined_profile_of(c, o->st);

	if (p)
		p->dirty = true;
	if (!o->stamped || !str_eq(o->build_id, build_id))
		o->build_id = arena_str(&o->arena, build_id);
	o->stamped = true;
	o->size = file->size;
	o->mtime_ns = file->mtime_ns;
}

static int take_reason(struct inlines *c, struct inlined_object *o,
		       const struct roots_file *file, const struct inline_answer *answer,
		       struct err *err)
{
	o->why = answer->why;
	if (answer->none && !o->n && !inlined_none(o, &answer->code[0], err))
		stamp(c, o, file, answer->build_id);
	return err->kind;
}

/* Before all addresses of an object are collected: has it debug information at all? */
static int check_new(struct inlines *c, struct inlined_object *o,
		     const struct roots *objects, struct roots_file *file,
		     const struct cancel *cancel, struct arena *a, struct err *err)
{
	const struct dwarf_ask ask = {
		.object = file, .roots = objects, .most = inlines_room(c)};
	struct inline_answer answer;

	if (!roots_open(objects, o->name, a, file, &o->why))
		return 0;
	if (!inline_children(&ask, cancel, &answer, err) && answer.why)
		take_reason(c, o, file, &answer, err);
	inline_answer_free(&answer);
	close(file->fd);
	return err->kind;
}

/* The object has changed since it was read: is it another one? */
static int check_changed(struct inlines *c, struct inlined_object *o,
			 const struct roots *objects, const struct roots_file *file,
			 const struct cancel *cancel, struct err *err)
{
	const struct dwarf_ask ask = {
		.object = file, .roots = objects, .most = inlines_room(c)};
	struct inline_answer answer;

	if (!inline_children(&ask, cancel, &answer, err)) {
		if (same_build(o, answer.build_id)) {
			stamp(c, o, file, answer.build_id);
		} else {
			if (o->build_id.n)
				o->why = rebuilt;
			forget(o);
		}
	}
	inline_answer_free(&answer);
	return err->kind;
}

/* Whether there is a file now where debug information was looked for in vain. */
static bool debug_appeared(const struct inlined_object *o, const struct roots *objects,
			   struct arena *a)
{
	struct roots_file file;
	const char *why;

	for (size_t i = 0; i < o->ntried; i++)
		if (o->tried[i].n && roots_look(objects, o->tried[i], a, &file, &why))
			return true;
	return false;
}

/* The object as it is now, against what an earlier session read. */
static int check_kept(struct inlines *c, struct inlined_object *o,
		      const struct roots *objects, struct roots_file *file,
		      const struct cancel *cancel, struct arena *a, struct err *err)
{
	const bool changed = file->size != o->size || file->mtime_ns != o->mtime_ns;
	const char *why;
	int rc = 0;

	if (o->none && !changed && !debug_appeared(o, objects, a)) {
		o->why = inline_no_debug;
	} else if (o->none) {
		forget(o);
	} else if (changed && roots_open(objects, o->name, a, file, &why)) {
		rc = check_changed(c, o, objects, file, cancel, err);
		close(file->fd);
	}
	return rc;
}

/* A build-id that was read before tells whether a newer object is what was measured. */
static bool is_newer(struct inlined_object *o, struct store *st,
		     const struct roots_file *file)
{
	if (o->build_id.n || file->mtime_ns <= store_source(st)->mtime_ns)
		return false;
	o->why = "it is newer than the profile, which has no build-id to tell whether it "
		 "is what was measured";
	return true;
}

/* Once in a session: can the object be read, and does what is kept of it still hold?  That
 * also holds if the object is gone. */
static int check_object(struct inlines *c, struct inlined_object *o, struct store *st,
			const struct roots *objects, const struct cancel *cancel,
			struct err *err)
{
	struct roots_file file;
	struct arena scratch;
	const char *why;
	int rc = 0;

	if (o->checked)
		return 0;
	arena_init(&scratch, 1 << 20);
	if (!roots_look(objects, o->name, &scratch, &file, &why)) {
		if (!o->n)
			o->why = why;
	} else if (o->stamped) {
		rc = check_kept(c, o, objects, &file, cancel, &scratch, err);
		if (!rc && !o->why && !o->stamped)
			is_newer(o, st, &file);
	} else if (!is_newer(o, st, &file)) {
		rc = check_new(c, o, objects, &file, cancel, &scratch, err);
	}
	o->checked = !rc;
	arena_free(&scratch);
	return rc;
}

static int take_answer(struct inlines *c, struct inlined_object *o,
		       const struct roots_file *file, const struct inline_answer *answer,
		       struct err *err)
{
	uint64_t agree = o->agree, differ = o->differ;

	if (answer->why)
		return take_reason(c, o, file, answer, err);
	if (o->stamped && (file->size != o->size || file->mtime_ns != o->mtime_ns) &&
	    !same_build(o, answer->build_id)) {
		o->why = rebuilt;
		forget(o);
		return 0;
	}
	for (size_t i = 0; i < answer->codes; i++) {
		agree += answer->code[i].agree;
		differ += answer->code[i].differ;
	}
	if (differ > (agree + differ) / DIFFER) {
		o->ask_again = agree + differ < FEW;
		o->why = "its lines are not those of the profile: it is not what was "
			 "measured";
		return 0;
	}
	for (size_t i = 0; i < answer->codes; i++)
		if (inlined_add(c, o, &answer->code[i], err))
			return err->kind;
	stamp(c, o, file, answer->build_id);
	return 0;
}

static int read_object(struct inlines *c, struct inlined_object *o, struct store *st,
		       const struct roots *objects, const struct dwarf_place *at,
		       size_t n, const struct cancel *cancel, struct err *err)
{
	struct roots_file file;
	struct dwarf_ask ask = {.object = &file,
				.most = inlines_room(c),
				.roots = objects,
				.at = at,
				.n = n,
				.demangle = store_demangles(st)};
	struct inline_answer answer;
	struct arena scratch;

	arena_init(&scratch, 1 << 20);
	if (roots_open(objects, o->name, &scratch, &file, &o->why)) {
		if (!is_newer(o, st, &file)) {
			if (!inline_children(&ask, cancel, &answer, err))
				take_answer(c, o, &file, &answer, err);
			inline_answer_free(&answer);
		}
		close(file.fd);
	}
	arena_free(&scratch);
	return err->kind;
}

/* Copy the places that were not read before; *n: their number. */
static struct dwarf_place *unread(const struct inlined_object *o,
				  const struct dwarf_place *at, size_t *n)
{
	struct dwarf_place *p = malloc((*n + 1) * sizeof(*p));
	size_t k = 0, old = 0;

	for (size_t i = 0; p && i < *n; i++) {
		while (old < o->n && o->at[old].address < at[i].address)
			old++;
		if (old == o->n || o->at[old].address != at[i].address)
			p[k++] = at[i];
	}
	*n = k;
	return p;
}

int inlines_read(struct inlines *c, struct store *st, obj_id obj,
		 const struct roots *objects, const struct dwarf_place *at, size_t n,
		 const struct cancel *cancel, const char **why, struct err *err)
{
	struct inlined_object *o = object_get(c, st, obj, err);
	struct dwarf_place *rest;

	if (!o || check_object(c, o, st, objects, cancel, err))
		return err->kind;
	if (!o->why) {
		if (!(rest = unread(o, at, &n)))
			return no_memory_for_inlines(err);
		if (n)
			read_object(c, o, st, objects, rest, n, cancel, err);
		free(rest);
	}
	*why = o->why;
	if (err->kind || o->ask_again)
		o->why = NULL;
	o->ask_again = false;
	return err->kind;
}

/* ---- looking up ---- */

/* NULL: it was not read.  The next address is mostly near the last one: steps from there
 * double until they pass it. */
static const struct inlined_address *address_find(struct inlined_object *o,
						  uint64_t address)
{
	struct bisect b = bisect_in(o->last, o->last);
	size_t step = 1;

	while (b.lo > 0 && o->at[b.lo].address > address) {
		b.hi = b.lo;
		b.lo -= step < b.lo ? step : b.lo;
		step *= 2;
	}
	while (b.hi < o->n && o->at[b.hi].address < address) {
		b.lo = b.hi + 1;
		b.hi += step < o->n - b.hi ? step : o->n - b.hi;
		step *= 2;
	}
	while (bisect_next(&b))
		bisect_step(&b, o->at[b.mid].address < address);
	if (b.lo == o->n || o->at[b.lo].address != address)
		return NULL;
	return &o->at[o->last = b.lo];
}

enum inlines_want inlines_wanted(struct inlines *c, struct store *st, obj_id obj,
				 const struct roots *objects, uint64_t address)
{
	struct err ignored = {0}; /* the address is read, then, which reports it */
	struct inlined_object *o = object_get(c, st, obj, &ignored);

	if (!o || check_object(c, o, st, objects, NULL, &ignored))
		return WANT_READ;
	return o->why ? WANT_REASON : address_find(o, address) ? WANT_NOTHING : WANT_READ;
}

enum inlined_is inlines_at(struct inlines *c, const struct store *st, obj_id obj,
			   uint64_t address, const struct inline_frame **frame)
{
	struct inlined_object *o = c->recent;
	const struct inlined_address *at = NULL;

	*frame = NULL;
	if (!o || o->st != st || o->obj != obj)
		for (o = c->objects; o && (o->st != st || o->obj != obj);)
			o = o->next;
	if (o && !o->why)
		at = address_find(o, address);
	if (o)
		c->recent = o;
	if (!at || !at->known || (at->other && !is_sure(o)))
		return INLINED_UNKNOWN;
	*frame = at->frame;
	return at->frame ? INLINED_YES : INLINED_NO;
}
