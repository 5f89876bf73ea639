/* found.c - keep what patterns found, the oldest gives way; see found.h. */
#include "engine/names/found.h"

#include "engine/names/fnset.h"
#include "index/base/count.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"

static bool same_atom(const struct match_atom *a, const struct match_atom *b)
{
	return a->field == b->field && a->form == b->form && a->nocase == b->nocase &&
	       a->recorded == b->recorded && a->part == b->part &&
	       str_eq(a->text, b->text);
}

static void forget(struct found_kept *k)
{
	if (k->store)
		arena_free(&k->arena);
	k->store = NULL;
}

static void keep(struct found_kept *k, struct store *st, const struct match_atom *atom,
		 const struct match_found *found)
{
	struct str text;

	forget(k);
	*k = (struct found_kept){.demangled = store_demangles(st), .found = *found};
	arena_init(&k->arena, 0);
	k->store = st;		 /* the arena is freed with it */
	k->atom.form = MATCH_ID; /* nobody looks for one until all is there */
	k->found.fns = fnset_copy(&k->arena, found->fns);
	text = need_str(&k->arena, atom->text);
	k->atom = *atom;
	k->atom.text = text;
}

int found_find(struct found_cache *c, struct store *st, const struct match_atom *atom,
	       const struct cancel *cancel, struct arena *a, struct match_found *out,
	       struct err *err)
{
	for (unsigned i = 0; i < COUNT(c->kept) && atom->form != MATCH_ID; i++) {
		const struct found_kept *k = &c->kept[i];

		if (k->store != st || k->demangled != store_demangles(st) ||
		    !same_atom(&k->atom, atom))
			continue;
		*out = k->found;
		out->fns = fnset_copy(a, k->found.fns);
		return 0;
	}
	if (match_find(st, atom, cancel, a, out, err))
		return err->kind;
	if (atom->form != MATCH_ID)
		keep(&c->kept[c->next++ % COUNT(c->kept)], st, atom, out);
	return 0;
}

void found_drop(struct found_cache *c, const struct store *st)
{
	for (unsigned i = 0; i < COUNT(c->kept); i++)
		if (!st || c->kept[i].store == st)
			forget(&c->kept[i]);
}
