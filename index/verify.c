/* verify.c - see verify.h. */
#include "index/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/build.h"
#include "index/read/input.h"
#include "index/store/publish.h"

static bool is_index(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool yes = fd >= 0 && store_recognise(fd);

	if (fd >= 0)
		close(fd);
	return yes;
}

/* The path where queries would look for the index of a profile; the profile may be
 * gone. */
static bool find_index(const char *profile, const char *named, char path[INDEX_PATH_MAX])
{
	char *whole = realpath(profile, NULL);
	bool found = false;

	if (named)
		snprintf(path, INDEX_PATH_MAX, "%s", named);
	for (unsigned i = 0; !named && !found; i++) {
		if (!publish_place(whole ? whole : profile, i, path))
			break;
		found = access(path, F_OK) == 0;
	}
	free(whole);
	return named ? access(path, F_OK) == 0 : found;
}

static int none(const char *profile, const char *named, struct err *err)
{
	if (access(profile, F_OK))
		return err_set(err, ERR_PROFILE, 0, "%s: %s", profile, strerror(errno));
	err_set(err, ERR_INDEX, 0, "%s has no index %s", profile, named);
	return err_hint(err, "quern %s --rebuild -c top makes one", profile);
}

/* Build the index again from these files, if they are what it was made from, and compare. */
static int compare(const char *const *path, size_t n, struct store *st,
		   const struct build_opts *opts, struct verified *out, struct err *err)
{
	struct build_opts o = *opts;
	struct build_report report;
	struct inputs in = {0};
	struct err gone = {0};
	struct store *again = NULL;
	size_t new;
	uint32_t recorded_n;
	const struct input_file *recorded = store_inputs(st, &recorded_n);
	bool changed;

	if (inputs_open(&in, path, n, &gone)) {
		snprintf(out->why, sizeof(out->why), "%.290s", gone.text);
		return 0;
	}
	changed = inputs_compare(&in, recorded, recorded_n, &new, out->why,
				 sizeof(out->why)) == SOURCE_CHANGED;
	inputs_close(&in);
	if (changed) {
		snprintf(out->why, sizeof(out->why),
			 "the profile has changed since: the next query makes the index "
			 "anew");
		return 0;
	}
	o.index_path = NULL;
	o.no_write = o.rebuild = o.merge = o.regular = true;
	if (build_open_set(path, n, &o, &again, &report, err))
		return err->kind;
	out->compared = true;
	out->why[0] = '\0';
	store_same(st, again, err);
	store_close(again);
	return err->kind;
}

/* Compare with the files that the index names. */
static int compare_recorded(struct store *st, const struct build_opts *opts,
			    struct verified *out, struct err *err)
{
	uint32_t n;
	const struct input_file *recorded = store_inputs(st, &n);
	char **path = calloc((size_t)n + 1, sizeof(*path));
	bool whole = path != NULL;

	for (uint32_t i = 0; whole && i < n; i++)
		whole = (path[i] = strndup(recorded[i].id.path.p,
					   recorded[i].id.path.n)) != NULL;
	if (!whole)
		err_no_memory(err, "to check the index");
	else if (opts->only_named)
		snprintf(out->why, sizeof(out->why), "--safe: the profile is not named");
	else if (path[0][0] != '/')
		snprintf(out->why, sizeof(out->why), "the profile came through a pipe");
	else
		compare((const char *const *)path, n, st, opts, out, err);
	for (uint32_t i = 0; path && i < n; i++)
		free(path[i]);
	free(path);
	return err->kind;
}

/* Of a profile without an index, check the one that a query would make for itself. */
static int open_unkept(const char *path, const struct build_opts *opts, struct store **st,
		       struct err *err)
{
	struct build_opts o = *opts;
	struct build_report report;

	o.no_write = o.regular = true;
	return build_open_set(&path, 1, &o, st, &report, err);
}

int verify_index(const char *path, const struct build_opts *opts, struct verified *out,
		 struct err *err)
{
	char index[INDEX_PATH_MAX];
	const bool itself = is_index(path),
		   kept = itself || find_index(path, opts->index_path, index);
	struct store *st;
	uint32_t files;

	*out = (struct verified){0};
	if (!kept && (opts->index_path || access(path, F_OK)))
		return none(path, opts->index_path, err);
	if (itself || !kept)
		snprintf(index, sizeof(index), "%s", path);
	snprintf(out->index, sizeof(out->index), "%.4150s%s", index,
		 kept ? "" : ", without an index");
	if (kept ? store_open(index, opts->trust, &st, err)
		 : open_unkept(path, opts, &st, err))
		return err->kind;
	store_inputs(st, &files);
	if (!store_verify(st, opts->cancel, &out->checked, err)) {
		if (itself || files > 1)
			compare_recorded(st, opts, out, err);
		else
			compare(&path, 1, st, opts, out, err);
	}
	store_close(st);
	return err->kind;
}
