/*
 * header.c - the meaning of header lines: derived events and parts (PROFILE.md section
 * 2).
 *
 * A derived event is kept as one coefficient per recorded event, so its value is a sum,
 * and one made of derived events costs no more than any other.  A part inherits pid, cmd,
 * creator, positions and events from the part before it in the same file.
 */
#include "index/merge/header.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/vec.h"
#include "index/format/event.h"
#include "index/merge/reuse.h"

/* ---- derived events ---- */

static size_t find_event(const struct profile *p, struct str name)
{
	const uint32_t e = profile_event(p, name);

	return e == HASH_NONE ? p->nall_events : e;
}

/* sum + a * b, cut to the range of int64_t: formulas come from the file. */
static int64_t sat_mul_add(int64_t sum, int64_t a, int64_t b)
{
	int64_t v;

	if (__builtin_mul_overflow(a, b, &v))
		v = (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
	if (__builtin_add_overflow(sum, v, &sum))
		sum = v < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* Add factor * event e to coef.  Of a derived event its own coefficients are added: no
 * formula refers to another one afterwards. */
static void add_term(const struct profile *p, int64_t *coef, int64_t factor, size_t e)
{
	if (e < p->nevent) {
		coef[e] = sat_mul_add(coef[e], factor, 1);
		return;
	}
	for (size_t i = 0; p->event[e].coef && i < p->nevent; i++)
		coef[i] = sat_mul_add(coef[i], factor, p->event[e].coef[i]);
}

/* Cut a sign, or all up to the next sign or blank, off *s. */
static struct str token(struct str *s)
{
	struct str t;
	size_t n = 0;

	*s = str_trim(*s);
	if (s->n && strchr("+-*", s->p[0]))
		n = 1;
	else
		while (n < s->n && !strchr("+-* \t", s->p[n]))
			n++;
	t = (struct str){s->p, n};
	*s = str_from(*s, n);
	return t;
}

/* Cut a number off the front of *t.  False, and *t is as before, if it has no number or one over
 * INT64_MAX. */
static bool leading_number(struct str *t, int64_t *out)
{
	uint64_t v = 0;
	size_t n = 0;

	while (n < t->n && t->p[n] >= '0' && t->p[n] <= '9')
		n++;
	if (n == 0 || !str_u64((struct str){t->p, n}, &v) || v > INT64_MAX)
		return false;
	*out = (int64_t)v;
	*t = str_from(*t, n);
	return true;
}

/*
 * Add [+-] [integer [*]] NAME terms to coef ("10 Bm", "10*Bm", "10Bm").  `lenient`:
 * ignore unknown names; *found: the number of known ones.  False if the formula cannot be
 * read.
 */
static bool parse_formula(const struct profile *p, struct str s, bool lenient,
			  int64_t *coef, unsigned *found)
{
	*found = 0;
	for (bool first = true; str_trim(s).n; first = false) {
		struct str t = token(&s);
		int64_t factor = 1, sign = 1;
		size_t e;

		if (t.n && (t.p[0] == '+' || t.p[0] == '-')) {
			sign = t.p[0] == '-' ? -1 : 1;
			t = token(&s);
		} else if (!first) {
			return false;
		}
		if (leading_number(&t, &factor)) {
			if (t.n == 0)
				t = token(&s);
			if (str_eq(t, STR("*")))
				t = token(&s);
		}
		if (t.n == 0)
			return false;
		e = find_event(p, t);
		if (e == p->nall_events && !lenient)
			return false;
		if (e < p->nall_events) {
			add_term(p, coef, sign * factor, e);
			++*found;
		}
	}
	return *found > 0;
}

/* Derived events have a limit, as a file may define any number of them. */
static int header_add_event(struct profile *p, struct str name, struct str formula,
			    struct str long_name, bool builtin, int64_t *coef,
			    struct err *err)
{
	const struct event new = {.name = name,
				  .long_name = long_name,
				  .formula = formula,
				  .builtin = builtin,
				  .coef = coef};

	if (p->nall_events - p->nevent >= EVENTS_MAX)
		return tally_too_many_events(err);
	if (profile_add_event(p, p->nall_events, &new))
		return err_no_memory(err, "while reading headers");
	p->nall_events++;
	return 0;
}

/* A line `event:`, "NAME = expr : long name"; "= expr" and ": long name" are optional. */
struct definition {
	struct str text, name;
	size_t tally;
	uint64_t line; /* from the start of the text */
	uint32_t file;
	bool done;
};

/* Does the event's formula subtract?  Then it may be negative where no recorded cost is. */
static bool subtracts(const struct profile *p, const int64_t *coef)
{
	for (size_t i = 0; i < p->nevent; i++)
		if (coef[i] < 0)
			return true;
	return false;
}

/* A formula that subtracts is refused; one that names an unknown event is left for a
 * later round. */
static int define_event(struct profile *p, struct definition *d, struct err *err)
{
	size_t colon = str_find(d->text, ':'), equal;
	struct str long_name = str_trim(str_from(d->text, colon + 1));
	struct str name = {d->text.p, colon}, formula;
	int64_t *coef = ARENA_ARRAY(&p->arena, int64_t, p->nevent + 1);
	unsigned found;
	size_t e;

	if (!coef)
		return err_no_memory(err, "while reading headers");
	equal = str_find(name, '=');
	formula = str_trim(str_from(name, equal + 1));
	name = str_trim((struct str){name.p, equal});
	if (!(d->name = name = event_word(&p->arena, name)).p)
		return err_no_memory(err, "while reading headers");
	d->done = true;
	e = find_event(p, name);
	if (formula.n == 0 && e < p->nall_events) {
		p->event[e].long_name = long_name;
		return 0;
	}
	if (e < p->nevent || name.n == 0 || formula.n == 0 ||
	    !parse_formula(p, formula, false, coef, &found) || subtracts(p, coef)) {
		d->done = false;
		return 0;
	}
	if (e < p->nall_events) { /* redefined later: the last definition counts */
		p->event[e].formula = formula;
		p->event[e].long_name = long_name;
		p->event[e].coef = coef;
		return 0;
	}
	return header_add_event(p, name, formula, long_name, false, coef, err);
}

/* The long names and formulas of KCachegrind and callgrind_annotate. */
static const struct known_event {
	const char *name, *long_name, *formula; /* formula NULL: a recorded event */
	unsigned inputs;			/* how many inputs must exist */
} known[] = {
	{"Ir", "Instruction Fetch", NULL, 0},
	{"Dr", "Data Read Access", NULL, 0},
	{"Dw", "Data Write Access", NULL, 0},
	{"I1mr", "L1 Instr. Fetch Miss", NULL, 0},
	{"D1mr", "L1 Data Read Miss", NULL, 0},
	{"D1mw", "L1 Data Write Miss", NULL, 0},
	{"ILmr", "LL Instr. Fetch Miss", NULL, 0},
	{"DLmr", "LL Data Read Miss", NULL, 0},
	{"DLmw", "LL Data Write Miss", NULL, 0},
	{"Bc", "Conditional Branch", NULL, 0},
	{"Bcm", "Mispredicted Cond. Branch", NULL, 0},
	{"Bi", "Indirect Branch", NULL, 0},
	{"Bim", "Mispredicted Ind. Branch", NULL, 0},
	{"Ge", "Global Bus Event", NULL, 0},
	{"L1m", "L1 Miss Sum", "I1mr + D1mr + D1mw", 1},
	{"LLm", "Last-level Miss Sum", "ILmr + DLmr + DLmw", 1},
	{"Bm", "Mispredicted Branch", "Bim + Bcm", 1},
	{"CEst", "Cycle Estimation", "Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm",
	 2},
};

/* An event of the file keeps its own long name.  A formula needs as many known inputs as
 * the table says; those that the file lacks count as 0. */
static int add_known(struct profile *p, const struct known_event *k, struct err *err)
{
	size_t e = find_event(p, str_c(k->name));
	int64_t *coef;
	unsigned found;

	if (e < p->nall_events) {
		if (p->event[e].long_name.n == 0)
			p->event[e].long_name = str_c(k->long_name);
		return 0;
	}
	if (!k->formula)
		return 0;
	coef = ARENA_ARRAY(&p->arena, int64_t, p->nevent + 1);
	if (!coef)
		return err_no_memory(err, "while reading headers");
	if (!parse_formula(p, str_c(k->formula), true, coef, &found) || found < k->inputs)
		return 0;
	/* CEst starts from Ir: without Ir there is nothing to estimate. */
	if (k->inputs == 2 && find_event(p, STR("Ir")) == p->nall_events)
		return 0;
	return header_add_event(p, str_c(k->name), str_c(k->formula), str_c(k->long_name),
				true, coef, err);
}

/*
 * Define the events whose inputs are known, in rounds: an event may be named before it
 * is defined.
 *
 *	event: B = A + Ir	round 1: A is not known yet	round 2: B = 2 Dr + Ir
 *	event: A = 2 Dr		round 1: A = 2 Dr
 */
static int define_events(struct profile *p, struct definition *d, size_t n,
			 struct err *err)
{
	enum { ROUNDS = 16 }; /* for a chain of definitions in reverse order */
	bool more = true;

	for (unsigned round = 0; more && round < ROUNDS; round++) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			if (d[i].done)
				continue;
			if (define_event(p, &d[i], err))
				return err->kind;
			more |= d[i].done;
		}
	}
	return 0;
}

