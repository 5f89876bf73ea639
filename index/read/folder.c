/*
 * folder.c - find the profiles of a folder, name them, pair them; see folder.h.
 *
 * Files come from fts(3) in the order of their names.  Each gets the key of its member and a
 * side; files of one key and side are one profile.  Then the rows of layouts[] that are about
 * neighbours (a base beside its benchmarks, dumps of a run) change keys and sides.
 */
#include "index/read/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/vec.h"
#include "index/file/unpack.h"
#include "index/read/input.h"
#include "index/read/start.h"

enum side { NOW, OLD, BASE, SIDES }; /* X, X.old, X.base@NAME */

struct file {
	char *path, *key;
	char *cmd;
	enum side side;
	uint64_t pid, part, thread, bytes;
	dev_t dev;
	ino_t ino;
	int64_t written_s;
	bool empty, index;
	bool joined;		   /* by its layout or run, with others of its key */
	bool is_base;		   /* of others in its folder */
	const struct file *beside; /* its base, in its folder */
};

struct search {
	struct folder *f;
	char *real;	  /* the folder, resolved */
	const char *root; /* "" for files of a pattern: their paths are keys */
	struct file *at;
	size_t n, cap;
	const struct file *old; /* the first of the base of the last member */
	const atomic_int *cancel;
	struct err *err;
};

/* ---- what a name says ---- */

static struct str head_of(struct str s, size_t n)
{
	return (struct str){s.p, n};
}

static struct str folder_of(struct str path)
{
	const size_t n = path.n - str_after_slash(path).n;

	return head_of(path, n ? n - 1 : 0);
}

static bool cut_end(struct str *s, struct str end)
{
	const bool is = str_ends(*s, end) && s->n > end.n;

	s->n -= is ? end.n : 0;
	return is;
}

/* Cut the packing and the side off. */
static enum side cut_side(struct str *path)
{
	size_t at;

	*path = unpack_plain_name(*path);
	if (cut_end(path, STR(".old")))
		return OLD;
	at = path->n - str_after_slash(*path).n;
	at += str_find_str(str_after_slash(*path), STR(".base@"));
	if (at == path->n)
		return NOW;
	path->n = at;
	return BASE;
}

static bool is_number(struct str s)
{
	uint64_t v;

	return s.n && s.p[0] >= '0' && s.p[0] <= '9' && str_u64(s, &v);
}

/* gungraun: FOLDER/callgrind.FOLDER[.MORE].out is FOLDER. */
static bool of_gungraun(struct str path, struct str *key, const char *root)
{
	const struct str dir = folder_of(path);
	struct str name = str_after_slash(path), own = str_after_slash(dir);

	own = dir.n ? own : str_after_slash(str_c(root));
	if (!cut_end(&name, STR(".out")) || !str_starts(name, STR("callgrind.")))
		return false;
	name = str_from(name, 10);
	if (!own.n || !str_starts(name, own) || (name.n > own.n && name.p[own.n] != '.'))
		return false;
	*key = dir;
	return true;
}

/* CodSpeed: FOLDER/PID.out, a file for each process, is FOLDER. */
static bool of_codspeed(struct str path, struct str *key, const char *root)
{
	struct str name = str_after_slash(path);

	(void)root;
	if (!cut_end(&name, STR(".out")) || !is_number(name))
		return false;
	*key = folder_of(path);
	return true;
}

/* Where all files of a folder are one member, whose key is that of the folder.  Such a file may not
 * be empty; PID.out is, of a process that ended before it was counted. */
static const struct layout {
	bool (*is)(struct str path, struct str *key, const char *root);
	bool may_be_empty;
} layouts[] = {{of_gungraun, false}, {of_codspeed, true}};

/* Does a file of this name hold a profile, or what is left of one? */
static bool named_profile(struct str name)
{
	return str_starts(name, STR("callgrind.out")) ||
	       str_starts(name, STR("cachegrind.out")) ||
	       str_ends(name, STR(".callgrind"));
}

/* ---- the files ---- */

static int no_memory(struct search *s)
{
	return err_no_memory(s->err, "while the folder was read");
}

