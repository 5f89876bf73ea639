/* source_info.c - info, events, profiles: facts about the profile. */
#include <time.h>

#include "engine/lang/ast.h"
#include "engine/lang/keywords.h"
#include "engine/lang/check_names.h"
#include "engine/rows/doubt.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/sources/getters.h"
#include "engine/sources/source.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"

static const struct store_info *info_of(const struct table *t)
{
	return store_info(t->g->st);
}

/* ---- info: one row about the profile ---- */

struct str info_positions(const struct table *t, uint32_t r UNUSED)
{
	const struct store_info *i = info_of(t);

	return i->has_instr && i->has_line ? STR("instr line")
	       : i->has_instr		   ? STR("instr")
	       : i->has_line		   ? STR("line")
					   : STR("none");
}

/* Compare the totals that the parts record with the computed sums. */
struct str info_totals(const struct table *t, uint32_t r UNUSED)
{
	struct store *st = t->g->st;
	struct store_totals totals;
	struct store_event ev;

	store_totals(st, &totals);
	if (!totals.written)
		return STR("the profile has none");
	if (totals.agree)
		return STR("agree with the sums");
	store_event(st, totals.event, &ev);
	return arena_printf(t->x->a, "DISAGREE in %.*s: %s written, %s summed",
			    STR_ARG(ev.name), GROUPED_SIGNED(totals.sum),
			    GROUPED_SIGNED(store_total(st, totals.event)));
}

struct str info_built(const struct table *t, uint32_t r UNUSED)
{
	time_t when = (time_t)info_of(t)->built_s;
	struct tm utc;
	char text[40];

	if (!gmtime_r(&when, &utc) || !strftime(text, sizeof(text), "%F %T UTC", &utc))
		return STR("???");
	return arena_printf(t->x->a, "%s", text);
}

uint64_t info_parts(const struct table *t, uint32_t r UNUSED, uint32_t e UNUSED)
{
	return graph_part_count(t->g);
}

/* Of the profile, or of what stages leave of it; the graph has contexts joined. */
uint64_t info_functions(const struct table *t, uint32_t r UNUSED, uint32_t e UNUSED)
{
	return gstages_divide(t->x->gstages) ? t->g->functions
	       : t->g->recorded		     ? info_of(t)->functions
					     : info_of(t)->groups;
}

uint64_t info_edges(const struct table *t, uint32_t r UNUSED, uint32_t e UNUSED)
{
	return gstages_divide(t->x->gstages) || graph_as_stored(t->g) ? t->g->edges
								      : info_of(t)->edges;
}

uint64_t info_cycles(const struct table *t, uint32_t r UNUSED, uint32_t e UNUSED)
{
	return gstages_divide(t->x->gstages) || graph_as_stored(t->g)
		       ? t->g->cycles
		       : info_of(t)->cycles;
}

uint64_t info_total(const struct table *t, uint32_t r UNUSED, uint32_t e)
{
	return graph_left(t->g, e);
}

uint64_t info_peak(const struct table *t, uint32_t r UNUSED, uint32_t e)
{
	int64_t peak = 0;

	return store_peak(t->g->st, e, &peak) ? (uint64_t)peak : 0;
}

static const struct listed info_list[] = {
	{"profile", BOTH, 0},	  {"creator", BOTH, 0},
	{"cmd", BOTH, 0},	  {"positions", BOTH, 0},
	{"functions", BOTH, 0},	  {"edges", BOTH, 0},
	{"cycles", BOTH, 0},	  {"parts", BOTH, 0},
	{"names", BOTH, 0},	  {"files", BOTH, 0},
	{"objects", BOTH, 0},	  {"lines", BOTH, 0},
	{"callsites", BOTH, 0},	  {"jumps", BOTH, 0},
	{"totals", BOTH, 0},	  {"saturated", BOTH, 0},
	{"truncated", BOTH, 0},	  {"diagnostics", BOTH, 0},
	{"input_bytes", BOTH, 0}, {"input_lines", BOTH, 0},
	{"index_bytes", BOTH, 0}, {"built_unix_s", SHOW_M, 0},
	{"built", SHOW_T, 0},	  {"threads", BOTH, 0},
	{"total", 0, 0},	  {"peak", 0, 0},
};

