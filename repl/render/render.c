/* render.c - functions shared by the renderers; see render.h. */
#include "repl/render/render.h"

#include <stdio.h>

#include "engine/query.h"
#include "index/base/cancel.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/term/number.h"

enum { POLL_EVERY = 16 }; /* rows, of which each may have names of a MiB */

int render_cancelled(struct render *rd, size_t row)
{
	return row % POLL_EVERY ? 0 : cancel_poll(rd->cancel, rd->err);
}

void render_asks(struct render *rd)
{
	if (rd->session && rd->cancel)
		session_set_due(rd->session, rd->cancel->deadline_ns);
}

/* "left out to fit the budget: 588 of 708 rows with 402 k of self (17.31%)" */
void render_left_out(const struct render *rd, char *buf, size_t size)
{
	const struct left_out *l = &rd->left;
	const struct result *r = rd->r;
	char cost[NUMBER_MAX], percent[NUMBER_MAX];
	int n = snprintf(buf, size, "left out to fit the budget: %s%s of %s rows",
			 l->cheapest ? "the cheapest " : "", GROUPED(l->rows),
			 GROUPED(l->rows + r->rows));

	if (!l->cost || n < 0 || (size_t)n >= size)
		return;
	number_cost(cost, l->cost->unit, l->sum);
	number_percent(percent, 100.0 * (double)l->sum / (double)r->total);
	snprintf(buf + n, size - (size_t)n, " with %.*s of %.*s%s%s%s",
		 STR_ARG(str_trim(str_c(cost))), STR_ARG(l->cost->name),
		 r->total && l->cost->event == r->event_id ? " (" : "",
		 r->total && l->cost->event == r->event_id ? percent : "",
		 r->total && l->cost->event == r->event_id ? ")" : "");
}

int render_one_profile(struct render *rd, const char *format, const char *hint)
{
	err_set(rd->err, ERR_QUERY, 0,
		"%s holds one profile, and this answer compares two", format);
	return err_hint(rd->err, "%s", hint);
}

bool render_is_text(const struct column *c)
{
	return c->type == COL_STR || c->type == COL_NAME || c->type == COL_FILE ||
	       c->type == COL_OBJ;
}

bool render_is_digits(const struct column *c)
{
	return !render_is_text(c) && !col_is_signed(c->type) && c->type != COL_PERCENT &&
	       c->type != COL_RATIO && c->type != COL_BOOL;
}

void render_plain(struct out *o, const struct column *c, size_t row, const char *none)
{
	char buf[NUMBER_MAX];

	if (render_absent(c, row)) {
		out_c(o, none);
		return;
	}
	switch (c->type) {
	case COL_COST:
	case COL_DELTA: out_i64(o, c->i[row]); break;
	case COL_PERCENT:
	case COL_RATIO:
		number_exact(buf, c->f[row]);
		out_c(o, buf[0] == 'n' ? none : buf);
		break;
	case COL_BOOL: out_c(o, c->b[row] ? "true" : "false"); break;
	default: out_u64(o, c->u[row]);
	}
}
