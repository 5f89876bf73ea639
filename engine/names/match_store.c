/*
 * match_store.c - the functions of a store whose names match; see match.h.
 *
 * Each name is tested once.  If every match contains a text, whole blocks of names are
 * searched for it first; if it is at the start of the name, those that begin otherwise are
 * skipped together.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "engine/names/fnset.h"
#include "engine/names/match_in.h"
#include "index/base/arena.h"
#include "index/base/cancel.h"
#include "index/base/err.h"

enum {
	POLL_BYTES = 256 << 10, /* of names between two polls of the clock and `cancel` */
	NAME_BYTES = 256,	/* fixed cost of a name, counted as bytes */
	REGEX_SECONDS = 20,	/* for all names */
};

/* How to read one of the three string tables. */
struct string_table {
	uint32_t n;
	struct str (*get)(struct store *st, uint32_t id);
	uint32_t (*lower)(struct store *st, struct str s);
	enum index_table column; /* function -> id */
};

static struct string_table table_of(struct store *st, enum match_field field)
{
	const struct store_info *si = store_info(st);

	if (field == MATCH_FILE)
		return (struct string_table){si->files, store_file, store_file_lower,
					     TABLE_FN_FILE};
	if (field == MATCH_OBJ)
		return (struct string_table){si->objects, store_obj, store_obj_lower,
					     TABLE_FN_OBJ};
	return (struct string_table){si->names, store_shown, store_name_lower,
				     TABLE_FN_NAME};
}

static int poll_limits(const struct match *m, uint64_t start_ns,
		       const struct cancel *cancel, struct err *err)
{
	if (cancel_poll(cancel, err))
		return err->kind;
	if (m->atom.form == MATCH_REGEX &&
	    cancel_now_ns() - start_ns > REGEX_SECONDS * 1000000000ull) {
		err_set(err, ERR_LIMIT, m->atom.at,
			"the regular expression took more than %d s", REGEX_SECONDS);
		err->len = m->atom.len;
		return err->kind;
	}
	return 0;
}

/* Functions of one name are all split in the same way, but for odd ones. */
static fn_id first_of(struct store *st, uint32_t id)
{
	fn_id first;
	uint32_t n;

	store_fns_of_name(st, id, &first, &n);
	return first;
}

static struct str name_alone(struct store *st, uint32_t id)
{
	return store_fn_alone(st, first_of(st, id));
}

static struct str as_recorded(struct store *st, const struct string_table *t, uint32_t id)
{
	return t->column == TABLE_FN_NAME ? store_name(st, id) : t->get(st, id);
}

/* A demangled name also matches as recorded, except by a regular expression, which
 * matches the name as shown. */
static int mangled_too(struct match *m, struct store *st, const struct string_table *t,
		       uint32_t id, struct err *err)
{
	struct str name =
		t->get == name_alone
			? store_group_name(st, store_group_of(st, first_of(st, id)))
			: store_name(st, id);

	if (m->atom.form == MATCH_REGEX || m->atom.part || m->atom.field == MATCH_CLASS ||
	    t->get(st, id).p == name.p)
		return 0;
	return match_name(m, name, err);
}

/*
 * Names are sorted, so all from one to another begin with what these two have in common.  If
 * no match begins so, none of them is looked at, and more are tried at once:
 *	app::a  app::b ... app::z | malloc   of /^(?:malloc|free)/: "app::" begins no match
 */
bool match_begins(struct match *m, struct store *st, uint8_t *has)
{
	enum { SOME = 64, MORE = 4 };
	const uint32_t n = store_info(st)->names;

	if (m->atom.form != MATCH_REGEX || !m->at_start)
		return false;
	for (uint32_t id = 0, step = SOME; id < n;) {
		const uint32_t to = n - id < step ? n : id + step;
		struct str start = store_name(st, id);

		start.n = str_common(start, store_name(st, to - 1));
		if (start.n && !match_regex_begins(m, start)) {
			id = to;
			step = step < n ? step * MORE : step;
		} else if (step > SOME) {
			step /= MORE;
		} else {
			memset(has + id, 1, to - id);
			id = to;
		}
	}
	return true;
}