static int add_problem(struct search *s, const char *path, const char *why)
{
	struct folder *f = s->f;

	if (vec_reserve(&f->problem, &f->problems_cap, f->nproblems + 1,
			sizeof(char *)) ||
	    asprintf(&f->problem[f->nproblems], "%s: %s", path, why) < 0)
		return no_memory(s);
	f->nproblems++;
	return 0;
}

static int add(struct search *s, struct file file, struct str path, struct str key,
	       struct str cmd)
{
	if (vec_reserve(&s->at, &s->cap, s->n + 1, sizeof(*s->at)))
		return no_memory(s);
	file.path = strndup(path.p, path.n);
	file.key = strndup(key.p, key.n);
	file.cmd = strndup(cmd.p, cmd.n);
	s->at[s->n++] = file;
	return file.path && file.key && file.cmd ? 0 : no_memory(s);
}

static const struct layout *layout_of(struct str rel, struct str *key, const char *root)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].is(rel, key, root))
			return &layouts[i];
	return NULL;
}

/* The path below the root. */
static struct str below_root(const struct search *s, struct str path)
{
	path = str_from(path, strlen(s->root));
	while (path.n && path.p[0] == '/' && *s->root)
		path = str_from(path, 1);
	return path;
}

/* Take a regular file if it is a profile.  Instead of a profile that is gone its index says that
 * it was there. */
static int take(struct search *s, const char *path, const struct stat *sb)
{
	struct file file = {.dev = sb->st_dev,
			    .ino = sb->st_ino,
			    .bytes = (uint64_t)sb->st_size,
			    .written_s = sb->st_mtim.tv_sec,
			    .empty = sb->st_size == 0};
	struct str rel = below_root(s, str_c(path)), key;
	struct start_header h = {.cmd = {"", 0}};
	const struct layout *l;
	struct file_start start;

	file.index = cut_end(&rel, STR(".quern"));
	if (file.index)
		cut_end(&rel, STR(".set"));
	file.side = cut_side(&rel);
	key = rel;
	l = layout_of(rel, &key, s->real);
	file.joined = l != NULL;
	if (!file.index && !file.empty && start_read(&start, AT_FDCWD, path))
		h = start_header(&start);
	file.pid = h.pid;
	file.part = h.part;
	file.thread = h.thread;
	if (h.profile || (l && file.index) || (l && file.empty && !l->may_be_empty))
		return add(s, file, str_c(path), key, h.cmd);
	if (file.index)
		return 0;
	if ((l || named_profile(str_after_slash(rel))) && !file.empty)
		return add_problem(s, path,
				   access(path, R_OK)
					   ? strerror(errno)
					   : "named as a profile, and none by its text");
	s->f->others++;
	return 0;
}

/* Why e cannot be looked at; NULL: it can, or need not.  A link that leads nowhere may have been a
 * folder of benchmarks; that of an editor, .#NAME, was none. */
static const char *why_not(const FTSENT *e)
{
	struct str rel = str_c(e->fts_name), key;

	switch (e->fts_info) {
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS: return strerror(e->fts_errno);
	case FTS_SLNONE:
		return str_starts(rel, STR(".#")) ? NULL : "a link that leads nowhere";
	case FTS_DEFAULT:
		return layout_of(str_c(e->fts_path), &key, NULL) || named_profile(rel)
			       ? "no regular file"
			       : NULL;
	default: return NULL;
	}
}

static int by_file_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int walk(struct search *s, const char *folder)
{
	char *const paths[] = {(char *)(uintptr_t)folder, NULL};
	FTS *tree = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, by_file_name);
	FTSENT *e;

	if (!tree)
		return err_set(s->err, ERR_PROFILE, 0, "%s: %s", folder, strerror(errno));
	while (!s->err->kind && (errno = 0, e = fts_read(tree))) {
		const char *why = why_not(e);

		if (s->cancel && atomic_load(s->cancel))
			err_set(s->err, ERR_CANCEL, 0, "interrupted");
		else if (why)
			add_problem(s, e->fts_path, why);
		else if (e->fts_info == FTS_F)
			take(s, e->fts_path, e->fts_statp);
	}
	if (!s->err->kind && errno)
		err_set(s->err, ERR_PROFILE, 0, "%s: %s", folder, strerror(errno));
	fts_close(tree);
	return s->err->kind;
}

