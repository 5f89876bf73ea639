/*
 * inlines.c - read inlined calls in a child process, and keep them; see inlines.h.
 *
 * An object may be damaged, or made to do damage.  So libdw works in a child with limits,
 * and what the child writes is checked as any other input: if it crashes or takes too
 * long, the object has no inlined calls, and a note says why.
 */
#include "engine/debug/inlines.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "index/base/hash.h"
#include "index/base/varint.h"
#include "index/base/vec.h"
#include "index/format/meta_code.h"
#include "index/store/demangle.h"

#ifndef __has_feature
#define __has_feature(f) 0
#endif

enum {
	ANSWER_MAX = 1 << 30,
	CPU_SECONDS = 300, /* the time limit of a query is usually lower */
	/* valgrind and libdw read another line for one address of 150, but for several of a
	 * function.  So at most one line in DIFFER may be another.  If it is at most one in
	 * SURE, of FEW or more, the object is what was measured; else the addresses with
	 * another line are left out.  Fewer lines do not tell it for the whole object. */
	DIFFER = 4,
	SURE = 50,
	FEW = 100,
};
#define MEMORY ((rlim_t)16 << 30) /* with what the parent has */

/* The addresses of an object that were read. */
struct inlined_object {
	const struct store *st;
	obj_id obj;
	struct inlined_address {
		uint64_t address;
		const struct inline_frame *frame; /* if `is` INLINED_YES */
		enum inlined_is is;
	} * at; /* [n], sorted */
	size_t n;
	const char *why;    /* it cannot be read */
	bool ask_again;	    /* the last time it was, by the few lines asked for */
	struct arena arena; /* frames, names */
	struct inlined_object *next;
};