static const char *small_letters(const struct match *m)
{
	char *p = ARENA_ARRAY(m->arena, char, m->needle.n);

	for (size_t i = 0; p && i < m->needle.n; i++)
		p[i] = (char)tolower((unsigned char)m->needle.p[i]);
	return p;
}

/* Mark the matching strings in hit[], a byte each. */
static int mark_strings(struct match *m, struct store *st, const struct string_table *t,
			const struct cancel *cancel, uint8_t *hit, uint32_t *count,
			struct err *err)
{
	uint64_t start = cancel_now_ns(), bytes = POLL_BYTES;
	bool exact = m->atom.form == MATCH_EXACT && m->atom.field != MATCH_CLASS;
	bool names = t->column == TABLE_FN_NAME, swept, mangled;
	const bool alone = t->get == name_alone;
	struct str needle = m->needle;

	if (exact && !alone) {
		uint32_t id = t->lower(st, m->atom.text);

		if (id < t->n && str_eq(as_recorded(st, t, id), m->atom.text))
			*count = hit[id] = 1;
		if (m->by_base ? *count > 0 : !names || !store_any_mangled(st))
			return 0;
	}
	mangled = names && store_any_mangled(st);
	swept = names && m->needle.n && !mangled;
	if (swept && m->atom.nocase && !(needle.p = small_letters(m)))
		return arena_full(m->arena, err);
	for (name_id id = 0; swept && id < t->n;) {
		id = store_names_with(st, needle, m->atom.nocase, id, hit);
		if (poll_limits(m, start, cancel, err))
			return err->kind;
	}
	if (!swept && names && !alone && !mangled && m->atom.field == MATCH_FN)
		swept = match_begins(m, st, hit);
	for (uint32_t id = 0; id < t->n; id++) {
		struct str name;
		int rc;

		if (swept && !hit[id])
			continue;
		name = t->get(st, id);
		bytes += name.n + NAME_BYTES;
		if (bytes >= POLL_BYTES) {
			bytes = 0;
			if ((rc = poll_limits(m, start, cancel, err)))
				return rc;
		}
		if ((rc = match_name(m, name, err)) < 0 ||
		    (!rc && mangled && (rc = mangled_too(m, st, t, id, err)) < 0))
			return err->kind;
		hit[id] = (uint8_t)rc;
		*count += (uint32_t)rc;
	}
	return 0;
}

/* Few names are looked for in the column, which is sorted by them; of many, and of the other
 * tables, all of it is read. */
static int expand_functions(struct store *st, const struct string_table *t,
			    const uint8_t *hit, uint32_t hits, struct fn_set *fns,
			    struct err *err)
{
	enum { FEW = 16 };
	uint32_t functions = store_info(st)->functions;
	const uint32_t *id;

	if (t->column == TABLE_FN_NAME && hits <= functions / FEW) {
		for (uint32_t name = 0; name < t->n; name++) {
			fn_id first;
			uint32_t n;

			if (!hit[name])
				continue;
			store_fns_of_name(st, name, &first, &n);
			fnset_add_run(fns, first, n);
		}
		return 0;
	}
	if (!(id = store_u32(st, t->column)))
		return store_check(st, err) ? err->kind
					    : err_no_memory(err, "for a column");
	for (uint32_t f = 0; f < functions; f++)
		if (id[f] < t->n && hit[id[f]])
			fnset_add(fns, f);
	return 0;
}

static int find_id(struct store *st, const struct match_atom *atom, struct fn_set *fns,
		   uint32_t *names, struct err *err)
{
	uint32_t functions = store_info(st)->functions;
	uint64_t id;

	if (!str_u64(atom->text, &id) || id >= functions) {
		err_set(err, ERR_QUERY, atom->at,
			"there is no function #%.*s; the last is #%" PRIu32,
			STR_ARG(atom->text), functions ? functions - 1 : 0);
		err->len = atom->len;
		return err->kind;
	}
	fnset_add(fns, (uint32_t)id);
	*names = 1;
	return 0;
}

