/* hold.c - the folders in which --safe and --mcp may write; see hold.h. */
#include "repl/app/hold.h"

#include <stdlib.h>
#include <string.h>

#include "engine/files/confine.h"
#include "index/base/err_struct.h"
#include "index/read/input.h"
#include "index/store/publish.h"
#include "repl/app/app.h"
#include "repl/app/options.h"
#include "repl/term/talk.h"

/* A folder that is not added for lack of memory is not written to. */
static void add(struct paths *f, const char *path)
{
	app_add_path(f, path, &(struct err){0});
}

static void add_directory_of(struct paths *f, const char *path)
{
	char dir[INDEX_PATH_MAX];

	publish_directory(path, dir);
	add(f, dir);
}

/* Beside the profile, and the cache if that is not writable. */
static void add_places(struct paths *f, const char *profile)
{
	char *real = realpath(profile, NULL);
	char place[INDEX_PATH_MAX];
	bool writable = false;

	for (unsigned i = 0; !writable && publish_place(real ? real : profile, i, place);
	     i++) {
		writable = publish_writable(place);
		add_directory_of(f, place);
	}
	free(real);
}

static void add_profile(struct paths *f, const char *arg)
{
	char *path = app_expand(str_c(arg + app_split_name(arg)));

	if (path && app_is_folder(path))
		add(f, path);
	else if (path && strcmp(path, "-") != 0)
		add_places(f, path);
	free(path);
}

static void add_all(struct paths *f, const struct options *o)
{
	const char *tmp = getenv("TMPDIR");

	add(f, tmp && tmp[0] == '/' ? tmp : "/tmp");
	if (o->no_index_write)
		return;
	if (o->index)
		add_directory_of(f, o->index);
	for (size_t i = 0; !o->index && i < o->nprofiles; i++)
		add_profile(f, o->profiles[i]);
}

void hold(const struct options *o)
{
	struct paths f = {0};
	unsigned by;

	if (!o->safe && !o->mcp)
		return;
	add_all(&f, o);
	by = confine_writes((const char *const *)f.at, f.n);
	inputs_free(f.at, f.n);
	if (!o->quiet && !(by & CONFINED_FILES))
		talk_note("this kernel (no Landlock) does not see to it that no other "
			  "file is written");
	if (!o->quiet && !(by & CONFINED_CALLS))
		talk_note("this kernel (no seccomp, or built without libseccomp) does "
			  "not see to it that no socket is opened");
}
