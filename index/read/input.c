/*
 * input.c - the files of one profile; see input.h.
 *
 * Files are sorted by path when they are opened, so that a set is the same in any order
 * on the command line, and by pid, part and thread once they are read.
 */
#include "index/read/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "index/base/bytes.h"
#include "index/base/err.h"
#include "index/base/hash.h"
#include "index/file/source_hash.h"
#include "index/base/vec.h"
#include "index/store/publish.h"
#include "index/read/refuse_file.h"
#include "index/store/store.h"
#include "index/base/order.h"

/* ---- names of dump files ---- */

struct str input_without_number(struct str s, char c, size_t least)
{
	size_t n = s.n;

	while (n && s.p[n - 1] >= '0' && s.p[n - 1] <= '9')
		n--;
	return n && s.p[n - 1] == c && s.n - n >= least ? (struct str){s.p, n - 1} : s;
}

struct str input_program(struct str cmd)
{
	return (struct str){cmd.p, str_find(cmd, ' ')};
}

bool input_is_dump_suffix(struct str s)
{
	return input_without_number(input_without_number(unpack_plain_name(s), '-', 2),
				    '.', 1)
		       .n == 0;
}

/* Compare digits as numbers, so that .10 comes after .9. */
static int compare_names(const char *a, const char *b)
{
	int c = strverscmp(a, b);

	return c ? c : strcmp(a, b);
}

/* ---- which files ---- */

/* Files beside profiles that a "*" matches, too. */
static bool is_ours(const char *path)
{
	struct str name = str_basename(str_c(path));

	return str_find_str(name, STR(".quern.tmp.")) < name.n ||
	       str_find_str(name, STR(".quern.inlines")) < name.n ||
	       str_ends(name, STR(".quern.lock"));
}

static bool is_empty(const char *path)
{
	struct stat sb;

	return stat(path, &sb) == 0 && S_ISREG(sb.st_mode) && sb.st_size == 0;
}

static uint32_t inode_hash(const struct source_file *s)
{
	return (uint32_t)hash_mix(s->id.inode ^ hash_mix(s->id.dev));
}

static bool is_there(const struct inputs *in, const struct hash *inodes,
		     const struct source_file *s)
{
	const uint32_t h = inode_hash(s);
	uint32_t probe = hash_start(inodes, h), i;

	while ((i = hash_next(inodes, h, &probe)) != HASH_NONE)
		if (in->at[i].source.id.inode == s->id.inode &&
		    in->at[i].source.id.dev == s->id.dev)
			return true;
	return false;
}

static void left_out(struct inputs *in, const char *path, const char *why)
{
	size_t n = strlen(in->note);

	if (n == 0)
		snprintf(in->note, sizeof(in->note), "%.200s: %s, left out", path, why);
	else if (n < sizeof(in->note) - 20 && in->note[n - 1] != '.')
		snprintf(in->note + n, sizeof(in->note) - n, "; and more...");
}

/* Add file `given` of a set, unless its inode was added before. */
static int add_file(struct inputs *in, struct hash *inodes, const char *path,
		    size_t given, struct err *err)
{
	struct source_file s;

	if (is_ours(path))
		return 0;
	if (is_empty(path)) {
		left_out(in, path, "empty");
		return 0;
	}
	if (source_open(path, &s, err))
		return err->kind;
	if (s.pipe) {
		err_set(err, ERR_PROFILE, 0, "%s: a pipe cannot be one of several files",
			s.name);
		source_close(&s);
		return err_hint(err, "open it as NAME=%s", path);
	}
	if (store_recognise(s.fd) || is_there(in, inodes, &s)) {
		if (!store_recognise(s.fd))
			left_out(in, path, "given twice");
		source_close(&s);
		return 0;
	}
	source_release(&s);
	if (hash_add(inodes, inode_hash(&s), (uint32_t)in->n)) {
		source_close(&s);
		return err_no_memory(err, "while opening profiles");
	}
	in->at[in->n].given = given;
	in->at[in->n++].source = s;
	return 0;
}