static int take_path(struct search *s, const char *path)
{
	struct stat sb;

	if (stat(path, &sb))
		return add_problem(s, path, strerror(errno));
	s->root = S_ISDIR(sb.st_mode) ? path : "";
	if (S_ISDIR(sb.st_mode)) {
		free(s->real);
		if (!(s->real = realpath(path, NULL)))
			return add_problem(s, path, strerror(errno));
		return walk(s, path);
	}
	return S_ISREG(sb.st_mode) ? take(s, path, &sb)
				   : add_problem(s, path, "no regular file");
}

static int take_argument(struct search *s, const char *path)
{
	glob_t found;

	if (!strpbrk(path, "*?[") || access(path, F_OK) == 0)
		return take_path(s, path);
	if (glob(path, 0, NULL, &found))
		return err_set(s->err, ERR_PROFILE, 0, "%s: no file has such a name",
			       path);
	for (size_t i = 0; !s->err->kind && i < found.gl_pathc; i++)
		take_path(s, found.gl_pathv[i]);
	globfree(&found);
	return s->err->kind;
}

/* ---- which files are one profile ---- */

static int by_inode(const void *pa, const void *pb)
{
	const struct file *a = pa, *b = pb;
	int c = order_u64(a->dev, b->dev);

	c = c ? c : order_u64(a->ino, b->ino);
	return c ? c : strcmp(a->path, b->path);
}

static void file_free(struct file *f)
{
	free(f->path);
	free(f->key);
	free(f->cmd);
}

/* One file, by several links or arguments, is one. */
static void drop_again(struct search *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->at, s->n, sizeof(*s->at), by_inode);
	for (size_t i = 0; i < s->n; i++) {
		if (n && s->at[n - 1].dev == s->at[i].dev &&
		    s->at[n - 1].ino == s->at[i].ino) {
			file_free(&s->at[i]);
			s->f->again++;
		} else {
			s->at[n++] = s->at[i];
		}
	}
	s->n = n;
}

/* The files of a folder follow each other. */
static int key_order(const char *a, const char *b)
{
	const struct str fa = folder_of(str_c(a)), fb = folder_of(str_c(b));
	const int c = str_cmp(fa, fb);

	return c ? c : strcmp(a, b);
}

static int by_key(const void *pa, const void *pb)
{
	const struct file *a = pa, *b = pb;
	int c = key_order(a->key, b->key);

	c = c ? c : order_u64(a->side, b->side);
	return c ? c : strcmp(a->path, b->path);
}

static int by_run(const void *pa, const void *pb)
{
	const struct file *a = pa, *b = pb;
	int c = order_u64(a->pid, b->pid);

	c = c ? c : order_u64(a->side, b->side);
	c = c ? c : strcmp(a->cmd, b->cmd);
	return c ? c : by_key(a, b);
}

static int set_key(struct search *s, struct file *f, struct str key, struct str end)
{
	char *copy = NULL;

	if (asprintf(&copy, "%.*s%.*s", STR_ARG(key), STR_ARG(end)) < 0)
		return no_memory(s);
	free(f->key);
	f->key = copy;
	f->joined = true;
	return 0;
}

/* Is it the file of `of`, or a dump or thread of its run: callgrind.out.12, callgrind.out.12.3-01? */
static bool is_dump_of(struct str key, struct str of)
{
	return str_starts(key, of) && input_is_dump_suffix(str_from(key, of.n));
}

/* May both be of one run?  Xdebug and cachegrind write no pid. */
static bool one_process(const struct file *a, const struct file *b)
{
	return a->pid && a->pid == b->pid && a->side == b->side &&
	       (a->part != b->part || a->thread != b->thread) &&
	       strcmp(a->cmd, b->cmd) == 0 &&
	       str_eq(folder_of(str_c(a->key)), folder_of(str_c(b->key)));
}

/* Dumps and threads of one run get one key: that of the first, or what it is without the numbers of
 * its thread and dump, if the names of all are that and such numbers.  Copies of a file are not of
 * its run: their names say nothing of each other. */
