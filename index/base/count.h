/* count.h - the number of elements of an array, as a constant. */
#ifndef QUERN_BASE_COUNT_H
#define QUERN_BASE_COUNT_H

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
