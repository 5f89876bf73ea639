/*
 * program.c - the start of a process and the program in it; see program.h.
 *
 * Callgrind's root is a function of the dynamic linker, which jumps to the program:
 *
 *	0x1ab70 [ld-linux.so]		calls (below main): the whole process
 *	  _dl_start [ld-linux.so]	the start
 *	  (below main) [tmpl]		the program, whose name `cmd:` begins with
 */
#include "engine/rows/program.h"

#include "engine/graph/graph.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "engine/rows/store_set.h"
#include "index/base/err_struct.h"
#include "index/store/store.h"

static bool is_linker(struct str obj)
{
	const struct str base = str_basename(obj);

	return str_starts(base, STR("ld-linux")) || str_starts(base, STR("ld64.so")) ||
	       str_starts(base, STR("ld.so")) ||
	       (str_starts(base, STR("ld-2.")) && str_ends(base, STR(".so")));
}

/* What the linker jumps to; its own main is dl_main. */
static bool is_entry(struct str name)
{
	return str_eq(name, STR("(below main)")) || str_eq(name, STR("_start")) ||
	       str_eq(name, STR("main")) || str_starts(name, STR("__libc_start_main"));
}

/* Does f of the linker go on to the program, or to the function that it looked up? */
static bool goes_on(struct store *st, fn_id f)
{
	const bool resolves = str_starts(store_fn_shown(st, f), STR("_dl_runtime_"));
	edge_id first;
	uint32_t n;
	bool on = false;

	store_callees(st, f, &first, &n);
	for (uint32_t i = 0; i < n && !on; i++) {
		const fn_id callee = store_edge_callee(st, first + i);

		on = is_entry(store_fn_shown(st, callee)) ||
		     (resolves && !is_linker(store_fn_obj(st, callee)));
	}
	return on;
}

/* Functions that programs call by themselves. */
static bool is_service(struct str name)
{
	return str_starts(name, STR("__tls_get_addr")) || str_eq(name, STR("_dl_fini")) ||
	       str_starts(name, STR("_dl_tlsdesc"));
}

static void add(struct exec *x, const struct fn_set *found, struct fn_set *set)
{
	struct fn_set *here;

	exec_set_of_store(x, found, &here);
	fnset_or(set, here);
}

void exec_add_start(struct exec *x, struct fn_set *set)
{
	struct store *st = x->g->st;
	struct fn_set *found = exec_new_set(x, store_info(st)->functions);
	uint8_t *linker = EXEC_ARRAY(x, uint8_t, (size_t)store_info(st)->objects + 1);
	bool any = false;

	for (obj_id o = 0; o < store_info(st)->objects; o++)
		any |= linker[o] = is_linker(store_obj(st, o));
	for (fn_id f = 0; any && f < store_info(st)->functions; f++)
		if (linker[store_fn_obj_id(st, f)] && !goes_on(st, f) &&
		    !is_service(store_fn_shown(st, f)))
			fnset_add(found, f);
	add(x, found, set);
}

/* ---- the program ---- */

/* Where the command has the object's name as a word, or as the end of a path, which may
 * have blanks; cmd.n: nowhere. */
static size_t named_at(struct str cmd, struct str obj)
{
	const struct str base = str_basename(obj);

	for (size_t at = 0; base.n && at + base.n <= cmd.n; at++) {
		const size_t end = at + base.n;

		if ((!at || cmd.p[at - 1] == '/') &&
		    str_starts(str_from(cmd, at), base) &&
		    (end == cmd.n || cmd.p[end] == ' '))
			return at;
	}
	return cmd.n;
}

/* The object with `main`, of one that (below main) calls if there are several. */
static struct str obj_of_main(struct store *st)
{
	struct str obj = STR("");

	for (fn_id f = 0; f < store_info(st)->functions; f++) {
		if (!str_eq(store_fn_shown(st, f), STR("main")))
			continue;
		if (!obj.n)
			obj = store_fn_obj(st, f);
		for (uint32_t i = 0; i < store_caller_count(st, f); i++)
			if (is_entry(store_fn_shown(
				    st, store_edge_caller(st, store_caller(st, f, i)))))
				return store_fn_obj(st, f);
	}
	return obj;
}

static struct str obj_of_program(struct store *st)
{
	const struct str cmd = store_info(st)->cmd;
	struct str obj = STR("");
	size_t least = cmd.n;

	for (obj_id o = 0; o < store_info(st)->objects; o++) {
		const struct str name = store_obj(st, o);
		const size_t at = named_at(cmd, name);

		if (at < least) {
			least = at;
			obj = name;
		}
	}
	return obj.n ? obj : obj_of_main(st);
}

void exec_add_program(struct exec *x, struct fn_set *set)
{
	struct store *st = x->g->st;
	const struct str obj = obj_of_program(st);
	struct fn_set *found = exec_new_set(x, store_info(st)->functions);

	for (fn_id f = 0; f < store_info(st)->functions && obj.n; f++)
		if (!str_starts(obj, STR("???")) && str_eq(store_fn_obj(st, f), obj))
			fnset_add(found, f);
	add(x, found, set);
}
