/*
 * runs.c - how many runs the files of a profile are; see runs.h.
 *
 * Each file gets a key, (pid, own): files with equal keys are one run.  `own` tells files
 * without a pid apart, and is empty for the others.
 */
#include "index/read/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/err.h"
#include "index/base/map.h"
#include "index/base/order.h"
#include "index/base/out.h"
#include "index/store/store.h"

enum { NAMED_MOST = 8 }; /* files that the command names */

struct run_member {
	struct str name, cmd, own;
	const struct input_file *file;
	size_t given; /* its place on the command line */
	size_t run;
};

struct members {
	struct run_member *at; /* in the order of the index; then sorted by key */
	size_t n, runs;
	struct store *st;
};

static bool one_process(const struct input_file *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!f[i].pid || f[i].pid != f[0].pid)
			return false;
	return true;
}

/* ---- what is known of each file ---- */

static int list_files(struct members *m, const struct inputs *in,
		      const struct input_file *f, struct err *err)
{
	uint32_t *now = calloc(m->n, sizeof(*now));
	const bool given = in->n == m->n;

	m->at = calloc(m->n, sizeof(*m->at));
	if (!now || !m->at || (given && inputs_map(in, f, m->n, now))) {
		free(now);
		return err_no_memory(err, "while opening profiles");
	}
	for (size_t i = 0; i < m->n; i++) {
		const struct input *is = given ? &in->at[now[i]] : NULL;

		m->at[i] = (struct run_member){
			.name = is ? str_c(is->source.name) : f[i].id.path,
			.file = &f[i],
			.given = is ? is->given : i,
		};
	}
	free(now);
	return 0;
}

static int read_commands(void *arg)
{
	struct members *m = arg;

	for (uint32_t i = 0; i < store_info(m->st)->parts; i++) {
		struct part p;

		store_part(m->st, i, &p);
		if (p.file < m->n && !m->at[p.file].cmd.n)
			m->at[p.file].cmd = p.cmd;
	}
	return 0;
}

/* ---- keys ---- */

static int compare_numbers(const void *a, const void *b)
{
	const struct run_member *x = a, *y = b;

	return input_order(x->file, y->file);
}

static int compare_keys(const void *a, const void *b)
{
	const struct run_member *x = a, *y = b;
	int c = order_u64(x->file->pid, y->file->pid);

	c = c ? c : str_cmp(x->own, y->own);
	return c ? c : order_u64(x->given, y->given);
}

/* Whether part and thread tell the first n files apart, and their command is the same. */
static bool numbered(const struct run_member *m, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (!str_eq(m[i].cmd, m[0].cmd) || !compare_numbers(&m[i - 1], &m[i]))
			return false;
	return true;
}

/* NAME.PID of NAME.PID-THREAD; another name as it is. */
static struct str without_thread(struct str name)
{
	const struct str s = input_without_number(name, '-', 1);

	return input_without_number(s, '.', 1).n < s.n ? s : name;
}

static void find_runs(struct members *m)
{
	size_t unnumbered = 0;

	qsort(m->at, m->n, sizeof(*m->at), compare_numbers);
	while (unnumbered < m->n && !m->at[unnumbered].file->pid)
		unnumbered++;
	if (!numbered(m->at, unnumbered))
		for (size_t i = 0; i < unnumbered; i++)
			m->at[i].own = m->at[i].cmd.n ? m->at[i].name
						      : without_thread(m->at[i].name);
	qsort(m->at, m->n, sizeof(*m->at), compare_keys);
	for (size_t i = 0; i < m->n; i++) {
		struct run_member *now = &m->at[i];

		if (i && (now->file->pid != now[-1].file->pid ||
			  !str_eq(now->own, now[-1].own)))
			m->runs++;
		now->run = m->runs;
	}
	m->runs++;
}

/* ---- the sentence ---- */

/* A name as an argument for a shell. */
static void add_argument(struct out *o, const char *before, struct str name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./,:@%+=";
	bool quote = false;

	for (size_t i = 0; i < name.n; i++)
		quote |= !name.p[i] || !strchr(plain, name.p[i]);
	out_printf(o, " %s%s%s", before, quote ? "'" : "",
		   !*before && str_starts(name, STR("-")) ? "./" : "");
	for (size_t i = 0; i < name.n; i++)
		out_printf(o, name.p[i] == '\'' ? "'\\''" : "%c", name.p[i]);
	out_printf(o, "%s", quote ? "'" : "");
}

static void add_files(struct out *o, const struct members *m, const char *before,
		      size_t run)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i].run == run)
			add_argument(o, before, m->at[i].name);
}

/* The run given first, and the one given last that is another. */
static void runs_choose(const struct members *m, size_t run[2], size_t *files)
{
	const struct run_member *first = m->at, *last = NULL;

	for (size_t i = 1; i < m->n; i++)
		if (m->at[i].given < first->given)
			first = &m->at[i];
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i].run != first->run && (!last || m->at[i].given > last->given))
			last = &m->at[i];
	run[0] = first->run;
	run[1] = last ? last->run : first->run;
	*files = 0;
	for (size_t i = 0; i < m->n; i++)
		*files += m->at[i].run == run[0] || m->at[i].run == run[1];
}

/* The program of all of them; n is 0 if they name none, or several. */
static struct str one_program(const struct members *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (!str_eq(input_program(m->at[i].cmd), input_program(m->at[0].cmd)))
			return (struct str){"", 0};
	return input_program(m->at[0].cmd);
}

static void add_names(struct out *o, const struct members *m)
{
	const bool swap = m->at[0].given > m->at[1].given;
	struct str a = m->at[swap].name, b = m->at[!swap].name;

	if (m->n > 2)
		out_printf(o, "these %zu files", m->n);
	else
		out_printf(o, "%.*s and %.*s", STR_ARG(str_cut(a, 150)),
			   STR_ARG(str_cut(b, 150)));
}

static void write_note(const struct members *m, char *note, size_t size)
{
	struct str of = one_program(m);
	size_t run[2], files, before;
	struct out o;

	out_mem(&o);
	add_names(&o, m);
	if (of.n)
		out_printf(&o, " are of %zu runs, or processes, of %.*s", m->runs,
			   STR_ARG(str_cut(of, 100)));
	else
		out_printf(&o, " are %zu profiles", m->runs);
	out_printf(
		&o,
		": their costs are added up. If that is meant: --merge. To compare %s: ",
		m->runs == 2 ? "them" : "the last with the first");
	before = o.n;
	runs_choose(m, run, &files);
	out_c(&o, "quern");
	if (files <= NAMED_MOST) {
		add_files(&o, m, "", run[1]);
		add_files(&o, m, "base=", run[0]);
		out_c(&o, " -c 'functions vs base'");
	}
	if (files > NAMED_MOST || o.n >= size) {
		o.n = before;
		out_c(&o, "quern FILES base='FILES' -c 'functions vs base'");
	}
	snprintf(note, size, "%.*s", STR_ARG(out_text(&o)));
	out_close(&o);
}

int runs_note(const struct inputs *in, struct store *st, char *note, size_t size,
	      struct err *err)
{
	struct members m = {.st = st};
	uint32_t n;
	const struct input_file *f = store_inputs(st, &n);
	int rc;

	note[0] = '\0';
	m.n = n;
	if (n < 2 || one_process(f, n))
		return 0;
	rc = list_files(&m, in, f, err);
	if (!rc)
		rc = map_guard(read_commands, &m, ERR_INDEX, err);
	if (!rc) {
		find_runs(&m);
		if (m.runs > 1)
			write_note(&m, note, size);
	}
	free(m.at);
	return rc;
}
