/* dwarf_find.c - see dwarf_find.h. */
#ifdef HAVE_LIBDW

#include "engine/inline/dwarf_find.h"

#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "engine/files/roots.h"

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

struct str dwarf_build_id(Elf *elf)
{
	const void *id = NULL;
	const ssize_t n = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;

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

/* ---- one file ---- */

/* A separate file belongs to the object if it has these. */
struct belongs {
	struct str id;	     /* its build-id, if there is one, or else */
	const uint32_t *crc; /* the checksum of its bytes */
};

static struct str dir_of(struct str path)
{
	path.n -= str_after_slash(path).n;
	return path;
}

/* Open a file with debug information; NULL: there is none, or it is of another object. */
static Elf *open_debug(struct dwarf_files *f, const struct roots *roots, struct str path,
		       const struct belongs *to, struct str *found)
{
	struct roots_file file;
	const char *why = NULL;
	Elf *elf;

	if (!path.p)
		return NULL;
	if (f->ntried < DWARF_TRIED)
		f->tried[f->ntried++] = path;
	if (!roots_open(roots, path, &f->arena, &file, &why))
		return NULL;
	elf = elf_begin(file.fd, ELF_C_READ_MMAP, NULL);
	if (elf && has_debug(elf) &&
	    (to->id.n ? str_eq(dwarf_build_id(elf), to->id)
		      : to->crc && crc_fits(&file, *to->crc))) {
		f->bytes += file.size;
		*found = file.path;
		return elf; /* the descriptor lives as long as this process */
	}
	elf_end(elf);
	close(file.fd);
	return NULL;
}

/* /usr/lib/debug/.build-id/xx/yyyy.debug; p NULL: the build-id is not fit for that. */
static struct str path_by_id(struct str id, struct arena *a)
{
	static const char hex[] = "0123456789abcdef";
	char path[200];
	size_t n;

	if (id.n < 2 || id.n > 64)
		return (struct str){NULL, 0};
	n = (size_t)snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/");
	for (size_t i = 0; i < id.n; i++) {
		path[n++] = hex[(unsigned char)id.p[i] >> 4];
		path[n++] = hex[id.p[i] & 15];
		if (i == 0)
			path[n++] = '/';
	}
	memcpy(path + n, ".debug", 7);
	return arena_str(a, str_c(path));
}

/* ---- from the object to its debug information ---- */

/* As gdb looks: by build-id, then the file that .gnu_debuglink names. */
static Elf *separate_debug(struct dwarf_files *f, const struct roots_file *object,
			   const struct roots *roots)
{
	static const char *const places[][2] = {
		{"", ""}, {"", ".debug/"}, {"/usr/lib/debug", ""}};
	const struct str dir = dir_of(object->path);
	GElf_Word crc = 0;
	struct belongs to = {dwarf_build_id(f->elf), NULL};
	Elf *found = open_debug(f, roots, path_by_id(to.id, &f->arena), &to, &f->path);
	const char *link;

	if (found)
		return found;
	link = dwelf_elf_gnu_debuglink(f->elf, &crc);
	if (!link || strchr(link, '/'))
		return NULL;
	to.crc = &crc;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && !found; i++)
		found = open_debug(f, roots,
				   arena_printf(&f->arena, "%s%.*s%s%s", places[i][0],
						STR_ARG(dir), places[i][1], link),
				   &to, &f->path);
	return found;
}

/* dwz moves what several files have into one more, which libdw would open wherever it
 * is. */
static void find_alt(struct dwarf_files *f, const struct roots *roots)
{
	const char *name = NULL;
	const void *id = NULL;
	const ssize_t n = dwelf_dwarf_gnu_debugaltlink(f->debug, &name, &id);
	const struct belongs to = {{id, n > 0 ? (size_t)n : 0}, NULL};
	struct str path;

	if (n <= 0 || !name)
		return;
	f->alt_elf = open_debug(f, roots,
				arena_printf(&f->arena, "%.*s%s",
					     name[0] == '/' ? 0 : (int)f->dir.n,
					     f->dir.n ? f->dir.p : "", name),
				&to, &path);
	if (!f->alt_elf)
		f->alt_elf =
			open_debug(f, roots, path_by_id(to.id, &f->arena), &to, &path);
	f->alt = f->alt_elf ? dwarf_begin_elf(f->alt_elf, DWARF_C_READ, NULL) : NULL;
	f->apart = !f->alt;
	if (f->alt)
		dwarf_setalt(f->debug, f->alt);
}

