/* source_info.c - info, events, profiles: facts about the profile. */
#include <time.h>

#include "engine/lang/check_names.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/sources/source.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct store_info *info_of(const struct table *t)
{
	return store_info(t->g->st);
}

/* ---- info: one row about the profile ---- */

#define INFO_U(name, expr)                                                         \
	static uint64_t info_##name(const struct table *t, uint32_t r, uint32_t e) \
	{                                                                          \
		(void)r, (void)e;                                                  \
		return info_of(t)->expr;                                           \
	}
#define INFO_S(name, expr)                                               \
	static struct str info_##name(const struct table *t, uint32_t r) \
	{                                                                \
		(void)r;                                                 \
		return info_of(t)->expr;                                 \
	}
INFO_S(profile, profile)
INFO_S(creator, creator)
INFO_S(cmd, cmd)
INFO_U(functions, functions)
INFO_U(edges, edges)
INFO_U(cycles, cycles)
INFO_U(parts, parts)
INFO_U(names, names)
INFO_U(files, files)
INFO_U(objects, objects)
INFO_U(lines, lines)
INFO_U(callsites, callsites)
INFO_U(jumps, jumps)
INFO_U(diagnostics, diagnostics)
INFO_U(input_bytes, input_bytes)
INFO_U(input_lines, input_lines)
INFO_U(index_bytes, index_bytes)
INFO_U(saturated, saturated)
INFO_U(truncated, truncated)

static struct str info_positions(const struct table *t, uint32_t r)
{
	const struct store_info *i = info_of(t);

	(void)r;
	return i->has_instr && i->has_line ? STR("instr line")
	       : i->has_instr		   ? STR("instr")
	       : i->has_line		   ? STR("line")
					   : STR("none");
}

/* Compare the totals that the parts record with the computed sums. */
static struct str info_totals(const struct table *t, uint32_t r)
{
	struct store *st = t->g->st;
	struct store_totals totals;
	struct store_event ev;

	(void)r;
	store_totals(st, &totals);
	if (!totals.written)
		return STR("the profile has none");
	if (totals.agree)
		return STR("agree with the sums");
	store_event(st, totals.event, &ev);
	return arena_printf(t->x->a, "DISAGREE in %.*s: %s written, %s summed",
			    STR_ARG(ev.name), GROUPED(totals.sum),
			    GROUPED(store_total(st, totals.event)));
}

static uint64_t info_built(const struct table *t, uint32_t r, uint32_t e)
{
	(void)r, (void)e;
	return info_of(t)->built_s;
}

static struct str info_built_text(const struct table *t, uint32_t r)
{
	time_t when = (time_t)info_of(t)->built_s;
	struct tm utc;
	char text[40];

	(void)r;
	if (!gmtime_r(&when, &utc) || !strftime(text, sizeof(text), "%F %T UTC", &utc))
		return STR("???");
	return arena_printf(t->x->a, "%s", text);
}

static uint64_t info_total(const struct table *t, uint32_t r, uint32_t e)
{
	(void)r;
	return graph_total(t->g, e);
}

#define BOTH (SHOW_M | SHOW_T)
static const struct col_def info_cols[] = {
	{"profile", COL_FILE, BOTH, .s = info_profile},
	{"creator", COL_STR, BOTH, .s = info_creator},
	{"cmd", COL_STR, BOTH, .s = info_cmd},
	{"positions", COL_STR, BOTH, .s = info_positions},
	{"functions", COL_COUNT, BOTH, .u = info_functions},
	{"edges", COL_COUNT, BOTH, .u = info_edges},
	{"cycles", COL_COUNT, BOTH, .u = info_cycles},
	{"parts", COL_COUNT, BOTH, .u = info_parts},
	{"names", COL_COUNT, BOTH, .u = info_names},
	{"files", COL_COUNT, BOTH, .u = info_files},
	{"objects", COL_COUNT, BOTH, .u = info_objects},
	{"lines", COL_COUNT, BOTH, .u = info_lines},
	{"callsites", COL_COUNT, BOTH, .u = info_callsites},
	{"jumps", COL_COUNT, BOTH, .u = info_jumps},
	{"totals", COL_STR, BOTH, .s = info_totals},
	{"saturated", COL_BOOL, BOTH, .u = info_saturated},
	{"truncated", COL_BOOL, BOTH, .u = info_truncated},
	{"diagnostics", COL_COUNT, BOTH, .u = info_diagnostics},
	{"input_bytes", COL_COUNT, BOTH, .u = info_input_bytes},
	{"input_lines", COL_COUNT, BOTH, .u = info_input_lines},
	{"index_bytes", COL_COUNT, BOTH, .u = info_index_bytes},
	{"built_unix_s", COL_COUNT, SHOW_M, .u = info_built},
	{"built", COL_STR, SHOW_T, .s = info_built_text},
	{"total", COL_COST, PER_EVENT, .u = info_total},
};

