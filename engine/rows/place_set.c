/*
 * place_set.c - sets of lines; see place_set.h.
 *
 * The tree of the set stays, since what is true of a line depends on its function and on
 * its file.
 */
#include "engine/rows/place_set.h"

#include "engine/graph/graph.h"
#include "engine/lang/check_names.h"
#include "engine/lang/parse.h"
#include "engine/names/fnset.h"
#include "engine/names/match.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_name.h"
#include "engine/rows/exec_set.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/need.h"

struct place_set {
	enum set_op op;		  /* SET_ATOM: a leaf */
	struct place_set *a, *b;  /* SET_NOT only has a */
	const struct fn_set *fns; /* of a leaf */
	const uint8_t *files;	  /* [files]: of a leaf in place of fns; or NULL */
};

enum { DEEPEST = 200 };

/* What $x stands for; NULL: no set that can be read, which exec_set() will say. */
static const struct set *meaning_of(struct exec *x, const struct set *var)
{
	const struct parse_value *let =
		parse_find_value(&x->env->limits, var->text, false);
	struct err err = {0};
	struct set *set = NULL;

	return let && !parse_set_text(let->text, &x->env->limits, x->a, &set, &err)
		       ? set
		       : NULL;
}

/* Is there a file: in the set? */
static bool has_file(struct exec *x, const struct set *s, unsigned deep)
{
	if (!s || deep > DEEPEST)
		return false;
	exec_poll_now(x);
	if (s->op == SET_ATOM)
		return s->field == MATCH_FILE;
	return s->op == SET_VAR ? has_file(x, meaning_of(x, s), deep + 1)
				: has_file(x, s->a, deep) || has_file(x, s->b, deep);
}

static void note_parts(struct exec *x, const struct set *s, uint32_t n)
{
	if (!(exec_in_base(x)))
		exec_notef(x,
			   "no file is called %.*s: taken %s %u with it in the "
			   "path",
			   STR_ARG(s->text), n == 1 ? "is" : "are", n);
}

/* The files that are meant, as those of functions: a whole name, or else a part of it. */
static void find_files(struct exec *x, const struct set *s, const uint8_t **out)
{
	const int ways = s->form == MATCH_BARE && !x->whole ? 3 : 1;
	struct match_atom atom = set_atom(s);
	uint32_t n = 0;

	*out = NULL;
	for (int i = 0; i < ways && !n; i++) {
		atom.part = i > 0;
		atom.nocase |= i > 1;
		need(match_files(x->g->st, &atom, x->open->cancel, x->a, out, &n, x->err),
		     x->err);
	}
	if (!n)
		*out = NULL;
	if (n && exec_in_base(x))
		exec_note_found(x, s, n);
	if (n && atom.part)
		note_parts(x, s, n);
}

static struct place_set *find(struct exec *x, const struct set *s, unsigned deep);

struct tried {
	struct exec *x;
	const struct set *s;
	unsigned deep;
	struct place_set *found;
};

static int find_guarded(void *arg)
{
	struct tried *t = arg;

	t->found = find(t->x, t->s, t->deep);
	return 0;
}

/* NULL: why not is in err, and in x->absent whether nothing has the name. */
static struct place_set *try_find(struct exec *x, const struct set *s, unsigned deep,
				  struct err *err)
{
	struct tried t = {x, s, deep, NULL};

	x->err = err;
	x->absent = false;
	return map_guard(find_guarded, &t, ERR_INDEX, err) ? NULL : t.found;
}

/* One side of `or`; NULL: nothing has that name. */
static struct place_set *find_side(struct exec *x, const struct set *s, unsigned deep,
				   struct err *err)
{
	struct exec side = *x;
	struct place_set *found = try_find(&side, s, deep, err);

	need(!found && !side.absent, err);
	return found;
}

/* As those of functions (exec_set.c). */
static struct place_set *find_or(struct exec *x, const struct set *s, unsigned deep)
{
	const struct set **side, *first = s;
	struct place_set *all;
	struct err no_a = {0};
	size_t n = 0;

	for (; first->op == SET_OR; first = first->a)
		n++;
	side = EXEC_ARRAY(x, const struct set *, n);
	for (size_t i = n; i > 0; i--, s = s->a)
		side[i - 1] = s->b;
	all = find_side(x, first, deep, &no_a);
	for (size_t i = 0; i < n; i++) {
		struct err no_b = {0};
		struct place_set *b = find_side(x, side[i], deep, &no_b), *both;

		if (all && b) {
			both = EXEC_ARRAY(x, struct place_set, 1);
			*both = (struct place_set){.op = SET_OR, .a = all, .b = b};
			all = both;
		} else if (all || b) {
			exec_notef(x, "%s: the others are taken",
				   all ? no_b.text : no_a.text);
			all = all ? all : b;
		}
	}
	x->absent = !all;
	need(!all, &no_a);
	return all;
}

/* A set that a $x stands for.  NULL: its error is in the text of the let, and exec_set() has
 * the one to tell. */
static struct place_set *find_meaning(struct exec *x, const struct set *var,
				      unsigned deep)
{
	const struct set *is = meaning_of(x, var);
	struct exec in = *x;
	struct err err = {0};

	return is && deep < DEEPEST && has_file(x, is, deep)
		       ? try_find(&in, is, deep + 1, &err)
		       : NULL;
}

static struct place_set *find(struct exec *x, const struct set *s, unsigned deep)
{
	struct place_set *p = s->op == SET_VAR ? find_meaning(x, s, deep) : NULL;
	struct fn_set *fns = NULL;

	if (p)
		return p;
	if (s->op == SET_OR)
		return find_or(x, s, deep);
	p = EXEC_ARRAY(x, struct place_set, 1);
	p->op = s->op == SET_VAR ? SET_ATOM : s->op;
	if (s->op == SET_AND || s->op == SET_NOT) {
		p->a = find(x, s->a, deep);
		p->b = s->b ? find(x, s->b, deep) : NULL;
		return p;
	}
	if (s->op == SET_ATOM && s->field == MATCH_FILE)
		find_files(x, s, &p->files);
	/* Its functions, where no file has the name: they may be those of the base. */
	if (!p->files)
		exec_set(x, s, &fns);
	p->fns = fns;
	return p;
}

void exec_place_set(struct exec *x, const struct set *s, struct fn_set **fns,
		    struct place_set **places)
{
	*fns = NULL;
	*places = NULL;
	if (has_file(x, s, 0))
		*places = find(x, s, 0);
	else
		exec_set(x, s, fns);
}

bool place_set_has(const struct place_set *p, uint32_t f, file_id file)
{
	if (!p)
		return false;
	switch (p->op) {
	case SET_NOT: return !place_set_has(p->a, f, file);
	case SET_AND: return place_set_has(p->a, f, file) && place_set_has(p->b, f, file);
	case SET_OR: return place_set_has(p->a, f, file) || place_set_has(p->b, f, file);
	case SET_ATOM:
	case SET_VAR: break;
	}
	return p->files ? p->files[file] : f != GRAPH_NONE && fnset_has(p->fns, f);
}

bool place_set_names(const struct place_set *p, file_id file)
{
	return p && p->op != SET_NOT &&
	       ((p->files && p->files[file]) || place_set_names(p->a, file) ||
		place_set_names(p->b, file));
}
