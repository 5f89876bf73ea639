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
#include "engine/debug/dwarf.h"

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "index/base/vec.h"

enum {
	DEEPEST = 200,	       /* levels of functions, blocks and inlined calls */
	RANGES_MOST = 1 << 20, /* of one function; broken ones could go on for ever */
	UNKNOWN = 0,
	FUNCTION = 1,
	FRAME = 2,
};

struct dwarf_frame {
	struct str name, file;
	uint64_t line;
	uint32_t outer; /* 1 + index; 0: the function */
};

struct dwarf_walk {
	const struct dwarf_place *at;
	size_t n;
	uint32_t *found; /* [n] as in dwarf.h */
	bool *other;	 /* [n] its line is not that of the profile */
	struct dwarf_frame *frame;
	size_t frames, cap;
	uint64_t agree, differ; /* lines, with those of the profile */
	Dwarf_Die *unit;	/* has the lines */
	Dwarf_Die *whole;   /* the same, or its part in another file: has the functions */
	Dwarf_Files *files; /* of that; NULL: not read yet */
	size_t nfiles;
	bool no_memory;
};

/* ---- addresses ---- */

/* The first asked address from `start` on. */
static size_t first_from(const struct dwarf_walk *w, uint64_t start)
{
	size_t lo = 0, hi = w->n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (w->at[mid].address < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct str text_of(const char *s)
{
	return s ? str_c(s) : STR("");
}

/* Whether an address has another line than in the profile: then it is not the code that was
 * measured, or two readers of its debug information disagree. */
static bool other_line(struct dwarf_walk *w, const struct dwarf_place *at)
{
	Dwarf_Line *line;
	int number = 0;

	if (!at->line || !at->file.n)
		return false;
	line = dwarf_getsrc_die(w->unit, at->address);
	if (!line || dwarf_lineno(line, &number))
		return false;
	if (number > 0 && (uint64_t)number == at->line &&
	    str_eq(str_basename(text_of(dwarf_linesrc(line, NULL, NULL))),
		   str_basename(at->file))) {
		w->agree++;
		return false;
	}
	w->differ++;
	return true;
}

/* Set found[] of the addresses that die covers; `as` UNKNOWN: only look.  Returns whether
 * there are any.  A function that the linker dropped has ranges from address 0. */
static bool cover(struct dwarf_walk *w, Dwarf_Die *die, uint32_t as)
{
	Dwarf_Addr base = 0, start = 0, end = 0;
	ptrdiff_t next = 0;
	bool any = false;

	for (unsigned k = 0; k < RANGES_MOST; k++) {
		next = dwarf_ranges(die, next, &base, &start, &end);
		if (next <= 0)
			break;
		if (start == 0)
			continue;
		for (size_t i = first_from(w, start); i < w->n && w->at[i].address < end;
		     i++) {
			any = true;
			if (as == UNKNOWN)
				break;
			if (w->found[i] == UNKNOWN)
				w->other[i] = other_line(w, &w->at[i]);
			w->found[i] = as;
		}
	}
	return any;
}

/* ---- names ---- */

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

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word v = 0;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &v))
		return 0;
	return v;
}

static struct str call_file(struct dwarf_walk *w, Dwarf_Die *die)
{
	const uint64_t i = number_of(die, DW_AT_call_file);