static int compare_paths(const void *a, const void *b)
{
	const struct input *x = a, *y = b;

	return compare_names(x->source.path, y->source.path);
}

/* ---- what they are called together ---- */

static bool all_dumps_of(const struct inputs *in, struct str base)
{
	for (size_t i = 0; i < in->n; i++) {
		struct str path = str_c(in->at[i].source.path);

		if (!str_starts(path, base) ||
		    !input_is_dump_suffix(str_from(path, base.n)))
			return false;
	}
	return true;
}

/* The longest name such that every file is that name with the suffix of a dump or thread;
 * the name of the first file if there is none. */
static struct str common_base(const struct inputs *in)
{
	struct str first = str_c(in->at[0].source.path), base[4];

	base[0] = unpack_plain_name(first);
	base[1] = input_without_number(base[0], '-', 2);
	base[2] = input_without_number(base[0], '.', 1);
	base[3] = input_without_number(base[1], '.', 1);
	for (size_t i = 0; i < 4; i++)
		if (all_dumps_of(in, base[i]))
			return base[i];
	return first;
}

static int name_set(struct inputs *in, struct err *err)
{
	const struct input *first = &in->at[0];

	if (in->n == 1) {
		in->label = strdup(first->source.name);
		in->place = first->source.path ? strdup(first->source.path) : strdup("");
	} else {
		struct str base = common_base(in), name = str_basename(base);
		size_t dir = strlen(first->source.name) -
			     str_basename(str_c(first->source.name)).n;

		if (asprintf(&in->place, "%.*s.set", STR_ARG(base)) < 0)
			in->place = NULL;
		if (asprintf(&in->label, "%.*s%.*s", (int)dir, first->source.name,
			     STR_ARG(name)) < 0)
			in->label = NULL;
	}
	return in->label && in->place ? 0 : err_no_memory(err, "while opening profiles");
}

int inputs_open(struct inputs *in, const char *const *path, size_t n, struct err *err)
{
	struct hash inodes = {0};
	int rc = 0;

	*in = (struct inputs){.at = calloc(n + 1, sizeof(*in->at))};
	if (!in->at)
		return err_no_memory(err, "while opening profiles");
	for (size_t i = 0; !rc && n > 1 && i < n; i++)
		rc = add_file(in, &inodes, path[i], i, err);
	hash_free(&inodes);
	if (!rc && in->n > 1)
		qsort(in->at, in->n, sizeof(*in->at), compare_paths);
	if (!rc && in->n == 0 && n > 1) {
		rc = err_set(err, ERR_PROFILE, 0, "none of the %zu files is a profile",
			     n);
		if (in->note[0])
			err_hint(err, "%s", in->note);
	}
	/* A file alone stays open: no copy is needed. */
	if (!rc && n == 1 && !(rc = source_open(path[0], &in->at[0].source, err)))
		in->n = 1;
	else if (!rc && in->n == 1)
		rc = source_reopen(&in->at[0].source, err);
	rc = rc || name_set(in, err);
	if (rc)
		inputs_close(in);
	return rc ? err->kind : 0;
}

int inputs_some(struct inputs *in, const struct inputs *of, size_t more, struct err *err)
{
	int rc = 0;

	*in = (struct inputs){.at = calloc(of->n + 1, sizeof(*in->at))};
	if (!in->at)
		return err_no_memory(err, "while opening profiles");
	for (size_t i = 0; !rc && i < of->n; i++) {
		const struct input *from = &of->at[i];

		if (!from->file.id.size && (!more || !more--))
			continue;
		if (source_copy(&from->source, &in->at[in->n].source))
			rc = err_no_memory(err, "while opening profiles");
		in->at[in->n++].file = from->file;
	}
	rc = rc ? rc : name_set(in, err);
	if (rc)
		inputs_close(in);
	return rc;
}

static void forget_head(struct input *in)
{
	free(in->head);
	in->head = NULL;
	in->nhead = 0;
}

void input_forget(struct input *in)
{
	stretches_free(&in->stretches);
	forget_head(in);
	if (in->read) {
		free((void *)(uintptr_t)in->file.events.p);
		free(in->file.formula);
	}
	in->file = (struct input_file){0};
	in->read = false;
}

