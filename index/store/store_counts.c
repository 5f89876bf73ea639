/* store_counts.c - what the numbers of a profile count: units, and whether calls are counted. */
#include "index/format/event.h"
#include "index/lines/decode.h"
#include "index/store/store_in.h"

void store_set_units(struct store *st, const struct unit_rules *units)
{
	st->units = units;
}

struct unit store_unit(struct store *st, uint32_t e)
{
	struct store_event ev;

	store_event(st, e, &ev);
	for (size_t i = st->units ? st->units->n : 0; i > 0; i--)
		if (str_eq(str_c(st->units->at[i - 1].event), ev.name))
			return st->units->at[i - 1].unit;
	return event_unit(ev.name, ev.long_name, st->info.creator);
}

/* "cpu(ms)", "alloc_objects(count)": pprof has one type of samples, with its unit, and gives no
 * creator.  Its older versions wrote the cost of a call as its count, later ones write 0. */
static bool of_pprof(const struct store *st, struct str event)
{
	const size_t n = str_find(event, '(');

	for (size_t i = 0; i < n; i++)
		if (event.p[i] != '_' && (event.p[i] < 'a' || event.p[i] > 'z'))
			return false;
	return !st->info.creator.n && st->info.events == 1 && n && n < event.n &&
	       event.p[event.n - 1] == ')';
}

/* What profilers that take samples write: their counts of calls are 0, or samples. */
static bool counts_samples(struct store *st)
{
	static const char *const creators[] = {"stackprof", "reli"};
	static const char *const events[] = {"Hits", "hits", "Samples", "samples"};
	const struct str creator = st->info.creator;

	for (size_t i = 0; i < sizeof(creators) / sizeof(*creators); i++)
		if (str_starts(creator, str_c(creators[i])))
			return true;
	for (uint32_t e = 0; e < st->info.events; e++) {
		struct store_event ev;

		store_event(st, e, &ev);
		/* Very Sleepy */
		if (str_starts(ev.long_name, STR("Microseconds Spent ")) ||
		    of_pprof(st, ev.name))
			return true;
		for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
			if (str_eq(ev.name, str_c(events[i])))
				return true;
	}
	return false;
}

bool store_is_callgrind(struct store *st)
{
	const struct str creator = st->info.creator;

	return creator.n ? str_starts(creator, STR("callgrind"))
			 : store_event_find(st, STR("Ir")) < st->info.all_events &&
				   store_counts_calls(st);
}

bool store_counts_zeros(struct store *st)
{
	return decode_begins(st->info.creator) && !st->meta.uncounted;
}

bool store_counts_calls(struct store *st)
{
	if (!st->counts && store_counts_zeros(st))
		st->counts = 1;
	if (!st->counts) {
		st->counts = st->info.edges ? -1 : 1;
		for (uint32_t e = 0; e < st->info.edges && st->counts < 0; e++)
			st->counts = store_edge_calls(st, e) ? 1 : -1;
		if (counts_samples(st))
			st->counts = -1;
	}
	return st->counts > 0;
}

bool store_counts_all(struct store *st)
{
	if (!st->counts_all) {
		st->counts_all = store_counts_calls(st) ? 1 : -1;
		if (store_counts_zeros(st))
			return true;
		for (uint32_t e = 0; e < st->info.edges && st->counts_all > 0; e++)
			if (!store_edge_calls(st, e))
				st->counts_all = -1;
	}
	return st->counts_all > 0;
}
