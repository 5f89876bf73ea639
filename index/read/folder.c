/*
 * folder.c - find the profiles of a folder, name them, pair them; see folder.h.
 *
 * Each file gets the key of its member and a side: now, or that of a base.  Files of one
 * key and side are one profile, so once they are sorted each member is a stretch of the list.
 */
#include "index/read/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/strset.h"
#include "index/file/part_text.h"
#include "index/file/source.h"
#include "index/file/unpack.h"
#include "index/read/input.h"
#include "index/read/start.h"

enum what { PROFILE, EMPTY, INDEX }; /* a program that crashed leaves an empty one */

struct file {
	const char *path;
	struct str key, cmd, creator;
	struct str side; /* empty: now; ".old", ".base@NAME" */
	enum what what;
	uint64_t pid, part, thread;
	dev_t dev;
	ino_t ino;
	int64_t written_s;
	bool joined;   /* by its layout or run, with others of its key */
	bool codspeed; /* and it has no benchmark of its own */
	bool bench;    /* it is one of CodSpeed's */
};

struct search {
	struct folder *f;
	size_t below; /* bytes of a path before the key; 0 for files of a pattern */
	struct file *at;
	size_t n, cap;
	struct paths_found {
		struct str *at;
		size_t n, cap;
	} folders, links;      /* to be listed */
	struct strset seen;    /* folders, as device and inode */
	struct strset benches; /* folders of CodSpeed that have benchmarks */
	const atomic_int *cancel;
	struct err *err;
};

/* ---- what a name says ---- */

static struct str folder_of(struct str path)
{
	const size_t n = path.n - str_after_slash(path).n;

	return (struct str){path.p, n ? n - 1 : 0};
}

static bool cut_end(struct str *s, struct str end)
{
	const bool is = str_ends(*s, end) && s->n > end.n;

	s->n -= is ? end.n : 0;
	return is;
}

/* Cut the packing and the side off. */
static struct str cut_side(struct str *path)
{
	const struct str whole = unpack_plain_name(*path), name = str_after_slash(whole);
	const size_t at = str_find_str(name, STR(".base@"));

	*path = whole;
	if (!cut_end(path, STR(".old")) && at < name.n)
		path->n = whole.n - name.n + at;
	return str_from(whole, path->n);
}

/* Where all files of a folder are one member, whose key is that of the folder: */

/* gungraun: FOLDER/callgrind.FOLDER[.MORE].out; own: the name of the folder whose path is empty. */
static bool of_gungraun(struct str path, struct str own)
{
	const struct str dir = folder_of(path), of = dir.n ? str_after_slash(dir) : own;
	struct str name = str_after_slash(path);

	if (!of.n || !cut_end(&name, STR(".out")) || !str_starts(name, STR("callgrind.")))
		return false;
	name = str_from(name, 10);
	return str_starts(name, of) && (name.n == of.n || name.p[of.n] == '.');
}

/* CodSpeed: FOLDER/PID.out and its dumps PID.out.N, for each process.  A part with a name is a
 * benchmark, and a member (part_text.h); without any the folder is. */
static bool of_codspeed(struct str path, uint64_t pid)
{
	struct str name = input_without_number(str_after_slash(path), '.', 1);
	uint64_t number;

	return cut_end(&name, STR(".out")) && str_u64(name, &number) && number == pid;
}

/* Does a file of this name hold a profile, or what is left of one? */
static bool named_profile(struct str name)
{
	return str_starts(name, STR("callgrind.out")) ||
	       str_starts(name, STR("cachegrind.out")) ||
	       str_ends(name, STR(".callgrind"));
}

/* ---- the files ---- */

static void add_problem(struct search *s, const char *path, const char *why)
{
	struct folder *f = s->f;

	if (arena_grow(&f->a, &f->problem, &f->problems_cap, f->nproblems,
		       f->nproblems + 1, sizeof(*f->problem)))
		return;
	f->problem[f->nproblems++] = arena_printf(&f->a, "%s: %s", path, why);
}

static void add_file(struct search *s, const struct file *file)
{
	if (!arena_grow(&s->f->a, &s->at, &s->cap, s->n, s->n + 1, sizeof(*file)))
		s->at[s->n++] = *file;
}

struct benches {
	struct search *s;
	const struct file *of;
	size_t first; /* of its benchmarks in s->at */
};

