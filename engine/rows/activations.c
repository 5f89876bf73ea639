/* activations.c - see activations.h. */
#include "engine/rows/activations.h"

#include "engine/graph/graph.h"
#include "engine/lang/ast.h"
#include "engine/rows/exec.h"
#include "engine/rows/part_cache.h"
#include "engine/rows/reading.h"
#include "index/base/cancel.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/each_activation.h"

void exec_has_tree(struct exec *x, struct span at)
{
	struct store_tree tree;

	store_tree(x->g->st, &tree);
	if (tree.whole)
		return;
	exec_wrong(x, at, "this profile does not hold its call tree%s%.*s",
		   tree.why.n ? ": " : "", STR_ARG(tree.why));
	need_hint(x->err, "Xdebug's profiles have single activations; others "
			  "have sums: calls, callers, parts");
}

struct again {
	struct exec *x;
	atomic_int stop;
	struct err stopped; /* why */
};

static int again_poll(void *arg, struct err *err)
{
	struct again *a = arg;

	return cancel_poll(a->x->open->cancel, err);
}

static void again_told(void *arg, const struct build_progress *p)
{
	struct again *a = arg;
	const struct session_reading *r = a->x->open->reading;

	if (!a->stopped.kind && cancel_poll(a->x->open->cancel, &a->stopped))
		atomic_store(&a->stop, 1);
	if (r->progress)
		r->progress(r->arg, p);
}

static int read_blocks(struct exec *x, struct blocks **out)
{
	struct again a = {.x = x};
	const struct session_reading *r = x->open->reading;
	const struct build_opts opts = {.jobs = r->jobs,
					.mem = r->mem,
					.cancel = &a.stop,
					.progress = again_told,
					.progress_arg = &a};

	blocks_read(x->g->st, &opts, out, x->err);
	if (r->progress)
		r->progress(r->arg, NULL);
	if (x->err->kind == ERR_CANCEL && a.stopped.kind)
		*x->err = a.stopped;
	return x->err->kind;
}

static struct blocks *blocks_of(struct exec *x)
{
	struct blocks **blocks = part_cache_blocks(x->open->part_cache, x->g->st);

	if (!*blocks)
		read_blocks(x, blocks);
	return *blocks;
}

int exec_activations(struct exec *x, const struct activation_asked *asked)
{
	struct again a = {.x = x};
	struct activation_asked of = *asked;
	struct blocks *blocks = blocks_of(x);

	of.poll = again_poll;
	of.poll_arg = &a;
	return blocks ? each_activation(blocks, &of, x->err) : x->err->kind;
}

void exec_forward(struct exec *x, struct blocks_forward **out)
{
	struct again a = {.x = x};
	const struct activation_asked polled = {.poll = again_poll, .poll_arg = &a};
	struct blocks *blocks = blocks_of(x);

	need(!blocks || blocks_forward(blocks, &polled, out, x->err), x->err);
}
