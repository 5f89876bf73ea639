/* set_in.h - the inside of a set, for set.c and set_rows.c. */
#ifndef QUERN_SET_IN_H
#define QUERN_SET_IN_H

#include "engine/rows/doubt.h"
#include "engine/rows/table.h"
#include "engine/session.h"
#include "engine/set.h"
#include "index/base/err_struct.h"
#include "index/base/strset.h"

struct profile_set {
	struct session_members of;
	size_t now;   /* the member that is open; SIZE_MAX: none */
	bool *unread; /* [members]: it could not be opened */
	size_t nunread;
	bool told_new, told_gone; /* which profiles have no partner */
	struct strset texts;	  /* of the rows of the last answer */
};

/* A note, and how many members have it. */
struct set_note {
	struct str text;
	size_t times;
};

/* The rows of all members, as columns of text and numbers. */
struct set_rows {
	struct session *s;
	struct arena *a; /* of the query */
	struct strset *texts;
	struct table t;	 /* its columns, all filled */
	size_t cap;	 /* rows for which there is room in each of them */
	uint32_t *above; /* [rows]: the row that contains it; NULL: none does */
	struct set_note *notes;
	size_t nnotes, notes_cap;
	struct doubts doubts;
	struct str *asked;  /* the members */
	struct str *broken; /* those of them that break the `expect` */
	size_t nbroken, nasked, asked_cap, absent, without_base, other_event;
	size_t last;	  /* a member that has rows, or could have; SIZE_MAX: none */
	struct err first; /* the error of the first without the name */
	const struct set_rows
		*dissolved; /* if uncertain partners were none; NULL: all are sure */
};

/* Add the rows of a member. */
void set_add(struct set_rows *all, const struct table *t);
/* Make the values of the columns that these stages name. */
void set_fill(struct table *t, const struct tstage *st);

#endif