static int take_part(void *arg, struct str name, struct err *err)
{
	const struct benches *b = arg;
	struct search *s = b->s;
	struct arena *a = &s->f->a;
	const struct str key = b->of->key;
	struct file file = *b->of;

	if (!name.n) {
		s->f->unnamed++;
		return 0;
	}
	file.ino = source_part_inode(file.ino, name);
	for (size_t i = b->first; i < s->n; i++)
		if (s->at[i].ino == file.ino)
			return 0;
	file.path = arena_printf(a, "%s#%.*s", file.path, STR_ARG(name)).p;
	file.key = arena_printf(a, "%.*s%s%.*s", STR_ARG(key), key.n ? "/" : "",
				STR_ARG(name));
	file.pid = 0; /* it is no dump of a run */
	file.codspeed = false;
	file.bench = true;
	add_file(s, &file);
	return strset_add(&s->benches, key) == HASH_NONE ? err_no_memory(err, NULL) : 0;
}

/* The benchmarks of a file of CodSpeed, or the file. */
static void take_parts(struct search *s, const struct file *file)
{
	struct benches b = {s, file, s->n};
	const size_t unnamed = s->f->unnamed;
	struct err err = {0};

	if (part_text_each(file->path, take_part, &b, s->cancel, &err))
		add_problem(s, file->path, err.text);
	if (s->n == b.first) {
		s->f->unnamed = unnamed;
		add_file(s, file);
	}
}

/* Beside files with benchmarks one without is none. */
static void drop_unnamed(struct search *s)
{
	const size_t folders = s->benches.n;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].codspeed && strset_add(&s->benches, s->at[i].key) < folders)
			s->f->unnamed++;
		else
			s->at[n++] = s->at[i];
	s->n = n;
}

/* Take a regular file if it is a profile.  Instead of a profile that is gone its index says that
 * it was there. */
static void take(struct search *s, const char *path, const struct stat *sb)
{
	struct arena *a = &s->f->a;
	struct file file = {.dev = sb->st_dev,
			    .ino = sb->st_ino,
			    .written_s = sb->st_mtim.tv_sec,
			    .what = sb->st_size ? PROFILE : EMPTY};
	struct start_header h = {.cmd = {"", 0}};
	struct file_start start;
	bool gungraun;

	file.key = str_from(str_c(path), s->below);
	if (cut_end(&file.key, STR(".quern"))) {
		file.what = INDEX;
		cut_end(&file.key, STR(".set"));
	}
	file.side = cut_side(&file.key);
	gungraun = of_gungraun(file.key, s->f->own);
	if (file.what == PROFILE && start_read(&start, AT_FDCWD, path)) {
		h = start_header(&start);
	} else if (file.what == PROFILE && errno) { /* it may be one */
		add_problem(s, path, strerror(errno));
		return;
	}
	if (h.profile || (gungraun && file.what != PROFILE) ||
	    (file.what == EMPTY && file.side.n)) {
		if (!(file.path = arena_str(a, str_c(path)).p))
			return;
		file.key.p = file.path + (file.key.p - path);
		file.side.p = file.path + (file.side.p - path);
		file.codspeed = file.what == PROFILE && of_codspeed(file.key, h.pid);
		file.joined = gungraun || file.codspeed;
		file.key = file.joined ? folder_of(file.key) : file.key;
		file.cmd = arena_str(a, h.cmd);
		file.creator = arena_str(a, h.creator);
		file.pid = h.pid;
		file.part = h.part;
		file.thread = h.thread;
		(file.codspeed ? take_parts : add_file)(s, &file);
	} else if (file.what == PROFILE &&
		   (gungraun || named_profile(str_after_slash(file.key)))) {
		add_problem(s, path, "named as a profile, and none by its text");
	} else {
		s->f->others += file.what != INDEX;
	}
}

/* What is no file: a link that leads nowhere may have been a folder of benchmarks; that of an editor,
 * .#NAME, was none. */
static void take_other(struct search *s, const char *path, bool is_link)
{
	struct str rel = str_c(path), name = str_after_slash(rel);

	cut_side(&rel);
	if (is_link && !str_starts(name, STR(".#")))
		add_problem(s, path, "a link that leads nowhere");
	else if (!is_link &&
		 (of_gungraun(rel, STR("")) || named_profile(str_after_slash(rel))))
		add_problem(s, path, "no regular file");
}

