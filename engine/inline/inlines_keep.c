/*
 * inlines_keep.c - what was read from objects, to and from the file of a profile.
 *
 * The file is read when the first object is asked for, and written after a query that read
 * more.  Objects that no query asked for stay in it as they are.  What was read is used until
 * the object is built anew: its build-id, or without one its size and time, tells.
 */
#include "engine/inline/inlines_in.h"

#include <stdio.h>
#include <stdlib.h>

#include "index/base/err.h"
#include "index/format/meta_code.h"

/* The profile is the same if its files are. */
static uint64_t stamp_of(struct store *st)
{
	uint32_t n;
	const struct input_file *in = store_inputs(st, &n);
	uint64_t h = store_demangles(st);

	for (uint32_t i = 0; i < n; i++) {
		h = hash_mix(h ^ in[i].id.hash);
		h = hash_mix(h ^ in[i].id.size);
		h = hash_mix(h ^ in[i].bytes);
	}
	return h;
}

int inlines_keep(struct inlines *c, const struct store *st, const char *index, bool trust,
		 struct err *err)
{
	struct inlined_profile *p = calloc(1, sizeof(*p));

	if (!p || asprintf(&p->path, "%s.inlines", index) < 0) {
		free(p);
		return err_no_memory(err, NULL);
	}
	p->st = (struct store *)(uintptr_t)st;
	p->trust = trust;
	p->next = c->profiles;
	c->profiles = p;
	return 0;
}

struct inlined_profile *inlined_profile_of(struct inlines *c, const struct store *st)
{
	struct inlined_profile *p = c->profiles;

	while (p && p->st != st)
		p = p->next;
	return p;
}

void inlined_profile_free(struct inlined_profile *p)
{
	arena_free(&p->arena);
	free(p->path);
	free(p);
}

/* ---- reading ---- */

static void read_kept(const struct inlines *c, struct inlined_profile *p)
{
	if (p->read)
		return;
	p->read = true;
	arena_init(&p->arena, inlines_room(c));
	p->stamp = stamp_of(p->st);
	p->kept = inlines_file_read(p->path, p->trust, p->stamp, &p->arena, &p->n);
}

/* Take what is kept of an object. */
static int take_kept(struct inlines *c, struct inlined_object *o,
		     const struct kept_object *k, struct err *err)
{
	const unsigned char *p = (const unsigned char *)k->code.p;
	struct varint_reader in = {p, p + k->code.n, false};
	struct inline_code code;
	struct arena scratch;

	arena_init(&scratch, inlines_room(c));
	if (inline_code_get(&code, &in, &scratch))
		no_memory_for_inlines(err);
	else if (!in.bad && !(k->none ? inlined_none(o, &code, err)
				      : inlined_add(c, o, &code, err))) {
		o->stamped = true;
		o->size = k->size;
		o->mtime_ns = k->mtime_ns;
		o->build_id = arena_str(&o->arena, k->build_id);
	}
	arena_free(&scratch);
	return err->kind;
}

int inlined_take_kept(struct inlines *c, struct inlined_object *o, struct err *err)
{
	struct inlined_profile *p = inlined_profile_of(c, o->st);

	if (!p)
		return 0;
	read_kept(c, p);
	for (size_t i = 0; i < p->n; i++)
		if (str_eq(p->kept[i].name, o->name))
			return take_kept(c, o, &p->kept[i], err);
	return 0;
}

/* ---- writing ---- */

/* The frames and addresses of an object as code, in the arena; false: memory is out. */
static bool code_of(const struct inlines *c, const struct inlined_object *o,
		    struct strset *texts, struct arena *a, struct inline_code *code)
{
	uint32_t *name =
		ARENA_ARRAY(a, uint32_t, c->names.n + 1); /* 1 + text; 0: not yet */
	struct str last = {NULL, 0};
	uint32_t file = 0;

	*code = (struct inline_code){
		.agree = o->agree,
		.differ = o->differ,
		.frame = ARENA_ARRAY(a, struct inline_link, (size_t)o->nframes + 1),
		.at = ARENA_ARRAY(a, struct inline_place, o->n + 1),
		.frames = o->nframes,
		.n = o->n};
	if (!name || !code->frame || !code->at)
		return false;
	for (const struct inlined_frames *l = o->frames; l; l = l->next)
		for (size_t i = 0; i < l->n; i++) {
			const struct inline_frame *f = &l->at[i];

			if (!name[f->number])
				name[f->number] = 1 + strset_copy(texts, f->name);
			if (f->file.p != last.p || f->file.n != last.n)
				file = strset_copy(texts, f->file);
			last = f->file;
			if (!name[f->number] || file == UINT32_MAX)
				return false;
			code->frame[f->id] = (struct inline_link){
				name[f->number] - 1, file,
				f->outer ? f->outer->id + 1 : 0, f->line};
		}
	for (size_t i = 0; i < o->n; i++) {
		const struct inlined_address *at = &o->at[i];

		code->at[i] =
			(struct inline_place){at->address,
					      at->frame	  ? FOUND_FRAME + at->frame->id
					      : at->known ? FOUND_FUNCTION
							  : FOUND_NONE,
					      at->other};
	}
	code->text = texts->at;
	code->texts = texts->n;
	return true;
}

/* Put an object into the list to be kept; b: its bytes. */
static bool keep_object(const struct inlines *c, const struct inlined_object *o,
			struct bytes *b, struct kept_object *to)
{
	struct strset texts = {0};
	struct inline_code code;
	struct arena a;
	bool kept;

	arena_init(&a, c->most);
	if (o->none)
		code = (struct inline_code){.text = o->tried, .texts = o->ntried};
	kept = (o->none || code_of(c, o, &texts, &a, &code)) &&
	       !inline_code_put(&code, b);
	if (kept)
		*to = (struct kept_object){o->name,	o->size,
					   o->mtime_ns, o->build_id,
					   o->none,	{(const char *)b->p, b->n}};
	strset_free(&texts);
	arena_free(&a);
	return kept;
}

static const struct inlined_object *object_named(const struct inlines *c,
						 const struct store *st, struct str name)
{
	for (const struct inlined_object *o = c->objects; o; o = o->next)
		if (o->st == st && (o->n || o->none) && str_eq(o->name, name))
			return o;
	return NULL;
}

static void save_profile(const struct inlines *c, struct inlined_profile *p)
{
	size_t n = p->n, k = 0, used = 0;
	struct kept_object *all;
	struct bytes *b;
	bool complete = true;

	for (const struct inlined_object *o = c->objects; o; o = o->next)
		n++;
	all = calloc(n + 1, sizeof(*all));
	b = calloc(n + 1, sizeof(*b));
	for (size_t i = 0; all && i < p->n; i++)
		if (!object_named(c, p->st, p->kept[i].name))
			all[k++] = p->kept[i];
	for (const struct inlined_object *o = c->objects; all && b && o; o = o->next)
		if (o->st == p->st && (o->n || o->none) && o->stamped)
			complete = complete && keep_object(c, o, &b[used++], &all[k++]);
	if (all && b && complete)
		inlines_file_write(p->path, p->stamp, all, k);
	for (size_t i = 0; i < used; i++)
		free(b[i].p);
	free(all);
	free(b);
}

void inlines_save(struct inlines *c)
{
	for (struct inlined_profile *p = c->profiles; p; p = p->next) {
		if (p->dirty)
			save_profile(c, p);
		p->dirty = false;
	}
}
