/* input_many.c - many small files, read on several threads; see input.h. */
#include "index/base/err.h"
#include "index/read/input.h"

#include <stdlib.h>

#include "index/base/map.h"
#include "index/base/ordered.h"

enum {
	SMALL = 4 << 20, /* bytes; a smaller file is read by one thread */
	SLOTS = 16,	 /* files per thread, being read or waiting to be taken */
};

struct many {
	struct inputs *in;
	const struct stretch_opts
		*opts;	 /* options for a file that is read by one thread */
	uint32_t *small; /* indices of the small files in `in` */
	size_t n;
	void (*progress)(void *arg, uint64_t done);
	uint64_t done; /* bytes */
	struct err *err;
};

/* A file that is being read. */
struct one {
	struct input *in;
	const struct stretch_opts *opts;
	struct err err;
};

static int read_guarded(void *arg)
{
	struct one *one = arg;

	return input_read(one->in, one->opts, false, &one->err);
}

static int read_one(void *worker, void *slot, size_t item)
{
	const struct many *m = worker;
	struct one *one = slot;

	*one = (struct one){.in = &m->in->at[m->small[item]], .opts = m->opts};
	return map_guard(read_guarded, one, ERR_PROFILE, &one->err);
}

static int take_one(void *arg, void *slot, size_t item, int failed)
{
	struct many *m = arg;
	const struct one *one = slot;

	(void)item;
	if (failed) {
		*m->err = one->err;
		return failed;
	}
	m->done += one->in->source.id.size;
	if (m->progress)
		m->progress(m->opts->arg, m->done);
	return 0;
}

static bool is_small(const struct input *in)
{
	return !in->file.id.size && (in->source.codec || in->source.id.size <= SMALL);
}

int inputs_read_small(struct inputs *in, const struct stretch_opts *opts, struct err *err)
{
	const unsigned jobs = ordered_jobs(opts->jobs);
	struct stretch_opts alone = *opts;
	struct many m = {
		.in = in, .opts = &alone, .progress = opts->progress, .err = err};
	struct ordered o = {.nslots = SLOTS * (size_t)jobs,
			    .slot_size = sizeof(struct one),
			    .nworkers = jobs,
			    .make = read_one,
			    .take = take_one,
			    .arg = &m};
	int rc = 0;

	alone.jobs = 1;
	alone.mem = opts->mem / jobs;
	alone.progress = NULL;
	m.small = malloc((in->n + 1) * sizeof(*m.small));
	o.slots = calloc(o.nslots, o.slot_size);
	o.worker = calloc(jobs, sizeof(*o.worker));
	if (!m.small || !o.slots || !o.worker)
		rc = err_no_memory(err, "while reading");
	for (uint32_t i = 0; !rc && i < in->n; i++)
		if (is_small(&in->at[i]))
			m.small[m.n++] = i;
	for (unsigned i = 0; !rc && i < jobs; i++)
		o.worker[i] = &m;
	o.items = m.n;
	/* One small file alone is read like a large one. */
	if (!rc && jobs > 1 && m.n > 1)
		rc = ordered_run(&o);
	free(m.small);
	free(o.slots);
	free(o.worker);
	return rc ? err->kind : 0;
}
