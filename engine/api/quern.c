/*
 * quern.c - libquern: profiles; see quern.h.
 *
 * A profile is a session of the engine with its stores, so all of the language works as in
 * the program, but what writes files and starts programs.
 */
#include "engine/api/quern.h"

#include <ctype.h>
#include <glob.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/api/quern_in.h"
#include "engine/query.h"
#include "index/base/err.h"
#include "index/base/vec.h"
#include "index/build.h"
#include "index/read/folder.h"

const char *quern_version(void)
{
	return QUERN_VERSION;
}

/* ---- errors ---- */

/* Does a hint name what only the program has: --mem, `.open`?  Those of other programs are
 * good advice. */
static bool names_option(const char *hint)
{
	const char *at = strstr(hint, "--");

	if (at && !strstr(hint, "callgrind") && !strstr(hint, "quern with --rebuild"))
		return true;
	for (at = hint; (at = strchr(at, '.')); at++)
		if ((at == hint || strchr(" `(", at[-1])) &&
		    islower((unsigned char)at[1]))
			return true;
	return false;
}

int api_tell(const struct err *err, quern_error *to)
{
	const int status = err->kind ? err_exit_status(err->kind) : QUERN_OK;

	if (!to)
		return status;
	*to = (quern_error){.status = status};
	memcpy(to->message, err->text, sizeof(to->message));
	if (!names_option(err->hint))
		memcpy(to->hint, err->hint, sizeof(to->hint));
	if (err->len && err->at != ERR_NOWHERE) {
		to->at = (size_t)err->at;
		to->length = err->len;
	}
	return status;
}

/* ---- the locale ---- */

static locale_t plain_locale;

static void make_locale(void)
{
	plain_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

void *api_enter(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_locale);
	return plain_locale ? uselocale(plain_locale) : NULL;
}

void api_leave(void *before)
{
	if (before)
		uselocale(before);
}

/* ---- options ---- */

static int read_options(const quern_options *from, quern_options *o, struct err *err)
{
	if (from && from->size != sizeof(*o))
		return err_set(err, ERR_USAGE, ERR_NOWHERE,
			       "quern_options.size is %zu, and in this library %zu",
			       from->size, sizeof(*o));
	*o = from ? *from : (quern_options){0};
	return 0;
}

static void apply_limits(struct quern_profile *p, const quern_options *o)
{
	struct session_limits l = {
		.rows = o->rows, .arena_bytes = o->memory, .seconds = o->seconds};

	session_set_limits(p->session, &l);
	p->memory = session_limits(p->session)->arena_bytes;
	/* An int that is read atomically: C++ has no _Atomic for quern.h to say so. */
	session_set_cancel(p->session, (const atomic_int *)(const void *)o->cancel);
}

/* ---- opening ---- */

/* A build sets the process's limit of core files and malloc's thresholds, and sets them
 * back: one at a time. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static int open_files(const char *const *path, size_t n, const quern_options *o,
		      struct build_report *report, struct store **out, struct err *err)
{
	const struct build_opts how = {
		.index_path = o->index,
		.no_write = o->flags & QUERN_NO_WRITE,
		.small = BUILD_SMALL,
		.no_build = o->flags & QUERN_NO_BUILD,
		.regular = true,
		.merge = o->flags & QUERN_MERGE,
		.trust = o->flags & QUERN_TRUST,
		.jobs = o->threads,
		.cancel = (const atomic_int *)(const void *)o->cancel,
	};
	int rc;

	pthread_mutex_lock(&opening);
	rc = build_open_set(path, n, &how, out, report, err);
	pthread_mutex_unlock(&opening);
	if (!rc)
		store_demangle(*out, !(o->flags & QUERN_RAW_NAMES));
	return rc;
}

static int open_path(const char *path, const quern_options *o,
		     struct build_report *report, struct store **out, struct err *err)
{
	glob_t found;
	int rc;

	if (!path || !*path || strcmp(path, "-") == 0)
		return err_set(err, ERR_USAGE, ERR_NOWHERE,
			       "a profile is named by the path of its file");
	if (!folder_is_pattern(path) || glob(path, 0, NULL, &found))
		return open_files(&path, 1, o, report, out, err);
	rc = open_files((const char *const *)found.gl_pathv, found.gl_pathc, o, report,
			out, err);
	globfree(&found);
	return rc;
}

static int add_profile(struct quern_profile *p, const char *name, const char *path,
		       const quern_options *o, struct err *err)
{
	struct build_report report = {0};
	struct store *st = NULL;

	if (vec_reserve(&p->opened, &p->cap, p->n + 1, sizeof(*p->opened)))
		return err_no_memory(err, NULL);
	if (open_path(path, o, &report, &st, err))
		return err->kind;
	if (session_add(p->session, name ? str_c(name) : str_basename(str_c(path)), st,
			err)) {
		store_close(st);
		return err->kind;
	}
	p->opened[p->n++] = st;
	/* What the program read from objects; this reads none. */
	return session_keep_inlines(p->session, report.index, o->flags & QUERN_TRUST,
				    err);
}

static int open_profile(struct quern_profile *p, const char *path,
			const quern_options *options, struct err *err)
{
	quern_options o;

	if (read_options(options, &o, err) || session_new(&p->session, err))
		return err->kind;
	session_set_safe(p->session, true);
	apply_limits(p, &o);
	return add_profile(p, NULL, path, &o, err);
}

quern_profile *quern_open(const char *path, const quern_options *options, quern_error *to)
{
	void *before = api_enter();
	struct quern_profile *p = calloc(1, sizeof(*p));
	struct err err = {0};

	if (!p)
		err_no_memory(&err, NULL);
	else
		p->users = 1;
	if (p && open_profile(p, path, options, &err)) {
		api_drop(p);
		p = NULL;
	}
	api_leave(before);
	api_tell(&err, to);
	return p;
}

int quern_add(quern_profile *p, const char *name, const char *path,
	      const quern_options *options, quern_error *to)
{
	void *before = api_enter();
	struct err err = {0};
	quern_options o;

	if (!p)
		err_set(&err, ERR_USAGE, ERR_NOWHERE, "no profile is given");
	else if (!read_options(options, &o, &err))
		add_profile(p, name, path, &o, &err);
	api_leave(before);
	return api_tell(&err, to);
}

void api_drop(struct quern_profile *p)
{
	if (--p->users)
		return;
	session_free(p->session);
	for (size_t i = 0; i < p->n; i++)
		store_close(p->opened[i]);
	free(p->opened);
	free(p);
}

void quern_close(quern_profile *p)
{
	if (p)
		api_drop(p);
}