void inputs_close(struct inputs *in)
{
	for (size_t i = 0; i < in->n; i++) {
		input_forget(&in->at[i]);
		source_close(&in->at[i].source);
	}
	free(in->at);
	free(in->label);
	free(in->place);
	*in = (struct inputs){0};
}

/* ---- reading ---- */

static int note_head(struct input *in, struct str head, struct err *err)
{
	in->nhead = head.n < FEED_HEAD ? head.n : FEED_HEAD;
	in->head = malloc(in->nhead + 1);
	if (!in->head)
		return err_no_memory(err, "while opening profiles");
	memcpy(in->head, head.p, in->nhead);
	return 0;
}

/* Read text from a feed: unpacked, or from a pipe. */
static int read_feed(struct input *in, const struct stretch_opts *o, struct err *err)
{
	const struct feed_opts how = {.name = in->source.name,
				      .mem = o->mem,
				      .block = o->stretch,
				      .cancel = o->cancel};
	struct feed *feed;

	if (feed_open(&feed, in->source.fd, &how, err))
		return err->kind;
	if (!stretches_feed(&in->stretches, feed, o, err) &&
	    !note_head(in, feed_head(feed), err)) {
		in->end = feed_end(feed);
		in->source.id.hash = feed_hash(feed);
	}
	feed_close(feed);
	return err->kind;
}

static int read_map(struct input *in, const struct stretch_opts *o, struct err *err)
{
	const struct map *m = &in->source.map;
	struct stretch_opts how = *o;

	if (note_head(in, (struct str){m->p, m->n}, err))
		return err->kind;
	in->end = m->p[m->n - 1];
	how.fd = in->source.fd;
	if (stretches_read(&in->stretches, m->p, m->n, &how, err))
		return err->kind;
	in->source.id.hash =
		source_hash_all(in->stretches.chunk_hash, in->stretches.nchunk);
	return 0;
}

static struct str next_event(struct str *events)
{
	const struct str e = {events->p, str_find(*events, ' ')};

	*events = str_from(*events, e.n + 1);
	return e;
}

struct str input_common_event(struct str a, struct str b)
{
	while (b.n) {
		const struct str e = next_event(&b);

		for (struct str rest = a; rest.n;)
			if (str_eq(next_event(&rest), e))
				return e;
	}
	return b;
}

static int add_event(struct bytes *to, struct str e)
{
	if (input_common_event((struct str){(const char *)to->p, to->n}, e).n)
		return 0;
	return (to->n && bytes_append(to, (const unsigned char *)" ", 1)) ||
			       bytes_append(to, (const unsigned char *)e.p, e.n)
		       ? -1
		       : 0;
}

static int add_events(struct bytes *to, struct str events)
{
	int rc = 0;

	while (!rc && events.n)
		rc = add_event(to, next_event(&events));
	return rc;
}

/* The events of all stretches, in order of appearance. */
static int note_events(struct input *in)
{
	struct bytes b = {0};
	int rc = 0;

	for (size_t k = 0; !rc && k < in->stretches.n; k++)
		for (size_t i = 0; !rc && i < in->stretches.tally[k]->events.n; i++)
			rc = add_event(&b, in->stretches.tally[k]->events.name[i]);
	in->file.events = (struct str){(const char *)b.p, b.n};
	return rc;
}

struct str inputs_events(const struct inputs *in)
{
	struct bytes b = {0};
	int rc = bytes_room(&b, 1);

	for (size_t i = 0; !rc && i < in->n; i++)
		rc = add_events(&b, in->at[i].file.events);
	if (rc)
		free(b.p);
	return (struct str){rc ? NULL : (const char *)b.p, b.n};
}

