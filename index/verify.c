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
	err_set(err, ERR_INDEX, 0, "%s has no index%s%s", profile, named ? " " : " yet",
		named ? named : "");
	return err_hint(err, "any query makes one: quern %s -c top", profile);
}

static void verify_compare(const char *profile, const struct store *st,
			   struct verified *out)
{
	struct inputs in = {0};
	struct err ignored = {0};
	char why[300];
	size_t new;
	uint32_t n;
	const struct input_file *recorded = store_inputs(st, &n);

	if (!inputs_open(&in, &profile, 1, &ignored)) {
		out->have_profile = true;
		out->fresh = inputs_compare(&in, recorded, n, &new, why, sizeof(why));
		inputs_close(&in);
	}
}

int verify_index(const char *path, const struct build_opts *opts, struct verified *out,
		 struct err *err)
{
	char index[INDEX_PATH_MAX];
	bool itself = is_index(path);
	struct store *st;

	*out = (struct verified){.fresh = SOURCE_SAME};
	if (itself)
		snprintf(index, sizeof(index), "%s", path);
	else if (!find_index(path, opts->index_path, index))
		return none(path, opts->index_path, err);
	snprintf(out->index, sizeof(out->index), "%.4199s", index);
	if (store_open(index, opts->trust, &st, err))
		return err->kind;
	if (!store_verify(st, opts->cancel, &out->checked, err) && !itself)
		verify_compare(path, st, out);
	store_close(st);
	return err->kind;
}
