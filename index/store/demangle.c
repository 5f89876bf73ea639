/*
 * demangle.c - see demangle.h.
 *
 * The demanglers hand over their text piece by piece.  They cannot be told to stop, and
 * substitutions of substitutions make 2^n bytes of n, so the callback leaves by longjmp
 * when the text is too long.  Neither demangler owns memory during a callback, except for
 * the few bytes of a Rust identifier in punycode, which are leaked.
 *
 * libiberty's C++ demangler may also visit the same substitutions 2^n times before its
 * first callback.  A name with enough of them is demangled under a timer, whose signal
 * leaves in the same way: the demangler works on its stack alone and holds no lock.
 */
#include "index/store/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "index/base/arena.h"
#include "index/store/demangle_ocaml.h"
#include "index/store/demangle_swift.h"

enum {
	MANY = 24,	     /* substitutions that may refer to each other 2^n times */
	PATIENCE_US = 50000, /* for one name with so many */
	SLOW_NS = 100000,    /* ns; a harmless name takes less */
};
#define PATIENCE_ALL_NS ((uint64_t)1000000000) /* for all slow names together */

struct text {
	char *p;
	size_t n, cap;
	sigjmp_buf full;
	bool watched; /* the timer runs */
};

static void put_text(struct text *t, struct str s)
{
	if (s.n > t->cap - t->n)
		siglongjmp(t->full, 1);
	if (s.n)
		memcpy(t->p + t->n, s.p, s.n);
	t->n += s.n;
}

static void demangle_take(const char *p, size_t n, void *text)
{
	put_text(text, (struct str){p, n});
}

static inline bool is_mangled(struct str s)
{
	if (s.n <= 3 || s.p[0] != '_')
		return s.n > 3 && ((s.p[0] == 'c' && ocaml_wanted(s)) ||
				   (s.p[0] == '$' && swift_wanted(s)));
	if (s.p[1] == '$' || s.p[1] == 'T')
		return swift_wanted(s);
	return s.p[1] == 'Z' || s.p[1] == 'R' || (s.p[1] == '_' && s.p[2] == 'Z');
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

/* ---- the timer ---- */

static _Thread_local sigjmp_buf *volatile way_out;

static void demangle_leave(int sig)
{
	(void)sig;
	if (way_out)
		siglongjmp(*way_out, 1);
}

/* The timer repeats, as its signal may come to another thread.  The handler stays
 * installed and ignores a signal that arrives after the timer was stopped. */
static void demangle_watch(struct text *t)
{
	const struct itimerval soon = {{0, PATIENCE_US}, {0, PATIENCE_US}};
	struct sigaction act = {.sa_handler = demangle_leave,
				.sa_flags = SA_NODEFER | SA_RESTART};

	if (t->watched)
		return;
	way_out = &t->full;
	t->watched = true;
	sigaction(SIGVTALRM, &act, NULL);
	setitimer(ITIMER_VIRTUAL, &soon, NULL);
}

static void unwatch(struct text *t)
{
	const struct itimerval never = {{0, 0}, {0, 0}};

	way_out = NULL;
	if (!t->watched)
		return;
	setitimer(ITIMER_VIRTUAL, &never, NULL);
	t->watched = false;
}

static size_t substitutions(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == 'S' || s.p[i] == 'T';
	return n;
}

static uint64_t demangle_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- names ---- */

/* Demangle one piece, NUL-terminated. */
static bool one(const char *mangled, struct text *t)
{
	enum { AS_VALGRIND = DMGL_ANSI | DMGL_PARAMS };
	size_t before = t->n;

	if (mangled[1] == '_') /* Mach-O adds an underscore */
		mangled++;
	/* Older Rust names look like C++; only the Rust demangler knows their hashes. */
	if (rust_demangle_callback(mangled, AS_VALGRIND, demangle_take, t))
		return true;
	t->n = before;
	if (mangled[1] != 'Z')
		return false;
	if (substitutions(str_c(mangled)) >= MANY)
		demangle_watch(t);
	if (cplus_demangle_v3_callback(mangled, AS_VALGRIND, demangle_take, t))
		return true;
	t->n = before;
	return false;
}

/* Demangle a piece between "'"; "@plt" and "@@GLIBCXX_3.4" are not part of the mangled
 * name.  False if it cannot be read. */
static bool piece(struct str s, struct text *t)
{
	size_t n = str_find(s, '@');
	char mangled[DEMANGLE_IN + 1];
	bool read = false;

	if (ocaml_demangle((struct str){s.p, n}, demangle_take, t) ||
	    swift_demangle((struct str){s.p, n}, demangle_take, t)) {
		read = true;
	} else if (is_mangled(s) && n <= DEMANGLE_IN) {
		memcpy(mangled, s.p, n);
		mangled[n] = '\0';
		read = one(mangled, t);
	}
	put_text(t, read ? str_from(s, n) : s);
	return read;
}

/* Demangle every piece of name and keep the quotes between them; whether any could be
 * read. */
static bool pieces(struct str name, struct text *t)
{
	bool read = false;

	while (name.n) {
		size_t n = str_find(name, '\'');

		if (piece((struct str){name.p, n}, t))
			read = true;
		name = str_from(name, n);
		if (name.n) {
			put_text(t, STR("'"));
			name = str_from(name, 1);
		}
	}
	return read;
}

/* False also if the text is too long or takes too long.  The timer is stopped before
 * this function returns, as its signal jumps in here. */
static bool read_pieces(struct str name, struct text *t)
{
	bool read;

	if (sigsetjmp(t->full, 0)) {
		unwatch(t);
		return false;
	}
	read = pieces(name, t);
	unwatch(t);
	return read;
}

/* Read a name with many substitutions, while *spent allows it. */
static bool read_in_time(struct str name, struct text *t, uint64_t *spent)
{
	uint64_t start, took;
	bool read;

	if (*spent >= PATIENCE_ALL_NS)
		return false;
	start = demangle_cpu_ns();
	read = read_pieces(name, t);
	took = demangle_cpu_ns() - start;
	*spent += took > SLOW_NS ? took : 0;
	return read;
}

struct str demangle(struct str name, uint64_t *spent, struct arena *a)
{
	char buf[DEMANGLE_OUT];
	struct text t = {.p = buf, .cap = sizeof(buf)};
	struct str out;

	/* libiberty would stop at a NUL. */
	if (memchr(name.p, '\0', name.n) ||
	    !(substitutions(name) < MANY ? read_pieces(name, &t)
					 : read_in_time(name, &t, spent)))
		return name;
	out = arena_str(a, (struct str){t.p, t.n});
	return out.p ? out : name;
}