/* The event: lines, placed from the start of the file. */
static int note_formulas(struct input *in)
{
	const struct stretches *s = &in->stretches;
	struct input_file *f = &in->file;
	uint64_t lines = 0, bytes = 0;
	size_t n = 0;

	for (size_t k = 0; k < s->n; k++)
		n += s->tally[k]->events.nformula;
	f->formula = malloc((n + 1) * sizeof(*f->formula));
	if (!f->formula)
		return -1;
	for (size_t k = 0; k < s->n; k++) {
		for (size_t i = 0; i < s->tally[k]->events.nformula; i++) {
			f->formula[f->formulas] = s->tally[k]->events.formula[i];
			f->formula[f->formulas].at += bytes;
			f->formula[f->formulas++].line += lines;
		}
		lines += s->tally[k]->lines;
		bytes += s->tally[k]->text_bytes;
	}
	return 0;
}

static int note_facts(struct input *in, struct err *err)
{
	const struct stretches *s = &in->stretches;
	const struct part_slot *first = tally_part(s->tally[0], 0);
	struct input_file *f = &in->file;
	const struct {
		enum header_key key;
		uint64_t *to;
	} keys[] = {{KEY_PID, &f->pid}, {KEY_PART, &f->part}, {KEY_THREAD, &f->thread}};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!str_u64(first->value[keys[i].key], keys[i].to))
			*keys[i].to = 0;
	for (size_t k = 0; k < s->n; k++) {
		f->bytes += s->tally[k]->text_bytes;
		f->lines += s->tally[k]->lines;
	}
	f->truncated = input_truncated(in);
	f->id = in->source.id;
	return note_events(in) || note_formulas(in)
		       ? err_no_memory(err, "while opening profiles")
		       : 0;
}

/* If the file has changed, report that instead of any other error. */
static int or_changed(const struct source_file *s, struct err *err)
{
	struct err now = {0};

	if (err->kind != ERR_CANCEL && s->fd >= 0 && source_unchanged(s, &now))
		*err = now;
	return err->kind;
}

int input_read(struct input *in, const struct stretch_opts *opts, bool alone,
	       struct err *err)
{
	struct stretch_opts o = *opts;
	int rc;

	o.of_set = !alone;
	in->read = true;
	if (!alone && source_reopen(&in->source, err))
		return err->kind;
	rc = in->source.codec || in->source.pipe ? read_feed(in, &o, err)
						 : read_map(in, &o, err);
	rc = rc || source_unchanged(&in->source, err) || refuse_file(in, err) ||
	     note_facts(in, err);
	if (rc)
		or_changed(&in->source, err);
	forget_head(in);
	if (!alone)
		source_release(&in->source);
	return rc ? err->kind : 0;
}

int input_order(const struct input_file *a, const struct input_file *b)
{
	int c = order_u64(a->pid, b->pid);

	c = c ? c : order_u64(a->part, b->part);
	return c ? c : order_u64(a->thread, b->thread);
}

static int compare_inputs(const void *a, const void *b)
{
	const struct input *x = a, *y = b;
	int c = input_order(&x->file, &y->file);

	return c ? c : compare_names(x->source.path, y->source.path);
}

void inputs_order(struct inputs *in)
{
	qsort(in->at, in->n, sizeof(*in->at), compare_inputs);
	for (uint32_t i = 0; i < in->n; i++)
		for (size_t k = 0; k < in->at[i].stretches.n; k++)
			in->at[i].stretches.tally[k]->of_file = i;
}

/* ---- are they what was indexed? ---- */

/* The index of a path, or HASH_NONE. */
static uint32_t find_path(const struct inputs *in, const struct hash *paths,
			  struct str path)
{
	const uint32_t h = (uint32_t)str_hash(path);
	uint32_t probe = hash_start(paths, h), i;

	while ((i = hash_next(paths, h, &probe)) != HASH_NONE)
		if (str_eq(in->at[i].source.id.path, path))
			break;
	return i;
}

/*
 * The recorded file that each of these files is, or NULL; the caller frees the array.
 * *missing: the first recorded path that is not among them; n is 0 if there is no such path.
 * NULL: memory is out.
 */
static const struct input_file **recorded_as(const struct inputs *in,
					     const struct input_file *recorded, size_t n,
					     struct str *missing)
{
	const struct input_file **was = calloc(in->n + 1, sizeof(*was));
	struct hash paths = {0};
	int rc = was ? hash_expect(&paths, in->n) : -1;

