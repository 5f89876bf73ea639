/*
 * sqlite_plan.c - what SQLite wants of a table, as a query of quern; see sqlite_in.h.
 *
 * SQLite checks every row again, so a condition may be left out, or let more rows pass.
 * A limit is only a guess at how many rows it will want: it tells of a limit, but not of
 * all conditions (not of `incl > self`, nor the whole of `(self, id) < (9, 1)`).  So the
 * limit becomes a page, and when SQLite wants a row after it, the query runs again for a
 * larger one.
 */
#include <math.h>
#include <string.h>

#include "engine/sqlite/sqlite_in.h"

#define EXACT ((sqlite3_int64)1 << 53) /* the numbers below are exact in any arithmetic */
#define NO_PROFILE 1e99		       /* the cost of a plan that cannot run */
enum { WORD_MAX = 4096 };

static const char where[] = " | where ", sort[] = " | sort ", take[] = " | take ?",
		  show[] = " | show ";

/* ---- choosing ---- */

struct choice {
	sqlite3_index_info *info;
	const struct vtab_columns *columns;
	int argv;	       /* values asked for so far */
	bool lookup, compared; /* of functions by number; with any condition */
	bool exact;	       /* no row but those that SQL wants, as far as it tells */
	bool push;
};

static const char *operator_of(unsigned char op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ: return "=";
	case SQLITE_INDEX_CONSTRAINT_GT: return ">";
	case SQLITE_INDEX_CONSTRAINT_GE: return ">=";
	case SQLITE_INDEX_CONSTRAINT_LT: return "<";
	case SQLITE_INDEX_CONSTRAINT_LE: return "<=";
	default: return NULL;
	}
}

static bool is_limit(const sqlite3_index_info *info, int i)
{
	return info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_LIMIT ||
	       info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_OFFSET;
}

static void use(struct choice *c, int i)
{
	c->info->aConstraintUsage[i].argvIndex = ++c->argv;
}

/* The arguments.  One that depends on a table which comes later makes the order of the
 * tables impossible. */
static int choose_arguments(struct choice *c)
{
	sqlite3_index_info *info = c->info;

	for (int arg = 0; arg < VTAB_ARGS; arg++)
		for (int i = 0; i < info->nConstraint; i++) {
			if (info->aConstraint[i].iColumn != c->columns->n + arg ||
			    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
				continue;
			if (!info->aConstraint[i].usable)
				return SQLITE_CONSTRAINT;
			if (info->idxNum & 1 << arg)
				continue;
			info->idxNum |= 1 << arg;
			use(c, i);
			info->aConstraintUsage[i].omit = 1;
		}
	return SQLITE_OK;
}

/* A number of a function that a clause of the source takes: "callee_id" of `to`. */
static void choose_lookup(struct choice *c, sqlite3_str *text, const char *clause,
			  const char *column)
{
	sqlite3_index_info *info = c->info;

	for (int i = 0; column && i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *k = &info->aConstraint[i];

		if (!k->usable || k->op != SQLITE_INDEX_CONSTRAINT_EQ || k->iColumn < 0 ||
		    k->iColumn >= c->columns->n ||
		    strcmp(c->columns->at[k->iColumn].name, column) != 0)
			continue;
		use(c, i);
		sqlite3_str_appendf(text, " %s #?", clause);
		c->lookup = true;
		return;
	}
}

/* May a text be one of `fn IN (...)`?  Then SQLite asks for one value after the other, and
 * checks the rows of each by other rules than those of IN. */
static bool may_be_in(sqlite3_index_info *info, int i)
{
#if SQLITE_VERSION_NUMBER >= 3038000
	if (sqlite3_libversion_number() >= 3038000)
		return sqlite3_vtab_in(info, i, -1);
#endif
	(void)info, (void)i;
	return true;
}

static const char *pushed(const struct choice *c, int i)
{
	const struct sqlite3_index_constraint *k = &c->info->aConstraint[i];
	const char *op = operator_of(k->op);
	const struct vtab_column *col;

	if (!c->push || !k->usable || !op || k->iColumn < 0 ||
	    k->iColumn >= c->columns->n || c->info->aConstraintUsage[i].argvIndex)
		return NULL;
	col = &c->columns->at[k->iColumn];
	if (col->flags & COL_NUMBER)
		return op;
	/* COLLATE NOCASE finds more than `=` does. */
	return col->flags & COL_WORD && op[0] == '=' && !may_be_in(c->info, i) &&
			       strcmp(sqlite3_vtab_collation(c->info, i), "BINARY") == 0
		       ? op
		       : NULL;
}

static void choose_conditions(struct choice *c, sqlite3_str *text)
{
	sqlite3_index_info *info = c->info;

	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *k = &info->aConstraint[i];
		const char *op = pushed(c, i);
		bool number;

		if (info->aConstraintUsage[i].argvIndex || is_limit(info, i))
			continue;
		if (!op) {
			c->exact = false;
			continue;
		}
		number = c->columns->at[k->iColumn].flags & COL_NUMBER;
		c->exact &= number;
		use(c, i);
		sqlite3_str_appendf(text, number ? "%s%s %s ?" : "%s%s %s \"?\"",
				    c->compared ? " and " : where,
				    vtab_ask(&c->columns->at[k->iColumn]), op);
		c->compared = true;
	}
}

