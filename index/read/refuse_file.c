/* refuse_file.c - reports of a file that is no profile, or ends early; see refuse_file.h. */
#include "index/read/refuse_file.h"

#include <inttypes.h>
#include <string.h>

#include "index/base/cost.h"
#include "index/base/err.h"

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

/* Packers store text that they cannot shorten as it is.  Without its magic, such a file
 * would be read as a profile with odd lines. */
static bool has_lost_its_magic(const struct input *in)
{
	const struct str name = str_c(in->source.name);

	return !in->source.codec && !in->source.pipe && in->nhead &&
	       unpack_plain_name(name).n != name.n && memchr(in->head, 0, in->nhead);
}

/* Has the line a number with a fraction? */
static bool has_fraction(struct str line)
{
	for (size_t i = 1; i + 1 < line.n; i++)
		if (line.p[i] == '.' && line.p[i - 1] >= '0' && line.p[i - 1] <= '9' &&
		    line.p[i + 1] >= '0' && line.p[i + 1] <= '9')
			return true;
	return false;
}

/* Has the first line that could not be read one? */
static bool of_fractions(const struct stretches *s)
{
	for (size_t k = 0; k < s->n; k++)
		for (size_t i = 0; i < s->tally[k]->diag.nodd; i++)
			if (s->tally[k]->diag.odd[i].kind == ODD_FIELD)
				return has_fraction(s->tally[k]->diag.odd[i].text);
	return false;
}

int refuse_file(const struct input *in, struct err *err)
{
	const struct stretches *s = &in->stretches;
	uint64_t unreadable = 0, readable = 0, events = first_events(s);
	bool difference = false, negative = false, any = false;

	for (size_t k = 0; k < s->n; k++) {
		difference |= s->tally[k]->difference;
		negative |= s->tally[k]->negative ||
			    s->tally[k]->diag.odds[ODD_NEGATIVE_COST];
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
	if (unreadable > readable && of_fractions(s)) {
		err_set(err, ERR_PROFILE, 0,
			"%s:%" PRIu64 ": costs with fractions (%" PRIu64
			" lines); the format has whole numbers",
			in->source.name, first_odd(s, ODD_FIELD), unreadable);
		return err_hint(err, "let the producer write a smaller unit, or round: "
				     "perl -pe 's/(\\d+\\.\\d+)$/int($1*1e6)/e'");
	}
	if (readable == 0 && unreadable) {
		err_set(err, ERR_PROFILE, 0,
			"%s: none of its %" PRIu64 " cost lines can be read",
			in->source.name, unreadable);
		return err_hint(err, "the first: line %" PRIu64, first_odd(s, ODD_FIELD));
	}
	return 0;
}

/* ---- is its end there? ---- */

/* What the header lines of a file say, as far as the end of it can be told by them. */
struct ending {
	struct str creator; /* of the last part */
	bool other;	    /* a key that cachegrind does not write */
	bool calls;	    /* calls, objects, ids or event: lines, which it lacks, too */
	bool cmd, summary, totals; /* summary, totals: of the last part */
	bool any;		   /* some part has one of these */
	uint64_t summaries;	   /* the first number of each summary: */
	uint64_t self;		   /* and the sum of the self costs of that event */
	uint64_t lines;		   /* cost lines */
};

static void add_part(struct ending *e, const struct part_slot *p)
{
	static const enum header_key others[] = {KEY_VERSION, KEY_CREATOR,   KEY_PID,
						 KEY_PART,    KEY_POSITIONS, KEY_THREAD};
	const struct str sums = p->value[KEY_SUMMARY];
	uint64_t n;

	if (p->new_file || p->value[KEY_CREATOR].n)
		e->creator = p->value[KEY_CREATOR];
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		e->other |= p->line[others[i]] > 0;
	e->cmd |= p->value[KEY_CMD].n > 0;
	e->totals = (e->totals && !p->begins) || p->line[KEY_TOTALS] > 0;
	e->summary = (e->summary && !p->begins) || p->line[KEY_SUMMARY] > 0;
	e->any |= e->totals || e->summary;
	if (str_u64((struct str){sums.p, str_find(sums, ' ')}, &n))
		e->summaries = cost_sum_bits(e->summaries, n);
}

static struct ending ending_of(const struct stretches *s)
{
	struct ending e = {0};

	for (size_t k = 0; k < s->n; k++) {
		const struct tally *t = s->tally[k];

		for (size_t i = 0; i < t->parts.n; i++)
			add_part(&e, tally_part(t, i));
		for (size_t f = 0; f < t->fns.n && t->events.n; f++)
			e.self = cost_sum_bits(e.self, t->fns.self[f * t->events.n]);
		e.lines += t->cost_lines;
		e.calls |= t->edges.n || t->events.nformula ||
			   t->names[SPACE_OBJ].n > NAME_FIRST;
		for (int i = 0; i < SPACES; i++)
			e.calls |= t->names[i].n > NAME_FIRST &&
				   t->names[i].slot[NAME_FIRST].kind >= NAME_DEFINED;
		e.calls |= t->events.n && !str_eq(t->events.name[0], STR("Ir"));
	}
	return e;
}

/* A name for the next call was read, but not the call. */
static bool ends_in_call(const struct stretches *s)
{
	const struct tally *t = s->tally[s->n - 1];

	return t->now.cfn_waits || t->now.has_cfi || t->now.has_cob;
}

static bool is_main(const struct tally *t, uint32_t name)
{
	return name != NAME_ABSENT &&
	       str_eq(t->names[SPACE_FN].slot[name].text, STR("{main}"));
}

/* Xdebug writes the block of {main} last, but for destructors, and then summary:.  In a file by
 * hand that may be missing, if {main} is the last block. */
static bool ends_in_main(const struct stretches *s, bool summary)
{
	const struct tally *t = s->tally[s->n - 1];

	if (!summary)
		return is_main(t, t->now.fn_name);
	for (size_t f = 0; f < t->fns.n; f++)
		if (t->fns.at[f].has_lines && t->fns.at[f].stamp == t->parts.n &&
		    is_main(t, t->fns.at[f].fn))
			return true;
	return false;
}

/*
 * callgrind writes summary: in front of a part and totals: behind it.  A file by hand that
 * has neither, or whose lines add up to its summary:, is whole.  Some producers (yappi)
 * never end the last line, but it ends in a number.
 */
bool input_truncated(const struct input *in)
{
	const struct ending e = ending_of(&in->stretches);
	const bool callgrind = str_starts(e.creator, STR("callgrind"));
	const bool xdebug = str_starts(e.creator, STR("xdebug"));
	const bool cachegrind = e.cmd && !e.other && !e.calls;

	if (in->end != '\n' &&
	    (in->end < '0' || in->end > '9' || callgrind || xdebug || cachegrind))
		return true;
	if (ends_in_call(&in->stretches))
		return true;
	if (xdebug)
		return !ends_in_main(&in->stretches, e.summary);
	if (cachegrind)
		return !e.summary;
	if (!callgrind || e.totals)
		return false;
	return e.summary ? e.summaries != e.self : e.any || e.lines == 0;
}
