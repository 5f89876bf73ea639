/* refuse.c - reports of files that are no set of profiles; see refuse.h. */
#include "index/read/refuse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/err.h"
#include "index/base/map.h"
#include "index/lines/decode.h"
#include "index/store/store.h"

/* Bytes of a text to show in a message. */
static int shown(struct str s)
{
	return (int)str_cut(s, 100).n;
}

static const char merge_hint[] =
	"files without a name in front are read as one profile: open others as NAME=FILE, or "
	"add them up all the same with --merge";

static const char *file_name(const struct inputs *in, const struct part *p)
{
	return in->at[p->file].source.name;
}

static int other_program(const struct inputs *in, const struct part *a,
			 const struct part *b, struct err *err)
{
	err_set(err, ERR_PROFILE, 0, "%.150s is of the program %.*s, %.150s of %.*s",
		file_name(in, a), shown(input_program(a->cmd)), a->cmd.p,
		file_name(in, b), shown(input_program(b->cmd)), b->cmd.p);
	return err_hint(err, "%s", merge_hint);
}

static int other_events(const struct input *a, const struct input *b, struct err *err)
{
	err_set(err, ERR_PROFILE, 0, "%.150s counts %.*s, %.150s counts %.*s",
		a->source.name, shown(a->file.events), a->file.events.p, b->source.name,
		shown(b->file.events), b->file.events.p);
	return err_hint(err, "%s", merge_hint);
}

static int same_dump(const struct inputs *in, const struct part *a, const struct part *b,
		     struct err *err)
{
	err_set(err, ERR_PROFILE, 0,
		"%.200s and %.200s both hold part %" PRIu64 " of process %" PRIu64,
		file_name(in, a), file_name(in, b), a->part, a->pid);
	return err_hint(
		err, "leave out the copy, open it as NAME=FILE, or count it twice with "
		     "--merge");
}

/* The tool of "creator: callgrind-3.19.0" or "xdebug 3.2.0 (PHP 8.2.35)", without its
 * version. */
static struct str creator_name(struct str creator)
{
	size_t n = 0;

	while (n < creator.n && creator.p[n] != ' ' && creator.p[n] != '\t') {
		if ((creator.p[n] == '-' || creator.p[n] == '/') && n + 1 < creator.n &&
		    creator.p[n + 1] >= '0' && creator.p[n + 1] <= '9')
			break;
		n++;
	}
	return (struct str){creator.p, n};
}

/* The tool that wrote a part; n is 0 if nothing tells. */
static struct str tool(const struct part *p)
{
	if (p->creator.n)
		return creator_name(p->creator);
	if (part_is_cachegrind(p))
		return STR("cachegrind");
	return (struct str){"", 0};
}

static int other_tool(const struct inputs *in, const struct part *a, const struct part *b,
		      struct str event, struct err *err)
{
	err_set(err, ERR_PROFILE, 0,
		"%.150s is written by %.*s, %.150s by %.*s: both count %.*s of %.*s, which "
		"would be counted twice",
		file_name(in, a), shown(tool(a)), tool(a).p, file_name(in, b),
		shown(tool(b)), tool(b).p, shown(event), event.p,
		shown(input_program(b->cmd)), b->cmd.p);
	return err_hint(
		err,
		"leave one out, open it as base=FILE, or add them up all the same with "
		"--merge");
}

/* yappi writes a file per thread, with one pid and no thread:.  callgrind numbers them. */
static bool may_be_threads(const struct inputs *in, const struct part *now)
{
	const struct input_file *file = &in->at[now->file].file;

	if (now->thread || decode_apart(now->creator))
		return false;
	for (size_t i = 0; i < in->n; i++)
		if (i != now->file && in->at[i].file.id.hash == file->id.hash &&
		    in->at[i].file.pid == file->pid)
			return false;
	return true;
}

/* The parts seen so far, in order; those without a name are not there yet. */
struct part_seen {
	const struct inputs *in;
	struct part named; /* the first with a cmd: line */
	struct part made;  /* the first with a cmd: line and a known tool */
	struct part before;
	bool any;
};

static int refuse_events(const struct inputs *in, struct err *err)
{
	for (size_t i = 1; i < in->n; i++)
		if (!input_common_event(in->at[0].file.events, in->at[i].file.events).n)
			return other_events(&in->at[0], &in->at[i], err);
	return 0;
}

/* Refuse a part if it does not belong to those before it. */
static int refuse_part(struct part_seen *s, const struct part *now, struct err *err)
{
	const struct input *at = s->in->at;
	const struct part before = s->before;

	if (now->cmd.n && !s->named.cmd.n)
		s->named = *now;
	if (now->cmd.n && tool(now).n && !s->made.cmd.n)
		s->made = *now;
	if (now->cmd.n && now->file != s->named.file &&
	    !str_eq(input_program(s->named.cmd), input_program(now->cmd)))
		return other_program(s->in, &s->named, now, err);
	if (s->any && now->pid && now->pid == before.pid && now->part == before.part &&
	    now->thread == before.thread && now->file != before.file &&
	    !may_be_threads(s->in, now))
		return same_dump(s->in, &before, now, err);
	if (now->cmd.n && tool(now).n && now->file != s->made.file &&
	    !str_eq(tool(&s->made), tool(now))) {
		struct str event = input_common_event(at[s->made.file].file.events,
						      at[now->file].file.events);

		if (event.n)
			return other_tool(s->in, &s->made, now, event, err);
	}
	s->before = *now;
	s->any = true;
	return 0;
}

int refuse_set(const struct inputs *in, const struct profile *p, struct err *err)
{
	struct part_seen seen = {.in = in};
	int rc = refuse_events(in, err);

	for (size_t i = 0; !rc && i < p->npart; i++)
		rc = refuse_part(&seen, &p->part[i], err);
	return rc;
}

struct indexed {
	struct part_seen seen;
	struct store *st;
	const uint32_t *now; /* per file of the index: its number in the set */
	uint32_t nfile;
	struct err *err;
};

static int refuse_parts(void *arg)
{
	struct indexed *x = arg;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < store_info(x->st)->parts; i++) {
		struct part part;

		store_part(x->st, i, &part);
		if (part.file >= x->nfile) /* damage; the first query reports it */
			break;
		part.file = x->now[part.file];
		rc = refuse_part(&x->seen, &part, x->err);
	}
	return rc;
}

int refuse_indexed(struct inputs *in, struct store *st, struct err *err)
{
	struct indexed x = {.seen.in = in, .st = st, .err = err};
	const struct input_file *recorded = store_inputs(st, &x.nfile);
	uint32_t *now;
	int rc;

	if (x.nfile < 2)
		return 0;
	x.now = now = calloc(x.nfile, sizeof(*now));
	if (!now || inputs_recall(in, recorded, x.nfile) ||
	    inputs_map(in, recorded, x.nfile, now))
		rc = err_no_memory(err, "while opening profiles");
	else if (!(rc = refuse_events(in, err)))
		rc = map_guard(refuse_parts, &x, ERR_INDEX, err);
	free(now);
	return rc;
}
