/*
 * vs_keys.c - the key of a row: rows of the two sides with equal keys are compared.
 *
 * A source says what a row is about (struct row_subject); the pairing says which function,
 * object or file of one profile is which of the other.  The key is made of the numbers in
 * the first profile, so that it means the same on both sides:
 *
 *	subject of a row	key: a hash of
 *	function 7 (base: 9)	7
 *	call 7 -> 12		7, 12
 *	line 40 of file 3 in 7	7, file 3, line 40
 *	row of a tree, context	the key of the row above, and its own function
 *
 * A key is 128 bits of hash: there may be millions.
 */
#include "engine/compare/vs_in.h"

#include "engine/flow/flow.h"
#include "engine/path/path.h"
#include "index/base/need.h"

/* The kind keeps numbers apart that count different things: function 3, file 3, object
 * 3. */
enum kind { OF_FN, OF_BASE, OF_ALONE, OF_FILE, OF_OBJECT, OF_INLINED, OF_LINE };

static void add_number(struct vs_key *k, enum kind kind, uint64_t number)
{
	const uint64_t all[] = {k->hash[0], k->hash[1], kind, number};

	str_hash128((struct str){(const char *)all, sizeof(all)}, k->hash);
}

static void add_text(struct vs_key *k, struct str text)
{
	uint64_t all[4] = {k->hash[0], k->hash[1]};

	str_hash128(text, all + 2);
	str_hash128((struct str){(const char *)all, sizeof(all)}, k->hash);
}

/* A named group is the same if its name is, wherever its members are. */
static void add_named(const struct vs *v, unsigned side, const struct graph *g,
		      uint32_t f, struct arena *a, struct vs_key *k)
{
	const obj_id obj = store_fn_obj_id(g->st, graph_origin(g, f));
	const file_id file = graph_file_id(g, f);
	struct str name = graph_name(g, f);

	if (str_eq(name, graph_obj(g, f))) {
		add_number(k, OF_OBJECT, v->pairing->obj[side][obj]);
	} else if (file != GRAPH_NO_FILE && str_eq(name, graph_file(g, f))) {
		add_number(k, OF_FILE, v->pairing->file[side][file]);
	} else {
		need(rename_apply(v->user, name, a, &name, v->a.x->err), v->a.x->err);
		add_text(k, name);
	}
}

void vs_add_fn(const struct vs *v, unsigned side, const struct graph *g, uint32_t f,
	       struct arena *a, struct vs_key *k)
{
	const struct pairing *p = v->pairing;
	fn_id fn = graph_origin(g, f);
	bool alone;

	if (graph_is(g, f, GRAPH_INLINED)) {
		/* It is the same if its name and its object are. */
		add_number(k, OF_INLINED, p->obj[side][store_fn_obj_id(g->st, fn)]);
		add_text(k, graph_name(g, f));
		return;
	}
	if (graph_is(g, f, GRAPH_NAMED)) {
		add_named(v, side, g, f, a, k);
		return;
	}
	if (!g->recorded) /* whichever of its contexts the stages left */
		fn = store_group_fn(g->st, store_group_of(g->st, fn), 0);
	alone = v->dissolve && p->unsure[side][fn];
	if (side == 0)
		add_number(k, alone ? OF_ALONE : OF_FN, fn);
	else if (alone || p->of[1][fn] == PAIR_NONE)
		add_number(k, OF_BASE, fn);
	else
		add_number(k, OF_FN, p->of[1][fn]);
}

static void add_subject(const struct vs *v, unsigned side, const struct table *t,
			uint32_t ref, struct arena *scratch, struct vs_key *k)
{
	struct row_subject s = {.fn = {GRAPH_NONE, GRAPH_NONE}, .file = GRAPH_NO_FILE};

	arena_reset(scratch);
	t->src->subject(t, ref, &s);
	for (unsigned i = 0; i < 2; i++)
		if (s.fn[i] != GRAPH_NONE)
			vs_add_fn(v, side, t->g, s.fn[i], scratch, k);
	if (s.file != GRAPH_NO_FILE)
		add_number(k, OF_FILE, v->pairing->file[side][s.file]);
	if (s.line)
		add_number(k, OF_LINE, s.line);
	if (s.name.n)
		add_text(k, s.name);
}

/* The keys of all rows of a tree: each is that of the row above with its own subject, so it
 * stands for the whole chain.  Parents come before their children.  The function that a tree
 * begins with is above all its rows: other functions have other trees. */
static struct vs_key *hash_chains(const struct vs *v, unsigned side,
				  const struct table *t, struct arena *scratch)
{
	const size_t rows = t->tree ? t->paths->n : t->n ? row_ref(t, t->n - 1) + 1 : 0;
	struct vs_key *chain = NEED_ARRAY(t->x->a, struct vs_key, rows + 1), top = {0};

	if (t->tree && t->top.frame != GRAPH_NONE)
		vs_add_fn(v, side, t->g, t->top.frame, scratch, &top);
	for (size_t r = 0; r < rows; r++) {
		const uint32_t up = t->tree ? t->paths->rows[r].parent
					    : t->src->above(t, (uint32_t)r);

		chain[r] = up == FLOW_NONE ? top : chain[up];
		add_subject(v, side, t, (uint32_t)r, scratch, &chain[r]);
	}
	return chain;
}

void vs_row_key(struct vs *v, unsigned side, size_t row, struct arena *scratch,
		struct vs_key *out)
{
	const struct table *t = side ? &v->b : &v->a;
	const uint32_t ref = row_ref(t, row);
	struct vs_key **chain = &v->chain[side];

	*out = (struct vs_key){0};
	if (!t->tree && !t->src->above) {
		add_subject(v, side, t, ref, scratch, out);
		return;
	}
	if (!*chain)
		*chain = hash_chains(v, side, t, scratch);
	*out = (*chain)[ref];
}
