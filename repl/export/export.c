/*
 * export.c - the directory or database of .export; see export.h.
 *
 * The directory is filled under a temporary name beside its final one, and renamed after
 * all is synced.  rename() replaces an empty directory only.  The schema is written last,
 * when the numbers of rows are known.
 */
#include "repl/export/export.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/query.h"
#include "engine/session.h"
#include "index/base/err.h"
#include "index/base/hash.h"
#include "index/base/vec.h"
#include "index/format/meta_code.h"
#include "index/store/publish.h"
#include "repl/app/app.h"
#include "repl/export/export_db.h"
#include "repl/export/export_in.h"
#include "repl/term/number.h"
#include "repl/app/progress.h"

enum { TRIES = 100, PORTIONS = 64 };

struct place {
	char *dir, *temp; /* without a slash at the end */
	int fd;		  /* of temp */
};

static int export_failed(const char *what, struct err *err)
{
	return err_set(err, err_kind_of(errno, ERR_OUTPUT), 0, "%s: %s", what,
		       strerror(errno));
}

/* ---- the directory ---- */

static bool is_empty(const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	bool empty = d != NULL;

	while (d && empty && (entry = readdir(d)))
		empty = strcmp(entry->d_name, ".") == 0 ||
			strcmp(entry->d_name, "..") == 0;
	if (d)
		closedir(d);
	return empty;
}

/* Check before the work starts; the rename at the end decides. */
static int check_free(const char *dir, struct err *err)
{
	struct stat st;

	if (lstat(dir, &st) < 0)
		return errno == ENOENT ? 0 : export_failed(dir, err);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_OUTPUT, 0, "%s: it exists and is not a directory",
			       dir);
	if (!is_empty(dir)) {
		err_set(err, ERR_OUTPUT, 0, "%s: it exists and is not empty", dir);
		return err_hint(err, "remove it, or name another");
	}
	return 0;
}

static bool is_ours(const char *name)
{
	struct str file = str_c(name);

	for (size_t t = 0; t < export_tables_n; t++) {
		struct str table = str_c(export_tables[t].name);

		if (str_starts(file, table) &&
		    (str_eq(str_from(file, table.n), STR(".csv")) ||
		     str_eq(str_from(file, table.n), STR(".ndjson"))))
			return true;
	}
	return str_eq(file, STR("schema.sql")) || str_eq(file, STR("schema.json"));
}

/* Remove the files of an export from a directory; closes fd. */
static void empty_out(int fd)
{
	DIR *d = fdopendir(fd);
	const struct dirent *entry;

	if (!d) {
		close(fd);
		return;
	}
	while ((entry = readdir(d)))
		if (is_ours(entry->d_name))
			unlinkat(fd, entry->d_name, 0);
	closedir(d);
}

/* Remove the remains of a killed export.  A directory with any other file stays. */
static void remove_left(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	empty_out(fd);
	unlinkat(dir, name, AT_REMOVEDIR);
}

