/* part_names.c - read the meaning of ids at the start of a part; see part_names.h. */
#include "index/store/part_names.h"
#include "index/base/err.h"

#include "index/store/store_in.h"

int part_names_open(struct store *st, uint32_t part, struct varint_reader *in,
		    struct err *err)
{
	const unsigned char *end, *p;

	p = store_packed(st, TABLE_PART_NAMES,
			 store_row_u64(st, TABLE_PART_NAMES_AT, 0, part), &end);
	*in = (struct varint_reader){p, end, false};
	return p ? 0 : store_check(st, err);
}

int part_names_damaged(struct store *st, struct err *err)
{
	store_damaged(st, TABLE_PART_NAMES, 0, "a name is out of range");
	return store_check(st, err);
}

int part_names_anew(struct store *st, uint32_t part, bool *anew, struct err *err)
{
	struct varint_reader in;
	uint32_t files;

	store_inputs(st, &files);
	/* In a set, the first part need not be the first of its file. */
	*anew = part == 0 && files == 1;
	if (*anew)
		return 0;
	if (part_names_open(st, part, &in, err))
		return err->kind;
	*anew = varint_get(&in) != 0;
	return in.bad ? part_names_damaged(st, err) : 0;
}

static struct str string_of(struct store *st, enum name_space space, uint64_t n)
{
	return space == SPACE_OBJ    ? store_obj(st, (obj_id)n)
	       : space == SPACE_FILE ? store_file(st, (file_id)n)
				     : store_name(st, (name_id)n);
}

/*
 * An index has references in names expanded.  A name that still has the form of a
 * reference referred to nothing.  A later definition of the same text may refer to
 * something, so it must not count as the same.
 */
static int define(struct names *names, enum name_space space, uint64_t id,
		  struct str string)
{
	enum name_event event;
	uint32_t slot = names_define(names, id, string, 0, &event);

	if (slot == UINT32_MAX)
		return -1;
	if (space == SPACE_FN && names_has_parts(string))
		names->slot[slot].kind = NAME_PLAIN;
	return 0;
}

int part_names_load(struct store *st, uint32_t part, struct names names[SPACES],
		    struct err *err)
{
	const uint32_t limit[SPACES] = {st->info.objects, st->info.files, st->info.names};
	struct varint_reader in;

	if (part_names_open(st, part, &in, err))
		return err->kind;
	if (varint_get(&in) && names)
		for (int i = 0; i < SPACES; i++)
			names_restart(&names[i]);
	for (int i = 0; i < SPACES; i++) {
		uint64_t n = varint_get(&in), id = 0;

		while (n-- && !in.bad) {
			enum name_space space = (enum name_space)i;
			uint64_t string;

			id = varint_unzigzag(id, varint_get(&in));
			string = varint_get(&in);
			if (in.bad || string >= limit[i])
				return part_names_damaged(st, err);
			if (names &&
			    define(&names[i], space, id, string_of(st, space, string)))
				return err_no_memory(err,
						     "while reading the names of parts");
		}
	}
	return in.bad ? part_names_damaged(st, err) : 0;
}
