/* gen_text.c - numbers, lines and names as text; see gen.h. */
#include "bench/gen.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* A CR before each newline. */
static size_t put_crs(char *to, const char *from, size_t n)
{
	char *p = to;

	for (size_t i = 0; i < n; i++) {
		if (from[i] == '\n')
			*p++ = '\r';
		*p++ = from[i];
	}
	return (size_t)(p - to);
}

void flush(struct gen *g)
{
	size_t n = (size_t)(g->p - g->buf);
	const char *buf = g->buf;

	if (g->s.crlf) {
		n = put_crs(g->ends, g->buf, n);
		buf = g->ends;
	}
	for (size_t at = 0; at < n;) {
		ssize_t w = write(g->fd, buf + at, n - at);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			die(g->s.path ? g->s.path : "stdout", strerror(errno));
		at += (size_t)w;
	}
	g->written += n;
	g->p = g->buf;
}

uint64_t size_now(const struct gen *g)
{
	return g->written + (uint64_t)(g->p - g->buf);
}

char *put_u64(char *p, uint64_t v)
{
	char digit[20];
	unsigned n = 0;

	if (v < 10) {
		*p = (char)('0' + v);
		return p + 1;
	}
	for (; v; v /= 10)
		digit[n++] = (char)('0' + v % 10);
	while (n)
		*p++ = digit[--n];
	return p;
}

char *put_hex(char *p, uint64_t v)
{
	unsigned n = 1;

	while (n < 16 && v >> (4 * n))
		n++;
	memcpy(p, "0x", 2);
	p += 2;
	while (n)
		*p++ = "0123456789abcdef"[v >> (4 * --n) & 15];
	return p;
}

char *put_c(char *p, const char *text)
{
	size_t n = strlen(text);

	memcpy(p, text, n);
	return p + n;
}

char *put_step(char *p, uint64_t from, uint64_t to)
{
	if (from == to) {
		*p = '*';
		return p + 1;
	}
	*p = to > from ? '+' : '-';
	return put_u64(p + 1, to > from ? to - from : from - to);
}

char *put_costs(char *p, const uint64_t *cost, uint64_t n)
{
	while (n > 1 && cost[n - 1] == 0)
		n--;
	for (uint64_t e = 0; e < n; e++) {
		*p++ = ' ';
		p = put_u64(p, cost[e]);
	}
	*p++ = '\n';
	return p;
}

/* ---- names ---- */

static const char *const words[] = {
	"parse",  "emit",   "buffer", "node",  "visit",	 "hash",   "insert", "lookup",
	"alloc",  "free",   "token",  "scan",  "merge",	 "render", "index",  "query",
	"cache",  "stream", "flush",  "copy",  "queue",	 "lock",   "reader", "writer",
	"config", "layout", "widget", "event", "signal", "thread", "module", "symbol",
};
enum { WORDS = sizeof(words) / sizeof(words[0]) };

static const char *word(uint64_t r)
{
	return words[r % WORDS];
}

/* "app::parse_token::merge4711(buffer const&)", unlike every other by its number. */
static char *put_fn_name(struct gen *g, char *p, uint64_t f)
{
	uint64_t r = mix(g->s.seed ^ f << 1);
	bool php = g->s.xdebug;
	char *from = p;

	if (f == 0)
		return put_c(p, php ? "{main}" : "main");
	p = put_c(put_c(p, php ? "App\\" : "app::"), word(r));
	p = put_c(put_c(p, php ? "\\" : "_"), word(r >> 8));
	p = put_c(put_c(p, php ? "->" : "::"), word(r >> 16));
	p = put_u64(p, f);
	if (!php)
		p = put_c(put_c(put_c(p, "("), word(r >> 24)), " const&)");
	while ((uint64_t)(p - from) + 12 < g->s.name_bytes) {
		*p++ = '<';
		p = put_c(p, word(r = mix(r)));
		*p++ = '>';
	}
	while ((uint64_t)(p - from) < g->s.name_bytes)
		*p++ = '_';
	return p;
}

/* "fn=(12)", and true when the name is to follow: the first time, or, without ids, always. */
static bool begin_ref(struct gen *g, const char *key, uint64_t id, bool *named)
{
	const bool first = !*named;

	room(g);
	g->p = put_c(g->p, key);
	*named = true;
	if (g->s.full)
		return true;
	*g->p++ = '(';
	g->p = put_u64(g->p, id);
	*g->p++ = ')';
	if (first)
		*g->p++ = ' ';
	return first;
}

void ref_fn(struct gen *g, const char *key, uint64_t f)
{
	if (begin_ref(g, key, f + 1, &g->fn_named[f]))
		g->p = put_fn_name(g, g->p, f);
	*g->p++ = '\n';
}

void ref_file(struct gen *g, const char *key, uint64_t file)
{
	if (begin_ref(g, key, file + 1, &g->file_named[file])) {
		uint64_t r = mix(g->s.seed ^ ~file);

		g->p = put_c(put_c(g->p, "/src/"), word(r));
		g->p = put_c(put_c(g->p, "/"), word(r >> 8));
		g->p = put_u64(g->p, file);
		g->p = put_c(g->p, g->s.xdebug ? ".php" : ".cc");
	}
	*g->p++ = '\n';
}

void ref_obj(struct gen *g, const char *key, uint64_t obj)
{
	if (begin_ref(g, key, obj + 1, &g->obj_named[obj])) {
		g->p = put_c(put_c(g->p, "/usr/lib/lib"), word(obj));
		g->p = put_c(put_u64(g->p, obj), ".so");
	}
	*g->p++ = '\n';
}

void put_events(struct gen *g)
{
	static const char *const names[] = {
		"Ir",	"Dr", "Dw",  "I1mr", "D1mr", "D1mw", "ILmr",	 "DLmr",
		"DLmw", "Bc", "Bcm", "Bi",   "Bim",  "Ge",   "sysCount",
	};

	g->p = put_c(g->p, "events:");
	for (uint64_t e = 0; e < g->s.events; e++)
		if (g->s.xdebug && e < 2)
			g->p = put_c(g->p, e ? " Memory_(bytes)" : " Time_(10ns)");
		else if (e < sizeof(names) / sizeof(names[0]))
			g->p = put_c(put_c(g->p, " "), names[e]);
		else
			g->p = put_u64(put_c(g->p, " Event"), e);
	*g->p++ = '\n';
}
