/* save.c - write the tables of the index from a merged profile; see save.h. */
#include "index/save/save.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "index/base/cost.h"
#include "index/base/map.h"
#include "index/base/vec.h"
#include "index/save/save_in.h"

/* ---- cycles ---- */

static bool is_cycle(const struct save *s, size_t component)
{
	return s->c.first[component + 1] - s->c.first[component] > 1;
}

static void mark_cycles(struct save *s)
{
	for (size_t k = 0; k < s->c.n; k++)
		for (uint32_t i = s->c.first[k]; is_cycle(s, k) && i < s->c.first[k + 1];
		     i++)
			s->in_cycle[s->c.topo[i]] = 1;
}

/* Number the cycles by inclusive cost of event 0, descending. */
static int number_cycles(struct save *s, struct err *err)
{
	uint32_t n = 0;

	for (size_t k = 0; k < s->c.n; k++)
		if (is_cycle(s, k)) {
			s->pair[n].key =
				~cost_rank(s->p->nevent ? s->by_component[k] : 0);
			s->pair[n++].value = (uint32_t)k;
		}
	if (sort_pairs(s->pair, n))
		return err_no_memory(err, "while writing the index");
	s->ncycles = n;
	s->cycle_first = calloc((size_t)n + 2, sizeof(*s->cycle_first));
	s->member = malloc((s->p->nfn + 1) * sizeof(*s->member));
	if (!s->cycle_first || !s->member)
		return err_no_memory(err, "while writing the index");
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = s->pair[i].value, size = s->c.first[k + 1] - s->c.first[k];

		memcpy(s->member + s->nmember, s->c.topo + s->c.first[k],
		       size * sizeof(*s->member));
		for (uint32_t m = 0; m < size; m++)
			s->cycle[s->member[s->nmember + m]] = i + 1;
		s->nmember += size;
		s->cycle_first[i + 1] = s->nmember;
	}
	return 0;
}

/* ---- edges ---- */

static int save_edge_columns(struct save *s)
{
	const struct profile *p = s->p;
	uint32_t *caller = malloc((p->nedge + 1) * sizeof(*caller));
	int rc;

	if (!caller)
		return err_no_memory(s->err, "while writing the index");
	for (uint32_t f = 0; f < p->nfn; f++)
		for (uint32_t e = p->out_first[f]; e < p->out_first[f + 1]; e++)
			caller[e] = f;
	rc = save_column(s, TABLE_EDGE_CALLER, 0, caller, p->nedge);
	free(caller);
	return rc || save_column(s, TABLE_EDGE_CALLEE, 0, p->callee, p->nedge) ||
	       save_column(s, TABLE_OUT_FIRST, 0, p->out_first, p->nfn + 1);
}

/* Write incoming edges by callee (ordered by caller already) and calls per function, with
 * those of roots. */
static int save_incoming(struct save *s)
{
	const struct profile *p = s->p;
	uint64_t *calls = (uint64_t *)s->col;
	uint32_t *first = calloc(p->nfn + 3, sizeof(*first));
	uint32_t *edge = malloc((p->nedge + 1) * sizeof(*edge));
	int rc = first && edge ? 0 : err_no_memory(s->err, "while writing the index");

	if (!rc) {
		memset(calls, 0, (p->nfn + 1) * sizeof(*calls));
		for (size_t e = 0; e < p->nedge; e++) {
			uint32_t g = p->callee[e];

			first[g + 2]++;
			s->p->saturated |=
				count_add(&calls[g], profile_sum(&p->calls, e));
		}
		for (size_t i = 0; i < p->contexts.nroot; i++)
			s->p->saturated |= count_add(&calls[p->contexts.root[i].fn],
						     p->contexts.root[i].calls);
		for (size_t f = 1; f <= p->nfn + 1; f++)
			first[f] += first[f - 1];
		for (size_t e = 0; e < p->nedge; e++)
			edge[first[p->callee[e] + 1]++] = (uint32_t)e;
		rc = save_column(s, TABLE_IN_FIRST, 0, first, p->nfn + 1) ||
		     save_column(s, TABLE_IN_EDGE, 0, edge, p->nedge) ||
		     save_column(s, TABLE_FN_CALLS, 0, calls, p->nfn) ||
		     save_sums_of_edges(s, TABLE_EDGE_CALLS, 0, &s->p->calls);
	}
	free(first);
	free(edge);
	return rc;
}