/* Add the built-in events, except those that a definition names but could not define yet:
 * a later round may. */
static int add_all_known(struct profile *p, const struct definition *d, size_t n,
			 struct err *err)
{
	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
		bool own = false;

		for (size_t i = 0; i < n; i++)
			own |= !d[i].done && str_eq(d[i].name, str_c(known[k].name));
		if (!own && add_known(p, &known[k], err))
			return err->kind;
	}
	return 0;
}

/* Put definitions kept by an index among the others, by file; within a file they are
 * in order. */
static void order_definitions(struct definition *d, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct definition now = d[i];
		size_t k = i;

		for (; k && d[k - 1].file > now.file; k--)
			d[k] = d[k - 1];
		d[k] = now;
	}
}

int header_events(struct profile *p, struct err *err)
{
	struct definition *d = NULL;
	size_t n = 0, cap = 0;
	int rc = 0;

	for (size_t k = 0; k < p->ntally; k++)
		for (size_t i = 0; i < p->tally[k]->events.nformula; i++) {
			const struct formula *f = &p->tally[k]->events.formula[i];

			if (vec_reserve(&d, &cap, n + 1, sizeof(*d))) {
				free(d);
				return err_no_memory(err, "while reading headers");
			}
			d[n++] = (struct definition){
				.text = f->text,
				.tally = k,
				.line = f->line,
				.file = p->tally[k]->kept ? f->file
							  : p->tally[k]->of_file};
		}
	if (p->ntally && p->tally[0]->kept)
		order_definitions(d, n);
	/* Remaining definitions may use built-in events, and built-in events may use
	 * those. */
	rc = define_events(p, d, n, err) || add_all_known(p, d, n, err) ||
	     define_events(p, d, n, err) || add_all_known(p, NULL, 0, err);
	for (size_t i = 0; !rc && i < n; i++)
		if (!d[i].done)
			rc = profile_odd(p, d[i].tally, ODD_EVENT_FORMULA, d[i].line,
					 d[i].text, err);
	free(d);
	return rc ? err->kind : 0;
}

