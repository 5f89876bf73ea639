/*
 * vs_keys.c - the key of a row: rows of the two sides with equal keys are compared.
 *
 * A source says what a row is about (struct row_subject); the pairing says which function,
 * object or file of one profile is which of the other.  The key is made of the numbers in
 * the first profile, so that it means the same on both sides:
 *
 *	subject of a row	key
 *	function 7 (base: 9)	7
 *	call 7 -> 12		7 \0 c
 *	line 40 of file 3 in 7	7 \0 file 3 \0 40
 *	row of a tree, context	the same of its function and of all above it, hashed
 *
 * Of each key its 128 bits of hash are kept: there may be millions.
 */
#include "engine/compare/vs_in.h"

#include <inttypes.h>
#include <string.h>

#include "engine/flow/flow.h"
#include "engine/path/path.h"

/* The kind keeps numbers apart that count different things: function 3, file 3, object
 * 3. */
static struct str number_key(const char *kind, uint32_t number, struct arena *a)
{
	return arena_printf(a, "%s%" PRIx32, kind, number);
}

/* Join the pieces with NUL bytes; p is NULL if it is in some piece, or the arena is
 * full. */
static struct str join_key(struct arena *a, const struct str *piece, size_t n)
{
	size_t size = n, at = 0;
	char *p;

	for (size_t i = 0; i < n; i++) {
		if (!piece[i].p)
			return piece[i];
		size += piece[i].n;
	}
	if (!(p = arena_alloc(a, size)))
		return (struct str){NULL, 0};
	for (size_t i = 0; i < n; i++) {
		if (piece[i].n)
			memcpy(p + at, piece[i].p, piece[i].n);
		at += piece[i].n + 1;
	}
	return (struct str){p, size};
}

static struct str file_key(const struct vs *v, unsigned side, file_id file,
			   struct arena *a)
{
	return number_key("file ", v->pairing->file[side][file], a);
}

/* A named group is the same if its name is, wherever its members are. */
static struct str named_key(const struct vs *v, unsigned side, const struct graph *g,
			    uint32_t f, struct arena *a)
{
	const fn_id first = graph_origin(g, f);
	const file_id file = graph_file_id(g, f);
	struct str name = graph_name(g, f);

	if (str_eq(name, graph_obj(g, f)))
		return number_key(
			"o", v->pairing->obj[side][store_fn_obj_id(g->st, first)], a);
	if (file != GRAPH_NO_FILE && str_eq(name, graph_file(g, f)))
		return file_key(v, side, file, a);
	return moved_file(v->files, name, a);
}

/* An inlined function is the same if its name and its object are. */
static struct str inlined_key(const struct vs *v, unsigned side, const struct graph *g,
			      uint32_t f, struct arena *a)
{
	const obj_id obj = store_fn_obj_id(g->st, graph_origin(g, f));
	const struct str piece[] = {number_key("in ", v->pairing->obj[side][obj], a),
				    graph_name(g, f)};

	return join_key(a, piece, 2);
}

struct str vs_fn_key(const struct vs *v, unsigned side, const struct graph *g, uint32_t f,
		     struct arena *a)
{
	const struct pairing *p = v->pairing;
	fn_id fn;

	if (graph_is(g, f, GRAPH_INLINED))
		return inlined_key(v, side, g, f, a);
	if (graph_is(g, f, GRAPH_NAMED))
		return named_key(v, side, g, f, a);
	fn = graph_origin(g, f);
	if (!g->recorded) /* whichever of its contexts the stages left */
		fn = store_group_fn(g->st, store_group_of(g->st, fn), 0);
	if (side == 0)
		return number_key(v->dissolve && p->unsure[0][fn] ? "alone " : "", fn, a);
	return p->of[1][fn] == PAIR_NONE || (v->dissolve && p->unsure[1][fn])
		       ? number_key("base ", fn, a)
		       : number_key("", p->of[1][fn], a);
}

/* A row of a function alone, the usual one, has one piece, which needs no copy. */
static struct str subject_key(const struct vs *v, unsigned side, const struct table *t,
			      uint32_t ref, struct arena *a)
{
	struct row_subject s = {.fn = {GRAPH_NONE, GRAPH_NONE}, .file = GRAPH_NO_FILE};
	struct str piece[5];
	size_t n = 0;

	t->src->subject(t, ref, &s);
	for (unsigned i = 0; i < 2; i++)
		if (s.fn[i] != GRAPH_NONE)
			piece[n++] = vs_fn_key(v, side, t->g, s.fn[i], a);
	if (s.file != GRAPH_NO_FILE)
		piece[n++] = file_key(v, side, s.file, a);
	if (s.line)
		piece[n++] = arena_printf(a, "%" PRIu64, s.line);
	if (s.name.n)
		piece[n++] = s.name;
	return n == 0 ? STR("") : n == 1 ? piece[0] : join_key(a, piece, n);
}

static int hash_subject(const struct vs *v, unsigned side, const struct table *t,
			uint32_t ref, struct arena *scratch, uint64_t hash[2])
{
	struct str key;

	arena_reset(scratch);
	key = subject_key(v, side, t, ref, scratch);
	if (!key.p)
		return -1;
	str_hash128(key, hash);
	return 0;
}

/* The keys of all rows of a tree: each is a hash of its own subject and of the key above,
 * so it stands for the whole chain.  Parents come before their children.  The function that
 * a tree begins with is above all its rows: other functions have other trees. */
static struct vs_key *hash_chains(const struct vs *v, unsigned side,
				  const struct table *t, struct arena *scratch)
{
	const size_t rows = t->tree ? t->paths->n : t->n ? row_ref(t, t->n - 1) + 1 : 0;
	struct vs_key *chain = ARENA_ARRAY(t->x->a, struct vs_key, rows + 1);
	struct str key = !t->tree || t->root_fn == GRAPH_NONE
				 ? STR("")
				 : vs_fn_key(v, side, t->g, t->root_fn, scratch);
	uint64_t top[2];

	if (!chain || !key.p)
		return NULL;
	str_hash128(key, top);
	for (size_t r = 0; r < rows; r++) {
		const uint32_t up = t->tree ? t->paths->rows[r].parent
					    : t->src->above(t, (uint32_t)r);
		uint64_t both[4] = {0, 0, top[0], top[1]};

		if (hash_subject(v, side, t, (uint32_t)r, scratch, both))
			return NULL;
		if (up != FLOW_NONE)
			memcpy(both + 2, chain[up].hash, sizeof(chain[up].hash));
		str_hash128((struct str){(const char *)both, sizeof(both)},
			    chain[r].hash);
	}
	return chain;
}

int vs_row_key(struct vs *v, unsigned side, size_t row, struct arena *scratch,
	       struct vs_key *out)
{
	const struct table *t = side ? &v->b : &v->a;
	const uint32_t ref = row_ref(t, row);
	struct vs_key **chain = &v->chain[side];

	if (!t->tree && !t->src->above)
		return hash_subject(v, side, t, ref, scratch, out->hash);
	if (!*chain && !(*chain = hash_chains(v, side, t, scratch)))
		return -1;
	*out = (*chain)[ref];
	return 0;
}