static bool can_sort(const struct choice *c)
{
	const sqlite3_index_info *info = c->info;

	for (int i = 0; i < info->nOrderBy; i++) {
		const int col = info->aOrderBy[i].iColumn;
		unsigned flags =
			col < 0 || col >= c->columns->n ? 0 : c->columns->at[col].flags;

		if (!(flags & COL_NUMBER) ||
		    (!info->aOrderBy[i].desc && flags & COL_GAPS))
			return false;
	}
	return c->push;
}

static void choose_order(struct choice *c, sqlite3_str *text)
{
	sqlite3_index_info *info = c->info;

	if (!info->nOrderBy)
		return;
	if (!can_sort(c)) {
		c->exact = false;
		return;
	}
	for (int i = 0; i < info->nOrderBy; i++)
		sqlite3_str_appendf(text, "%s%s %s", i ? ", " : sort,
				    vtab_ask(&c->columns->at[info->aOrderBy[i].iColumn]),
				    info->aOrderBy[i].desc ? "desc" : "asc");
	info->orderByConsumed = 1;
}

/* SQLite counts the rows itself, too, so they are only an upper bound. */
static void choose_limit(struct choice *c, sqlite3_str *text)
{
	sqlite3_index_info *info = c->info;
	bool usable = c->exact && c->push, any = false;

	for (int i = 0; i < info->nConstraint; i++)
		usable &= !is_limit(info, i) || info->aConstraint[i].usable;
	for (int i = 0; usable && i < info->nConstraint; i++)
		if (is_limit(info, i)) {
			any |= info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_LIMIT;
			use(c, i);
		}
	if (any)
		sqlite3_str_appendall(text, take);
}

static bool is_used(const sqlite3_index_info *info, int column)
{
	return info->colUsed >> (column < 63 ? column : 63) & 1;
}

/* A query shows a column once: self_Ir is self, if Ir is the event of costs. */
static bool is_shown(const struct choice *c, int column)
{
	const char *ask = vtab_ask(&c->columns->at[column]);

	for (int i = 0; i < column; i++)
		if (is_used(c->info, i) && strcmp(vtab_ask(&c->columns->at[i]), ask) == 0)
			return true;
	return false;
}

static void choose_columns(const struct choice *c, sqlite3_str *text)
{
	const char *before = show;

	for (int i = 0; i < c->columns->n; i++)
		if (is_used(c->info, i) && !is_shown(c, i)) {
			sqlite3_str_appendf(text, "%s%s", before,
					    vtab_ask(&c->columns->at[i]));
			before = ", ";
		}
	if (before == show) /* rows are only counted */
		sqlite3_str_appendf(text, "%s%s", show, vtab_ask(&c->columns->at[0]));
}

static void estimate(const struct choice *c)
{
	sqlite3_index_info *info = c->info;

	info->estimatedRows = c->lookup ? 8 : c->compared ? 10000 : 1000000;
	info->estimatedCost = c->lookup ? 50 : c->compared ? 50000 : 1000000;
	if (!c->columns->args) {
		/* SQLite might ask for the sides of an OR apart, and join them by rowid.
		 * Two sides must not be cheaper than all rows: rows have no number of
		 * their own. */
		info->estimatedRows = 1000000;
		info->estimatedCost = c->lookup ? 600000 : c->compared ? 700000 : 1000000;
	} else if (!(info->idxNum & 1 << ARG_PROFILE)) {
		/* A side of an OR, without the arguments. */
		info->estimatedCost = NO_PROFILE;
	}
}