static int save_contexts_of(struct save *s)
{
	return save_contexts(&s->p->contexts, s->w, &s->p->saturated, s->err) ||
	       save_stopped(s);
}

static int save_called(struct save *s)
{
	const size_t n = s->p->nfn;
	uint32_t *called = malloc((n + 1) * sizeof(*called));
	int rc;

	if (!called)
		return err_no_memory(s->err, "while writing the index");
	for (size_t f = 0; f < n; f++)
		called[f] = (s->p->fn_begin[f] > 0 ? FN_BEGINS : 0) |
			    (s->p->calls_only[f] ? FN_CALLS_ONLY : 0) |
			    (s->p->bare[f] ? FN_BARE : 0);
	rc = save_column(s, TABLE_FN_CALLED, 0, called, n);
	free(called);
	return rc;
}

static int save_identities(struct save *s)
{
	const struct profile *p = s->p;

	return save_groups(s) || save_nesting(s) || save_joined(s) ||
	       save_column(s, TABLE_FN_NAME, 0, p->fn_name, p->nfn) ||
	       save_column(s, TABLE_FN_FILE, 0, p->fn_file, p->nfn) ||
	       save_column(s, TABLE_FN_OBJ, 0, p->fn_obj, p->nfn) ||
	       save_column(s, TABLE_FN_CYCLE, 0, s->cycle, p->nfn) || save_called(s) ||
	       save_column(s, TABLE_TOPO, 0, s->c.topo, p->nfn) ||
	       save_column(s, TABLE_CYCLE_FIRST, 0, s->cycle_first,
			   (size_t)s->ncycles + 1) ||
	       save_column(s, TABLE_CYCLE_MEMBER, 0, s->member, s->nmember);
}

/* ---- strings: offsets and bytes, STRING_ROWS to a value ---- */

struct strings {
	struct save *s;
	enum index_table table;
	enum name_space space;
	char *buf; /* a copy of a value; a file that shrinks ends the reading by a jump */
	size_t cap;
};

static int strings_guarded(void *arg)
{
	struct strings *to = arg;
	struct save *s = to->s;
	const struct str *str = s->p->name[to->space];
	size_t n = s->p->nname[to->space];

	for (size_t at = 0; at < n; at += STRING_ROWS) {
		size_t rows = n - at < STRING_ROWS ? n - at : STRING_ROWS;
		size_t bytes = (rows + 1) * sizeof(uint32_t);
		uint32_t offset[STRING_ROWS + 1];

		for (size_t i = 0; i < rows; i++) {
			offset[i] = (uint32_t)bytes;
			bytes += str[at + i].n;
		}
		/* store_writer_put() refuses what is too long for these. */
		offset[rows] = (uint32_t)bytes;
		if (vec_reserve(&to->buf, &to->cap, bytes, 1))
			return err_no_memory(s->err, "while writing the index");
		memcpy(to->buf, offset, (rows + 1) * sizeof(*offset));
		for (size_t i = 0; i < rows; i++)
			if (str[at + i].n)
				memcpy(to->buf + offset[i], str[at + i].p, str[at + i].n);
		if (store_writer_put(s->w, to->table, 0, (uint32_t)(at / STRING_ROWS),
				     (uint32_t)rows, to->buf, bytes, s->err) ||
		    save_stopped(s))
			return s->err->kind;
	}
	return 0;
}

static int save_strings(struct save *s, enum index_table t, enum name_space space)
{
	struct strings to = {.s = s, .table = t, .space = space};
	int rc = map_guard(strings_guarded, &to, ERR_PROFILE, s->err);

	free(to.buf);
	return rc;
}

/* ---- meta and diagnostics ---- */

