/*
 * dwarf.c - walk the functions of an object for inlined calls; see dwarf.h.
 *
 *	compile unit			only units and functions with an address asked for
 *	  subprogram main		are looked into
 *	    inlined_subroutine clamp	a frame: its ranges cover some of the addresses,
 *	      inlined_subroutine max	and frames in it, which come later, some of those
 *
 * So the last frame that covers an address is its innermost one.
 */
#include "engine/inline/dwarf.h"

#include "index/base/bisect.h"

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "engine/inline/dwarf_find.h"
#include "engine/inline/inline_code.h"
#include "index/base/hash.h"
#include "index/base/vec.h"
#include "index/store/demangle.h"

enum {
	DEEPEST = 200,	       /* levels of functions, blocks and inlined calls */
	RANGES_MOST = 1 << 20, /* of one function; broken ones could go on for ever */
	NO_TEXT = 0,	       /* the empty one */
};

/* The names of functions found so far. */
struct dwarf_names {
	struct hash by_die;
	struct named_die {
		const void *die;
		uint32_t text;
	} * named;
	size_t n, cap;
	uint64_t spent; /* on demangling */
};

struct dwarf_walk {
	const struct dwarf_ask *ask;
	struct dwarf_files *in;
	struct inline_code code; /* to be sent */
	size_t frames_cap;
	struct strset texts;
	struct dwarf_names names;
	Dwarf_Die unit;	    /* has the lines */
	Dwarf_Die split;    /* its part in another file, if there is one */
	Dwarf_Die *whole;   /* one of the two: has the functions */
	Dwarf_Files *files; /* of that; NULL: not read yet */
	size_t nfiles;
	uint32_t *file_text; /* [nfiles] 1 + text; 0: not known yet */
	bool no_memory;
	bool has_code; /* `code` is part of the answer */
};

/* ---- texts ---- */

static uint32_t text_id(struct dwarf_walk *w, struct str s)
{
	const uint32_t i = strset_copy(&w->texts, s);

	w->no_memory = w->no_memory || i == UINT32_MAX;
	return i == UINT32_MAX ? NO_TEXT : i;
}

static struct str text_of(const char *s)
{
	return s ? str_c(s) : STR("");
}

/* The name as the linker has it, which tells overloaded functions apart; else that of the
 * source. */
static struct str name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *linked = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		linked = dwarf_formstring(&attr);
	return text_of(linked ? linked : dwarf_diename(die));
}

/* A member without a linker's name (its template has a lambda, or it is one's operator())
 * with its class and namespaces, or the function that a lambda is in. */
static struct str qualified(struct dwarf_walk *w, Dwarf_Die *fn, struct str name,
			    struct arena *a)
{
	Dwarf_Attribute attr;
	Dwarf_Die member = *fn, *scope = NULL;
	struct str outer = {0};
	int n = 0;

	if (dwarf_attr(fn, DW_AT_linkage_name, &attr))
		return name;
	if (dwarf_attr(fn, DW_AT_specification, &attr)
		    ? !dwarf_formref_die(&attr, &member) ||
			      dwarf_attr(&member, DW_AT_linkage_name, &attr)
		    : !str_starts(name, STR("operator()")))
		return name;
	n = dwarf_getscopes_die(&member, &scope);
	for (int i = 1, tag = 0; i < n && tag != DW_TAG_subprogram; i++) {
		tag = dwarf_tag(&scope[i]);
		const bool class = tag == DW_TAG_class_type ||
				   tag == DW_TAG_structure_type ||
				   tag == DW_TAG_union_type;

		if (!class && tag != DW_TAG_namespace && tag != DW_TAG_subprogram)
			continue;
		outer = name_of(&scope[i]);
		if (tag == DW_TAG_subprogram && w->ask->demangle &&
		    demangle_wanted(outer))
			outer = demangle(outer, &w->names.spent, a);
		if (!outer.n && class)
			outer = STR("{lambda}");
		if (outer.n)
			name = arena_printf(a, "%.*s::%.*s", STR_ARG(outer),
					    STR_ARG(name));
	}
	free(scope);
	return name.p ? name : STR("");
}

/* The name of an inlined call: that of its function, which many calls share. */
static uint32_t name_id(struct dwarf_walk *w, Dwarf_Die *call)
{
	struct dwarf_names *t = &w->names;
	Dwarf_Attribute attr;
	Dwarf_Die fn = *call;
	uint32_t h, probe, i;
	struct arena scratch;
	struct str name;

	if (dwarf_attr(call, DW_AT_abstract_origin, &attr) &&
	    !dwarf_formref_die(&attr, &fn))
		return NO_TEXT;
	h = (uint32_t)hash_mix((uintptr_t)fn.addr);
	probe = hash_start(&t->by_die, h);
	while ((i = hash_next(&t->by_die, h, &probe)) != HASH_NONE)
		if (t->named[i].die == fn.addr)
			return t->named[i].text;
	if (vec_reserve(&t->named, &t->cap, t->n + 1, sizeof(*t->named)) ||
	    hash_add(&t->by_die, h, (uint32_t)t->n)) {
		w->no_memory = true;
		return NO_TEXT;
	}
	arena_init(&scratch, 0);
	name = qualified(w, &fn, name_of(&fn), &scratch);
	if (w->ask->demangle && demangle_wanted(name))
		name = demangle(name, &t->spent, &scratch);
	i = text_id(w, name);
	arena_free(&scratch);
	t->named[t->n++] = (struct named_die){fn.addr, i};
	return i;
}

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word v = 0;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &v))
		return 0;
	return v;
}

