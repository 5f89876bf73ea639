/*
 * merge_contexts.c - from the logs of all stretches to one call tree; see
 * merge_contexts.h.
 *
 * A call never crosses the end of a file, so files are resolved one by one: first who was
 * called by whom (claims.h), over all stretches of the file, then the contexts that
 * follow from it.  All files add to the same contexts, in which functions have the numbers
 * of the merge.
 *
 *	file 0: stretches 0 1 2 -> claims \
 *	file 1: stretch 3       -> claims -> contexts, ordered once at the end
 *	an older index          ---------/   its contexts as they are, by its map
 *
 * The tree is all or nothing: one file without activations, or with too many calls that
 * find no block, and the profile has none.  Nor has it one if a function costs something in
 * no block of its own: what flows into a callee without a block is the cost of a function,
 * its own or its inclusive one (profile.h), but of no activation.
 */
#include "index/merge/merge_contexts.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/map.h"
#include "index/merge/reuse.h"
#include "index/store/store_in.h"

enum { LOST_SHARE = 100 };

struct joining {
	struct profile *p;
	uint64_t most;
	const atomic_int *cancel;
	struct err *err;
};

/* Whether all costs are those of activations. */
static bool all_activations(const struct profile *p)
{
	uint64_t blocks = 0;

	for (size_t k = 0; k < p->ntally; k++) {
		const struct tally *t = p->tally[k];
		const struct tree_facts *old = t->kept ? &t->kept->st->meta.tree : NULL;

		if (t->log.without || (old && old->kind == TREE_NONE && t->fns.n))
			return false;
		blocks += t->log.blocks + (old ? old->blocks : 0);
	}
	return blocks > 0 && !p->saturated;
}

/* Calls of a file found no block; the first of all files is kept. */
static void note_lost(struct tree_facts *tree, uint64_t lost, uint64_t file,
		      uint64_t line, uint64_t many)
{
	if (lost && (!tree->lost || file < tree->file)) {
		tree->file = file;
		tree->line = line;
		tree->many = many;
	}
	tree->lost += lost;
}

/* ---- the tree of an index ---- */

/* A context of the index stands behind its caller, so at[parent], the number that the
 * caller has here, is known when its callees come.  at[]: scratch, one per context. */
static int take_tree(struct joining *j, const struct kept *kept,
		     const struct merge_map *map, uint32_t *at)
{
	struct store *st = kept->st;
	struct contexts *c = &j->p->contexts;

	for (uint32_t i = 0; i < st->meta.tree.contexts; i++) {
		const context_id parent = store_context_parent(st, i);

		at[i] = contexts_of(c, parent == NO_CONTEXT ? 0 : at[parent],
				    map->fn[store_context_fn(st, i)], j->err);
		if (!at[i])
			return j->err->kind;
		c->calls[at[i] - 1] += store_context_calls(st, i);
		for (uint32_t e = 0; e < st->meta.events; e++)
			c->full |= cost_add(
				&c->self[(size_t)(at[i] - 1) * c->events + map->event[e]],
				store_context_self(st, i, e));
	}
	for (uint32_t i = 0; i < st->meta.tree.roots; i++) {
		const struct store_root root = store_root(st, i);

		if (contexts_root(c,
				  &(struct context_root){map->part[root.part],
							 map->fn[root.fn], root.calls}))
			return err_no_memory(j->err, "while adding files to an index");
	}
	return store_check(st, j->err);
}

/* What a fault while the index is read must not lose. */
struct taking {
	struct joining *j;
	size_t k;
	uint32_t *at;
};

static int take_guarded(void *arg)
{
	struct taking *t = arg;
	const struct profile *p = t->j->p;

	return take_tree(t->j, p->tally[t->k]->kept, &p->map[t->k], t->at);
}

static int take_index(struct joining *j, size_t k)
{
	struct tree_facts *tree = &j->p->tree;
	const struct kept *kept = j->p->tally[k]->kept;
	const struct tree_facts *old = &kept->st->meta.tree;
	struct taking t = {.j = j, .k = k};
	int rc;

	tree->blocks += old->blocks;
	tree->unsure += old->unsure;
	note_lost(tree, old->lost, kept->lost_file, old->line, old->many);
	if (old->kind == TREE_REFUSED)
		tree->kind = TREE_REFUSED;
	if (old->kind != TREE_WHOLE)
		return 0;
	t.at = malloc((old->contexts + 1) * sizeof(*t.at));
	rc = t.at ? map_guard(take_guarded, &t, ERR_INDEX, j->err)
		  : err_no_memory(j->err, "while adding files to an index");
	free(t.at);
	return rc;
}

/* ---- the tree of a file ---- */

/* A block of a function that has neither costs nor calls, but jumps, is no activation of a
 * function of the profile. */
static bool all_are_functions(const struct contexts *c, size_t from)
{
	for (size_t i = from; i < c->n; i++)
		if (c->fn[i] == NO_ID)
			return false;
	return true;
}

