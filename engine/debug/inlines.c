/*
 * inlines.c - the inlined calls that were read, by object; see inlines.h.
 *
 *	inlines_child.c		reads the object, in a process of its own
 *	inlines_file.c		what earlier sessions read
 *
 * Both give the same (inline_code.h).  The addresses of an object are one sorted array;
 * frames stay where they are, as answers point to them.
 */
#include "engine/debug/inlines.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/debug/inlines_child.h"
#include "engine/debug/inlines_file.h"
#include "index/base/hash.h"
#include "index/base/vec.h"
#include "index/format/meta_code.h"
#include "index/store/demangle.h"

enum {
	/* valgrind and libdw read another line for one address of 150, but for several of a
	 * function.  So at most one line in DIFFER may be another.  If it is at most one in
	 * SURE, of FEW or more, the object is what was measured; else the addresses with
	 * another line are left out.  Fewer lines do not tell it for the whole object. */
	DIFFER = 4,
	SURE = 50,
	FEW = 100,
};

struct inlined_address {
	uint64_t address;
	const struct inline_frame *frame; /* NULL: not inlined, or not known */
	bool known;
	bool other; /* its line is not that of the profile */
};

/* Frames that were read at once. */
struct inlined_frames {
	struct inline_frame *at;
	size_t n;
	struct inlined_frames *next; /* read before */
};

/* The addresses of an object that were read. */
struct inlined_object {
	const struct store *st;
	obj_id obj;
	struct str name;
	struct inlined_address *at; /* [n], sorted */
	size_t n, last;		    /* last: found there */
	struct inlined_frames *frames;
	uint32_t nframes;
	uint64_t agree, differ; /* lines, with those of the profile */
	const char *why;	/* it cannot be read */
	bool ask_again;		/* the last time it was, by the few lines asked for */
	/* The file that was read: its size and time, and the build-id. */
	bool stamped, checked;
	uint64_t size, mtime_ns;
	struct str build_id;
	struct arena arena; /* frames, names */
	struct inlined_object *next;
};

/* The file of a profile. */
struct inlined_profile {
	struct store *st;
	char *path;
	bool trust, read, dirty;
	uint64_t stamp;
	struct kept_object *kept; /* [n] in the arena */
	size_t n;
	struct arena arena;
	struct inlined_profile *next;
};

struct inlines {
	struct inlined_object *objects, *recent;
	struct inlined_profile *profiles;
	struct hash by_name;
	struct str *name; /* by number */
	size_t n, cap;
	struct arena arena; /* the names */
	uint64_t spent;	    /* on demangling */
};

struct inlines *inlines_new(void)
{
	return calloc(1, sizeof(struct inlines));
}

static void object_free(struct inlined_object *o)
{
	arena_free(&o->arena);
	free(o->at);
	free(o);
}

static void profile_free(struct inlined_profile *p)
{
	arena_free(&p->arena);
	free(p->path);
	free(p);
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
			profile_free(now);
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
	hash_free(&c->by_name);
	free(c->name);
	arena_free(&c->arena);
	free(c);
}

/* ---- names ---- */

static int no_memory_for_inlines(struct err *err)
{
	return err_no_memory(err, "while reading inlined functions");
}

/* The number of a name as shown; UINT32_MAX: memory is out. */
static uint32_t name_number(struct inlines *c, struct str s)
{
	const uint32_t h = (uint32_t)str_hash(s);
	uint32_t probe = hash_start(&c->by_name, h), i;

	while ((i = hash_next(&c->by_name, h, &probe)) != HASH_NONE)
		if (str_eq(c->name[i], s))
			return i;
	if (c->n >= UINT32_MAX - 1 ||
	    vec_reserve(&c->name, &c->cap, c->n + 1, sizeof(*c->name)) ||
	    !(s = arena_str(&c->arena, s)).p || hash_add(&c->by_name, h, (uint32_t)c->n))
		return UINT32_MAX;
	c->name[c->n] = s;
	return (uint32_t)c->n++;
}