/* Show NAME.EVENT for every event. */
static int show_events(struct exec *x, struct table *t, const char *name, bool percent)
{
	for (size_t e = 0; e < x->env->nevents; e++) {
		struct table_col *c;

		if (table_column(t, str_c(name), (uint32_t)e, percent, &c))
			return x->err->kind;
		c->machine = c->table = true;
		c->name = arena_printf(x->a, "%s.%.*s%s", name,
				       STR_ARG(x->env->events[e]), percent ? "%" : "");
		if (!c->name.p)
			return arena_full(x->a, x->err);
	}
	return 0;
}

/* " of FILE" if the profile has several files; else empty. */
static struct str of_file(struct exec *x, uint32_t file)
{
	uint32_t n;

	store_inputs(x->g->st, &n);
	if (n < 2)
		return STR("");
	return arena_printf(x->a, " of %.*s",
			    STR_ARG(str_basename(store_input_path(x->g->st, file))));
}

static int note_files(struct exec *x)
{
	enum { NAMED = 5 };
	struct str list = {"", 0};
	uint32_t n;

	store_inputs(x->g->st, &n);
	for (uint32_t i = 0; i < n && i < NAMED; i++)
		list = arena_printf(x->a, "%.*s %.*s", STR_ARG(list),
				    STR_ARG(str_basename(store_input_path(x->g->st, i))));
	return n < 2 ? 0
		     : exec_note(x, arena_printf(x->a, "%s files:%.*s%s", GROUPED(n),
						 STR_ARG(list), n > NAMED ? " ..." : ""));
}

/* The other lines of the kind of the i-th that are kept: "; also at lines 7, 9". */
static struct str more_of_kind(struct exec *x, uint32_t i, const struct store_diag *of)
{
	enum { NAMED = 6 };
	struct str list = {"", 0};
	uint64_t named = 0;

	for (i++; i < store_diag_count(x->g->st) && named < NAMED; i++) {
		struct store_diag d;

		store_diag(x->g->st, i, &d);
		if (str_eq(d.kind, of->kind) && d.file == of->file && d.line)
			list = arena_printf(x->a, "%.*s%s %llu", STR_ARG(list),
					    named++ ? "," : "; also at line",
					    (unsigned long long)d.line);
	}
	return of->count > named + 1 && named
		       ? arena_printf(x->a, "%.*s ...", STR_ARG(list))
		       : list;
}

static bool kind_before(struct store *st, uint32_t i, struct str kind)
{
	for (uint32_t k = 0; k < i; k++) {
		struct store_diag d;

		store_diag(st, k, &d);
		if (str_eq(d.kind, kind))
			return true;
	}
	return false;
}

/* One note for each kind of odd line. */
static int note_diagnostics(struct exec *x)
{
	struct store *st = x->g->st;

	for (uint32_t i = 0; i < store_diag_count(st); i++) {
		struct store_diag d;
		struct str where = {"", 0};

		store_diag(st, i, &d);
		if (kind_before(st, i, d.kind))
			continue;
		if (d.line)
			where = arena_printf(x->a, ", first at line %llu%.*s: %.*s%.*s",
					     (unsigned long long)d.line,
					     STR_ARG(of_file(x, d.file)), STR_ARG(d.text),
					     STR_ARG(more_of_kind(x, i, &d)));
		if (exec_note(x, arena_printf(x->a, "%s x %.*s%.*s", GROUPED(d.count),
					      STR_ARG(d.kind), STR_ARG(where))))
			return x->err->kind;
	}
	return 0;
}