/* Show NAME.EVENT, under another title. */
static void show_event(struct exec *x, struct table *t, const char *name, uint32_t e,
		       bool percent, const char *title)
{
	struct table_col *c;

	table_column(t, str_c(name), e, percent, &c);
	c->machine = c->table = true;
	c->name = arena_printf(x->a, "%s.%.*s%s", title, STR_ARG(x->env->events[e]),
			       percent ? "%" : "");
	if (!c->name.p)
		need_memory(x->a);
}

static void show_events(struct exec *x, struct table *t, const char *name, bool percent)
{
	for (uint32_t e = 0; e < x->env->nevents; e++)
		show_event(x, t, name, e, percent, name);
}

/* The sum of growths is no total. */
static void show_totals(struct exec *x, struct table *t)
{
	for (uint32_t e = 0; e < x->env->nevents; e++) {
		const bool grows = store_grows(x->g->st, e);

		show_event(x, t, "total", e, false, grows ? "growth" : "total");
		if (grows)
			show_event(x, t, "peak", e, false, "peak");
	}
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

static void note_files(struct exec *x)
{
	enum { NAMED = 5 };
	struct str list = {"", 0};
	uint32_t n;

	store_inputs(x->g->st, &n);
	for (uint32_t i = 0; i < n && i < NAMED; i++)
		list = arena_printf(x->a, "%.*s %.*s", STR_ARG(list),
				    STR_ARG(str_basename(store_input_path(x->g->st, i))));
	if (!(n < 2))
		exec_notef(x, "%s files:%.*s%s", GROUPED(n), STR_ARG(list),
			   n > NAMED ? " ..." : "");
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
static void note_diagnostics(struct exec *x)
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
		exec_notef(x, "%s x %.*s%.*s", GROUPED(d.count), STR_ARG(d.kind),
			   STR_ARG(where));
	}
}

static void all_events(struct exec *x)
{
	for (uint32_t e = 0; e < x->env->nevents; e++)
		graph_event(x->g, e);
}

static void note_edges(struct exec *x)
{
	char text[DOUBT_TEXT];

	if (doubt_edges(x->g->st, text))
		exec_notef(x, "%s", text);
}

static void info_open(struct exec *x, const struct source *s UNUSED, struct table *t)
{
	all_events(x);
	t->card = true;
	t->rows = store_info(x->g->st);
	table_init(x, t, &source_info, x->g, 1);
	show_totals(x, t);
	note_files(x);
	note_diagnostics(x);
	note_edges(x);
	exec_note_tree(x);
}

const struct source_def source_info = {
	.few_calls = true,
	.name = "info",
	.rows = "rows",
	.primary = "total",
	.of = ROWS_INFO,
	COLUMNS(info_list),
	.open = info_open,
	.row_size = sizeof(struct store_info),
};

/* ---- info f: a card per function ---- */

static const struct listed card_list[] = {
	{"id", BOTH, 0},       {"fn", BOTH, 0},
	{"file", BOTH, 0},     {"line", BOTH, 0},
	{"obj", BOTH, 0},      {"cycle", BOTH, 0},
	{"calls", BOTH, 0},    {"callers", BOTH, 0},
	{"callees", BOTH, 0},  {"contribution", BOTH, 0},
	{"incoming", BOTH, 0}, {"self", 0, 0},
	{"incl", 0, 0},	       {"lo", BOTH, 0},
	{"hi", BOTH, 0},       {"estimated", SHOW_M, 0},
};

/* Activations are read from the profile, which takes time: the card names the query
 * instead. */
static void hint_activations(struct exec *x, const struct source *s)
{
	const struct span of = s->of->span;
	struct store_tree tree;

	store_tree(x->g->st, &tree);
	if (!tree.whole || !x->g->plain || x->other || !of.len ||
	    of.at + of.len > x->text.n)
		return;
	exec_hintf(x, "each of its calls: activations of %.*s", (int)of.len,
		   x->text.p + of.at);
}

static void card_open(struct exec *x, const struct source *s, struct table *t)
{
	struct fn_set *set;

	exec_set(x, s->of, &set);
	refs_of_set(x, t, &source_info_fn, x->g, set);
	hint_activations(x, s);
	t->card = true;
	show_events(x, t, "self", false);
	show_events(x, t, "incl", false);
}

