/*
 * name.h - the parts of a function's name, in the notations of many languages.
 *
 *	void std::vector<int, std::allocator<int> >::push_back(int const&)'2
 *	     [class                               ]  [last   ]
 *	     short: std::vector::push_back
 *
 * Nothing here fails: a name that cannot be split is one component.  The table of
 * separators is in name.c, that of names with a form of their own in name_forms.c.  Views
 * point into the name.
 */
#ifndef QUERN_NAME_H
#define QUERN_NAME_H

#include "index/base/str.h"

struct arena;

enum { NAME_PARTS = 96 }; /* of a longer name: the last ones */

struct name {
	struct str part[NAME_PARTS]; /* components without template arguments */
	struct str text[NAME_PARTS]; /* the same with separator and Go's "(*T)" */
	size_t n;		     /* at least 1 */
	bool cut;		     /* leading components are missing from part[] */
	bool formed;		     /* by name_forms.c: core is all there is to show */
	bool path;		     /* it ends in a path, whose dots separate nothing */
	struct str core;      /* from the first component to the end of the last one */
	struct str head;      /* the class or module, with template arguments; or empty */
	size_t nhead;	      /* the components that are in it */
	struct str prefix;    /* "block in " of Ruby; or empty */
	struct str suffix;    /* what names of one core differ in: "/2"; or empty */
	struct str recursion; /* "'2", "'caller'2"; or empty */
	struct str clone;     /* ".part.0", " [clone .isra.0]", " [1/2]"; or empty */
	struct str version;   /* "@plt", "@@GLIBC_2.34"; or empty */
	struct str mark;      /* NAME_INLINED; or empty */
};

/* At the end of the name of an inlined function (engine/graph/graph_inlined.h). */
#define NAME_INLINED " (inl)"

enum name_reading {
	NAME_USUAL,
	NAME_TRAIT, /* of Rust's "<T as Trait>::f" take Trait, not T */
	NAME_PATH,  /* a name that may look like another is a path: "other.c" */
};

/* Split a name. */
void name_parse(struct str name, enum name_reading how, struct name *out);

/* The name without return type, parameters, template arguments and clone and version
 * suffixes.  A view of the name, or a copy in the arena (p NULL: the arena is full). */
struct str name_short(struct str name, struct arena *a);
/* The class or module: mostly all before the last component, with template arguments; may
 * be empty, as of a file that PHP includes. */
struct str name_class(struct str name);
/* The layer of a function: its outermost namespace in PHP, C++ and Rust, its package in Go,
 * the package or module of its file in Python; else its file. */
struct str name_layer(struct str name, struct str file);
/* FILE in PHP's names require::FILE and include_once::FILE; empty if the name is another. */
struct str name_included(struct str name);
/* The last component: "push_back". */
struct str name_last(struct str name);
/* The name in double quotes, for a query; p NULL: the arena is full. */
struct str name_quoted(struct str name, struct arena *a);
/* Is it the path's last part, or what stands there before a version or ending: libc of libc.so.6? */
bool name_is_base(struct str path, struct str name);

#endif