uint32_t inlines_name(struct inlines *c, struct store *st, struct str *name)
{
	struct arena scratch;
	uint32_t i;

	arena_init(&scratch, 0);
	i = name_number(c, store_demangles(st) && demangle_wanted(*name)
				   ? demangle(*name, &c->spent, &scratch)
				   : *name);
	arena_free(&scratch);
	if (i != UINT32_MAX)
		*name = c->name[i];
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
			number[l->name] = name_number(c, code->text[l->name]);
		if (!file[l->file].p)
			file[l->file] = arena_str(&o->arena, code->text[l->file]);
		full = number[l->name] == UINT32_MAX || !file[l->file].p;
		if (!full)
			f[i] = (struct inline_frame){c->name[number[l->name]],
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

static int add_code(struct inlines *c, struct inlined_object *o,
		    const struct inline_code *code, struct err *err)
{
	if (code->frames > UINT32_MAX - o->nframes)
		return no_memory_for_inlines(err);
	return add_frames(c, o, code, err) || add_addresses(o, code, err) ? (int)err->kind
									  : 0;
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
	o->stamped = false;
}

/* ---- the file beside the index ---- */

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

int inlines_keep(struct inlines *c, const struct store *st, const char *path, bool trust,
		 struct err *err)
{
	struct inlined_profile *p = calloc(1, sizeof(*p));

	if (!p || !(p->path = strdup(path))) {
		free(p);
		return err_no_memory(err, NULL);
	}
	p->st = (struct store *)(uintptr_t)st;
	p->trust = trust;
	p->next = c->profiles;
	c->profiles = p;
	return 0;
}

static struct inlined_profile *profile_of(struct inlines *c, const struct store *st)
{
	struct inlined_profile *p = c->profiles;

	while (p && p->st != st)
		p = p->next;
	return p;
}

static void read_kept(struct inlined_profile *p)
{
	if (p->read)
		return;
	p->read = true;
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

	arena_init(&scratch, 0);
	if (inline_code_get(&code, &in, &scratch))
		no_memory_for_inlines(err);
	else if (!in.bad && !add_code(c, o, &code, err)) {
		o->stamped = true;
		o->size = k->size;
		o->mtime_ns = k->mtime_ns;
		o->build_id = arena_str(&o->arena, k->build_id);
	}
	arena_free(&scratch);
	return (int)err->kind;
}

/* The object, with what is kept of it; NULL: err is set. */
static struct inlined_object *object_get(struct inlines *c, struct store *st, obj_id obj,
					 struct err *err)
{
	struct inlined_profile *p;
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
	if (!(p = profile_of(c, st)))
		return o;
	read_kept(p);
	for (size_t i = 0; i < p->n; i++)
		if (str_eq(p->kept[i].name, o->name))
			return take_kept(c, o, &p->kept[i], err) ? NULL : o;
	return o;
}

/* The frames and addresses of an object as code, in the arena; false: memory is out. */
static bool code_of(const struct inlines *c, const struct inlined_object *o,
		    struct inline_texts *texts, struct arena *a, struct inline_code *code)
{
	uint32_t *name = ARENA_ARRAY(a, uint32_t, c->n + 1); /* 1 + text; 0: not yet */
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
				name[f->number] = 1 + inline_text(texts, f->name);
			if (f->file.p != last.p || f->file.n != last.n)
				file = inline_text(texts, f->file);
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
	struct inline_texts texts = {0};
	struct inline_code code;
	struct arena a;
	bool kept;

	arena_init(&a, 0);
	kept = code_of(c, o, &texts, &a, &code) && !inline_code_put(&code, b);
	if (kept)
		*to = (struct kept_object){o->name,
					   o->size,
					   o->mtime_ns,
					   o->build_id,
					   {(const char *)b->p, b->n}};
	inline_texts_free(&texts);
	arena_free(&a);
	return kept;
}

static const struct inlined_object *object_named(const struct inlines *c,
						 const struct store *st, struct str name)
{
	for (const struct inlined_object *o = c->objects; o; o = o->next)
		if (o->st == st && o->n && str_eq(o->name, name))
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
		if (o->st == p->st && o->n && o->stamped)
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

/* ---- reading objects ---- */

static const char rebuilt[] = "it was built anew since its inlined functions were read";

static bool same_build(const struct inlined_object *o, struct str build_id)
{
	return o->build_id.n && str_eq(o->build_id, build_id);
}

static void stamp(struct inlines *c, struct inlined_object *o,
		  const struct roots_file *file, struct str build_id)
{
	struct inlined_profile *p = profile_of(c, o->st);

	if (p)
		p->dirty = true;
	if (!o->stamped || !str_eq(o->build_id, build_id))
		o->build_id = arena_str(&o->arena, build_id);
	o->stamped = true;
	o->size = file->size;
	o->mtime_ns = file->mtime_ns;
}

/* The object has changed since it was read: is it another one? */
static int check_changed(struct inlines *c, struct inlined_object *o,
			 const struct roots *objects, const struct roots_file *file,
			 const struct cancel *cancel, struct err *err)
{
	const struct dwarf_ask ask = {.object = file, .roots = objects};
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
	return (int)err->kind;
}

/* What an earlier session read holds if the object is what it was, or is gone. */
static int check_kept(struct inlines *c, struct inlined_object *o,
		      const struct roots *objects, const struct cancel *cancel,
		      struct err *err)
{
	struct roots_file file;
	struct arena scratch;
	const char *why;
	int rc = 0;

	if (o->checked || !o->stamped)
		return 0;
	arena_init(&scratch, 1 << 20);
	if (roots_look(objects, o->name, &scratch, &file, &why) &&
	    (file.size != o->size || file.mtime_ns != o->mtime_ns) &&
	    roots_open(objects, o->name, &scratch, &file, &why)) {
		rc = check_changed(c, o, objects, &file, cancel, err);
		close(file.fd);
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

	if ((o->why = answer->why))
		return 0;
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
		if (add_code(c, o, &answer->code[i], err))
			return (int)err->kind;
	stamp(c, o, file, answer->build_id);
	return 0;
}

static int read_object(struct inlines *c, struct inlined_object *o, struct store *st,
		       const struct roots *objects, const struct dwarf_place *at,
		       size_t n, const struct cancel *cancel, struct err *err)
{
	struct roots_file file;
	struct dwarf_ask ask = {.object = &file,
				.roots = objects,
				.at = at,
				.n = n,
				.demangle = store_demangles(st)};
	struct inline_answer answer;
	struct arena scratch;

	arena_init(&scratch, 1 << 20);
	if (roots_open(objects, o->name, &scratch, &file, &o->why)) {
		if (file.mtime_ns > store_source(st)->mtime_ns && !o->build_id.n) {
			o->why = "it is newer than the profile, which has no build-id to "
				 "tell whether it is what was measured";
		} else {
			if (!inline_children(&ask, cancel, &answer, err))
				take_answer(c, o, &file, &answer, err);
			inline_answer_free(&answer);
		}
		close(file.fd);
	}
	arena_free(&scratch);
	return (int)err->kind;
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

	if (!o || check_kept(c, o, objects, cancel, err))
		return (int)err->kind;
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
	return (int)err->kind;
}

/* ---- looking up ---- */

/* NULL: it was not read.  Addresses are mostly looked up in order. */
static const struct inlined_address *address_find(struct inlined_object *o,
						  uint64_t address)
{
	size_t lo = 0, hi = o->n;

	for (size_t i = o->last; i < o->n && i < o->last + 2; i++)
		if (o->at[i].address == address)
			return &o->at[o->last = i];
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (o->at[mid].address < address)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == o->n || o->at[lo].address != address)
		return NULL;
	return &o->at[o->last = lo];
}

bool inlines_known(struct inlines *c, struct store *st, obj_id obj,
		   const struct roots *objects, uint64_t address)
{
	struct err ignored = {0}; /* the address is read, then, which reports it */
	struct inlined_object *o = object_get(c, st, obj, &ignored);

	return o && !check_kept(c, o, objects, NULL, &ignored) && !o->why &&
	       address_find(o, address);
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
