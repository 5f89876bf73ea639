/* change.c - a cost in two profiles, as text and colour; see change.h. */
#include "repl/render/change.h"

#include <math.h>
#include <stdio.h>

#include "index/base/cost.h"
#include "index/base/out.h"
#include "index/format/event.h"
#include "repl/term/number.h"

enum { ROUNDED = 2 }; /* units that two rounded costs may differ by */
#define NOISE 1e-3

double change_of(int64_t now, int64_t base, int64_t whole, bool estimated)
{
	const double more = now > base ? (double)cost_difference(now, base) : 0;
	const double less = base > now ? (double)cost_difference(base, now) : 0;
	const double by = more + less, most = (double)(now > base ? now : base);
	double strength;

	if (by <= NOISE * most || (estimated && by <= ROUNDED) || whole <= 0)
		return 0;
	/* 0.001 % of the whole is pale, 10 % is as strong as it gets. */
	strength = (log10(by / (double)whole) + 5) / 4;
	strength = strength < 0.15 ? 0.15 : strength > 1 ? 1 : strength;
	return more > 0 ? strength : -strength;
}

void change_text(char *buf, struct unit u, int64_t now, int64_t base)
{
	const int64_t by =
		now > base ? cost_difference(now, base) : cost_difference(base, now);
	const char sign = now > base ? '+' : '-';
	char units[NUMBER_MAX];

	unit_whole(units, u, by);
	if (!by)
		snprintf(buf, CHANGE_MAX, "the same");
	else if (!base || !now)
		snprintf(buf, CHANGE_MAX, "%c%s (%s)", sign, units,
			 base ? "gone" : "new");
	else
		snprintf(buf, CHANGE_MAX, "%c%s (%c%.*f%%)", sign, units, sign,
			 100.0 * (double)by / fabs((double)base) < 0.095 ? 3 : 1,
			 100.0 * (double)by / fabs((double)base));
}

/* Hue, saturation and lightness: from pale to strong, dark text stays readable. */
static void hsl_of(double change, int hsl[3])
{
	const double strength = fabs(change);

	hsl[0] = strength > 0 ? (change > 0 ? 28 : 212) : 0;
	hsl[1] = strength > 0 ? (change > 0 ? 90 : 75) : 0;
	hsl[2] = strength > 0 ? (int)lround(90 - 30 * strength) : 85;
}

static int channel(const int hsl[3], double n)
{
	const double l = hsl[2] / 100.0, a = hsl[1] / 100.0 * fmin(l, 1 - l);
	const double k = fmod(n + hsl[0] / 30.0, 12);

	return (int)lround(255 * (l - a * fmax(-1, fmin(fmin(k - 3, 9 - k), 1))));
}

void change_put_hex(struct out *o, double change)
{
	int hsl[3];

	hsl_of(change, hsl);
	out_printf(o, "#%02x%02x%02x", channel(hsl, 0), channel(hsl, 8), channel(hsl, 4));
}
