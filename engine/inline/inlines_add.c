/*
 * inlines_add.c - add inlined calls that were read to those of an object.
 *
 * The addresses of an object are one sorted array; frames stay where they are, as answers
 * point to them.
 */
#include "engine/inline/inlines_in.h"

#include <stdlib.h>

#include "index/base/err.h"
#include "index/store/demangle.h"

/* ---- names ---- */

int no_memory_for_inlines(struct err *err)
{
	err_no_memory(err, "while reading inlined functions");
	return err_hint(err, "raise the limit with --mem");
}

size_t inlines_room(const struct inlines *c)
{
	size_t held = c->names.copies.used + c->names.cap * sizeof(*c->names.at);

	for (const struct inlined_object *o = c->objects; o; o = o->next)
		held += sizeof(*o) + o->arena.used + o->n * sizeof(*o->at);
	for (const struct inlined_profile *p = c->profiles; p; p = p->next)
		held += p->arena.used;
	return held < c->most ? c->most - held : 1;
}

uint32_t inlines_name(struct inlines *c, struct store *st, struct str *name)
{
	struct arena scratch;
	uint32_t i;

	arena_init(&scratch, 0);
	i = strset_copy(&c->names, store_demangles(st) && demangle_wanted(*name)
					   ? demangle(*name, &c->spent, &scratch)
					   : *name);
	arena_free(&scratch);
	if (i != UINT32_MAX)
		*name = c->names.at[i];
	return i;
}

/* ---- taking what was read ---- */

/* Make frames of those of code, in the object. */
static int add_frames(struct inlines *c, struct inlined_object *o,
		      const struct inline_code *code, struct err *err)
{
	struct inlined_frames *list = ARENA_NEW(&o->arena, struct inlined_frames);
	struct inline_frame *f =
		ARENA_ARRAY(&o->arena, struct inline_frame, code->frames + 1);
	struct str *file = calloc(code->texts + 1, sizeof(*file)); /* copies */
	uint32_t *number = malloc((code->texts + 1) * sizeof(*number));
	bool full = !list || !f || !file || !number;

	for (size_t i = 0; i < code->texts && !full; i++)
		number[i] = UINT32_MAX;
	for (size_t i = 0; i < code->frames && !full; i++) {
		const struct inline_link *l = &code->frame[i];

		if (number[l->name] == UINT32_MAX)
			number[l->name] = strset_copy(&c->names, code->text[l->name]);
		if (!file[l->file].p)
			file[l->file] = arena_str(&o->arena, code->text[l->file]);
		full = number[l->name] == UINT32_MAX || !file[l->file].p;
		if (!full)
			f[i] = (struct inline_frame){c->names.at[number[l->name]],
						     number[l->name],
						     o->nframes + (uint32_t)i,
						     file[l->file],
						     l->line,
						     l->outer ? &f[l->outer - 1] : NULL};
	}
	free(file);
	free(number);
	if (full)
		return no_memory_for_inlines(err);
	*list = (struct inlined_frames){f, code->frames, o->frames};
	o->frames = list;
	o->nframes += (uint32_t)code->frames;
	return 0;
}

/* Join the addresses of code, of which none is known yet, with those of the object. */
static int add_addresses(struct inlined_object *o, const struct inline_code *code,
			 struct err *err)
{
	struct inlined_address *all = malloc((o->n + code->n + 1) * sizeof(*all));
	size_t k = 0, old = 0;

	if (!all)
		return no_memory_for_inlines(err);
	for (size_t i = 0; i < code->n; i++) {
		const struct inline_place *p = &code->at[i];

		while (old < o->n && o->at[old].address < p->address)
			all[k++] = o->at[old++];
		all[k++] = (struct inlined_address){
			p->address,
			p->found < FOUND_FRAME ? NULL
					       : &o->frames->at[p->found - FOUND_FRAME],
			p->found != FOUND_NONE, p->other};
	}
	while (old < o->n)
		all[k++] = o->at[old++];
	free(o->at);
	o->at = all;
	o->n = k;
	o->last = 0;
	o->agree += code->agree;
	o->differ += code->differ;
	return 0;
}

int inlined_add(struct inlines *c, struct inlined_object *o,
		const struct inline_code *code, struct err *err)
{
	const size_t room = inlines_room(c);

	o->arena.cap = o->arena.used + room;
	c->names.copies.cap = c->names.copies.used + room;
	if (code->frames > UINT32_MAX - o->nframes ||
	    code->n > room / sizeof(struct inlined_address))
		return no_memory_for_inlines(err);
	return add_frames(c, o, code, err) || add_addresses(o, code, err) ? err->kind : 0;
}

int inlined_none(struct inlined_object *o, const struct inline_code *code,
		 struct err *err)
{
	struct str *tried = ARENA_ARRAY(&o->arena, struct str, code->texts + 1);

	for (size_t i = 0; tried && i < code->texts; i++)
		if (!(tried[i] = arena_str(&o->arena, code->text[i])).p)
			tried = NULL;
	if (!tried)
		return no_memory_for_inlines(err);
	o->tried = tried;
	o->ntried = code->texts;
	o->none = true;
	return 0;
}
