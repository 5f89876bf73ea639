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
	size_t now; /* the member that is open; SIZE_MAX: none */
	size_t nunread;
	bool told;	     /* which profiles have no partner */
	struct strset texts; /* of the rows of the last answer */
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
	struct str *asked; /* the members */
	/* Those that an `expect` doubts: their rows are not in t. */
	struct set_doubt {
		struct str profile, why;
		enum doubt kind;
	} * doubted;
	struct broken *broken; /* those that break it, and the doubted */
	bool rows_hold;	       /* all that is wrong is doubt */
	size_t nbroken, nasked, asked_cap, ndoubted, doubted_cap, absent, other_event;
	size_t last;	  /* a member that has rows, or could have; SIZE_MAX: none */
	struct err first; /* the error of the first without the name */
	const struct set_rows
		*dissolved; /* if uncertain partners were none; NULL: all are sure */
};

/* ---- set_member.c ---- */
size_t set_members(const struct session *s);
struct folder_member *set_member(const struct session *s, size_t i);
bool set_can_ask(const struct session *s, size_t i);
int set_open(struct session *s, size_t i, struct err *err);

/* ---- set_ask.c ---- */
struct set_rows *set_rows_new(struct session *s, struct arena *a);
/* A statement that members are asked. */
struct asking {
	struct session *s;
	struct set_rows *all; /* gets the rows */
	struct str text;
	size_t at; /* of the statement */
	bool dissolved, expects;
	struct err *err;
	/* Of the member: */
	size_t member;
	struct arena *arena;
	struct statement *run;
	struct query *q; /* as it has it */
};
/* The stages that see the rows of all. */
const struct tstage *set_rest(const struct query *q);
/* Ask the member that is open.  An error is in .err. */
void set_ask_member(void *asking, size_t member);

/* ---- set_why.c ---- */
/* Join equal causes. */
void set_join_causes(struct set_rows *all, struct table *t);

/* ---- set_profiles.c ---- */
/* `profiles`: a row for each member. */
void set_profiles(struct session *s, struct query *q, bool vs, struct statement *run);

/* ---- set_doubt.c ---- */
/* "decode/large, decode/small, +3", of the members that are gone, or new; *n: how many. */
struct str set_list_members(const struct session *s, struct arena *a, bool gone,
			    size_t *n);
void set_add_asked(struct set_rows *all, struct str name);
bool set_expects(const struct query *q);
/* An `expect` fails for the member, unless the kind is accepted. */
void set_add_doubt(struct set_rows *all, struct str member, enum doubt kind,
		   struct str why);
/* listed: those that are gone are among the members asked. */
void set_doubt_gone(struct statement *run, bool expects, bool listed);

/* ---- set_rows.c ---- */
/* Add the rows of a member. */
void set_add(struct set_rows *all, const struct table *t);
/* Make the values of the columns that these stages name. */
void set_fill(struct table *t, const struct tstage *st);

#endif