static int open_place(struct place *p, const char *dir, struct err *err)
{
	size_t n = strlen(dir);

	*p = (struct place){.fd = -1};
	while (n > 1 && dir[n - 1] == '/')
		n--;
	p->dir = strndup(dir, n);
	p->temp = malloc(n + 40);
	if (!p->dir || !p->temp)
		return err_no_memory(err, NULL);
	if (check_free(p->dir, err))
		return err->kind;
	publish_sweep(p->dir, remove_left);
	for (int i = 0; i < TRIES; i++) {
		snprintf(p->temp, n + 40, "%s.tmp.%ld.%d", p->dir, (long)getpid(), i);
		if (mkdir(p->temp, 0777) == 0)
			break;
		if (errno != EEXIST || i == TRIES - 1) {
			free(p->temp);
			p->temp = NULL;
			return export_failed(p->dir, err);
		}
	}
	p->fd = open(p->temp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return p->fd < 0 ? export_failed(p->temp, err) : 0;
}

static int publish(struct place *p, struct err *err)
{
	if (fsync(p->fd) < 0)
		return export_failed(p->temp, err);
	if (rename(p->temp, p->dir) < 0)
		return export_failed(p->dir, err);
	free(p->temp);
	p->temp = NULL;
	return 0;
}

static void close_place(struct place *p)
{
	if (p->fd >= 0 && p->temp)
		empty_out(dup(p->fd));
	if (p->temp)
		rmdir(p->temp);
	if (p->fd >= 0)
		close(p->fd);
	free(p->temp);
	free(p->dir);
}

/* ---- the events of all profiles ---- */

static bool same_column(const char *a, const char *b)
{
	return strcasecmp(a, b) == 0;
}

/* Databases ignore case: if there is an Ir, IR becomes IR_2. */
static char *free_column(const struct export *x, struct str name)
{
	char *column = NULL;
	size_t i = 0;

	for (unsigned n = 1; i < x->nevents || !column; n++) {
		free(column);
		if (asprintf(&column, n > 1 ? "%.*s_%u" : "%.*s", STR_ARG(name), n) < 0)
			return NULL;
		for (i = 0; i < x->nevents && !same_column(x->events[i].column, column);
		     i++)
			;
	}
	return column;
}

static int export_add_event(struct export *x, struct str name)
{
	struct export_event *e;

	for (size_t i = 0; i < x->nevents; i++)
		if (str_eq(x->events[i].name, name))
			return 0;
	if (vec_reserve(&x->events, &x->events_cap, x->nevents + 1, sizeof(*e)))
		return err_no_memory(x->err, NULL);
	e = &x->events[x->nevents];
	e->name = name;
	e->column = free_column(x, name);
	if (!e->column)
		return err_no_memory(x->err, NULL);
	x->nevents++;
	return 0;
}

static int collect_events(struct export *x)
{
	const struct session *s = x->app->session;

	for (size_t i = 0; i < session_profiles(s); i++) {
		struct store *st = session_profile(s, i);

		for (uint32_t e = 0; e < store_info(st)->events; e++) {
			const size_t before = x->nevents;
			struct store_event ev;

			store_event(st, e, &ev);
			if (export_add_event(x, ev.name))
				return x->err->kind;
			if (x->nevents > before)
				x->events[before].unit = store_unit(st, e);
		}
	}
	x->local = calloc(x->nevents + 1, sizeof(*x->local));
	return x->local ? 0 : err_no_memory(x->err, NULL);
}

/* ---- tables ---- */

static int export_open_file(struct export *x, const struct place *p, const char *name)
{
	int fd = openat(p->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0666);

	if (fd < 0)
		return export_failed(name, x->err);
	out_fd(&x->out, fd);
	return 0;
}

static int close_file(struct export *x, const char *name)
{
	int fd = x->out.fd, why = out_close(&x->out);

	if (!why && fsync(fd) < 0)
		why = errno;
	if (close(fd) < 0 && !why)
		why = errno;
	if (why)
		err_set(x->err, ERR_OUTPUT, 0, "%s: %s", name, strerror(why));
	return x->err->kind;
}

/* ---- questions ---- */

/* A session with one profile alone: without limits, filters and lets of the user's, whose `_`
 * stays, too. */
static int open_session(struct export *x)
{
	const struct session *of = x->app->session;

	session_free(x->asked);
	x->asked = NULL;
	if (session_new(&x->asked, x->err) ||
	    session_add(x->asked, x->profile, x->st, x->err))
		return x->err->kind;
	/* The profile outlives this session. */
	store_set_units(x->st, &of->units);
	session_set_cancel(x->asked, &app_cancel);
	session_set_reading(x->asked, &of->reading);
	x->asked->limits = (struct session_limits){
		.rows = UINT64_MAX / 2,
		.arena_bytes = SIZE_MAX / 4,
		.nesting = of->limits.nesting,
		.text_bytes = SIZE_MAX / 4,
	};
	return 0;
}

/* The run of a profile: r and ten of 36 signs, by its name here and by its files: their paths,
 * content, and when they were written or came through a pipe. */
static void name_run(struct export *x)
{
	uint64_t n = str_hash(x->profile);
	uint32_t files;
	const struct input_file *file = store_inputs(x->st, &files);

	for (uint32_t i = 0; i < files; i++) {
		n = hash_mix(n ^ file[i].id.hash);
		n = hash_mix(n ^ (file[i].id.mtime_ns ? file[i].id.mtime_ns
						      : store_info(x->st)->built_s));
		n = hash_mix(n ^ str_hash(file[i].id.path));
	}
	x->run[0] = 'r';
	for (size_t i = 1; i + 1 < sizeof(x->run); i++, n /= 36)
		x->run[i] = "0123456789abcdefghijklmnopqrstuvwxyz"[n % 36];
}

static int set_profile(struct export *x, size_t i)
{
	struct store *const before = x->st;

	x->st = session_profile(x->app->session, i);
	x->profile = session_profile_name(x->app->session, i);
	name_run(x);
	for (size_t e = 0; e < x->nevents; e++)
		x->local[e] = store_event_find(x->st, x->events[e].name);
	return x->st == before && x->asked ? 0 : open_session(x);
}

/* self."Ir" */
static void ask_cost(struct out *q, struct str cost, struct str event)
{
	out_printf(q, "%.*s.\"", STR_ARG(cost));
	for (size_t i = 0; i < event.n; i++) {
		out_c(q, event.p[i] == '"' || event.p[i] == '\\' ? "\\" : "");
		out_char(q, event.p[i]);
	}
	out_char(q, '"');
}

/* functions | sort id asc | show id, fn, self."Ir" */
static void make_query(const struct export *x, struct out *q)
{
	const char *list = x->table->columns, *sep = " | show ";
	struct export_column c;

	out_c(q, x->table->addressed && store_info(x->st)->has_instr ? x->table->addressed
								     : x->table->query);
	if (x->table->has && !x->table->has(x->st))
		out_c(q, " | take 0");
	while (export_next(&list, &c))
		for (size_t e = c.cost ? 0 : x->nevents; e < x->nevents + !c.cost; e++) {
			if (c.cost && !export_has(x, e))
				continue;
			out_c(q, sep);
			sep = ", ";
			if (c.cost)
				ask_cost(q, c.from, x->events[e].name);
			else if (x->asked->reading.part && str_eq(c.from, STR("row")))
				out_printf(q, "%u as %.*s", x->asked->reading.part,
					   STR_ARG(c.name));
			else
				out_str(q, c.from);
		}
}

static int put_answer(void *arg, const struct result *r, struct err *err)
{
	(void)err; /* it is x->err */
	return export_put(arg, r);
}

static int query_rows(struct export *x)
{
	struct out q;

	out_mem(&q);
	make_query(x, &q);
	arena_reset(&x->arena);
	if (q.failed)
		err_no_memory(x->err, NULL);
	else
		query_run(x->asked, (struct str){q.buf, q.n}, &x->arena, put_answer, x,
			  x->err);
	out_close(&q);
	if (x->err->kind) { /* a place in it means nothing */
		x->err->at = 0;
		x->err->len = 0;
	}
	return x->err->kind;
}

/* Write the rows of one profile under guard: its index may shrink.  The caller closes
 * the files. */
static int rows_guarded(void *arg)
{
	struct export *x = arg;
	const struct store_info *const i = store_info(x->st);
	struct session_reading *const of = &x->asked->reading;
	const uint32_t all = x->table->portions == OF_FUNCTIONS ? i->groups
			     : x->table->portions == OF_PARTS	? i->parts
								: 1;
	uint32_t at = 0;

	do {
		of->part = x->table->portions == OF_PARTS && all ? at + 1 : 0;
		of->number = x->table->portions == OF_FUNCTIONS ? all / PORTIONS + 1 : 0;
		of->first = of->number ? at : 0;
		if (query_rows(x))
			return x->err->kind;
		at += of->number ? of->number : 1;
	} while (at < all);
	return store_check(x->st, x->err);
}

static void begin_table(struct export *x, const struct export_table *t)
{
	x->table = t;
	x->rows = 0;
	x->headed = false;
}

/* The rows of all profiles. */
static void each_profile(struct export *x)
{
	for (size_t i = 0; i < session_profiles(x->app->session) && !x->err->kind; i++)
		if (!set_profile(x, i))
			session_guard(rows_guarded, x, x->err);
}

static int write_table(struct export *x, const struct place *p,
		       const struct export_table *t, uint64_t *rows)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s", t->name, export_extension(x));
	begin_table(x, t);
	if (export_open_file(x, p, name))
		return x->err->kind;
	each_profile(x);
	*rows = x->rows;
	return close_file(x, name);
}