/* The strings that match: *hit, a byte for each. */
static int find_strings(struct store *st, const struct match_atom *atom,
			const struct string_table *t, const struct cancel *cancel,
			struct arena *a, uint8_t **hit, uint32_t *n, struct err *err)
{
	struct match *m = NULL;
	int rc;

	*n = 0;
	if (!(*hit = ARENA_ARRAY(a, uint8_t, (size_t)t->n + 1)))
		return arena_full(a, err);
	rc = match_new(atom, a, &m, err);
	rc = rc ? rc : mark_strings(m, st, t, cancel, *hit, n, err);
	match_free(m);
	return rc;
}

int match_files(struct store *st, const struct match_atom *atom,
		const struct cancel *cancel, struct arena *a, const uint8_t **hit,
		uint32_t *n, struct err *err)
{
	const struct string_table t = table_of(st, MATCH_FILE);
	uint8_t *files;

	if (find_strings(st, atom, &t, cancel, a, &files, n, err))
		return err->kind;
	*hit = files;
	return store_check(st, err);
}

/* alone: by names without contexts. */
static int find_recorded(struct store *st, const struct match_atom *atom, bool alone,
			 const struct cancel *cancel, struct arena *a,
			 struct match_found *out, struct err *err)
{
	struct string_table t = table_of(st, atom->field);
	struct fn_set *fns = fnset_new(a, store_info(st)->functions);
	uint32_t names = 0;
	uint8_t *hit;
	int rc;

	if (alone && t.column == TABLE_FN_NAME)
		t.get = name_alone;
	if (atom->form == MATCH_ID)
		rc = find_id(st, atom, fns, &names, err);
	else if (!(rc = find_strings(st, atom, &t, cancel, a, &hit, &names, err)))
		rc = expand_functions(st, &t, hit, names, fns, err);
	if (rc)
		return rc;
	*out = (struct match_found){fns, fnset_count(fns), names, false};
	return 0;
}

/* Add all contexts of the functions; count functions and their names. */
static void add_contexts(struct store *st, struct fn_set *fns, struct match_found *out)
{
	struct str before = {0};

	out->functions = out->names = 0;
	for (uint32_t f = fnset_next(fns, 0); f != FNSET_NONE;
	     f = fnset_next(fns, f + 1)) {
		const group_id g = store_group_of(st, f);
		const uint32_t n = store_group_size(st, g);
		const struct str name = store_group_name(st, g);
		bool counted = false;

		for (uint32_t i = 0; i < n; i++) {
			const fn_id h = store_group_fn(st, g, i);

			counted |= h < f && fnset_has(fns, h);
			fnset_add(fns, h);
		}
		if (counted)
			continue;
		out->functions++;
		out->names += !before.p || !str_eq(before, name);
		before = name;
	}
}

int match_find(struct store *st, const struct match_atom *atom,
	       const struct cancel *cancel, struct arena *a, struct match_found *out,
	       struct err *err)
{
	struct match_atom recorded = *atom;
	struct str callers;

	if (atom->recorded || !store_any_grouped(st))
		return find_recorded(st, atom, false, cancel, a, out, err);
	recorded.recorded = true;
	if (find_recorded(st, atom, true, cancel, a, out, err))
		return err->kind;
	if (!out->functions && !atom->part) {
		if (find_recorded(st, &recorded, false, cancel, a, out, err))
			return err->kind;
		out->contexts = out->functions > 0;
	}
	if (atom->form == MATCH_ID && out->functions)
		out->contexts =
			store_fn_context(st, fnset_next(out->fns, 0), &callers) > 1 ||
			callers.n;
	add_contexts(st, out->fns, out);
	return store_check(st, err);
}