	if (!w->files && dwarf_getsrcfiles(w->whole, &w->files, &w->nfiles))
		return STR("");
	return i < w->nfiles ? text_of(dwarf_filesrc(w->files, i, NULL, NULL)) : STR("");
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
	if (!cover(w, die, UNKNOWN))
		return false;
	if (w->frames >= UINT32_MAX - FRAME ||
	    vec_reserve(&w->frame, &w->cap, w->frames + 1, sizeof(*w->frame))) {
		w->no_memory = true;
		return false;
	}
	w->frame[w->frames] =
		(struct dwarf_frame){.name = name_of(die),
				     .file = call_file(w, die),
				     .line = number_of(die, DW_AT_call_line),
				     .outer = outer};
	cover(w, die, FRAME + (uint32_t)w->frames);
	*inner = (uint32_t)++w->frames;
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
		if (tag == DW_TAG_subprogram	       ? cover(w, &die, FUNCTION)
		    : tag == DW_TAG_inlined_subroutine ? add_frame(w, &die, outer, &inner)
						       : is_scope(tag))
			walk_children(w, &die, tag == DW_TAG_subprogram ? 0 : inner,
				      deep + 1);
		/* The next one is after this one, or the walk could go round. */
	} while (!w->no_memory && dwarf_siblingof(&die, &die) == 0 &&
		 dwarf_dieoffset(&die) > before);
}

static void walk_units(struct dwarf_walk *w, Dwarf *debug)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, split;
	uint8_t type = 0;

	while (!w->no_memory &&
	       dwarf_get_units(debug, cu, &cu, NULL, &type, &unit, &split) == 0) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		/* A unit without ranges may have functions all the same. */
		if ((dwarf_hasattr(&unit, DW_AT_low_pc) ||
		     dwarf_hasattr(&unit, DW_AT_ranges)) &&
		    !cover(w, &unit, UNKNOWN))
			continue;
		w->unit = &unit;
		w->whole =
			type == DW_UT_skeleton && dwarf_tag(&split) > 0 ? &split : &unit;
		w->files = NULL;
		w->nfiles = 0;
		walk_children(w, w->whole, 0, 0);
	}
}

/* ---- where the debug information is ---- */

static bool has_debug(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr head;
		const char *name;

		if (!gelf_getshdr(scn, &head) ||
		    !(name = elf_strptr(elf, names, head.sh_name)))
			continue;
		if (head.sh_type != SHT_NOBITS && (strcmp(name, ".debug_info") == 0 ||
						   strcmp(name, ".zdebug_info") == 0))
			return true;
	}
	return false;
}

static struct str build_id(Elf *elf)
{
	const void *id = NULL;
	const ssize_t n = dwelf_elf_gnu_build_id(elf, &id);

	return n > 0 ? (struct str){id, (size_t)n} : STR("");
}

static bool crc_fits(const struct roots_file *f, uint32_t crc)
{
	unsigned char *p = f->size ? mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, f->fd, 0)
				   : MAP_FAILED;
	uint32_t is = 0;

	if (p == MAP_FAILED)
		return false;
	for (uint64_t at = 0, n; at < f->size; at += n) {
		n = f->size - at < 1 << 30 ? f->size - at : 1 << 30;
		is = (uint32_t)crc32(is, p + at, (uInt)n);
	}
	munmap(p, f->size);
	return is == crc;
}

/* Open a file with debug information if it belongs to the object: by build-id or, if that
 * has none, by the checksum that its link records. */
static Elf *open_debug(const struct roots *roots, struct arena *a, struct str path,
		       struct str id, const uint32_t *crc)
{
	struct roots_file f;
	const char *why = NULL;
	Elf *elf;

	if (!path.p || !roots_open(roots, path, a, &f, &why))
		return NULL;
	elf = elf_begin(f.fd, ELF_C_READ_MMAP, NULL);
	if (elf && has_debug(elf) &&
	    (id.n ? str_eq(build_id(elf), id) : crc && crc_fits(&f, *crc)))
		return elf; /* the descriptor lives as long as this process */
	elf_end(elf);
	close(f.fd);
	return NULL;
}