static void add_path(struct search *s, struct paths_found *to, const char *path)
{
	struct arena *a = &s->f->a;

	if (!arena_grow(a, &to->at, &to->cap, to->n, to->n + 1, sizeof(*to->at)))
		to->at[to->n++] = arena_str(a, str_c(path));
}

/* FILE.old beside FILE: as a folder it is no base, and its place says that it is to be one. */
static bool in_place_of_base(const char *path)
{
	struct str file = str_c(path);
	char now[8192];
	struct stat sb;

	if (!cut_end(&file, STR(".old")) || file.n >= sizeof(now))
		return false;
	snprintf(now, sizeof(now), "%.*s", STR_ARG(file));
	return !stat(now, &sb) && S_ISREG(sb.st_mode);
}

static void take_entry(struct search *s, const char *path)
{
	struct stat sb;
	bool is_link;

	if (lstat(path, &sb)) {
		add_problem(s, path, strerror(errno));
		return;
	}
	is_link = S_ISLNK(sb.st_mode);
	if (is_link && stat(path, &sb))
		take_other(s, path, true);
	else if (S_ISDIR(sb.st_mode) && in_place_of_base(path))
		add_problem(s, path, "a folder in the place of a base");
	else if (S_ISDIR(sb.st_mode))
		add_path(s, is_link ? &s->links : &s->folders, path);
	else if (S_ISREG(sb.st_mode))
		take(s, path, &sb);
	else
		take_other(s, path, false);
}

/* Is it listed for the first time? */
static bool is_new(struct search *s, int fd)
{
	const size_t before = s->seen.n;
	struct stat sb;
	uint64_t id[2];

	if (fstat(fd, &sb))
		return false;
	id[0] = sb.st_dev;
	id[1] = sb.st_ino;
	if (strset_copy(&s->seen, (struct str){(const char *)id, sizeof(id)}) ==
	    HASH_NONE)
		err_no_memory(s->err, "while the folder was read");
	return s->seen.n > before;
}

static void list(struct search *s, const char *folder)
{
	const size_t n = strlen(folder);
	const char *slash = n && folder[n - 1] == '/' ? "" : "/";
	char path[8192];
	struct dirent *e;
	DIR *d = opendir(folder);

	if (!d) {
		add_problem(s, folder, strerror(errno));
		return;
	}
	if (!is_new(s, dirfd(d)))
		s->f->again++;
	else
		while (!s->err->kind && (errno = 0, e = readdir(d))) {
			if (s->cancel && atomic_load(s->cancel))
				err_set(s->err, ERR_CANCEL, 0, "interrupted");
			else if (str_eq(str_c(e->d_name), STR(".")) ||
				 str_eq(str_c(e->d_name), STR("..")))
				;
			else if ((size_t)snprintf(path, sizeof(path), "%s%s%s", folder,
						  slash, e->d_name) >= sizeof(path))
				add_problem(s, folder, "its paths are too long");
			else
				take_entry(s, path);
		}
	if (!s->err->kind && errno)
		add_problem(s, folder, strerror(errno));
	closedir(d);
}