/* ---- parts ---- */

struct header_reading {
	struct profile *p;
	size_t k; /* index of the tally */
	const struct part_slot *slot;
	struct err *err;
};

/* Report a value that cannot be read; the part goes on without it. */
static int odd_value(const struct header_reading *r, enum header_key key)
{
	return profile_odd(r->p, r->k, ODD_HEADER_VALUE, r->slot->line[key],
			   r->slot->value[key], r->err);
}

static int number_value(const struct header_reading *r, enum header_key key,
			uint64_t *out)
{
	struct str v = r->slot->value[key];

	if (v.n == 0 || str_u64(v, out))
		return 0;
	return odd_value(r, key);
}

/* An empty value changes nothing: what the part before had stays. */
static void text(const struct header_reading *r, enum header_key key, struct str *out)
{
	if (r->slot->value[key].n)
		*out = r->slot->value[key];
}

/* Read a number of summary: or totals:, which may be negative; false if there is none. */
static bool sum_of(struct str s, int64_t *out)
{
	const bool minus = s.n > 1 && s.p[0] == '-';
	uint64_t n = 0;

	if (!str_u64(minus ? str_from(s, 1) : s, &n))
		return false;
	*out = !minus ? (int64_t)n : n > INT64_MAX ? INT64_MIN : -(int64_t)n;
	return true;
}