static int write_tables(struct export *x, const struct place *p, const bool *chosen)
{
	uint64_t rows[EXPORT_TABLES] = {0};

	for (size_t t = 0; t < export_tables_n; t++)
		if (chosen[t] && write_table(x, p, &export_tables[t], &rows[t]))
			return x->err->kind;
	if (export_open_file(x, p, "schema.sql"))
		return x->err->kind;
	export_schema_sql(x, chosen);
	if (close_file(x, "schema.sql") || export_open_file(x, p, "schema.json"))
		return x->err->kind;
	export_schema_json(x, chosen, rows);
	return close_file(x, "schema.json");
}

static struct str next_word(struct str *s)
{
	struct str w = str_trim(*s);
	size_t n = 0;

	while (n < w.n && w.p[n] != ' ' && w.p[n] != '\t' && w.p[n] != ',')
		n++;
	*s = str_from(w, n + (n < w.n));
	return (struct str){w.p, n};
}

static int hint_tables(struct err *err)
{
	char list[300] = "";

	for (size_t t = 0, n = 0; t < export_tables_n && n < sizeof(list); t++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, " %s",
				      export_tables[t].name);
	return err_hint(err, "tables:%s", list);
}

static int choose_tables(struct str names, bool *chosen, struct err *err)
{
	struct str w = next_word(&names);

	for (size_t t = 0; t < export_tables_n; t++)
		chosen[t] = !w.n && !export_tables[t].on_request;
	for (; w.n; w = next_word(&names)) {
		size_t t = 0;

		while (t < export_tables_n && !str_eq(w, str_c(export_tables[t].name)))
			t++;
		if (t == export_tables_n) {
			err_set(err, ERR_USAGE, 0, "there is no table '%.*s'",
				STR_ARG(w));
			return hint_tables(err);
		}
		chosen[t] = true;
	}
	return 0;
}