/* As gdb looks: by build-id, then the file that .gnu_debuglink names. */
static Elf *separate_debug(Elf *elf, const struct roots_file *object,
			   const struct roots *roots, struct arena *a)
{
	static const char hex[] = "0123456789abcdef";
	static const char *const places[][2] = {
		{"", ""}, {"", ".debug/"}, {"/usr/lib/debug", ""}};
	struct str id = build_id(elf), dir = object->path;
	GElf_Word crc = 0;
	const char *link;
	char path[200];
	Elf *found;
	size_t n;

	if (id.n >= 2 && id.n <= 64) {
		n = (size_t)snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/");
		for (size_t i = 0; i < id.n; i++) {
			path[n++] = hex[(unsigned char)id.p[i] >> 4];
			path[n++] = hex[id.p[i] & 15];
			if (i == 0)
				path[n++] = '/';
		}
		memcpy(path + n, ".debug", 7);
		if ((found = open_debug(roots, a, arena_str(a, str_c(path)), id, NULL)))
			return found;
	}
	link = dwelf_elf_gnu_debuglink(elf, &crc);
	if (!link || strchr(link, '/'))
		return NULL;
	dir.n -= str_basename(dir).n;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if ((found = open_debug(roots, a,
					arena_printf(a, "%s%.*s%s%s", places[i][0],
						     STR_ARG(dir), places[i][1], link),
					id, &crc)))
			return found;
	return NULL;
}

/* ---- the answer ---- */

static int put_text(struct bytes *out, struct str s)
{
	return bytes_put(out, s.n) || bytes_append(out, (const unsigned char *)s.p, s.n);
}

static int put_answer(const struct dwarf_walk *w, struct bytes *out)
{
	if (bytes_put(out, DWARF_FOUND) || bytes_put(out, w->agree) ||
	    bytes_put(out, w->differ) || bytes_put(out, w->frames))
		return -1;
	for (size_t i = 0; i < w->frames; i++) {
		const struct dwarf_frame *f = &w->frame[i];

		if (put_text(out, f->name) || put_text(out, f->file) ||
		    bytes_put(out, f->line) || bytes_put(out, f->outer))
			return -1;
	}
	for (size_t i = 0; i < w->n; i++)
		if (bytes_put(out, (uint64_t)w->found[i] << 1 | w->other[i]))
			return -1;
	return 0;
}

static int read_debug(Dwarf *debug, struct dwarf_walk *w, struct bytes *out)
{
	int rc = -1;

	w->found = calloc(w->n + 1, sizeof(*w->found));
	w->other = calloc(w->n + 1, sizeof(*w->other));
	if (w->found && w->other) {
		walk_units(w, debug);
		rc = w->no_memory ? bytes_put(out, DWARF_MEMORY) : put_answer(w, out);
	}
	free(w->found);
	free(w->other);
	free(w->frame);
	return rc;
}

int dwarf_read(const struct roots_file *object, const struct roots *roots,
	       const struct dwarf_place *at, size_t n, struct bytes *out)
{
	struct dwarf_walk w = {.at = at, .n = n};
	struct arena a;
	Elf *elf, *debug_elf;
	Dwarf *debug;
	int rc;

	elf_version(EV_CURRENT);
	arena_init(&a, 1 << 20);
	elf = elf_begin(object->fd, ELF_C_READ_MMAP, NULL);
	debug_elf = !elf || elf_kind(elf) != ELF_K_ELF ? NULL
		    : has_debug(elf)		       ? elf
				     : separate_debug(elf, object, roots, &a);
	debug = debug_elf ? dwarf_begin_elf(debug_elf, DWARF_C_READ, NULL) : NULL;
	if (debug)
		rc = read_debug(debug, &w, out);
	else
		rc = bytes_put(out, debug_elf || !elf || elf_kind(elf) != ELF_K_ELF
					    ? DWARF_UNREADABLE
					    : DWARF_NONE);
	dwarf_end(debug);
	if (debug_elf != elf)
		elf_end(debug_elf);
	elf_end(elf);
	arena_free(&a);
	return rc;
}

bool dwarf_built(void)
{
	return true;
}

#else

int dwarf_read(const struct roots_file *object, const struct roots *roots,
	       const struct dwarf_place *at, size_t n, struct bytes *out)
{
	(void)object, (void)roots, (void)at, (void)n;
	return bytes_put(out, DWARF_NOT_BUILT);
}

bool dwarf_built(void)
{
	return false;
}

#endif