static int by_path(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static bool goes_on(const struct search *s)
{
	return !s->err->kind && !s->f->a.refused;
}

static void list_below(struct search *s)
{
	while (goes_on(s) && s->folders.n)
		list(s, s->folders.at[--s->folders.n].p);
}

/* Each folder is listed once: by its own path if it lies below this one, else by the first link
 * that leads to it.  Links among folders are more ways than could be gone. */
static void walk(struct search *s, const char *folder)
{
	add_path(s, &s->folders, folder);
	list_below(s);
	while (goes_on(s) && s->links.n) {
		const struct paths_found found = s->links;

		s->links = (struct paths_found){0};
		qsort(found.at, found.n, sizeof(*found.at), by_path);
		for (size_t i = 0; i < found.n && goes_on(s); i++) {
			list(s, found.at[i].p);
			list_below(s);
		}
	}
	s->folders = s->links = (struct paths_found){0};
	strset_free(&s->seen);
}

static void take_path(struct search *s, const char *path)
{
	char *real = NULL;
	struct stat sb;

	s->below = 0;
	s->f->own = STR("");
	if (stat(path, &sb) || (S_ISDIR(sb.st_mode) && !(real = realpath(path, NULL)))) {
		add_problem(s, path, strerror(errno));
	} else if (real) {
		s->f->own = arena_str(&s->f->a, str_after_slash(str_c(real)));
		s->below = strlen(path) + (str_ends(str_c(path), STR("/")) ? 0 : 1);
		walk(s, path);
	} else if (S_ISREG(sb.st_mode)) {
		take(s, path, &sb);
	} else {
		add_problem(s, path, "no regular file");
	}
	free(real);
}

bool folder_is_pattern(const char *path)
{
	return strpbrk(path, "*?[") && access(path, F_OK) != 0;
}

static void take_argument(struct search *s, const char *path)
{
	glob_t found;

	if (!folder_is_pattern(path)) {
		take_path(s, path);
		return;
	}
	if (glob(path, 0, NULL, &found)) {
		err_set(s->err, ERR_PROFILE, 0, "%s: no file has such a name", path);
		return;
	}
	for (size_t i = 0; !s->err->kind && i < found.gl_pathc; i++)
		take_path(s, found.gl_pathv[i]);
	globfree(&found);
}

/* ---- which files are one profile ---- */

static int by_inode(const void *pa, const void *pb)
{
	const struct file *a = pa, *b = pb;
	int c = order_u64(a->dev, b->dev);

	c = c ? c : order_u64(a->ino, b->ino);
	return c ? c : strcmp(a->path, b->path);
}

/* One file, by several links or arguments, is one. */
static void drop_again(struct search *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (n && s->at[n - 1].dev == s->at[i].dev &&
		    s->at[n - 1].ino == s->at[i].ino)
			s->f->again++;
		else
			s->at[n++] = s->at[i];
	s->n = n;
}

/* Of a key the profiles come first, those of now before the run before, and that before
 * baselines. */
static int by_key(const void *pa, const void *pb)
{
	const struct file *a = pa, *b = pb;
	int c = str_cmp(a->key, b->key);

	c = c ? c : (int)a->what - (int)b->what;
	c = c ? c : str_starts(a->side, STR(".base")) - str_starts(b->side, STR(".base"));
	c = c ? c : str_cmp(a->side, b->side);
	return c ? c : strcmp(a->path, b->path);
}

/* Files of one process come after each other. */
static int by_process(const struct file *a, const struct file *b)
{
	int c = order_u64(a->pid, b->pid);

	c = c ? c : str_cmp(a->side, b->side);
	c = c ? c : str_cmp(a->cmd, b->cmd);
	return c ? c : str_cmp(folder_of(a->key), folder_of(b->key));
}

static int by_run(const void *a, const void *b)
{
	const int c = by_process(a, b);

	return c ? c : by_key(a, b);
}

/* Dumps and threads of one run get one key: that of the first, or what it is without the numbers of
 * its thread and dump, if the names of all are that and such numbers.  Copies of a file are not of
 * its run.  Xdebug and cachegrind write no pid. */
static void join_runs(struct search *s)
{
	for (size_t i = 0, k; i < s->n; i = k) {
		const struct file *first = &s->at[i];
		const struct str no_thread = input_without_number(first->key, '-', 2);
		const struct str base[] = {first->key, no_thread,
					   input_without_number(no_thread, '.', 1)};
		size_t at = 0;

		for (k = i + 1; k < s->n && first->pid; k++) {
			const struct file *f = &s->at[k];
			size_t up = at;

			while (up < 3 &&
			       !(str_starts(f->key, base[up]) &&
				 input_is_dump_suffix(str_from(f->key, base[up].n))))
				up++;
			if (up == 3 || by_process(first, f) ||
			    (f->part == first->part && f->thread == first->thread))
				break;
			at = up;
		}
		for (size_t j = k; k - i > 1 && j-- > i; s->at[j].joined = true)
			s->at[j].key = base[at];
	}
}

/* x.out and x.out.gz are two; the second keeps its ending.  Files of a member by its layout or run
 * have one key by right. */
static void tell_apart(struct search *s)
{
	for (size_t i = 1; i < s->n; i++) {
		struct file *f = &s->at[i];

		if (!f->joined && f->what == f[-1].what && str_eq(f->side, f[-1].side) &&
		    str_eq(f->key, f[-1].key))
			f->key.n = strlen(f->key.p);
	}
}

/* ---- members ---- */

/* The run before is the base, else the first baseline.  An empty file or an index is none, and a
 * problem if nothing else is there. */
static void add_stretch(struct search *s, struct folder_member *m,
			struct folder_files files, const struct file *file)
{
	if (file->what != PROFILE) {
		if (file->side.n ? !m->base.n && file->what == EMPTY : !m->now.n)
			add_problem(s, arena_str(&s->f->a, m->key).p,
				    file->what == EMPTY ? "its profile is empty"
							: "an index, but no profile is "
							  "there");
		return;
	}
	if (file->side.n && !m->base.n)
		m->base = files;
	if (file->side.n)
		return;
	m->now = files;
	for (size_t i = 0; i < files.n; i++)
		m->written_s = file[i].written_s > m->written_s ? file[i].written_s
								: m->written_s;
}

/* Sorted, all files of a profile are a stretch. */
static void make_members(struct search *s)
{
	struct folder *f = s->f;
	const char **path = ARENA_ARRAY(&f->a, const char *, s->n + 1);
	size_t end;

	f->at = ARENA_ARRAY(&f->a, struct folder_member, s->n + 1);
	for (size_t i = 0; path && f->at && i < s->n; i = end) {
		const struct file *file = &s->at[i];
		struct folder_member *m = f->n ? &f->at[f->n - 1] : NULL;

		for (end = i;
		     end < s->n && str_eq(s->at[end].key, file->key) &&
		     s->at[end].what == file->what && str_eq(s->at[end].side, file->side);
		     end++)
			path[end] = s->at[end].path;
		if (!m || !str_eq(m->key, file->key)) {
			m = &f->at[f->n++];
			*m = (struct folder_member){.key = file->key,
						    .cmd = file->cmd,
						    .creator = file->creator,
						    .bench = file->bench};
		}
		add_stretch(s, m, (struct folder_files){&path[i], end - i}, file);
		f->n -= !m->now.n && !m->base.n;
	}
	f->cap = f->n;
}

static int by_member(const void *pa, const void *pb)
{
	const struct folder_member *a = pa, *b = pb;

	return str_cmp(a->key, b->key);
}

static struct folder_member *find_member(const struct folder *f, struct str key)
{
	const struct folder_member like = {.key = key};

	return f->n ? bsearch(&like, f->at, f->n, sizeof(like), by_member) : NULL;
}

/* tak: BENCH/base.MORE is the base of BENCH/SUBJECT.MORE, and no member. */
static void find_bases(struct folder *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		struct folder_member *m = &f->at[i], *base;
		const struct str name = str_after_slash(m->key);
		const size_t dot = str_find(name, '.');

		base = find_member(f, arena_printf(&f->a, "%.*sbase%.*s",
						   (int)(m->key.n - name.n), m->key.p,
						   STR_ARG(str_from(name, dot))));
		if (!base || base == m || !base->now.n || !dot || dot == name.n ||
		    base->bench || m->bench)
			continue;
		m->base = base->now;
		base->paired = true;
	}
	for (size_t i = 0; i < f->n; i++)
		if (!f->at[i].paired)
			f->at[n++] = f->at[i];
	f->n = n;
}

