/* beside.c - the dumps of a run that lie beside one of them; see beside.h. */
#include "index/read/beside.h"

#include <dirent.h>

#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/map.h"
#include "index/file/unpack.h"
#include "index/read/input.h"
#include "index/read/start.h"
#include "index/store/publish.h"
#include "index/store/store.h"

enum {
	LISTED = 10000, /* entries of the directory */
	HEADERS = 64,	/* files whose headers are read */
	PACKED = 4,	/* of those: a block of bzip2 takes 50 ms */
};

/* ---- which belong to the run ---- */

struct beside_search {
	struct store *st;
	struct start_header header[HEADERS];
	bool same[HEADERS]; /* of the same run */
	size_t n, packed;
};

/* Take out those that the profile contains: a file may hold several dumps. */
static int drop_known(void *arg)
{
	struct beside_search *s = arg;

	for (uint32_t i = 0; i < store_info(s->st)->parts; i++) {
		struct part p;

		store_part(s->st, i, &p);
		for (size_t k = 0; k < s->n; k++)
			s->same[k] &= p.part != s->header[k].part ||
				      p.thread != s->header[k].thread;
	}
	return 0;
}

/* Look at a file that has the name of a dump. */
static void beside_look(struct beside_search *s, uint64_t pid, int dir, const char *name)
{
	struct file_start start;
	struct start_header *h = &s->header[s->n];

	if (!start_read(&start, dir, name))
		return;
	*h = start_header(&start);
	s->packed += start.packed;
	s->same[s->n++] =
		h->whole && h->pid == pid && str_eq(h->cmd, store_info(s->st)->cmd);
}

/* Whether an entry beside the file `own` has the name of a dump of base. */
static bool is_named(const struct dirent *e, struct str own, struct str base)
{
	struct str name = str_c(e->d_name);

	return (e->d_type == DT_REG || e->d_type == DT_LNK || e->d_type == DT_UNKNOWN) &&
	       str_starts(name, base) && !str_eq(name, own) &&
	       input_is_dump_suffix(str_from(name, base.n));
}

/* Look at the entries beside the file `own`; count those that are not looked at. */
static void search(struct beside_search *s, DIR *d, struct str own, uint64_t pid,
		   struct beside *out)
{
	struct str base = str_basename(out->base);
	struct dirent *e;
	size_t listed = 0;

	while (listed < LISTED && (e = readdir(d))) {
		listed++;
		if (!is_named(e, own, base))
			continue;
		if (s->n < HEADERS && s->packed < PACKED)
			beside_look(s, pid, dirfd(d), e->d_name);
		else
			out->n++;
	}
	out->more = listed == LISTED;
}

void beside_find(const char *path, struct store *st, struct beside *out)
{
	char dir[INDEX_PATH_MAX];
	struct beside_search s = {.st = st};
	struct err ignored = {0};
	size_t same = 0;
	uint32_t n;
	const struct input_file *f = store_inputs(st, &n);
	DIR *d;

	*out = (struct beside){.base = unpack_plain_name(str_c(path))};
	/* A pipe has no path.  Without a pid nothing tells a run. */
	if (n != 1 || !f->id.path.n || !f->pid || !str_basename(out->base).n)
		return;
	publish_directory(path, dir);
	d = opendir(dir);
	if (!d)
		return;
	search(&s, d, str_basename(str_c(path)), f->pid, out);
	closedir(d);
	if (s.n && map_guard(drop_known, &s, ERR_INDEX, &ignored))
		s.n = 0;
	for (size_t i = 0; i < s.n; i++)
		same += s.same[i];
	/* Those that were not looked at are like those that were, if these are alike. */
	out->mixed = same < s.n;
	if (out->mixed) {
		out->more |= out->n > 0;
		out->n = 0;
	}
	out->n = same ? out->n + same : 0;
}