static uint32_t call_file_id(struct dwarf_walk *w, Dwarf_Die *die)
{
	const uint64_t i = number_of(die, DW_AT_call_file);

	if (!w->files) {
		if (dwarf_getsrcfiles(w->whole, &w->files, &w->nfiles))
			return NO_TEXT;
		if (!(w->file_text = calloc(w->nfiles + 1, sizeof(*w->file_text)))) {
			w->no_memory = true;
			w->nfiles = 0;
		}
	}
	if (i >= w->nfiles)
		return NO_TEXT;
	if (!w->file_text[i])
		w->file_text[i] =
			1 + text_id(w, text_of(dwarf_filesrc(w->files, i, NULL, NULL)));
	return w->file_text[i] - 1;
}

/* ---- addresses ---- */

/* The first asked address from `start` on. */
static size_t first_from(const struct dwarf_walk *w, uint64_t start)
{
	struct bisect b = bisect_in(0, w->code.n);

	while (bisect_next(&b))
		bisect_step(&b, w->code.at[b.mid].address < start);
	return b.lo;
}

/* Whether an address has another line than in the profile: then it is not the code that was
 * measured, or two readers of its debug information disagree. */
static bool other_line(struct dwarf_walk *w, const struct dwarf_place *at)
{
	Dwarf_Line *line;
	int number = 0;

	if (!at->line || !at->file.n)
		return false;
	line = dwarf_getsrc_die(&w->unit, at->address);
	/* Line 0: the compiler has none for it. */
	if (!line || dwarf_lineno(line, &number) || number <= 0)
		return false;
	if ((uint64_t)number == at->line &&
	    str_eq(str_basename(text_of(dwarf_linesrc(line, NULL, NULL))),
		   str_basename(at->file))) {
		w->code.agree++;
		return false;
	}
	w->code.differ++;
	return true;
}

/* Set `found` of the addresses that die covers; `as` FOUND_NONE: only look.  Returns
 * whether there are any.  A function that the linker dropped has ranges from address 0. */
static bool cover(struct dwarf_walk *w, Dwarf_Die *die, uint32_t as)
{
	Dwarf_Addr base = 0, start = 0, end = 0;
	struct inline_place *at = w->code.at;
	ptrdiff_t next = 0;
	bool any = false;

	for (unsigned k = 0; k < RANGES_MOST; k++) {
		next = dwarf_ranges(die, next, &base, &start, &end);
		if (next <= 0)
			break;
		if (start == 0)
			continue;
		for (size_t i = first_from(w, start);
		     i < w->code.n && at[i].address < end; i++) {
			any = true;
			if (as == FOUND_NONE)
				break;
			if (at[i].found == FOUND_NONE)
				at[i].other = other_line(w, &w->ask->at[i]);
			at[i].found = as;
		}
	}
	return any;
}

/* ---- the walk ---- */

static bool is_scope(int tag)
{
	switch (tag) {
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type: return true;
	default: return false;
	}
}

/* Add the frame of an inlined call that covers some address; *inner: its number. */
static bool add_frame(struct dwarf_walk *w, Dwarf_Die *die, uint32_t outer,
		      uint32_t *inner)
{
	struct inline_code *c = &w->code;

	if (c->frames >= UINT32_MAX / 2 ||
	    vec_reserve(&c->frame, &w->frames_cap, c->frames + 1, sizeof(*c->frame))) {
		w->no_memory = true;
		return false;
	}
	if (!cover(w, die, FOUND_FRAME + (uint32_t)c->frames))
		return false;
	c->frame[c->frames] =
		(struct inline_link){.name = name_id(w, die),
				     .file = call_file_id(w, die),
				     .line = number_of(die, DW_AT_call_line),
				     .outer = outer};
	*inner = (uint32_t)++c->frames;
	return true;
}

/* Walk the children of parent, which is in the frame `outer`. */
static void walk_children(struct dwarf_walk *w, Dwarf_Die *parent, uint32_t outer,
			  unsigned deep)
{
	Dwarf_Die die;
	Dwarf_Off before;
	uint32_t inner;

	if (deep > DEEPEST || dwarf_child(parent, &die))
		return;
	do {
		const int tag = dwarf_tag(&die);

		before = dwarf_dieoffset(&die);
		inner = outer;
		if (tag == DW_TAG_subprogram	       ? cover(w, &die, FOUND_FUNCTION)
		    : tag == DW_TAG_inlined_subroutine ? add_frame(w, &die, outer, &inner)
						       : is_scope(tag))
			walk_children(w, &die, tag == DW_TAG_subprogram ? 0 : inner,
				      deep + 1);
		/* The next one is after this one, or the walk could go round. */
	} while (!w->no_memory && dwarf_siblingof(&die, &die) == 0 &&
		 dwarf_dieoffset(&die) > before);
}