static void join_runs(struct search *s)
{
	for (size_t i = 0, k; i < s->n && !s->err->kind; i = k) {
		const struct str key = str_c(s->at[i].key);
		const struct str no_thread = input_without_number(key, '-', 2);
		const struct str base[] = {key, no_thread,
					   input_without_number(no_thread, '.', 1)};
		size_t at = 0, up;

		for (k = i + 1; k < s->n && one_process(&s->at[i], &s->at[k]);
		     k++, at = up) {
			for (up = at;
			     up < 3 && !is_dump_of(str_c(s->at[k].key), base[up]);)
				up++;
			if (up == 3)
				break;
		}
		for (size_t j = k; k - i > 1 && j-- > i;)
			set_key(s, &s->at[j], base[at], STR(""));
	}
}

/* tak: BENCH/base.MORE is the base of BENCH/SUBJECT.MORE. */
static bool is_base_of(const struct file *base, const struct file *of)
{
	const struct str name = str_after_slash(str_c(base->key)),
			 other = str_after_slash(str_c(of->key));
	const size_t dot = str_find(other, '.');

	return base != of && of->side == NOW && base->side == NOW && dot > 0 &&
	       !str_starts(other, STR("base.")) &&
	       str_eq(str_from(name, 4), str_from(other, dot));
}

/* The files i .. end - 1 are those of one folder. */
static void find_bases(struct search *s, size_t i, size_t end)
{
	enum { FEW = 64 }; /* kinds of profiles of a benchmark */
	size_t bases = 0;

	for (size_t b = i; b < end && bases < FEW; b++) {
		if (!str_starts(str_after_slash(str_c(s->at[b].key)), STR("base.")))
			continue;
		bases++;
		for (size_t k = i; k < end; k++)
			if (is_base_of(&s->at[b], &s->at[k])) {
				s->at[k].beside = &s->at[b];
				s->at[b].is_base = true;
			}
	}
}

static void find_all_bases(struct search *s)
{
	for (size_t i = 0, end; i < s->n; i = end) {
		const struct str folder = folder_of(str_c(s->at[i].key));

		for (end = i + 1;
		     end < s->n && str_eq(folder_of(str_c(s->at[end].key)), folder);)
			end++;
		find_bases(s, i, end);
	}
}

/* ---- members ---- */

static int add_file(struct search *s, struct folder_files *to, const char *path)
{
	if (vec_reserve(&to->at, &to->cap, to->n + 1, sizeof(*to->at)) ||
	    !(to->at[to->n] = strdup(path)))
		return no_memory(s);
	to->n++;
	return 0;
}

static struct folder_member *member_of(struct search *s, const struct file *file)
{
	struct folder *f = s->f;
	struct folder_member *m = f->n ? &f->at[f->n - 1] : NULL;

	if (m && strcmp(m->key, file->key) == 0)
		return m;
	if (vec_reserve(&f->at, &f->cap, f->n + 1, sizeof(*f->at)))
		return NULL;
	m = &f->at[f->n++];
	*m = (struct folder_member){.key = strdup(file->key), .cmd = strdup(file->cmd)};
	s->old = NULL;
	return m->key && m->cmd ? m : NULL;
}

static struct str baseline_of(const struct file *f)
{
	const struct str path = unpack_plain_name(str_c(f->path));

	return str_from(path, str_find_str(path, STR(".base@")));
}

static void add_now(struct search *s, struct folder_member *m, const struct file *file)
{
	if (file->beside && !m->base.n)
		add_file(s, &m->base, file->beside->path);
	m->bytes += file->bytes;
	m->written_s = file->written_s > m->written_s ? file->written_s : m->written_s;
	add_file(s, &m->now, file->path);
}

/* The run before is the base, else the first baseline. */
static void add_old(struct search *s, struct folder_member *m, const struct file *file)
{
	if (file->beside || (m->base.n && !s->old))
		return;
	if (s->old && (s->old->side != file->side ||
		       !str_eq(baseline_of(s->old), baseline_of(file))))
		return;
	s->old = file;
	add_file(s, &m->base, file->path);
}

