/* gate.c - count what holds, fails and could not be answered; see gate.h. */
#include "repl/app/gate.h"

#include "engine/lang/result.h"
#include "repl/term/emit.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"

enum { PLACES = 10 }; /* named in the last line */

void gate_start(struct gate *g)
{
	*g = (struct gate){.on = true};
	out_mem(&g->failed);
	out_mem(&g->wrong);
	out_mem(&g->broken);
}

void gate_free(struct gate *g)
{
	if (!g->on)
		return;
	out_close(&g->failed);
	out_close(&g->wrong);
	out_close(&g->broken);
}

static int badness(int kind)
{
	return kind == ERR_NONE ? 0 : kind == ERR_EXPECT ? 1 : 1 + err_exit_status(kind);
}

bool gate_worse(int a, int b)
{
	return badness(a) > badness(b);
}

static void add_place(struct out *o, size_t before, const struct err *err,
		      struct str text, const struct origin *from)
{
	if (before > PLACES)
		return;
	out_c(o, before ? ", " : "");
	if (before == PLACES)
		out_c(o, "...");
	else
		talk_place(o, err, text, from);
}

/* " in 3 of 332 profiles: decode/large, decode/small, +1" */
void gate_members(struct gate *g, const struct result *r)
{
	enum { NAMED = 2 };
	struct out *o = &g->broken;

	if (!g->on)
		return;
	o->n = 0;
	if (!r->nbroken)
		return;
	out_printf(o, " in %s of %s profiles: ", GROUPED(r->nbroken),
		   GROUPED(r->nmembers));
	for (size_t i = 0; i < r->nbroken && i < NAMED; i++) {
		out_c(o, i ? ", " : "");
		emit_name(o, EMIT_TEXT, r->broken[i].profile);
	}
	if (r->nbroken > NAMED)
		out_printf(o, ", +%s", GROUPED(r->nbroken - NAMED));
}

void gate_error(struct gate *g, const struct err *err, struct str text,
		const struct origin *from)
{
	if (err->kind == ERR_EXPECT) {
		add_place(&g->failed, g->fail++, err, text, from);
		if (g->fail <= PLACES && g->broken.n)
			out_str(&g->failed, out_text(&g->broken));
	} else
		add_place(&g->wrong, g->unanswered++, err, text, from);
	if (gate_worse(err->kind, g->worst))
		g->worst = err->kind;
}

static const char *verb_end(size_t n)
{
	return n == 1 ? "s" : "";
}

void gate_say(const struct gate *g, bool quiet)
{
	size_t all = g->hold + g->fail;
	struct out line;

	if (quiet && !g->fail && !g->unanswered)
		return;
	out_mem(&line);
	out_printf(&line, "%zu expectation%s", all, all == 1 ? "" : "s");
	if (g->hold)
		out_printf(&line, ": %zu hold%s", g->hold, verb_end(g->hold));
	if (g->fail) {
		out_printf(&line, "%s %zu fail%s (", g->hold ? "," : ":", g->fail,
			   verb_end(g->fail));
		out_bytes(&line, g->failed.buf, g->failed.n);
		out_char(&line, ')');
	}
	if (g->unanswered) {
		out_printf(&line, "; %zu not answered (", g->unanswered);
		out_bytes(&line, g->wrong.buf, g->wrong.n);
		out_char(&line, ')');
	}
	out_char(&line, '\0');
	talk_note(line.failed ? "out of memory" : line.buf);
	out_close(&line);
}