static int info_open(struct exec *x, const struct source *s, struct table *t)
{
	(void)s;
	t->card = true;
	return table_init(x, t, &source_info, x->g, 1) ||
			       show_events(x, t, "total", false) || note_files(x) ||
			       note_diagnostics(x)
		       ? x->err->kind
		       : 0;
}

const struct source_def source_info = {
	"info", "rows",	   "total", info_cols, COUNT(info_cols),
	false,	info_open, NULL,    NULL,
};

/* ---- info f: a card per function ---- */

static struct str card_name(const struct table *t, uint32_t f)
{
	return graph_name(t->g, f);
}

static struct str card_file(const struct table *t, uint32_t f)
{
	return graph_file(t->g, f);
}

static struct str card_obj(const struct table *t, uint32_t f)
{
	return graph_obj(t->g, f);
}

#define CARD_U(name, expr)                                                         \
	static uint64_t card_##name(const struct table *t, uint32_t f, uint32_t e) \
	{                                                                          \
		(void)e;                                                           \
		return expr;                                                       \
	}
CARD_U(id, graph_id(t->g, f))
CARD_U(line, graph_line(t->g, f))
CARD_U(cycle, graph_cycle(t->g, f))
CARD_U(calls, graph_calls(t->g, f))
CARD_U(callers, graph_caller_count(t->g, f))
CARD_U(self, graph_self(t->g, f, e))
CARD_U(incl, graph_incl(t->g, f, e))
CARD_U(contribution, graph_contribution(t->g, f, e))
CARD_U(incoming, graph_incoming(t->g, f, e))

static uint64_t card_callees(const struct table *t, uint32_t f, uint32_t e)
{
	uint32_t first, n;

	(void)e;
	graph_callees(t->g, f, &first, &n);
	return n;
}

static bool card_exact(const struct table *t, uint32_t f)
{
	return !fn_incl_estimated(t, f, t->event) || !graph_is_sure(t->g, f, GRAPH_INCL);
}

static bool card_no_line(const struct table *t, uint32_t f)
{
	return graph_line(t->g, f) == 0;
}

static bool card_no_cycle(const struct table *t, uint32_t f)
{
	return graph_cycle(t->g, f) == 0;
}

static bool card_not_called(const struct table *t, uint32_t f)
{
	return !graph_calls_known(t->g, f);
}

static const struct col_def card_cols[] = {
	{"id", COL_ID, BOTH, .u = card_id},
	{"fn", COL_NAME, BOTH, .s = card_name},
	{"file", COL_FILE, BOTH, .s = card_file},
	{"line", COL_LINE, BOTH, .u = card_line, .absent = card_no_line},
	{"obj", COL_OBJ, BOTH, .s = card_obj},
	{"cycle", COL_ID, BOTH, .u = card_cycle, .absent = card_no_cycle},
	{"calls", COL_COUNT, BOTH, .u = card_calls, .absent = card_not_called},
	{"callers", COL_COUNT, BOTH, .u = card_callers},
	{"callees", COL_COUNT, BOTH, .u = card_callees},
	{"contribution", COL_COST, BOTH | PER_EVENT, .u = card_contribution},
	{"incoming", COL_COST, BOTH | PER_EVENT, .u = card_incoming},
	{"self", COL_COST, PER_EVENT | ADDS_UP, .u = card_self,
	 .estimated = fn_self_estimated},
	{"incl", COL_COST, PER_EVENT, .u = card_incl, .estimated = fn_incl_estimated},
	{"lo", COL_COST, BOTH | PER_EVENT, .u = fn_incl_lo, .absent = card_exact},
	{"hi", COL_COST, BOTH | PER_EVENT, .u = fn_incl_hi, .absent = card_exact},
	{"estimated", COL_BOOL, SHOW_M | PER_EVENT, .u = fn_is_estimated},
};

static int card_open(struct exec *x, const struct source *s, struct table *t)
{
	struct fn_set *set;

	if (exec_set(x, s->of, &set) || refs_of_set(x, t, &source_info_fn, x->g, set))
		return x->err->kind;
	t->card = true;
	return show_events(x, t, "self", false) || show_events(x, t, "incl", false)
		       ? x->err->kind
		       : 0;
}

