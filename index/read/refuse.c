/* refuse.c - reports of files that are no profile; see refuse.h. */
#include "index/read/refuse.h"

#include <inttypes.h>
#include <string.h>

static const char no_profile[] =
	"such files begin with lines like \"events: Ir\" and \"fn=main\"; valgrind "
	"--tool=callgrind and PHP Xdebug write them";

/* A header that ends before its "events:" line. */
static bool header_only(const struct stretches *s)
{
	for (size_t k = 0; k < s->n; k++)
		for (size_t i = 0; i < s->tally[k]->parts.n; i++)
			if (tally_part(s->tally[k], i)->line[KEY_VERSION] ||
			    tally_part(s->tally[k], i)->line[KEY_CREATOR])
				return true;
	return false;
}

/* The line of the first diagnostic of a kind; 0: none. */
static uint64_t first_odd(const struct stretches *s, enum odd kind)
{
	uint64_t lines = 0;

	for (size_t k = 0; k < s->n; k++) {
		const struct tally *t = s->tally[k];

		for (size_t i = 0; i < t->diag.nodd; i++)
			if (t->diag.odd[i].kind == kind)
				return lines + t->diag.odd[i].line;
		lines += t->lines;
	}
	return 0;
}

static uint64_t first_events(const struct stretches *s)
{
	uint64_t lines = 0;

	for (size_t k = 0; k < s->n; k++) {
		const struct tally *t = s->tally[k];

		for (size_t i = 0; i < t->parts.n; i++)
			if (tally_part(t, i)->line[KEY_EVENTS])
				return lines + tally_part(t, i)->line[KEY_EVENTS];
		lines += t->lines;
	}
	return 0;
}

static int no_events(const struct input *in, struct err *err)
{
	const char *name = in->source.name, *hint;
	const char *nature = source_nature((struct str){in->head, in->nhead}, &hint);
	uint64_t line = first_odd(&in->stretches, ODD_NO_EVENTS);

	if (in->nhead == 0) {
		err_set(err, ERR_PROFILE, 0, "%s: empty (0 bytes%s)", name,
			in->source.codec ? " when unpacked" : "");
		return err_hint(err, "%s", no_profile);
	}
	if (nature) {
		err_set(err, ERR_PROFILE, 0, "%s: %s, not a Callgrind-format profile",
			name, nature);
		return err_hint(err, "%s", hint ? hint : no_profile);
	}
	if (line) {
		err_set(err, ERR_PROFILE, 0,
			"%s:%" PRIu64 ": a cost line before any \"events:\" line", name,
			line);
		return err_hint(
			err, "this is not a Callgrind-format profile, or its header is "
			     "missing");
	}
	if (header_only(&in->stretches)) {
		err_set(err, ERR_PROFILE, 0,
			"%s: cut off in its header: there is no \"events:\" line", name);
		return err_hint(
			err, "copy it again, or wait until the program that writes it is "
			     "done");
	}
	err_set(err, ERR_PROFILE, 0,
		"%s: not a Callgrind-format profile: no \"events:\" line", name);
	return err_hint(err, "%s", no_profile);
}

/* lz4 stores text that it cannot shorten as it is.  Without its magic, such a file
 * would be read as a profile with odd lines. */
static bool has_lost_its_magic(const struct input *in)
{
	return !in->source.codec && !in->source.pipe && in->nhead &&
	       input_is_packed_name(str_c(in->source.name)) &&
	       memchr(in->head, 0, in->nhead);
}

int refuse_file(const struct input *in, struct err *err)
{
	const struct stretches *s = &in->stretches;
	uint64_t negative = 0, unreadable = 0, readable = 0, events = first_events(s);
	bool difference = false, any = false;

	for (size_t k = 0; k < s->n; k++) {
		difference |= s->tally[k]->difference;
		negative += s->tally[k]->diag.odds[ODD_NEGATIVE_COST];
		unreadable += s->tally[k]->diag.odds[ODD_FIELD];
		readable += s->tally[k]->cost_lines;
		any |= s->tally[k]->events.n > 0;
	}
	if (has_lost_its_magic(in)) {
		err_set(err, ERR_PROFILE, 0,
			"%s: neither text nor packed, as its name says: its first bytes are damaged",
			in->source.name);
		return err_hint(err, "make or copy the file again");
	}
	/* A cost line comes before the first "events:" of the file. */
	if (!any || (first_odd(s, ODD_NO_EVENTS) && first_odd(s, ODD_NO_EVENTS) < events))
		return no_events(in, err);
	if (difference && negative) {
		err_set(err, ERR_PROFILE, 0,
			"%s: a difference of two profiles (its costs are negative)",
			in->source.name);
		return err_hint(err, "open the two profiles and compare them with `vs`: "
				     "quern new.out base=old.out -c 'functions vs base'");
	}
	if (readable == 0 && unreadable) {
		err_set(err, ERR_PROFILE, 0,
			"%s: none of its %" PRIu64 " cost lines can be read",
			in->source.name, unreadable);
		return err_hint(err, "the first: line %" PRIu64, first_odd(s, ODD_FIELD));
	}
	return 0;
}