/* Stretches k..end are of one file. */
static int take_file(struct joining *j, size_t k, size_t end)
{
	struct profile *p = j->p;
	struct context_stretch *s = calloc(end - k, sizeof(*s));
	const size_t before = j->p->contexts.n;
	struct claims claims = {0};
	size_t nparts = 0;
	struct activation_part *parts =
		p->map[k].part ? profile_block_parts(p, k, end, &nparts) : NULL;
	int rc = s && (parts || !p->map[k].part)
			 ? 0
			 : err_no_memory(j->err, "while building the call tree");

	for (size_t i = k; !rc && i < end; i++)
		s[i - k] = (struct context_stretch){
			&p->tally[i]->log, p->map[i].name[SPACE_FN], p->map[i].fn,
			p->map[i].event, p->map[i].lines};
	if (!rc)
		rc = claims_resolve(&claims, s, end - k, j->most, j->cancel, j->err);
	if (!rc) {
		p->tree.blocks += claims.blocks;
		p->tree.unsure += claims.unsure;
		note_lost(&p->tree, claims.lost, p->tally[k]->of_file, claims.line,
			  claims.many);
		if (claims.lost > claims.blocks / LOST_SHARE)
			p->tree.kind = TREE_REFUSED;
	}
	if (!rc && p->tree.kind == TREE_WHOLE)
		rc = contexts_add(&p->contexts, s, end - k, &claims, parts, nparts,
				  j->cancel, j->err);
	if (!rc && !all_are_functions(&p->contexts, before))
		p->tree.kind = TREE_REFUSED;
	claims_free(&claims);
	free(parts);
	free(s);
	return rc;
}

/* Whether something flows into a function that has no block, and no self cost. */
static bool any_flows_past(const struct profile *p)
{
	for (size_t e = 0; p->any_bare && e < p->nedge; e++)
		for (size_t i = 0; p->bare[p->callee[e]] && i < p->nevent; i++)
			if (profile_cost(&p->edge_cost[i], e))
				return true;
	return false;
}

/* Are the costs of each function those of its contexts?  Of some parts alone (part_lines.h)
 * functions have no costs here, but there is such a tree only if there is one of all. */
static int check_sums(struct joining *j)
{
	struct profile *p = j->p;
	const struct contexts *c = &p->contexts;
	const size_t events = p->nevent;
	int64_t *sum;

	if (!p->self)
		return 0;
	if (!(sum = calloc(p->nfn * events + 1, sizeof(*sum))))
		return err_no_memory(j->err, "while building the call tree");
	for (size_t i = 0; i < c->n * events; i++)
		cost_add(&sum[c->fn[i / events] * events + i % events], c->self[i]);
	if (any_flows_past(p) ||
	    memcmp(sum, p->self, p->nfn * events * sizeof(*sum)) != 0)
		p->tree.kind = TREE_REFUSED;
	free(sum);
	return 0;
}

/* The calls of roots that no recorded call can be: one that found no block may be of a block
 * that is taken for a root.  None if some number of calls is not known. */
static int count_roots(struct joining *j)
{
	struct profile *p = j->p;
	struct contexts *c = &p->contexts;
	int64_t *more = calloc(p->nfn + 1, sizeof(*more));
	size_t n = 0;

	if (!more)
		return err_no_memory(j->err, "while building the call tree");
	for (size_t i = 0; i < c->n; i++)
		cost_add(&more[c->fn[i]], (int64_t)c->calls[i]);
	for (size_t e = 0; c->nroot && e < p->nedge; e++)
		more[p->callee[e]] =
			cost_difference(more[p->callee[e]], profile_cost(&p->calls, e));
	for (size_t i = 0; !p->uncounted && i < c->nroot; i++) {
		struct context_root root = c->root[i];
		int64_t *left = &more[root.fn];

		if (*left <= 0)
			continue;
		if ((uint64_t)*left < root.calls)
			root.calls = (uint64_t)*left;
		*left -= (int64_t)root.calls;
		c->root[n++] = root;
	}
	c->nroot = n;
	free(more);
	return 0;
}

static int join_trees(struct joining *j)
{
	const struct profile *p = j->p;
	size_t end;

	for (size_t k = 0; k < p->ntally; k = end) {
		for (end = k + 1; !p->tally[k]->kept && end < p->ntally &&
				  !profile_begins_file(p, end);
		     end++)
			;
		if (p->tally[k]->kept ? take_index(j, k) : take_file(j, k, end))
			return j->err->kind;
	}
	return 0;
}

int merge_contexts(struct profile *p, uint64_t most, const atomic_int *cancel,
		   struct err *err)
{
	struct joining j = {p, most, cancel, err};
	int rc = 0;

	contexts_init(&p->contexts, p->nevent, most);
	if (!all_activations(p))
		return 0;
	p->tree.kind = TREE_WHOLE;
	rc = join_trees(&j);
	if (!rc && p->tree.kind == TREE_WHOLE)
		rc = check_sums(&j);
	if (!rc && p->tree.kind == TREE_WHOLE)
		rc = contexts_order(&p->contexts, p->nfn, err) || count_roots(&j)
			     ? err->kind
			     : 0;
	else
		contexts_free(&p->contexts);
	p->tree.contexts = p->contexts.n;
	p->tree.roots = p->contexts.nroot;
	return rc;
}