/* libdw opens files that debug information names, wherever they are; so nothing can be
 * opened but for a moment. */
static void allow_open(bool allow)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l))
		return;
	l.rlim_cur = allow ? l.rlim_max : 0;
	setrlimit(RLIMIT_NOFILE, &l);
}

static struct str text_at(Dwarf_Die *die, unsigned name, unsigned older)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr(die, name, &attr) && !(older && dwarf_attr(die, older, &attr)))
		return STR("");
	return text_of(dwarf_formstring(&attr));
}

/* Find the part of a skeleton unit that is in another file, if that may be opened. */
static bool split_unit(struct dwarf_walk *w)
{
	Dwarf_Die *unit = &w->unit;
	bool found;

	allow_open(true);
	found = dwarf_find_split(w->in, w->ask->roots,
				 text_at(unit, DW_AT_dwo_name, DW_AT_GNU_dwo_name),
				 text_at(unit, DW_AT_comp_dir, 0)) &&
		dwarf_cu_info(unit->cu, NULL, NULL, NULL, &w->split, NULL, NULL, NULL) ==
			0 &&
		dwarf_tag(&w->split) > 0;
	allow_open(false);
	return found;
}

static void walk_unit(struct dwarf_walk *w, uint8_t type)
{
	if (type != DW_UT_compile && type != DW_UT_skeleton)
		return;
	/* A unit without ranges may have functions all the same. */
	if ((dwarf_hasattr(&w->unit, DW_AT_low_pc) ||
	     dwarf_hasattr(&w->unit, DW_AT_ranges)) &&
	    !cover(w, &w->unit, FOUND_NONE))
		return;
	w->whole = &w->unit;
	if (type == DW_UT_skeleton && !split_unit(w)) {
		w->in->apart = true;
		return;
	}
	if (type == DW_UT_skeleton)
		w->whole = &w->split;
	walk_children(w, w->whole, 0, 0);
	free(w->file_text);
	w->file_text = NULL;
	w->files = NULL;
	w->nfiles = 0;
}

static void walk_units(struct dwarf_walk *w)
{
	Dwarf_CU *cu = NULL;
	uint8_t type = 0;

	while (!w->no_memory &&
	       dwarf_get_units(w->in->debug, cu, &cu, NULL, &type, &w->unit, NULL) == 0)
		walk_unit(w, type);
}

/* ---- the answer ---- */

static int walk(struct dwarf_walk *w, struct bytes *out)
{
	const size_t n = w->ask->n;

	w->code.n = n;
	if (!(w->code.at = calloc(n + 1, sizeof(*w->code.at))))
		return bytes_put(out, DWARF_MEMORY);
	for (size_t i = 0; i < n; i++)
		w->code.at[i].address = w->ask->at[i].address;
	if (text_id(w, STR("")) == NO_TEXT && n && !w->in->apart)
		walk_units(w);
	w->code.text = w->texts.at;
	w->code.texts = w->texts.n;
	w->has_code = !w->no_memory && !w->in->apart;
	return bytes_put(out, w->no_memory   ? DWARF_MEMORY
			      : w->in->apart ? DWARF_APART
					     : DWARF_FOUND);
}

static void walk_free(struct dwarf_walk *w)
{
	strset_free(&w->texts);
	hash_free(&w->names.by_die);
	free(w->names.named);
	free(w->code.frame);
	free(w->code.at);
}

/* There is no debug information to walk. */
static int put_none(struct dwarf_walk *w, struct bytes *out)
{
	struct dwarf_files *f = w->in;

	if (!f->elf || f->debug_elf)
		return bytes_put(out, DWARF_UNREADABLE);
	for (size_t i = 0; i < f->ntried; i++)
		text_id(w, f->tried[i]);
	w->code.text = w->texts.at;
	w->code.texts = w->texts.n;
	w->has_code = !w->no_memory;
	return bytes_put(out, w->no_memory ? DWARF_MEMORY : DWARF_NONE);
}

int dwarf_read(const struct dwarf_ask *ask, struct bytes *out)
{
	struct dwarf_files f;
	struct dwarf_walk w = {.ask = ask, .in = &f};
	int rc;

	dwarf_find(&f, ask->object, ask->roots);
	if (ask->n)
		dwarf_find_open(&f, ask->roots);
	ask->opened(f.bytes);
	allow_open(false);
	rc = f.debug || (f.debug_elf && !ask->n) ? walk(&w, out) : put_none(&w, out);
	rc = rc || inline_text_put(out, dwarf_build_id(f.elf)) ||
			     (w.has_code && inline_code_put(&w.code, out))
		     ? -1
		     : 0;
	walk_free(&w);
	dwarf_find_end(&f);
	return rc;
}

bool dwarf_built(void)
{
	return true;
}

#else

int dwarf_read(const struct dwarf_ask *ask, struct bytes *out)
{
	(void)ask;
	return bytes_put(out, DWARF_NOT_BUILT);
}

bool dwarf_built(void)
{
	return false;
}

#endif