const struct source_def source_info_fn = {
	"info", "functions", "self",	card_cols,  COUNT(card_cols),
	true,	card_open,   row_is_fn, fn_subject,
};

/* ---- events ---- */

static struct store_event event_of(const struct table *t, uint32_t r)
{
	struct store_event e;

	store_event(t->g->st, r, &e);
	return e;
}

static struct str event_name(const struct table *t, uint32_t r)
{
	return event_of(t, r).name;
}

static struct str event_long(const struct table *t, uint32_t r)
{
	return event_of(t, r).long_name;
}

static struct str event_formula(const struct table *t, uint32_t r)
{
	return event_of(t, r).formula;
}

static uint64_t event_total(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return graph_total(t->g, r);
}

static const struct col_def event_cols[] = {
	{"name", COL_STR, BOTH | NAMES_EVENT, .s = event_name},
	{"long", COL_STR, BOTH, .s = event_long},
	{"formula", COL_STR, BOTH, .s = event_formula},
	{"total", COL_COST, BOTH, .u = event_total},
};

static int events_open(struct exec *x, const struct source *s, struct table *t)
{
	(void)s;
	for (uint32_t e = 0; e < x->env->nevents; e++)
		if (graph_event(x->g, e, x->err))
			return x->err->kind;
	return table_init(x, t, &source_events, x->g,
			  info_of(&(struct table){.g = x->g})->all_events);
}

static void event_subject(const struct table *t, uint32_t r, struct row_subject *out)
{
	out->name = event_name(t, r);
}

const struct source_def source_events = {
	"events", "events",    "total", event_cols,    COUNT(event_cols),
	false,	  events_open, NULL,	event_subject,
};

/* ---- info vs: the totals of two profiles, in one row ---- */

static struct str total_event(const struct table *t, uint32_t r)
{
	(void)r;
	return event_name(t, t->event);
}

static uint64_t total_cost(const struct table *t, uint32_t r, uint32_t e)
{
	(void)r;
	return graph_total(t->g, e);
}

static const struct col_def total_cols[] = {
	{"event", COL_STR, BOTH, .s = total_event},
	{"total", COL_COST, BOTH | PER_EVENT, .u = total_cost},
	{"functions", COL_COUNT, BOTH, .u = info_functions},
};

static int total_open(struct exec *x, const struct source *s, struct table *t)
{
	(void)s;
	return table_init(x, t, &source_info_vs, x->g, 1);
}

/* Each side has one row. */
static void total_subject(const struct table *t, uint32_t r, struct row_subject *out)
{
	(void)t, (void)r, (void)out;
}

const struct source_def source_info_vs = {
	"info", "totals",   "total", total_cols,    COUNT(total_cols),
	false,	total_open, NULL,    total_subject,
};

/* ---- profiles ---- */

static struct str profile_name(const struct table *t, uint32_t r)
{
	return t->x->env->profiles[r];
}

static const struct store_info *profile_info(const struct table *t, uint32_t r)
{
	return store_info(t->x->open->stores[r]);
}

static struct str profile_path(const struct table *t, uint32_t r)
{
	return profile_info(t, r)->profile;
}

static uint64_t profile_functions(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return profile_info(t, r)->functions;
}

static struct str profile_event(const struct table *t, uint32_t r)
{
	struct store_event e = {0};

	if (profile_info(t, r)->events)
		store_event(t->x->open->stores[r], 0, &e);
	return e.name;
}

static uint64_t profile_total(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return profile_info(t, r)->events ? store_total(t->x->open->stores[r], 0) : 0;
}

static const struct col_def profile_cols[] = {
	{"name", COL_STR, BOTH, .s = profile_name},
	{"path", COL_FILE, BOTH, .s = profile_path},
	{"functions", COL_COUNT, BOTH, .u = profile_functions},
	{"event", COL_STR, BOTH | NAMES_EVENT, .s = profile_event},
	{"total", COL_COST, BOTH, .u = profile_total},
};

static int profiles_open(struct exec *x, const struct source *s, struct table *t)
{
	(void)s;
	return table_init(x, t, &source_profiles, x->g, x->env->nprofiles);
}

const struct source_def source_profiles = {
	"profiles", "profiles",	   "total", profile_cols, COUNT(profile_cols),
	false,	    profiles_open, NULL,    NULL,
};