/* Read summary: and totals:, one number per column of the part's events; neither is
 * trusted. */
static int sums(const struct header_reading *r, enum header_key key,
		const struct part *part, bool *has, int64_t **out)
{
	struct str values = r->slot->value[key], events = part->events, v;

	if (r->slot->line[key] == 0)
		return 0;
	*has = true;
	*out = ARENA_ARRAY(&r->p->arena, int64_t, r->p->nevent + 1);
	if (!*out)
		return err_no_memory(r->err, "while reading headers");
	while ((v = str_word(&values)).n) {
		struct str name = str_word(&events);
		int64_t n = 0;
		size_t e;

		if (name.n == 0)
			break;
		if (!sum_of(v, &n) && odd_value(r, key))
			return r->err->kind;
		e = find_event(r->p, name);
		if (e < r->p->nevent)
			cost_add(&(*out)[e], n);
	}
	return 0;
}

/* Find "Trigger: x" and "Timerange: x" in the desc: lines. */
static void read_desc(struct part *part)
{
	struct str rest = part->desc;

	while (rest.n) {
		size_t n = str_find(rest, '\n');
		struct str line = {rest.p, n};

		if (str_starts(line, STR("Trigger:")))
			part->trigger = str_trim(str_from(line, 8));
		if (str_starts(line, STR("Timerange:")))
			part->time_range = str_trim(str_from(line, 10));
		rest = str_from(rest, n + 1);
	}
}

static void note_positions(struct profile *p, const struct part *part)
{
	const struct positions_line at = decode_positions(part->positions);

	p->has_instr |= at.has_instr;
	p->has_line |= at.n == 0 || at.has_line;
}

/* Read the header lines of a slot into its part.  A part that goes on in the next stretch
 * is read again there: only lines that stand there change it. */
static int read_part(const struct header_reading *r, struct part *part)
{
	text(r, KEY_CMD, &part->cmd);
	/* Empty lines count: they change how the lines of the part are read. */
	if (r->slot->line[KEY_CREATOR])
		part->creator = r->slot->value[KEY_CREATOR];
	if (r->slot->line[KEY_POSITIONS])
		part->positions = r->slot->value[KEY_POSITIONS];
	if (r->slot->line[KEY_EVENTS])
		part->events = r->slot->value[KEY_EVENTS];
	text(r, KEY_DESC, &part->desc);
	read_desc(part);
	if (number_value(r, KEY_PART, &part->part) ||
	    number_value(r, KEY_PID, &part->pid) ||
	    number_value(r, KEY_THREAD, &part->thread) ||
	    sums(r, KEY_TOTALS, part, &part->has_totals, &part->totals) ||
	    sums(r, KEY_SUMMARY, part, &part->has_summary, &part->summary))
		return r->err->kind;
	note_positions(r->p, part);
	return 0;
}

/* Begin a part of tally k; `inherits`: from the part before it in the same file. */
static void begin_part(struct profile *p, size_t k, const struct part_slot *slot,
		       bool inherits)
{
	struct part *part = &p->part[p->npart++];

	if (inherits) {
		part->pid = part[-1].pid;
		part->creator = part[-1].creator;
		part->cmd = part[-1].cmd;
		part->positions = part[-1].positions;
		part->events = part[-1].events;
	}
	part->file = p->tally[k]->of_file;
	part->offset = p->map[k].offset + slot->offset;
}

/* Xdebug appends the profiles of further scripts to a file, and each says `part: 1`: the
 * number of such a part follows the one before, so that it can be asked for.  Threads have
 * parts of the same number. */
static void number_appended(struct profile *p)
{
	struct part *part = &p->part[p->npart - 1];

	if (p->npart > 1 && part[-1].file == part->file && part[-1].pid == part->pid &&
	    part[-1].thread == part->thread && part[-1].part >= part->part)
		part->part = part[-1].part + 1;
}

/* Sums by the index's events become sums by the profile's. */
static int kept_sums(struct profile *p, size_t k, int64_t **sums, struct err *err)
{
	int64_t *to = ARENA_ARRAY(&p->arena, int64_t, p->nevent + 1);

	if (!to)
		return err_no_memory(err, "while reading headers");
	for (size_t e = 0; e < p->tally[k]->events.n; e++)
		to[p->map[k].event[e]] = (*sums)[e];
	*sums = to;
	return 0;
}

