/* pair_rules.c - files and objects after the user's own rules; see pair.h. */
#include "engine/compare/pair.h"

#include "index/base/err.h"

int pair_rename_file(const struct pair_rules *r, struct str file, struct arena *a,
		     struct str *out, struct err *err)
{
	const struct str moved = moved_file(&r->files, file, a);

	return moved.p ? rename_apply(&r->names, moved, a, out, err) : arena_full(a, err);
}

int pair_rename_object(const struct pair_rules *r, struct str obj, struct arena *a,
		       struct str *out, struct err *err)
{
	return rename_apply(&r->names, moved_object(&r->objects, obj), a, out, err);
}