struct inlines {
	struct inlined_object *objects;
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

void inlines_drop(struct inlines *c, const struct store *st)
{
	for (struct inlined_object **o = &c->objects; *o;) {
		struct inlined_object *now = *o;

		if (now->st == st) {
			*o = now->next;
			object_free(now);
		} else {
			o = &now->next;
		}
	}
}

void inlines_free(struct inlines *c)
{
	while (c && c->objects)
		inlines_drop(c, c->objects->st);
	if (!c)
		return;
	hash_free(&c->by_name);
	free(c->name);
	arena_free(&c->arena);
	free(c);
}

static struct inlined_object *object_find(const struct inlines *c, const struct store *st,
					  obj_id obj)
{
	struct inlined_object *o = c->objects;

	while (o && (o->st != st || o->obj != obj))
		o = o->next;
	return o;
}

/* ---- the child ---- */

static int write_answer(int to, const struct bytes *b)
{
	for (size_t done = 0; done < b->n;) {
		const ssize_t wrote = write(to, b->p + done, b->n - done);

		if (wrote < 0 && errno != EINTR)
			return -1;
		done += wrote > 0 ? (size_t)wrote : 0;
	}
	return 0;
}

/* The child does this alone, and ends. */
static void child(const struct roots_file *object, const struct roots *roots,
		  const struct dwarf_place *at, size_t n, int to)
{
	static const int usual[] = {SIGBUS, SIGSEGV, SIGINT, SIGPIPE, SIGXCPU};
	struct bytes b = {0};

	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		signal(usual[i], SIG_DFL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	setrlimit(RLIMIT_CPU, &(struct rlimit){CPU_SECONDS, CPU_SECONDS});
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
	/* The sanitizer's shadow alone is larger. */
	setrlimit(RLIMIT_DATA, &(struct rlimit){MEMORY, MEMORY});
#endif
	_exit(dwarf_read(object, roots, at, n, &b) || write_answer(to, &b));
}

/* Read all that the child writes; it may take as long as the query. */
static int read_child(int from, struct bytes *b, const struct cancel *cancel,
		      struct err *err)
{
	struct pollfd p = {.fd = from, .events = POLLIN};
	ssize_t got = 1;

	while (got > 0) {
		if (cancel_poll(cancel, err))
			return (int)err->kind;
		if (b->n > ANSWER_MAX || bytes_room(b, 1 << 16))
			return err_no_memory(err, "while reading inlined functions");
		if (poll(&p, 1, 100) == 0)
			continue;
		got = read(from, b->p + b->n, 1 << 16);
		if (got > 0)
			b->n += (size_t)got;
		else if (got < 0 && errno == EINTR)
			got = 1;
	}
	return 0;
}

/* Run the child; *ended: it wrote all. */
static int run_child(const struct roots_file *object, const struct roots *roots,
		     const struct dwarf_place *at, size_t n, const struct cancel *cancel,
		     struct bytes *b, bool *ended, struct err *err)
{
	int ends[2], status = 0;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(err, ERR_LIMIT, 0, "no pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		child(object, roots, at, n, ends[1]);
	}
	close(ends[1]);
	if (pid < 0)
		err_set(err, ERR_LIMIT, 0, "no process: %s", strerror(errno));
	else if (read_child(ends[0], b, cancel, err))
		kill(pid, SIGKILL);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	*ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	return (int)err->kind;
}

/* ---- its answer ---- */

static struct str get_text(struct varint_reader *in)
{
	const uint64_t n = varint_get(in);
	struct str s = {(const char *)in->p, (size_t)n};

	if (n > (uint64_t)(in->end - in->p)) {
		varint_none(in);
		return STR("");
	}
	in->p += n;
	return s;
}

/* The number of a name; UINT32_MAX: memory is out. */
static uint32_t name_number(struct inlines *c, struct store *st, struct str raw,
			    struct arena *scratch)
{
	struct str s = store_demangles(st) && demangle_wanted(raw)
			       ? demangle(raw, &c->spent, scratch)
			       : raw;
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
	i = name_number(c, st, *name, &scratch);
	arena_free(&scratch);
	if (i != UINT32_MAX)
		*name = c->name[i];
	return i;
}

/* Read the frames; *frames is NULL, or in.bad set, if they make no sense. */
static int get_frames(struct inlines *c, struct inlined_object *o, struct store *st,
		      struct varint_reader *in, size_t n, struct inline_frame **frames,
		      struct err *err)
{
	struct inline_frame *f = ARENA_ARRAY(&o->arena, struct inline_frame, n + 1);
	struct arena scratch;

	if (!(*frames = f))
		return err_no_memory(err, "while reading inlined functions");
	arena_init(&scratch, 0);
	for (size_t i = 0; i < n && !in->bad && !err->kind; i++) {
		const struct str name = get_text(in), file = get_text(in);
		uint64_t outer;

		f[i].line = varint_get(in);
		outer = varint_get(in);
		if (outer > i)
			varint_none(in);
		f[i].outer = outer && !in->bad ? &f[outer - 1] : NULL;
		f[i].number = name_number(c, st, name, &scratch);
		f[i].file = i && str_eq(f[i - 1].file, file) ? f[i - 1].file
							     : arena_str(&o->arena, file);
		if (f[i].number == UINT32_MAX || !f[i].file.p)
			err_no_memory(err, "while reading inlined functions");
		else
			f[i].name = c->name[f[i].number];
		arena_reset(&scratch);
	}
	arena_free(&scratch);
	return (int)err->kind;
}

/* Join the addresses of an answer with those of the object. */
static int get_addresses(struct inlined_object *o, struct varint_reader *in,
			 const struct inline_frame *frame, size_t frames, bool sure,
			 const struct dwarf_place *at, size_t n, struct err *err)
{
	struct inlined_address *all = calloc(o->n + n + 1, sizeof(*all));
	size_t k = 0, old = 0;

	if (!all)
		return err_no_memory(err, "while reading inlined functions");
	for (size_t i = 0; i < n && !in->bad; i++) {
		const uint64_t told = varint_get(in),
			       found = told & 1 && !sure ? 0 : told >> 1;

		if (found > INLINED_NO && found - 2 >= frames) {
			varint_none(in);
			break;
		}
		while (old < o->n && o->at[old].address < at[i].address)
			all[k++] = o->at[old++];
		all[k++] = (struct inlined_address){at[i].address,
						    found < 2 ? NULL : &frame[found - 2],
						    found == 0	 ? INLINED_UNKNOWN
						    : found == 1 ? INLINED_NO
								 : INLINED_YES};
	}
	while (old < o->n)
		all[k++] = o->at[old++];
	if (in->bad) {
		free(all);
		return 0;
	}
	free(o->at);
	o->at = all;
	o->n = k;
	return 0;
}

static const char *reason_of(uint64_t result)
{
	switch (result) {
	case DWARF_FOUND: return NULL;
	case DWARF_NONE: return "it has no debug information";
	case DWARF_MEMORY: return "its debug information needs too much memory";
	case DWARF_NOT_BUILT: return "quern was built without libdw";
	default: return "its debug information cannot be read";
	}
}

static int get_answer(struct inlines *c, struct inlined_object *o, struct store *st,
		      const struct bytes *b, const struct dwarf_place *at, size_t n,
		      struct err *err)
{
	struct varint_reader in = {b->p, b->p + b->n, false};
	struct inline_frame *frame;
	uint64_t agree, differ, frames;
	bool sure;

	o->why = reason_of(varint_get(&in));
	if (o->why)
		return 0;
	agree = varint_get(&in);
	differ = varint_get(&in);
	frames = varint_get(&in);
	sure = agree + differ >= FEW && differ <= (agree + differ) / SURE;
	if (differ > (agree + differ) / DIFFER) {
		o->ask_again = agree + differ < FEW;
		o->why = "its lines are not those of the profile: it is not what was "
			 "measured";
		return 0;
	}
	if (!in.bad && frames > b->n)
		varint_none(&in);
	if (!in.bad && (get_frames(c, o, st, &in, (size_t)frames, &frame, err) ||
			get_addresses(o, &in, frame, (size_t)frames, sure, at, n, err)))
		return (int)err->kind;
	if (in.bad)
		o->why = reason_of(DWARF_UNREADABLE);
	return 0;
}

/* ---- reading ---- */

static int read_object(struct inlines *c, struct inlined_object *o, struct store *st,
		       const struct roots *objects, const struct dwarf_place *at,
		       size_t n, const struct cancel *cancel, struct err *err)
{
	struct roots_file file;
	struct arena scratch;
	struct bytes b = {0};
	bool ended = false;

	arena_init(&scratch, 1 << 20);
	if (!dwarf_built()) {
		o->why = reason_of(DWARF_NOT_BUILT);
	} else if (!roots_open(objects, store_obj(st, o->obj), &scratch, &file,
			       &o->why)) {
		;
	} else {
		if (file.mtime_ns > store_source(st)->mtime_ns)
			o->why = "it is newer than the profile, which has no build-id to "
				 "tell whether it is what was measured";
		else if (!run_child(&file, objects, at, n, cancel, &b, &ended, err) &&
			 ended)
			get_answer(c, o, st, &b, at, n, err);
		else
			o->why = reason_of(DWARF_UNREADABLE);
		close(file.fd);
	}
	free(b.p);
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
	struct inlined_object *o = object_find(c, st, obj);
	struct dwarf_place *rest;

	if (!o) {
		if (!(o = calloc(1, sizeof(*o))))
			return err_no_memory(err, "while reading inlined functions");
		o->st = st;
		o->obj = obj;
		arena_init(&o->arena, 0);
		o->next = c->objects;
		c->objects = o;
	}
	if (!o->why) {
		if (!(rest = unread(o, at, &n)))
			return err_no_memory(err, "while reading inlined functions");
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

enum inlined_is inlines_at(const struct inlines *c, const struct store *st, obj_id obj,
			   uint64_t address, const struct inline_frame **frame)
{
	const struct inlined_object *o = object_find(c, st, obj);
	size_t lo = 0, hi = o && !o->why ? o->n : 0;

	*frame = NULL;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (o->at[mid].address < address)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!o || o->why || lo == o->n || o->at[lo].address != address)
		return INLINED_UNKNOWN;
	*frame = o->at[lo].frame;
	return o->at[lo].is;
}
