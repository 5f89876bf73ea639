/*
 * demangle.c - see demangle.h.
 *
 * The demanglers hand over their text piece by piece.  They cannot be told to stop, and
 * substitutions of substitutions make 2^n bytes of n: so the callback leaves by longjmp when
 * there is too much.  Neither demangler owns memory while it calls back, but for the few bytes
 * of a Rust identifier in punycode, which are then lost.
 */
#include "index/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

struct text {
	char *p;
	size_t n, cap;
	jmp_buf full;
};

static void put(struct text *t, struct str s)
{
	if (s.n > t->cap - t->n)
		longjmp(t->full, 1);
	if (s.n)
		memcpy(t->p + t->n, s.p, s.n);
	t->n += s.n;
}

static void take(const char *p, size_t n, void *text)
{
	put(text, (struct str){p, n});
}

static bool is_mangled(struct str s)
{
	return s.n > 3 && s.p[0] == '_' &&
	       (s.p[1] == 'Z' || s.p[1] == 'R' || (s.p[1] == '_' && s.p[2] == 'Z'));
}

bool demangle_wanted(struct str name)
{
	while (name.n) {
		if (is_mangled(name))
			return true;
		name = str_from(name, str_find(name, '\'') + 1);
	}
	return false;
}

/* One piece, NUL-terminated. */
static bool one(const char *mangled, struct text *t)
{
	enum { AS_VALGRIND = DMGL_ANSI | DMGL_PARAMS };
	size_t before = t->n;

	if (mangled[1] == '_') /* Mach-O has one more */
		mangled++;
	/* Older Rust names look like C++; only its demangler knows their hashes. */
	if (rust_demangle_callback(mangled, AS_VALGRIND, take, t))
		return true;
	t->n = before;
	if (mangled[1] == 'Z' &&
	    cplus_demangle_v3_callback(mangled, AS_VALGRIND, take, t))
		return true;
	t->n = before;
	return false;
}

/* A piece between "'"; "@plt" and "@@GLIBCXX_3.4" are no part of the mangled name.  True
 * when it could be read. */
static bool piece(struct str s, struct text *t)
{
	size_t n = str_find(s, '@');
	char mangled[DEMANGLE_IN + 1];
	bool read = false;

	if (is_mangled(s) && n <= DEMANGLE_IN) {
		memcpy(mangled, s.p, n);
		mangled[n] = '\0';
		read = one(mangled, t);
	}
	put(t, read ? str_from(s, n) : s);
	return read;
}

/* Every piece of name and the quotes between them; whether one of them could be read. */
static bool pieces(struct str name, struct text *t)
{
	bool read = false;

	while (name.n) {
		size_t n = str_find(name, '\'');

		if (piece((struct str){name.p, n}, t))
			read = true;
		name = str_from(name, n);
		if (name.n) {
			put(t, STR("'"));
			name = str_from(name, 1);
		}
	}
	return read;
}

/* False when it would be too much, too.  Has no variables that setjmp could restore. */
static bool read_pieces(struct str name, struct text *t)
{
	return !setjmp(t->full) && pieces(name, t);
}

struct str demangle(struct str name, struct arena *a)
{
	char buf[DEMANGLE_OUT];
	struct text t = {.p = buf, .cap = sizeof(buf)};
	struct str out;

	/* A NUL would end the name for libiberty. */
	if (memchr(name.p, '\0', name.n) || !read_pieces(name, &t))
		return name;
	out = arena_str(a, (struct str){t.p, t.n});
	return out.p ? out : name;
}