int plan_choose(const struct vtab_source *source, const char *query,
		const struct vtab_columns *columns, bool push, sqlite3_index_info *info)
{
	struct choice c = {.info = info, .columns = columns, .exact = true, .push = push};
	sqlite3_str *text;

	info->idxNum = 0;
	if (columns->args && choose_arguments(&c))
		return SQLITE_CONSTRAINT;
	text = sqlite3_str_new(NULL);
	sqlite3_str_appendall(text, source ? source->source : query);
	if (source) {
		choose_lookup(&c, text, "of", source->of);
		choose_lookup(&c, text, "from", source->from);
		choose_lookup(&c, text, "to", source->to);
	}
	choose_conditions(&c, text);
	choose_order(&c, text);
	choose_limit(&c, text);
	if (source)
		choose_columns(&c, text);
	estimate(&c);
	info->idxStr = sqlite3_str_finish(text);
	info->needToFreeIdxStr = 1;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- running ---- */

struct writing {
	sqlite3_str *text;
	const struct plan_run *run;
	int value;	/* of the next mark */
	int conditions; /* written so far */
	bool exact, empty;
};

static sqlite3_value *next_value(struct writing *w)
{
	return w->value < w->run->nvalues ? w->run->values[w->value++] : NULL;
}

/* The source with its clauses: "calls from #?". */
static void write_source(struct writing *w, const char *from, const char *end)
{
	for (const char *p = from; p < end; p++) {
		sqlite3_value *v;
		sqlite3_int64 id;
		int type;

		if (*p != '?' || p == from || p[-1] != '#') {
			sqlite3_str_appendchar(w->text, 1, *p);
			continue;
		}
		v = next_value(w);
		/* '1e1' is 10, but only after it was asked for its type as a number. */
		type = v ? sqlite3_value_numeric_type(v) : SQLITE_NULL;
		id = v ? sqlite3_value_int64(v) : -1;
		if (type == SQLITE_NULL || id < 0 ||
		    (double)id != sqlite3_value_double(v) ||
		    (!w->run->stages && (uint64_t)id >= w->run->functions))
			w->empty = true;
		else
			sqlite3_str_appendf(w->text, "%lld", id);
	}
	if (w->run->event)
		sqlite3_str_appendf(w->text, " by \"%s\"", w->run->event);
}

/* Begin a condition: all of its template before the mark. */
static void begin_condition(struct writing *w, const char *p, const char *mark)
{
	sqlite3_str_appendf(w->text, "%s%.*s", w->conditions++ ? " and " : where,
			    (int)(mark - p), p);
}

/* A text for the mark, which is in quotes.  It is left out if no query can hold it, or
 * quern writes it in another way than the language (`\x:`). */
static void write_word(struct writing *w, const char *p, const char *mark,
		       sqlite3_value *v)
{
	const char *s = (const char *)sqlite3_value_text(v);
	const int n = sqlite3_value_bytes(v);

	if (sqlite3_value_type(v) == SQLITE_NULL)
		w->empty = true;
	if (sqlite3_value_type(v) != SQLITE_TEXT || !s || n > WORD_MAX ||
	    strncmp(s, "\\x:", 3) == 0)
		return;
	for (int i = 0; i < n; i++)
		if ((unsigned char)s[i] < ' ' || s[i] == '$' || s[i] == 127)
			return;
	begin_condition(w, p, mark);
	for (int i = 0; i < n; i++) {
		if (s[i] == '"' || s[i] == '\\')
			sqlite3_str_appendchar(w->text, 1, '\\');
		sqlite3_str_appendchar(w->text, 1, s[i]);
	}
	sqlite3_str_appendchar(w->text, 1, '"');
}

/* A number for the mark, or one near it that lets more rows pass; it is left out where
 * arithmetic is not exact. */
static void write_number(struct writing *w, const char *p, const char *mark,
			 sqlite3_value *v)
{
	const int type = sqlite3_value_numeric_type(v);
	const double d = sqlite3_value_double(v); /* after its type */
	sqlite3_int64 n = sqlite3_value_int64(v);

	if (type == SQLITE_NULL)
		w->empty = true; /* nothing is equal to NULL, or less */
	if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) ||
	    !(d >= 0 && d < (double)EXACT)) {
		w->exact = false;
		return;
	}
	if (type == SQLITE_FLOAT && d != floor(d)) {
		w->exact = false;
		n = (sqlite3_int64)(memchr(p, '<', (size_t)(mark - p)) ? ceil(d)
								       : floor(d));
	}
	begin_condition(w, p, mark);
	sqlite3_str_appendf(w->text, "%lld", n);
}