/* ---- names ---- */

/* The bytes that all keys begin with, up to the end of a word; and end with, from a "/" on, or the
 * first "." of the last name. */
static void find_common(const struct folder *f, size_t *start, size_t *end)
{
	const struct str first = f->at[0].key;

	*start = *end = first.n;
	for (size_t i = 1; i < f->n; i++) {
		const struct str key = f->at[i].key;
		size_t k = 0;

		while (k < *end && k < key.n &&
		       key.p[key.n - 1 - k] == first.p[first.n - 1 - k])
			k++;
		*end = k;
		k = str_common(first, key);
		*start = k < *start ? k : *start;
	}
	while (*start > 0 && !strchr("/.:", first.p[*start - 1]))
		--*start;
	while (*end > 0 && first.p[first.n - *end] != '/' &&
	       (first.p[first.n - *end] != '.' || str_after_slash(first).n < *end))
		--*end;
}

static int name_members(struct folder *f, struct err *err)
{
	size_t start = 0, end = 0;

	if (f->n > 1)
		find_common(f, &start, &end);
	for (size_t i = 0; i < f->n; i++) {
		const struct str key = f->at[i].key;
		struct str name = key;

		if (key.n > start + end)
			name = (struct str){key.p + start, key.n - start - end};
		if (!key.n) /* the folder itself */
			name = f->own;
		f->at[i].name = arena_str(&f->a, name.n ? name : STR("profile"));
	}
	return f->a.refused ? err_no_memory(err, "while the folder was read") : 0;
}