	*missing = (struct str){0};
	for (uint32_t i = 0; !rc && i < in->n; i++)
		rc = hash_add(&paths, (uint32_t)str_hash(in->at[i].source.id.path), i);
	for (size_t k = 0; !rc && k < n; k++) {
		const struct str path = recorded[k].id.path;
		const uint32_t i = find_path(in, &paths, path);

		if (i != HASH_NONE)
			was[i] = &recorded[k];
		else if (!missing->n || str_cmp(path, *missing) < 0)
			*missing = path;
	}
	hash_free(&paths);
	if (rc) {
		free(was);
		return NULL;
	}
	return was;
}

static enum freshness compare_one(struct input *in, const struct input_file *recorded,
				  char *why, size_t size)
{
	enum freshness f = source_compare(&in->source, &recorded->id);
	struct str was = recorded->id.path;

	if (f == SOURCE_TOUCHED)
		snprintf(why, size, "the profile's times changed, its content did not");
	else if (f == SOURCE_CHANGED && in->source.path &&
		 str_eq(was, in->source.id.path))
		snprintf(why, size, "the profile has changed since it was indexed");
	else if (f == SOURCE_CHANGED)
		snprintf(why, size,
			 "the index was of another profile, %.*s: it is replaced",
			 STR_ARG(str_cut(was, 150)));
	return f;
}

/* was, missing: see recorded_as(). */
static enum freshness compare_set(struct inputs *in, const struct input_file *const *was,
				  size_t n, struct str missing, size_t *new, char *why,
				  size_t size)
{
	enum freshness all = SOURCE_SAME;
	size_t found = 0;

	for (size_t i = 0; i < in->n; i++) {
		struct source_file *s = &in->at[i].source;
		enum freshness f;

		if (!was[i]) {
			if (++*new == 1)
				snprintf(why, size, "%.250s was added", s->name);
			else
				snprintf(why, size, "%zu files were added", *new);
			continue;
		}
		found++;
		f = source_compare(s, &was[i]->id);
		source_release(s);
		if (f == SOURCE_CHANGED) {
			snprintf(why, size, "%.250s has changed since it was indexed",
				 s->name);
			*new = 0;
			return f;
		}
		all = f > all ? f : all;
	}
	if (found < n) {
		snprintf(why, size, "the index was of other files: it is replaced");
		if (found && missing.n)
			snprintf(why, size,
				 "%.*s was indexed with them and is not among them now",
				 STR_ARG(str_cut(missing, 250)));
		*new = 0;
		return SOURCE_CHANGED;
	}
	return *new ? SOURCE_CHANGED : all;
}

enum freshness inputs_compare(struct inputs *in, const struct input_file *recorded,
			      size_t n, size_t *new, char *why, size_t size)
{
	const struct input_file **was;
	struct str missing;
	enum freshness f;

	*new = 0;
	why[0] = '\0';
	if (in->n == 1 && n == 1)
		return compare_one(&in->at[0], recorded, why, size);
	was = recorded_as(in, recorded, n, &missing);
	f = was ? compare_set(in, was, n, missing, new, why, size) : SOURCE_CHANGED;
	free(was);
	return f;
}

int inputs_recall(struct inputs *in, const struct input_file *recorded, size_t n)
{
	struct str missing;
	const struct input_file **was = recorded_as(in, recorded, n, &missing);

	if (!was)
		return -1;
	for (size_t i = 0; i < in->n; i++)
		if (was[i])
			in->at[i].file = *was[i];
	free(was);
	return 0;
}

int inputs_map(const struct inputs *in, const struct input_file *recorded, size_t n,
	       uint32_t *now)
{
	struct str missing;
	const struct input_file **was = recorded_as(in, recorded, n, &missing);

	if (!was)
		return -1;
	for (uint32_t i = 0; i < in->n; i++)
		if (was[i])
			now[was[i] - recorded] = i;
	free(was);
	return 0;
}

void inputs_free(char **path, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(path[i]);
	free(path);
}
