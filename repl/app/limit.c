/* limit.c - the table of limits; see limit.h. */
#include "repl/app/limit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/query.h"
#include "index/base/err.h"
#include "repl/app/app.h"
#include "repl/app/options.h"

static const struct limit {
	const char *name, *what;
	size_t at;  /* offset in struct session_limits */
	bool bytes; /* k, M, G are powers of 1024, not 1000 */
	uint64_t least, most;
} limits[] = {
	{"rows", "rows of a table", offsetof(struct session_limits, rows), false, 1,
	 UINT32_MAX},
	{"seconds", "time of a query", offsetof(struct session_limits, seconds), false, 1,
	 1000000},
	{"memory", "bytes of a query", offsetof(struct session_limits, arena_bytes), true,
	 1 << 20, (uint64_t)1 << 50},
	{"text", "bytes of a text of queries",
	 offsetof(struct session_limits, text_bytes), true, 16, 64 << 20},
	/* The parser and the evaluator recurse: the stack limits the depth. */
	{"nesting", "depth of brackets", offsetof(struct session_limits, nesting), false,
	 1, 1000},
};
#define N (sizeof(limits) / sizeof(limits[0]))

static uint64_t get(const struct session_limits *l, const struct limit *m)
{
	return *(const uint64_t *)((const char *)l + m->at);
}

static const struct limit *find_limit(struct str name)
{
	for (size_t i = 0; i < N; i++)
		if (str_eq(name, str_c(limits[i].name)))
			return &limits[i];
	return NULL;
}

/* "5M", "60", "1.5G" */
static bool limit_number(const struct limit *m, struct str s, uint64_t *out)
{
	char text[32];

	if (s.n == 0 || s.n >= sizeof(text) || s.p[0] < '0' || s.p[0] > '9')
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	return options_size(text, m->bytes ? 1024 : 1000, out) && *out >= m->least &&
	       *out <= m->most;
}

int limit_set(struct app *app, struct str text, struct err *err)
{
	struct session_limits now;
	size_t n = 0;
	const struct limit *m;
	struct str value;
	uint64_t v;

	while (n < text.n && text.p[n] != '=' && text.p[n] != ' ')
		n++;
	m = find_limit((struct str){text.p, n});
	value = str_trim(str_from(text, n + (n < text.n)));
	if (!m) {
		err_set(err, ERR_USAGE, 0, "there is no limit '%.*s'", (int)n, text.p);
		return err_hint(err, "rows seconds memory text nesting: rows=5M");
	}
	if (!limit_number(m, value, &v)) {
		err_set(err, ERR_USAGE, 0, "'%.*s' is no limit of %s", STR_ARG(value),
			m->name);
		return err_hint(
			err, "a number from %" PRIu64 " to %" PRIu64 ": %s=%" PRIu64,
			m->least, m->most, m->name, get(session_limits(app->session), m));
	}
	now = *session_limits(app->session);
	*(uint64_t *)((char *)&now + m->at) = v;
	session_set_limits(app->session, &now);
	if (m->at == offsetof(struct session_limits, arena_bytes))
		app->arena.cap = (size_t)v;
	return 0;
}

void limit_list(const struct app *app, struct out *o)
{
	for (size_t i = 0; i < N; i++)
		out_printf(o, "%-8s %16s  %s\n", limits[i].name,
			   GROUPED(get(session_limits(app->session), &limits[i])),
			   limits[i].what);
}