static int save_diagnostics(struct save *s)
{
	const struct profile *p = s->p;
	struct bytes b = {0};
	struct coder c = {.to = &b};
	uint64_t rows = 0;
	bool told = false;
	int rc;

	for (size_t k = 0; k < p->nodds; k++) {
		const struct odd_count *o = &p->odds[k];

		s->meta->diagnostics += o->count;
		for (size_t i = 0; i < (o->n ? o->n : 1); i++, rows++) {
			struct diag d = {.kind = o->kind, .count = o->count};

			if (o->n) {
				d.file = p->odd[o->first + i].file;
				d.line = p->odd[o->first + i].line;
				d.text = p->odd[o->first + i].text;
			}
			diag_code(&c, &d);
		}
		told |= o->kind == ODD_SUM_OVERFLOW;
	}
	/* a sum over functions or edges, or of a jump */
	if ((p->saturated || s->meta->saturated) && !told) {
		struct diag d = {.kind = ODD_SUM_OVERFLOW, .count = 1};

		diag_code(&c, &d);
		s->meta->diagnostics++;
		rows++;
	}
	rc = c.failed ? err_no_memory(s->err, "while writing the index")
		      : store_writer_put(s->w, TABLE_DIAG, 0, 0, (uint32_t)rows, b.p, b.n,
					 s->err);
	free(b.p);
	return rc;
}

static int save_meta(struct save *s)
{
	const struct profile *p = s->p;
	struct meta *m = s->meta;
	struct bytes b = {0};
	struct coder c = {.to = &b};
	int rc;

	m->built_s = (uint64_t)time(NULL);
	m->input_bytes = p->bytes;
	m->input_lines = p->lines;
	m->functions = p->nfn;
	m->edges = p->nedge;
	m->cycles = s->ncycles;
	m->cycle_members = s->nmember;
	m->parts = p->npart;
	for (int i = 0; i < SPACES; i++)
		m->strings[i] = p->nname[i];
	m->pairs = p->npair;
	m->has_line = p->has_line;
	m->has_instr = p->has_instr;
	m->saturated |= p->saturated;
	m->negative = p->negative;
	m->uncounted = p->uncounted;
	m->totals = m->summaries = p->npart > 0;
	for (size_t i = 0; i < p->npart; i++) {
		m->totals &= p->part[i].has_totals;
		m->summaries &= p->part[i].has_summary && part_is_cachegrind(&p->part[i]);
	}
	m->tree = p->tree;
	m->events = p->nevent;
	m->all_events = p->nall_events;
	m->event = p->event;
	if (p->npart) {
		m->creator = p->part[0].creator;
		m->cmd = p->part[0].cmd;
	}
	meta_code(&c, m);
	rc = c.failed ? err_no_memory(s->err, "while writing the index")
		      : store_writer_put(s->w, TABLE_META, 0, 0, INDEX_VERSION, b.p, b.n,
					 s->err);
	free(b.p);
	return rc;
}

/* Compute all facts about the graph before any are written; errors go to `err`. */
static int prepare(struct save *s, struct err *err)
{
	const struct profile *p = s->p;
	size_t n = p->nfn > p->nedge ? p->nfn : p->nedge;

	s->cycle = calloc(p->nfn + 1, sizeof(*s->cycle));
	s->col = malloc((p->nfn + 1) * sizeof(*s->col));
	s->leaving = malloc((p->nfn + 1) * sizeof(*s->leaving));
	s->nests = calloc(p->nfn + 1, sizeof(*s->nests));
	s->in_cycle = calloc(p->nfn + 1, sizeof(*s->in_cycle));
	s->pair = malloc((n + 1) * sizeof(*s->pair));
	if (!s->cycle || !s->col || !s->leaving || !s->nests || !s->in_cycle ||
	    !s->pair || cycles_find(p->nfn, p->out_first, p->callee, &s->c))
		return err_no_memory(err, "while writing the index");
	s->by_component = malloc((s->c.n + 1) * sizeof(*s->by_component));
	if (!s->by_component)
		return err_no_memory(err, "while writing the index");
	mark_cycles(s);
	if (p->nevent)
		save_sum_components(s, 0);
	return number_cycles(s, err);
}

