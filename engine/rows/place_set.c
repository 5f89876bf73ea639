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

struct place_set {
	enum set_op op;		  /* SET_ATOM: a leaf */
	struct place_set *a, *b;  /* SET_NOT only has a; of SET_OR one may be NULL */
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
static int find_files(struct exec *x, const struct set *s, const uint8_t **out)
{
	const int ways = s->form == MATCH_BARE && !x->whole ? 3 : 1;
	struct match_atom atom = set_atom(s);
	uint32_t n = 0;

	*out = NULL;
	for (int i = 0; i < ways && !n; i++) {
		atom.part = i > 0;
		atom.nocase |= i > 1;
		if (match_files(x->g->st, &atom, x->open->cancel, x->a, out, &n, x->err))
			return x->err->kind;
	}
	if (!n)
		*out = NULL;
	if (n && exec_in_base(x))
		exec_note_found(x, s, n);
	if (n && atom.part)
		note_parts(x, s, n);
	return 0;
}

static int find(struct exec *x, const struct set *s, unsigned deep,
		struct place_set **out);

/* One side of `or`; *out stays NULL if nothing has that name. */
static int either_side(struct exec *x, const struct set *s, unsigned deep,
		       struct place_set **out, struct err *err)
{
	struct exec side = *x;

	side.err = err;
	side.absent = false;
	if (!find(&side, s, deep, out))
		return 0;
	if (!side.absent)
		*x->err = *err;
	*out = NULL;
	return x->err->kind;
}

static int find_or(struct exec *x, const struct set *s, unsigned deep,
		   struct place_set *p)
{
	struct err no_a = {0}, no_b = {0};

	if (either_side(x, s->a, deep, &p->a, &no_a) ||
	    either_side(x, s->b, deep, &p->b, &no_b))
		return x->err->kind;
	if (p->a && p->b)
		return 0;
	if (p->a || p->b) {
		exec_notef(x, "%s: the others are taken", p->a ? no_b.text : no_a.text);
		return 0;
	}
	x->absent = true;
	*x->err = no_a;
	return (int)no_a.kind;
}

/* A set that a $x stands for.  False: its error is in the text of the let, and exec_set() has
 * the one to tell. */
static bool find_meaning(struct exec *x, const struct set *var, unsigned deep,
			 struct place_set **out)
{
	const struct set *is = meaning_of(x, var);
	struct exec in = *x;
	struct err err = {0};

	in.err = &err;
	return is && deep < DEEPEST && has_file(x, is, deep) &&
	       !find(&in, is, deep + 1, out);
}

static int find(struct exec *x, const struct set *s, unsigned deep,
		struct place_set **out)
{
	struct place_set *p = EXEC_ARRAY(x, struct place_set, 1);
	struct fn_set *fns = NULL;

	if ((s->op == SET_VAR && find_meaning(x, s, deep, out)))
		return x->err->kind;
	*out = p;
	p->op = s->op == SET_VAR ? SET_ATOM : s->op;
	if (s->op == SET_OR)
		return find_or(x, s, deep, p);
	if (s->op == SET_AND || s->op == SET_NOT)
		return find(x, s->a, deep, &p->a) || (s->b && find(x, s->b, deep, &p->b))
			       ? x->err->kind
			       : 0;
	if (s->op == SET_ATOM && s->field == MATCH_FILE && find_files(x, s, &p->files))
		return x->err->kind;
	/* Its functions, where no file has the name: they may be those of the base. */
	if (p->files || !exec_set(x, s, &fns))
		p->fns = fns;
	return x->err->kind;
}

int exec_place_set(struct exec *x, const struct set *s, struct fn_set **fns,
		   struct place_set **places)
{
	*fns = NULL;
	*places = NULL;
	return has_file(x, s, 0) ? find(x, s, 0, places)
	       : x->err->kind	 ? x->err->kind
				 : exec_set(x, s, fns);
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