const struct source_def source_info_fn = {
	.name = "info",
	.rows = "functions",
	.primary = "self",
	.of = ROWS_CARD,
	COLUMNS(card_list),
	.sorted = true,
	.open = card_open,
	.fn = row_is_fn,
	.subject = fn_subject,
};

/* ---- events ---- */

static const void *event_row(const struct table *t, uint32_t r, struct row_room *room)
{
	_Static_assert(sizeof(struct store_event) <= sizeof(*room), "it is made there");

	store_event(t->g->st, r, (struct store_event *)(void *)room);
	return room;
}

static struct str event_name(const struct table *t, uint32_t r)
{
	struct store_event e;

	store_event(t->g->st, r, &e);
	return e.name;
}

uint64_t event_total(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return graph_left(t->g, r);
}

uint64_t event_number(const struct table *t UNUSED, uint32_t r, uint32_t e UNUSED)
{
	return r;
}

bool event_recorded(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return r < store_info(t->g->st)->events;
}

static const struct listed event_list[] = {
	{"name", BOTH, 1},  {"long", BOTH, 3}, {"formula", BOTH, 4},
	{"total", BOTH, 2}, {"id", 0, 0},      {"recorded", 0, 0},
};

static void events_open(struct exec *x, const struct source *s UNUSED, struct table *t)
{
	all_events(x);
	table_init(x, t, &source_events, x->g, store_info(x->g->st)->all_events);
}

static void event_subject(const struct table *t, uint32_t r, struct row_subject *out)
{
	out->name = event_name(t, r);
}

const struct source_def source_events = {
	.few_calls = true,
	.name = "events",
	.rows = "events",
	.primary = "total",
	.of = ROWS_EVENT,
	COLUMNS(event_list),
	.open = events_open,
	.subject = event_subject,
	.row = event_row,
};

/* ---- info vs: the totals of two profiles, in one row ---- */

struct str total_event(const struct table *t, uint32_t r UNUSED)
{
	return event_name(t, t->event);
}

uint64_t total_calls(const struct table *t, uint32_t r UNUSED, uint32_t e UNUSED)
{
	uint64_t all = 0;

	for (uint32_t f = 0; f < t->g->functions; f++)
		count_add(&all, graph_calls(t->g, f));
	return all;
}

static const struct listed total_list[] = {{"event", BOTH, 0},
					   {"total", BOTH, 0},
					   {"functions", BOTH, 0},
					   {"calls", BOTH, 0}};

static void total_open(struct exec *x, const struct source *s UNUSED, struct table *t)
{
	t->rows = store_info(x->g->st);
	all_events(x);
	table_init(x, t, &source_info_vs, x->g, 1);
}

/* Each side has one row. */
const struct source_def source_info_vs = {
	.name = "info",
	.rows = "totals",
	.primary = "total",
	.of = ROWS_TOTALS,
	COLUMNS(total_list),
	.open = total_open,
	.subject = fn_subject,
	.row_size = sizeof(struct store_info),
};

/* ---- profiles ---- */

struct str profile_name(const struct table *t, uint32_t r)
{
	return t->x->env->profiles[r];
}

static const struct store_info *profile_info(const struct table *t, uint32_t r)
{
	return store_info(t->x->open->stores[r]);
}

struct str profile_first_event(const struct table *t, uint32_t r)
{
	struct store_event e = {0};

	if (profile_info(t, r)->events)
		store_event(t->x->open->stores[r], 0, &e);
	return e.name;
}

uint64_t profile_total(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return profile_info(t, r)->events ? store_total(t->x->open->stores[r], 0) : 0;
}

static const void *profile_row(const struct table *t, uint32_t r,
			       struct row_room *room UNUSED)
{
	return profile_info(t, r);
}

static const struct listed profile_list[] = {
	{"name", BOTH, 1},  {"path", BOTH, 5},	{"functions", BOTH, 4},
	{"event", BOTH, 3}, {"total", BOTH, 2},
};

static void profiles_open(struct exec *x, const struct source *s UNUSED, struct table *t)
{
	table_init(x, t, &source_profiles, x->g, x->env->nprofiles);
}

const struct source_def source_profiles = {
	.few_calls = true,
	.name = "profiles",
	.rows = "profiles",
	.primary = "total",
	.of = ROWS_PROFILE,
	COLUMNS(profile_list),
	.open = profiles_open,
	.row = profile_row,
};