/* ---- names, functions and edges: all that needs no detail ---- */

static void *prepare_aside(void *arg)
{
	struct save *s = arg;

	prepare(s, &s->aside_err);
	atomic_store_explicit(&s->prepared, true, memory_order_release);
	return NULL;
}

/* Run prepare() in a thread, if one can be started. */
static void begin_prepare(struct save *s, unsigned jobs)
{
	atomic_init(&s->prepared, false);
	s->aside = jobs > 1 && !pthread_create(&s->thread, NULL, prepare_aside, s);
}

static void join_prepare(struct save *s)
{
	if (s->aside)
		pthread_join(s->thread, NULL);
	s->aside = false;
}

/* Wait for prepare(), or set *left to be called again. */
static int end_prepare(struct save *s, bool wait, enum ordered_left *left)
{
	if (s->aside && !wait &&
	    !atomic_load_explicit(&s->prepared, memory_order_acquire)) {
		*left = ORDERED_LATER;
		return 0;
	}
	if (!s->aside)
		return prepare(s, s->err);
	join_prepare(s);
	if (s->aside_err.kind)
		*s->err = s->aside_err;
	return s->err->kind;
}

static int save_file_names(struct save *s)
{
	return save_strings(s, TABLE_OBJ, SPACE_OBJ) ||
	       save_strings(s, TABLE_FILE, SPACE_FILE);
}

static int save_fn_names(struct save *s)
{
	return save_strings(s, TABLE_NAME, SPACE_FN);
}

/* The tables of the graph, one at each call; those of events take a call an event. */
static const struct {
	int (*put)(struct save *s);
	int (*put_event)(struct save *s, size_t event);
} graph_tables[] = {
	{.put = save_file_names},  {.put = save_fn_names},     {.put = save_identities},
	{.put_event = save_event}, {.put = save_edge_columns}, {.put = save_incoming},
	{.put = save_contexts_of},
};

static int save_graph(void *arg, bool wait, enum ordered_left *left)
{
	struct save *s = arg;
	int rc = 0;

	*left = ORDERED_MORE;
	if (!s->ready) {
		rc = end_prepare(s, wait, left);
		s->ready = *left == ORDERED_MORE;
		return rc || save_stopped(s) ? s->err->kind : 0;
	}
	if (graph_tables[s->next].put)
		rc = graph_tables[s->next++].put(s);
	else if (s->next_event < s->p->nevent)
		rc = graph_tables[s->next].put_event(s, s->next_event++);
	else
		s->next++;
	if (s->next == sizeof(graph_tables) / sizeof(graph_tables[0]))
		*left = ORDERED_NOTHING;
	return rc ? s->err->kind : 0;
}

int save_profile(struct profile *p, struct store_writer *w, struct meta *meta,
		 const struct save_opts *given, struct err *err)
{
	struct save s = {
		.p = p, .w = w, .meta = meta, .cancel = given->cancel, .err = err};
	struct save_opts opts = *given;
	int rc;

	meta->total = ARENA_ARRAY(&p->arena, int64_t, p->nevent + 1);
	if (!meta->total)
		return err_no_memory(err, "while writing the index");
	opts.jobs = ordered_jobs(opts.jobs);
	arena_init(&s.arena, 0);
	begin_prepare(&s, opts.jobs);
	rc = save_detail(p, w, meta, &opts, save_graph, &s, err) ||
	     save_parts(p, w, meta->total, &s.groups, opts.jobs, opts.cancel, err) ||
	     save_diagnostics(&s) || save_meta(&s);
	join_prepare(&s);
	cycles_free(&s.c);
	name_contexts_free(&s.groups);
	joined_free(&s.joined);
	arena_free(&s.arena);
	void *const arrays[] = {s.cycle,   s.cycle_first, s.member,	  s.col,
				s.leaving, s.nests,	  s.by_component, s.pair,
				s.known,   s.flowing,	  s.in_cycle};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		free(arrays[i]);
	return rc ? err->kind : 0;
}