static void say_done(const struct export *x, const char *dir, uint64_t start)
{
	char took[NUMBER_MAX];

	number_seconds(took, progress_now_ns() - start);
	app_note(x->app, "wrote %s rows to %s, %s", GROUPED(x->written), dir, took);
}

static int write_directory(struct export *x, const char *dir, const bool *chosen,
			   uint64_t start)
{
	struct place p;

	if (open_place(&p, dir, x->err) == 0 && collect_events(x) == 0 &&
	    write_tables(x, &p, chosen) == 0 && publish(&p, x->err) == 0)
		say_done(x, p.dir, start);
	close_place(&p);
	return x->err->kind;
}

/* ---- a database ---- */

/* The statements that make the tables. */
static int create_tables(struct export *x, const bool *chosen)
{
	out_mem(&x->out);
	export_schema_sql(x, chosen);
	out_char(&x->out, '\0');
	if (x->out.failed)
		err_no_memory(x->err, NULL);
	else
		export_db_run(x->db, x->out.buf, x->err);
	out_close(&x->out);
	return x->err->kind;
}

static int write_database(struct export *x, const char *path, const bool *chosen,
			  uint64_t start)
{
	if (export_db_open(&x->db, path, x->err) || collect_events(x) ||
	    create_tables(x, chosen))
		return x->err->kind;
	for (size_t t = 0; t < export_tables_n && !x->err->kind; t++) {
		if (!chosen[t])
			continue;
		begin_table(x, &export_tables[t]);
		if (!export_db_table(x->db, x->table->name, export_columns(x), x->err))
			each_profile(x);
	}
	if (!x->err->kind && !export_db_publish(x->db, x->err))
		say_done(x, path, start);
	return x->err->kind;
}

int export_run(struct app *app, const char *to, enum export_format format,
	       struct str tables, struct err *err)
{
	struct export x = {.app = app, .format = format, .err = err};
	uint64_t start = progress_now_ns();
	bool chosen[EXPORT_TABLES] = {false};

	if (choose_tables(tables, chosen, err))
		return err->kind;
	arena_init(&x.arena, 0);
	if (format == EXPORT_DB)
		write_database(&x, to, chosen, start);
	else
		write_directory(&x, to, chosen, start);
	export_db_close(x.db);
	session_free(x.asked);
	for (size_t i = 0; i < x.nevents; i++)
		free(x.events[i].column);
	free(x.events);
	free(x.local);
	arena_free(&x.arena);
	return err->kind;
}
