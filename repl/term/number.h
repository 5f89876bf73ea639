/* number.h - numbers for people, beside str_grouped(); machine formats have plain digits. */
#ifndef QUERN_NUMBER_H
#define QUERN_NUMBER_H

#include <stdint.h>

struct unit;

enum { NUMBER_MAX = 40 }; /* bytes of any of these, with the NUL */

/* Three digits and a unit of two bytes, blanks if there is no unit: "5.27 M", "812 ". */
void number_si(char *buf, uint64_t v);
/* A cost in its unit, padded like that: "3.02 s ", "812 ms", "1.50 MiB"; without one,
 * number_si(). */
void number_cost(char *buf, struct unit u, int64_t v);
void number_per(char *buf, struct unit u, double v); /* the same of a quotient */
/* All digits: "3,018,230 ns". */
void number_cost_exact(char *buf, struct unit u, int64_t v);
void number_si_signed(char *buf, int64_t v);
void number_percent(char *buf, double v);    /* "45.31%", "<0.01%", "-" if not a number */
void number_seconds(char *buf, uint64_t ns); /* 0.02 s, 3.4 ms, 2 min 5 s */
void number_bytes(char *buf, uint64_t v);    /* 1.07 GB (powers of ten) */
/* The shortest digits that read back as v; "null" if it is not finite. */
void number_exact(char *buf, double v);

#endif