static void add_to_member(struct search *s, const struct file *file)
{
	struct folder_member *m = member_of(s, file);

	if (!m)
		no_memory(s);
	else if (file->index)
		m->indexed |= file->side == NOW;
	else if (file->empty)
		m->empty |= file->side == NOW;
	else if (file->side == NOW)
		add_now(s, m, file);
	else
		add_old(s, m, file);
}

/* x.out and x.out.gz are two; the second keeps its ending.  Files of a member by its layout or run
 * have one key by right. */
static void tell_apart(struct search *s)
{
	for (size_t i = 1; i < s->n && !s->err->kind; i++) {
		struct file *f = &s->at[i];
		const struct str path = str_c(f->path);

		if (!f->joined && !f->index && !f[-1].index && f->side == f[-1].side &&
		    strcmp(f->key, f[-1].key) == 0)
			set_key(s, f, str_c(f->key),
				str_from(path, unpack_plain_name(path).n));
	}
}

static int by_member(const void *pa, const void *pb)
{
	const struct folder_member *a = pa, *b = pb;

	return key_order(a->key, b->key);
}

static void make_members(struct search *s)
{
	for (size_t i = 0; i < s->n && !s->err->kind; i++)
		if (!s->at[i].is_base)
			add_to_member(s, &s->at[i]);
	if (s->f->n)
		qsort(s->f->at, s->f->n, sizeof(*s->f->at), by_member);
	for (size_t i = 0; i < s->f->n && !s->err->kind; i++) {
		const struct folder_member *m = &s->f->at[i];

		if (!m->now.n && (m->empty || m->indexed))
			add_problem(s, m->key,
				    m->empty ? "its profile is empty"
					     : "an index, but no profile is there");
	}
}

/* ---- names ---- */

/* The bytes that all keys begin with, up to the end of a word; and end with. */
static size_t common_start(const struct folder *f)
{
	const struct str first = str_c(f->at[0].key);
	size_t n = first.n;

	for (size_t i = 1; i < f->n; i++) {
		const size_t same = str_common(first, str_c(f->at[i].key));

		n = same < n ? same : n;
	}
	while (n > 0 && !strchr("/.", first.p[n - 1]))
		n--;
	return n;
}

static size_t common_end(const struct folder *f)
{
	const struct str first = str_c(f->at[0].key);
	size_t n = first.n;

	for (size_t i = 1; i < f->n; i++) {
		const struct str key = str_c(f->at[i].key);
		size_t k = 0;

		while (k < n && k < key.n &&
		       key.p[key.n - 1 - k] == first.p[first.n - 1 - k])
			k++;
		n = k;
	}
	/* From the first "." on, and no "/" in it. */
	while (n > 0 && (first.p[first.n - n] != '.' ||
			 str_find(str_from(first, first.n - n), '/') < n))
		n--;
	return n;
}

static int name_members(struct folder *f, const char *root, struct err *err)
{
	const size_t start = f->n > 1 ? common_start(f) : 0,
		     end = f->n > 1 ? common_end(f) : 0;

	for (size_t i = 0; i < f->n; i++) {
		struct str key = str_c(f->at[i].key);
		char *here = NULL;

		if (key.n > start + end)
			key = (struct str){key.p + start, key.n - start - end};
		/* The folder itself. */
		if (!f->at[i].key[0] && (here = realpath(root, NULL)))
			key = str_after_slash(str_c(here));
		if (!key.n)
			key = STR("profile");
		f->at[i].name = strndup(key.p, key.n);
		free(here);
		if (!f->at[i].name)
			return err_no_memory(err, "while the folder was read");
	}
	return 0;
}

static int none_found(const struct search *s, const char *path)
{
	const struct folder *f = s->f;

	if (f->nproblems)
		return err_set(s->err, ERR_PROFILE, 0, "%s", f->problem[0]);
	err_set(s->err, ERR_PROFILE, 0, "%s: no profile is there (%s other file%s)", path,
		GROUPED(f->others), f->others == 1 ? "" : "s");
	return err_hint(s->err,
			"valgrind --tool=callgrind PROGRAM writes one: quern record -- "
			"PROGRAM");
}

