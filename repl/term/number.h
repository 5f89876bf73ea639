/*
 * number.h - numbers as people read them; machine formats carry plain digits.
 */
#ifndef QUERN_NUMBER_H
#define QUERN_NUMBER_H

#include <stdint.h>

enum { NUMBER_MAX = 40 }; /* bytes of any of these, with the NUL */

void number_grouped(char *buf, uint64_t v); /* 5,271,234 */
/* Three digits and a unit, two bytes wide also where there is none: "5.27 M", "812  ". */
void number_si(char *buf, uint64_t v);
void number_percent(char *buf, double v); /* "45.31%", "<0.01%", "-" when not a number */
void number_ratio(char *buf, double v);	  /* four digits: 0.03125, 12.35; 1,234 */
void number_seconds(char *buf, uint64_t ns); /* 0.02 s, 3.4 ms, 2 min 5 s */
void number_bytes(char *buf, uint64_t v);    /* 1.07 GB (powers of ten) */
/* The shortest digits that read back as v; "null" when it is not a finite number. */
void number_exact(char *buf, double v);

#endif