/* "self > ? and fn = "?"", without what is before and after. */
static void write_conditions(struct writing *w, const char *p, const char *end)
{
	const char *mark;

	for (; p < end && (mark = strchr(p, '?')) && mark < end;
	     p = mark + (mark[1] == '"') + 6) {
		sqlite3_value *v = next_value(w);

		if (!v)
			w->empty = true;
		else if (mark[-1] == '"')
			write_word(w, p, mark, v);
		else
			write_number(w, p, mark, v);
	}
}

/* LIMIT and OFFSET are the values that are left.  A negative limit is none. */
static sqlite3_int64 read_limit(struct writing *w)
{
	sqlite3_int64 rows = 0;

	while (w->value < w->run->nvalues) {
		const sqlite3_int64 n = sqlite3_value_int64(next_value(w));

		w->exact &= n >= 0 && n < EXACT;
		rows += n;
	}
	return w->exact ? rows : 0;
}

/* The end of a part of the plan: where one of the later parts begins. */
static const char *part_end(const char *p)
{
	static const char *const parts[] = {where, sort, take, show};
	const char *end = p + strlen(p);

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *at = strstr(p, parts[i]);

		if (at && at < end)
			end = at;
	}
	return end;
}

int plan_sorts(const char *plan)
{
	const char *at = strstr(plan, sort), *end;
	int n = 1;

	if (!at)
		return 0;
	for (end = part_end(at + 1); at < end; at++)
		n += *at == ',';
	return n;
}

static void write_plan(struct writing *w, struct plan_query *q)
{
	const char *p = w->run->plan + w->run->fixed, *end = part_end(p);

	if (w->run->stages)
		sqlite3_str_appendf(w->text, "%s | ", w->run->stages);
	sqlite3_str_append(w->text, w->run->plan, (int)w->run->fixed);
	write_source(w, p, end);
	if (strncmp(end, where, strlen(where)) == 0) {
		p = end + strlen(where);
		end = part_end(p);
		write_conditions(w, p, end);
	}
	if (strncmp(end, sort, strlen(sort)) == 0) {
		p = end;
		end = part_end(p + 1);
		sqlite3_str_append(w->text, p, (int)(end - p));
	}
	if (strncmp(end, take, strlen(take)) == 0) {
		q->page = read_limit(w);
		end += strlen(take);
	}
	q->columns = sqlite3_mprintf("%s", end);
}

int plan_query(const struct plan_run *run, struct plan_query *q)
{
	struct writing w = {.run = run, .exact = true, .text = sqlite3_str_new(NULL)};

	plan_forget(q);
	write_plan(&w, q);
	q->rows = sqlite3_str_finish(w.text);
	q->empty = w.empty;
	return q->rows && q->columns ? SQLITE_OK : SQLITE_NOMEM;
}

void plan_forget(struct plan_query *q)
{
	sqlite3_free(q->rows);
	sqlite3_free(q->columns);
	*q = (struct plan_query){0};
}

char *plan_text(const struct plan_query *q)
{
	return q->page ? sqlite3_mprintf("%s | take %lld%s", q->rows, q->page, q->columns)
		       : sqlite3_mprintf("%s%s", q->rows, q->columns);
}

void plan_grow(struct plan_query *q)
{
	enum { TIMES = 16, MOST = 1 << 20 };

	q->page = q->page < MOST ? q->page * TIMES : 0;
}

/* The place of a name in "fn, self, incl.Dr"; -1: it is not there. */
static int place_of(const char *names, const char *name)
{
	const size_t n = strlen(name);
	int place = 0;

	for (const char *p = names;; place++) {
		if (strncmp(p, name, n) == 0 && (p[n] == ',' || !p[n]))
			return place;
		if (!(p = strchr(p, ',')))
			return -1;
		p += 2;
	}
}

void plan_places(const char *plan, const struct vtab_columns *columns, int *place)
{
	const char *names = plan ? strstr(plan, show) : NULL;

	for (int i = 0; i < columns->n; i++)
		place[i] =
			names ? place_of(names + strlen(show), vtab_ask(&columns->at[i]))
			      : i;
}