/* Some producers (yappi) never end the last line, but it ends in a number. */
bool input_truncated(const struct input *in)
{
	const struct stretches *s = &in->stretches;
	struct str creator = {"", 0};
	bool totals = false, callgrind;

	for (size_t k = 0; k < s->n; k++)
		for (size_t i = 0; i < s->tally[k]->parts.n; i++) {
			const struct part_slot *p = tally_part(s->tally[k], i);

			if (p->new_file || p->value[KEY_CREATOR].n)
				creator = p->value[KEY_CREATOR];
			totals = (totals && !p->begins) || p->line[KEY_TOTALS] > 0;
		}
	callgrind = str_starts(creator, STR("callgrind"));
	if (in->end != '\n' && (in->end < '0' || in->end > '9' || callgrind ||
				str_starts(creator, STR("xdebug"))))
		return true;
	return callgrind && !totals;
}

/* ---- sets ---- */

/* Bytes of a text to show in a message. */
static int shown(struct str s)
{
	return s.n < 100 ? (int)s.n : 100;
}

/* The program in a "cmd:" line, without its arguments. */
static struct str program(struct str cmd)
{
	return (struct str){cmd.p, str_find(cmd, ' ')};
}

static const char *file_name(const struct inputs *in, const struct part *p)
{
	return in->at[p->file].source.name;
}

static int other_program(const struct inputs *in, const struct part *a,
			 const struct part *b, struct err *err)
{
	err_set(err, ERR_PROFILE, 0, "%.150s is of the program %.*s, %.150s of %.*s",
		file_name(in, a), shown(program(a->cmd)), a->cmd.p, file_name(in, b),
		shown(program(b->cmd)), b->cmd.p);
	return err_hint(
		err, "files without a name in front are read as one profile: open others "
		     "as NAME=FILE, or add them up all the same with --merge");
}

/* The first event of b that a has, too; n is 0 if there is none. */
static struct str common_event(struct str a, struct str b)
{
	while (b.n) {
		size_t n = str_find(b, ' ');
		struct str rest = a;

		while (rest.n) {
			size_t m = str_find(rest, ' ');

			if (m == n && memcmp(rest.p, b.p, n) == 0)
				return (struct str){b.p, n};
			rest = str_from(rest, m + 1);
		}
		b = str_from(b, n + 1);
	}
	return b;
}

static int other_events(const struct input *a, const struct input *b, struct err *err)
{
	err_set(err, ERR_PROFILE, 0, "%.150s counts %.*s, %.150s counts %.*s",
		a->source.name, shown(a->file.events), a->file.events.p, b->source.name,
		shown(b->file.events), b->file.events.p);
	return err_hint(
		err, "files without a name in front are read as one profile: open others "
		     "as NAME=FILE, or add them up all the same with --merge");
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

int refuse_set(const struct inputs *in, const struct profile *p, struct err *err)
{
	const struct part *first = NULL;

	for (size_t i = 1; i < in->n; i++)
		if (!common_event(in->at[0].file.events, in->at[i].file.events).n)
			return other_events(&in->at[0], &in->at[i], err);
	for (size_t i = 0; i < p->npart; i++) {
		const struct part *now = &p->part[i], *before = i ? now - 1 : NULL;

		if (!first && now->cmd.n)
			first = now;
		if (first && now->cmd.n &&
		    !str_eq(program(first->cmd), program(now->cmd)) &&
		    first->file != now->file)
			return other_program(in, first, now, err);
		if (before && now->pid && now->pid == before->pid &&
		    now->part == before->part && now->thread == before->thread &&
		    now->file != before->file)
			return same_dump(in, before, now, err);
	}
	return 0;
}
