/* lines.c - mutate_lines.h as a custom mutator of AFL++ (a shared library: custom_mutator.h). */
#include <stdlib.h>
#include <string.h>

#include "tests/support/mutate_lines.h"

struct mutator {
	unsigned seed;
	uint8_t *buf;
	size_t cap;
};

void *afl_custom_init(void *afl, unsigned seed);
void afl_custom_deinit(void *data);
size_t afl_custom_fuzz(void *data, uint8_t *p, size_t n, uint8_t **out, uint8_t *add,
		       size_t nadd, size_t max);

void *afl_custom_init(void *afl, unsigned seed)
{
	struct mutator *m = calloc(1, sizeof(*m));

	(void)afl;
	if (m)
		m->seed = seed;
	return m;
}

void afl_custom_deinit(void *data)
{
	struct mutator *m = data;

	free(m->buf);
	free(m);
}

size_t afl_custom_fuzz(void *data, uint8_t *p, size_t n, uint8_t **out, uint8_t *add,
		       size_t nadd, size_t max)
{
	struct mutator *m = data;
	uint8_t *buf = max > m->cap ? realloc(m->buf, max) : m->buf;

	(void)add, (void)nadd;
	if (!buf || n > max) {
		*out = p;
		return n;
	}
	m->buf = buf;
	m->cap = max > m->cap ? max : m->cap;
	memcpy(buf, p, n);
	*out = buf;
	return mutate_lines(buf, n, max, m->seed++);
}