int folder_find(struct folder *f, const char *const *path, size_t n,
		const atomic_int *cancel, struct err *err)
{
	struct search s = {.f = f, .root = "", .cancel = cancel, .err = err};

	*f = (struct folder){0};
	for (size_t i = 0; i < n && !err->kind; i++)
		take_argument(&s, path[i]);
	drop_again(&s);
	if (s.n)
		qsort(s.at, s.n, sizeof(*s.at), by_run);
	join_runs(&s);
	if (s.n)
		qsort(s.at, s.n, sizeof(*s.at), by_key);
	tell_apart(&s);
	find_all_bases(&s);
	make_members(&s);
	if (!err->kind && !f->n)
		none_found(&s, n ? path[0] : ".");
	if (!err->kind)
		name_members(f, n ? path[0] : ".", err);
	for (size_t i = 0; i < s.n; i++)
		file_free(&s.at[i]);
	free(s.at);
	free(s.real);
	return err->kind;
}

/* ---- pairs ---- */

static void free_files(struct folder_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->at[i]);
	free(f->at);
	*f = (struct folder_files){0};
}

static int take_base(struct folder_member *m, struct folder_member *b, struct err *err)
{
	for (size_t i = 0; i < b->now.n; i++)
		if (vec_reserve(&m->base.at, &m->base.cap, i + 1, sizeof(char *)) ||
		    !(m->base.at[i] = strdup(b->now.at[i])))
			return err_no_memory(err, "while bases were looked for");
		else
			m->base.n++;
	m->before = b;
	b->before = m;
	return 0;
}

static int by_command(const void *pa, const void *pb)
{
	struct folder_member *const *a = pa, *const *b = pb;

	return strcmp((*a)->cmd, (*b)->cmd);
}

/* Those that have no partner and a command, sorted by it. */
static size_t list_single(struct folder *f, struct folder_member **out)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		if (!f->at[i].before && f->at[i].cmd[0] && f->at[i].now.n)
			out[n++] = &f->at[i];
	if (n)
		qsort(out, n, sizeof(*out), by_command);
	return n;
}

static bool is_only(struct folder_member *const *at, size_t n, size_t i)
{
	return !(i && by_command(&at[i - 1], &at[i]) == 0) &&
	       !(i + 1 < n && by_command(&at[i + 1], &at[i]) == 0);
}

static void pair_commands(struct folder *f, struct folder *base,
			  struct folder_member **at, struct err *err)
{
	struct folder_member **of = at + f->n;
	const size_t n = list_single(f, at), m = list_single(base, of);

	for (size_t i = 0, k = 0; i < n && k < m && !err->kind;) {
		const int c = by_command(&at[i], &of[k]);

		if (c == 0 && is_only(at, n, i) && is_only(of, m, k))
			take_base(at[i], of[k], err);
		i += c <= 0;
		k += c >= 0;
	}
}

int folder_pair(struct folder *f, struct folder *base, struct err *err)
{
	struct folder_member **at = calloc(f->n + base->n + 1, sizeof(*at));

	if (!at)
		return err_no_memory(err, "while bases were looked for");
	for (size_t i = 0; i < f->n; i++)
		free_files(&f->at[i].base);
	for (size_t i = 0, k = 0; i < f->n && k < base->n && !err->kind;) {
		const int c = key_order(f->at[i].key, base->at[k].key);

		if (c == 0 && base->at[k].now.n)
			take_base(&f->at[i], &base->at[k], err);
		i += c <= 0;
		k += c >= 0;
	}
	/* Folders of one benchmark each need not have one name. */
	if (f->n == 1 && base->n == 1 && !f->at[0].before && !err->kind)
		take_base(&f->at[0], &base->at[0], err);
	pair_commands(f, base, at, err);
	for (size_t i = 0; i < base->n; i++)
		if (!base->at[i].before)
			base->at[i].before = &base->at[i];
	free(at);
	return err->kind;
}

void folder_free(struct folder *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->at[i].name);
		free(f->at[i].key);
		free(f->at[i].cmd);
		free_files(&f->at[i].now);
		free_files(&f->at[i].base);
	}
	for (size_t i = 0; i < f->nproblems; i++)
		free(f->problem[i]);
	free(f->problem);
	free(f->at);
	*f = (struct folder){0};
}
