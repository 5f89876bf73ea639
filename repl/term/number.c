/* number.c - numbers for people; see number.h. */
#include "repl/term/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "index/base/str.h"
#include "index/format/event.h"
#include <string.h>

/* v as three digits; returns the index of its unit (0: none, 1: k, ...).  Rounded
 * once, so 999,999 is 1.00 M and not 1000 k. */
static int three_digits(char *buf, uint64_t v)
{
	double x = (double)v;
	int unit = 0;

	if (v < 1000) {
		snprintf(buf, NUMBER_MAX, "%" PRIu64, v);
		return 0;
	}
	for (; x >= 999.5; unit++)
		x /= 1000;
	snprintf(buf, NUMBER_MAX, "%.*f", x < 9.995 ? 2 : x < 99.95 ? 1 : 0, x);
	return unit;
}

void number_si(char *buf, uint64_t v)
{
	int unit = three_digits(buf, v);
	size_t n = strlen(buf);

	buf[n] = ' ';
	buf[n + 1] = " kMGTPE"[unit];
	buf[n + 2] = '\0';
}

/* Units have one to three letters: pad them, so that digits stand below digits. */
static void pad_unit(char *buf, struct unit u)
{
	size_t n = strlen(buf), at = strcspn(buf, " ");
	const size_t widest = u.kind == UNIT_TIME ? 3 : 4; /* " ms", " MiB" */

	while (n - at < widest)
		buf[n++] = ' ';
	buf[n] = '\0';
}

/* Four digits: 0.03125, 12.35; 1,234. */
static void ratio(char *buf, double v)
{
	if (!isfinite(v))
		snprintf(buf, NUMBER_MAX, "-");
	else if (v >= 999.5 && v < 1e15)
		str_grouped((uint64_t)(v + 0.5), buf);
	else
		snprintf(buf, NUMBER_MAX, "%.4g", v);
}

void number_per(char *buf, struct unit u, double v)
{
	if (!u.kind || !isfinite(v)) {
		ratio(buf, v);
		return;
	}
	buf[0] = '-';
	unit_text(buf + (v < 0), u, fabs(v));
	pad_unit(buf, u);
}

void number_si_signed(char *buf, int64_t v)
{
	buf[0] = '-';
	number_si(buf + (v < 0), v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void number_cost(char *buf, struct unit u, int64_t v)
{
	if (u.kind)
		number_per(buf, u, (double)v);
	else
		number_si_signed(buf, v);
}

void number_cost_exact(char *buf, struct unit u, int64_t v)
{
	int64_t all;

	if (__builtin_mul_overflow(v, u.scale, &all)) {
		number_cost(buf, u, v);
		return;
	}
	str_grouped_signed(all, buf);
	snprintf(buf + strlen(buf), NUMBER_MAX - strlen(buf), " %s",
		 u.kind == UNIT_TIME ? "ns" : "B");
}

void number_bytes(char *buf, uint64_t v)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	int unit = three_digits(buf, v);
	size_t n = strlen(buf);

	snprintf(buf + n, NUMBER_MAX - n, " %s", units[unit]);
}

static void percent_grouped(char *buf, double v)
{
	size_t n = v < 0;

	buf[0] = '-';
	str_grouped((uint64_t)(fabs(v) + 0.5), buf + n);
	n = strlen(buf);
	buf[n] = '%';
	buf[n + 1] = '\0';
}

void number_percent(char *buf, double v)
{
	if (isinf(v) && v > 0)
		snprintf(buf, NUMBER_MAX, "new");
	else if (!isfinite(v))
		snprintf(buf, NUMBER_MAX, "-");
	else if (v > 0 && v < 0.005)
		snprintf(buf, NUMBER_MAX, "<0.01%%");
	else if (fabs(v) < 9999.995)
		snprintf(buf, NUMBER_MAX, "%.2f%%", v);
	else if (fabs(v) < 1e15)
		percent_grouped(buf, v);
	else
		snprintf(buf, NUMBER_MAX, "%.3g%%", v);
}

void number_seconds(char *buf, uint64_t ns)
{
	double s = (double)ns / 1e9;

	if (ns < 1000000)
		snprintf(buf, NUMBER_MAX, "%.2f ms", s * 1e3);
	else if (ns < 10000000)
		snprintf(buf, NUMBER_MAX, "%.1f ms", s * 1e3);
	else if (s < 9.995)
		snprintf(buf, NUMBER_MAX, "%.2f s", s);
	else if (s < 120)
		snprintf(buf, NUMBER_MAX, "%.0f s", s);
	else
		snprintf(buf, NUMBER_MAX, "%.0f min %.0f s", floor(s / 60),
			 s - 60 * floor(s / 60));
}

void number_exact(char *buf, double v)
{
	if (!isfinite(v)) {
		snprintf(buf, NUMBER_MAX, "null");
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, NUMBER_MAX, "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
}
