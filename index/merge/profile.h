/*
 * profile.h - a whole profile: what merge.h makes of the tallies and save.h writes.
 *
 * Everything has its final, dense number (store.h).  Cost lines, call sites, jumps and the
 * costs of parts stay where they were tallied; the maps translate them while the index is
 * written.
 */
#ifndef QUERN_PROFILE_H
#define QUERN_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/hash.h"
#include "index/base/str.h"
#include "index/format/parts.h"
#include "index/tally/tally.h"

/* From a tally's numbers to the profile's; NO_ID where there is none. */
#define NO_ID UINT32_MAX
struct merge_map {
	uint32_t *name[SPACES]; /* per name slot */
	uint32_t *fn;		/* per function slot */
	uint32_t *edge;		/* per edge slot */
	uint32_t *event;	/* per event */
	uint32_t *part;		/* per part slot */
	uint64_t offset, lines; /* bytes and lines of the file before the stretch */
};

struct odd_count {
	enum odd kind;
	uint64_t count;
	size_t first, n; /* of the kept lines, in profile.odd */
};

struct profile {
	struct arena arena;
	struct str *name[SPACES]; /* ordered bytewise */
	size_t nname[SPACES];

	struct event *event;
	size_t nevent, nall_events; /* recorded ones; derived ones behind them */
	size_t event_cap;
	struct hash event_by; /* name -> event */

	size_t nfn;
	uint32_t *fn_name, *fn_file, *fn_obj;
	uint64_t *self; /* nevent per function */

	size_t nedge;
	uint32_t *caller, *callee;
	uint64_t *edge_sum;  /* calls and nevent costs per edge */
	uint32_t *out_first; /* nfn + 1 */

	struct part *part;
	size_t npart;

	struct odd_line *odd; /* by kind, file, line */
	size_t nodd;
	struct odd_count odds[ODD_KINDS];
	size_t nodds;

	size_t nfile;
	uint64_t loose;	       /* callees: see meta_code.h */
	uint64_t lines, bytes; /* of the input, all files */
	bool has_line, has_instr, saturated;

	struct merge_map *map; /* one per tally */
	struct tally *const *tally;
	size_t ntally;
};

void profile_free(struct profile *p);
/* Say that memory is out while p is made. */
int profile_no_memory(struct err *err);

/* The number of an event; HASH_NONE when there is none of the name. */
uint32_t profile_event(const struct profile *p, struct str name);
/* One more, with a name that no other has, at the end of `n` events.  0, or -1: no memory. */
int profile_add_event(struct profile *p, size_t n, const struct event *event);

/* Keep a diagnostic found after tallying; line from the start of tally k. */
int profile_odd(struct profile *p, size_t k, enum odd kind, uint64_t line,
		struct str text, struct err *err);
/* Where the slots of each part begin, which follow one another in the order of the text; to be
 * freed, NULL: no memory. */
struct part_slots {
	uint32_t k, i; /* tally, slot in it */
};
struct part_slots *profile_part_slots(const struct profile *p);
/* From one slot to the next; false when that is of another part. */
bool profile_next_slot(const struct profile *p, struct part_slots *at);
/* Stretch k is the first of its file. */
bool profile_begins_file(const struct profile *p, size_t k);

#endif
