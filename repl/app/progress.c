/*
 * progress.c - draw the progress bar; see progress.h.
 *
 *	reading big.out  ██████████▍               43%  1.21 GB/s  2 s left
 *
 * The time left is extrapolated from the time so far.  Short work shows no bar.
 */
#include "repl/app/progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "index/base/out.h"
#include "index/build.h"
#include "repl/render/cell.h"
#include "repl/render/fit.h"
#include "repl/render/render.h"
#include "repl/term/number.h"

enum { QUIET_MS = 250, BAR = 24, FIXED = 56 };

uint64_t progress_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void progress_start(struct progress *p, const char *name, const struct screen *screen)
{
	*p = (struct progress){
		.name = name, .screen = screen, .start_ns = progress_now_ns()};
}

/* With few digits: it is only a guess. */
static void time_left(char *buf, double seconds)
{
	if (seconds < 100)
		snprintf(buf, NUMBER_MAX, "%.0f s", seconds > 1 ? ceil(seconds) : 1);
	else
		snprintf(buf, NUMBER_MAX, "%.0f min", seconds / 60);
}

void progress_show(void *progress, const struct build_progress *state)
{
	struct progress *p = progress;
	uint64_t took = progress_now_ns() - p->start_ns;
	size_t columns = p->screen->columns;
	struct look look = {.columns = columns, .utf8 = p->screen->utf8};
	double part = state->total ? (double)state->done / (double)state->total : 0;
	char rate[NUMBER_MAX], left[NUMBER_MAX];
	struct out o, bar;

	if (!p->screen->err || took < QUIET_MS * 1000000u)
		return;
	part = part > 1 ? 1 : part;
	number_bytes(rate, (uint64_t)((double)state->done * 1e9 / (double)took));
	time_left(left, part > 0 ? (double)took / 1e9 * (1 - part) / part : 0);
	out_fd(&o, STDERR_FILENO);
	out_mem(&bar);
	out_printf(&o, "\r\033[K%s ", state->stage ? state->stage : "reading");
	fit_put(&o, cell_form(&look), FIT_PATH, str_basename(str_c(p->name)),
		columns > FIXED + 8 ? columns - FIXED : 8);
	if (columns > FIXED) {
		cell_bar(&bar, &look, part, 1, BAR);
		out_c(&o, "  ");
		out_bytes(&o, bar.buf, bar.n);
		out_fill(&o, ' ', BAR - emit_width(EMIT_TEXT, out_text(&bar)));
	}
	out_printf(&o, "  %3.0f%%", part * 100);
	if (part > 0 && columns > FIXED)
		out_printf(&o, "  %s/s  %s left", rate, left);
	out_close(&bar);
	out_close(&o);
	p->drawn = true;
}

void progress_end(struct progress *p)
{
	static const char wipe[] = "\r\033[K";

	if (p->drawn && write(STDERR_FILENO, wipe, sizeof(wipe) - 1) < 0)
		p->drawn = false;
}
