/*
 * change.h - a cost in two profiles: how much it changed, as text and as a colour.
 *
 * Orange is more than in the base, blue is less; people who are colour-blind can tell
 * these apart.  Grey is no change, or one within the noise: up to 0.1 % of the cost, and
 * of an estimate what rounding can do.  The colour of A vs B is that of B vs A with the
 * other hue.
 */
#ifndef QUERN_CHANGE_H
#define QUERN_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

struct out;
struct unit;

enum { CHANGE_MAX = 80 }; /* bytes of change_text(), with the NUL */

/* 0: the same, within the noise.  Else from -1 to 1, by the logarithm of the share that
 * the change has of `whole`. */
double change_of(int64_t now, int64_t base, int64_t whole, bool estimated);
/* "+1,345 (+12.2%)", "+150 (new)", "-2 (gone)", "the same" */
void change_text(char *buf, struct unit u, int64_t now, int64_t base);
/* A colour, "#rrggbb", for black text on it; change: of change_of(). */
void change_put_hex(struct out *o, double change);

#endif