/* Take the parts that an index kept. */
static int kept_parts(struct profile *p, size_t k, struct err *err)
{
	const struct tally *t = p->tally[k];

	for (size_t i = 0; i < t->parts.n; i++) {
		struct part *part = &p->part[p->npart];

		*part = t->kept->part[i];
		if ((part->totals && kept_sums(p, k, &part->totals, err)) ||
		    (part->summary && kept_sums(p, k, &part->summary, err)))
			return err->kind;
		note_positions(p, part);
		p->map[k].part[i] = (uint32_t)p->npart++;
	}
	return 0;
}

static int tally_parts(struct profile *p, size_t k, struct err *err)
{
	const struct tally *t = p->tally[k];
	struct merge_map *m = &p->map[k];

	m->part = malloc((t->parts.n + 1) * sizeof(*m->part));
	if (!m->part)
		return err_no_memory(err, "while reading headers");
	if (t->kept)
		return kept_parts(p, k, err);
	for (size_t i = 0; i < t->parts.n; i++) {
		const struct part_slot *slot = tally_part(t, i);
		struct header_reading r = {p, k, slot, err};

		if (slot->begins)
			begin_part(p, k, slot,
				   !slot->new_file &&
					   !(i == 0 && profile_begins_file(p, k)));
		m->part[i] = (uint32_t)p->npart - 1;
		if (read_part(&r, &p->part[p->npart - 1]))
			return err->kind;
		if (slot->begins && slot->new_file)
			number_appended(p);
	}
	return 0;
}

/* A part ends at the next one, or with its file: from the last slot of a stretch to the first,
 * `end` is where the slot after it began. */
static void measure_parts(struct profile *p)
{
	for (size_t k = 0; k < p->ntally; k++) {
		const struct merge_map *m = &p->map[k];
		const struct tally *t = p->tally[k];
		uint64_t end = m->offset + t->text_bytes;

		for (size_t i = t->kept ? 0 : t->parts.n; i-- > 0;) {
			struct part *part = &p->part[m->part[i]];

			part->bytes = end - part->offset;
			end = m->offset + tally_part(t, i)->offset;
		}
	}
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = *(struct part *const *)a, *y = *(struct part *const *)b;
	int c = order_u64(x->pid, y->pid);

	c = c ? c : order_u64(x->part, y->part);
	c = c ? c : order_u64(x->thread, y->thread);
	c = c ? c : order_u64(x->file, y->file);
	return c ? c : order_u64(x->offset, y->offset);
}

/* Sort the parts of a set by (pid, part, thread), then by their order in the text. */
static int order_parts(struct profile *p, struct err *err)
{
	struct part **order = malloc((p->npart + 1) * sizeof(*order));
	struct part *sorted = malloc((p->npart + 1) * sizeof(*sorted));
	uint32_t *place = malloc((p->npart + 1) * sizeof(*place));
	int rc = order && sorted && place ? 0
					  : err_no_memory(err, "while reading headers");

	if (!rc) {
		for (size_t i = 0; i < p->npart; i++)
			order[i] = &p->part[i];
		qsort(order, p->npart, sizeof(*order), compare_parts);
		for (size_t i = 0; i < p->npart; i++) {
			sorted[i] = *order[i];
			place[order[i] - p->part] = (uint32_t)i;
		}
		for (size_t k = 0; k < p->ntally; k++)
			for (size_t i = 0; i < p->tally[k]->parts.n; i++)
				p->map[k].part[i] = place[p->map[k].part[i]];
		free(p->part);
		p->part = sorted;
		sorted = NULL;
	}
	free(order);
	free(sorted);
	free(place);
	return rc;
}

int header_parts(struct profile *p, struct err *err)
{
	size_t n = 0;

	for (size_t k = 0; k < p->ntally; k++)
		n += p->tally[k]->parts.n;
	p->part = calloc(n + 1, sizeof(*p->part));
	if (!p->part)
		return err_no_memory(err, "while reading headers");
	for (size_t k = 0; k < p->ntally; k++)
		if (tally_parts(p, k, err))
			return err->kind;
	measure_parts(p);
	return p->nfile > 1 ? order_parts(p, err) : 0;
}