static int none_found(const struct search *s, const char *path)
{
	const struct folder *f = s->f;

	if (f->nproblems)
		return err_set(s->err, ERR_PROFILE, 0, "%.*s", STR_ARG(f->problem[0]));
	err_set(s->err, ERR_PROFILE, 0, "%s: no profile is there (%s other file%s)", path,
		GROUPED(f->others), f->others == 1 ? "" : "s");
	return err_hint(s->err,
			"valgrind --tool=callgrind PROGRAM writes one: quern record -- "
			"PROGRAM");
}

static void sort_files(struct search *s, int (*order)(const void *, const void *))
{
	if (s->n)
		qsort(s->at, s->n, sizeof(*s->at), order);
}

int folder_find(struct folder *f, const char *const *path, size_t n,
		const atomic_int *cancel, struct err *err)
{
	struct search s = {.f = f, .cancel = cancel, .err = err};

	*f = (struct folder){0};
	arena_init(&f->a, 0);
	for (size_t i = 0; i < n && !err->kind; i++)
		take_argument(&s, path[i]);
	sort_files(&s, by_inode);
	drop_again(&s);
	drop_unnamed(&s);
	sort_files(&s, by_run);
	join_runs(&s);
	sort_files(&s, by_key);
	tell_apart(&s);
	sort_files(&s, by_key);
	make_members(&s);
	find_bases(f);
	strset_free(&s.benches);
	if (f->nproblems)
		qsort(f->problem, f->nproblems, sizeof(*f->problem), by_path);
	if (!err->kind && !f->n && !f->a.refused)
		none_found(&s, n ? path[0] : ".");
	return err->kind ? err->kind : name_members(f, err);
}

/* ---- pairs ---- */

struct single {
	struct str by; /* its key or command */
	struct folder_member *of;
	bool base;
};

static int by_text(const void *pa, const void *pb)
{
	const struct single *a = pa, *b = pb;
	const int c = str_cmp(a->by, b->by);

	return c ? c : a->base - b->base;
}

/* Pair those that alone have the same key or command on their sides. */
static void pair_by(struct folder *f, struct single *at, bool command)
{
	const struct folder *const side[] = {f, f->bases};
	size_t n = 0;

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < side[k]->n; i++) {
			struct folder_member *m = &side[k]->at[i];

			if (!m->paired && m->now.n && (!command || m->cmd.n))
				at[n++] = (struct single){command ? m->cmd : m->key, m,
							  k > 0};
		}
	if (n)
		qsort(at, n, sizeof(*at), by_text);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && str_eq(at[end].by, at[i].by);)
			end++;
		if (end - i != 2 || at[i].base || !at[i + 1].base)
			continue;
		at[i].of->base = at[i + 1].of->now;
		at[i].of->paired = at[i + 1].of->paired = true;
	}
}

int folder_pair(struct folder *f, struct folder *base, struct err *err)
{
	const size_t most = f->n + base->n;
	size_t n = 0;
	struct single *at = ARENA_ARRAY(&f->a, struct single, most + 1);

	f->bases = base;
	if (!at || arena_grow(&f->a, &f->at, &f->cap, f->n, most, sizeof(*f->at)))
		return err_no_memory(err, "while bases were looked for");
	/* What lies beside them is no base any more; a run before that is alone is nothing. */
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].now.n) {
			f->at[n] = f->at[i];
			f->at[n++].base.n = 0;
		}
	f->n = n;
	pair_by(f, at, false);
	pair_by(f, at, true);
	/* Folders of one benchmark each need not have one name. */
	if (f->n == 1 && base->n == 1 && !f->at[0].paired) {
		f->at[0].base = base->at[0].now;
		base->at[0].paired = true;
	}
	n = f->n;
	for (size_t i = 0; i < base->n; i++)
		if (!base->at[i].paired)
			f->at[f->n++] =
				(struct folder_member){.key = base->at[i].key,
						       .cmd = base->at[i].cmd,
						       .creator = base->at[i].creator,
						       .base = base->at[i].now};
	f->gone = f->n - n;
	if (f->n)
		qsort(f->at, f->n, sizeof(*f->at), by_member);
	return name_members(f, err);
}

void folder_free(struct folder *f)
{
	if (!f)
		return;
	folder_free(f->bases);
	arena_free(&f->a);
	free(f);
}