void dwarf_find(struct dwarf_files *f, const struct roots_file *object,
		const struct roots *roots)
{
	*f = (struct dwarf_files){.bytes = object->size, .path = object->path};
	arena_init(&f->arena, 1 << 20);
	elf_version(EV_CURRENT);
	f->elf = elf_begin(object->fd, ELF_C_READ_MMAP, NULL);
	if (f->elf && elf_kind(f->elf) != ELF_K_ELF) {
		elf_end(f->elf);
		f->elf = NULL;
	}
	if (!f->elf)
		return;
	f->debug_elf = has_debug(f->elf) ? f->elf : separate_debug(f, object, roots);
	f->dir = dir_of(f->path);
}

void dwarf_find_open(struct dwarf_files *f, const struct roots *roots)
{
	f->debug =
		f->debug_elf ? dwarf_begin_elf(f->debug_elf, DWARF_C_READ, NULL) : NULL;
	if (f->debug)
		find_alt(f, roots);
}

void dwarf_find_end(struct dwarf_files *f)
{
	dwarf_end(f->debug);
	dwarf_end(f->alt);
	elf_end(f->alt_elf);
	if (f->debug_elf != f->elf)
		elf_end(f->debug_elf);
	elf_end(f->elf);
	arena_free(&f->arena);
}

/* ---- units in two files ---- */

/* What libdw opens by its path, which is not looked up below the roots. */
enum at_path { NOTHING, OURS, NOT_OURS };

/* Ours is a file below the roots that is at this very path: a root may also hold a file of
 * that name from elsewhere (roots_add(), moved). */
static enum at_path what_is(struct dwarf_files *f, const struct roots *roots,
			    struct str path)
{
	struct roots_file file;
	struct stat there, ours;
	const char *why = NULL;
	char given[4096];
	bool same;

	if (!path.p || path.n >= sizeof(given) || memchr(path.p, 0, path.n))
		return NOT_OURS;
	memcpy(given, path.p, path.n);
	given[path.n] = '\0';
	if (stat(given, &there))
		return NOTHING;
	if (!roots_open(roots, path, &f->arena, &file, &why))
		return NOT_OURS;
	same = !fstat(file.fd, &ours) && ours.st_dev == there.st_dev &&
	       ours.st_ino == there.st_ino;
	close(file.fd);
	return same ? OURS : NOT_OURS;
}

bool dwarf_find_split(struct dwarf_files *f, const struct roots *roots, struct str name,
		      struct str comp_dir)
{
	enum at_path is[3] = {NOTHING, NOTHING, NOTHING};
	bool found = false;

	if (!name.n || (comp_dir.n && comp_dir.p[0] != '/' && name.p[0] != '/'))
		return false;
	if (name.p[0] == '/') {
		is[0] = what_is(f, roots, name);
	} else {
		is[0] = what_is(f, roots,
				arena_printf(&f->arena, "%.*s%.*s", STR_ARG(f->dir),
					     STR_ARG(name)));
		if (comp_dir.n)
			is[1] = what_is(f, roots,
					arena_printf(&f->arena, "%.*s/%.*s",
						     STR_ARG(comp_dir), STR_ARG(name)));
	}
	/* From 0.191 on it looks for a package of all units, too. */
	is[2] = what_is(f, roots, arena_printf(&f->arena, "%.*s.dwp", STR_ARG(f->path)));
	for (size_t i = 0; i < sizeof(is) / sizeof(*is); i++) {
		if (is[i] == NOT_OURS)
			return false;
		found = found || is[i] == OURS;
	}
	return found;
}

#else

typedef int dwarf_find_needs_libdw;

#endif
