/*
 * event.h - the unit of an event, if its producer documents one.
 *
 * Costs are integers: counts of `scale` nanoseconds or bytes.  An event that is in no
 * table has no unit: its costs are counts, or nobody knows.
 */
#ifndef QUERN_EVENT_H
#define QUERN_EVENT_H

#include "index/base/str.h"

struct arena;

enum unit_kind { UNIT_NONE, UNIT_TIME, UNIT_BYTES };

struct unit {
	enum unit_kind kind;
	uint64_t scale; /* nanoseconds or bytes per count */
};

/* Units that the user says: those of events by name, the last one first. */
struct unit_rules {
	struct unit_rule {
		char *event;
		struct unit unit;
	} * at;
	size_t n;
};

/* long_name: of the line "event:", or empty; creator: of the line "creator:". */
struct unit event_unit(struct str name, struct str long_name, struct str creator);
/* The unit in "us", "10ns" or "MiB", as producers write it; UNIT_NONE: there is none. */
struct unit unit_of_text(struct str s);
/* The unit of a number in a query: "ms", "MiB"; UNIT_NONE: there is none. */
struct unit unit_of_word(struct str word);
/* Where the unit in a name begins: after "Time" of "Time_(10ns)"; its end: it has none. */
size_t event_unit_start(struct str name);
/* The name of an event whose costs are shown with their unit: "Time" of "Time_(10ns)". */
struct str event_title(struct str name, struct unit u);
/* The name as one word: "Wall_Time" for "Wall Time" of SPX.  p NULL: the arena is full. */
struct str event_word(struct arena *a, struct str name);
enum { UNIT_TEXT_MAX = 40 };
/* Three digits and the unit: "3.02 s", "812 ms", "1.50 MiB".  u is not UNIT_NONE. */
void unit_text(char *buf, struct unit u, double costs);
/* "ns", "bytes" or "". */
const char *unit_name(struct unit u);
/* As text, whatever the unit: "3.02 s", or all digits: "5,271,234". */
void unit_whole(char *buf, struct unit u, int64_t costs);
static inline bool unit_same(struct unit a, struct unit b)
{
	return a.kind == b.kind && (a.kind == UNIT_NONE || a.scale == b.scale);
}

#endif
