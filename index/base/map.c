/*
 * map.c - guarded read-only maps; see map.h.
 *
 * The table of watched ranges is read by the signal handler, so its entries are atomics
 * and are never moved: a slot is claimed by its length going from 0.
 */
#include "index/base/map.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SLOTS = 256, STACK = 64 << 10 };

struct watched {
	_Atomic uintptr_t from, to;
	const char *_Atomic what;
	atomic_flag claimed;
};

struct guard {
	sigjmp_buf back;
	struct guard *outer;
	const char *volatile what; /* of the map that faulted; set by the handler */
};

static struct watched table[SLOTS];
static _Thread_local struct guard *guard;
static _Thread_local const char *volatile wild; /* map_wild() */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct sigaction before[2]; /* SIGBUS, SIGSEGV */

void map_fail(const char *what)
{
	if (!guard)
		return;
	guard->what = what;
	siglongjmp(guard->back, 1);
}

void map_wild(const char *what)
{
	wild = what;
}

static void on_fault(int sig, siginfo_t *si, void *context)
{
	uintptr_t at = (uintptr_t)si->si_addr;

	(void)context;
	/* si_code <= 0: sent by kill(), so there is no address and nothing runs again. */
	if (guard && si->si_code > 0 && wild)
		map_fail(wild);
	for (int i = 0; guard && si->si_code > 0 && i < SLOTS; i++) {
		if (at < table[i].from || at >= table[i].to)
			continue;
		map_fail(table[i].what);
	}
	/* Not ours: the default action happens when the instruction runs again. */
	sigaction(sig, &before[sig == SIGSEGV], NULL);
	if (si->si_code <= 0)
		raise(sig);
}

static void install(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault,
			       .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigemptyset(&sa.sa_mask);
	sigaction(SIGBUS, &sa, &before[0]);
	sigaction(SIGSEGV, &sa, &before[1]);
}

/* Each thread that guards has a stack for the handler; it lives as long as the process
 * (the number of threads is small and bounded). */
static void alternate_stack(void)
{
	static _Thread_local _Alignas(16) char stack[STACK];
	static _Thread_local int done;
	stack_t ss = {.ss_sp = stack, .ss_size = sizeof(stack)}, old;

	if (done)
		return;
	done = 1;
	if (sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE))
		sigaltstack(&ss, NULL);
}

unsigned map_watch(const void *p, size_t n, const char *what)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		if (atomic_flag_test_and_set(&table[i].claimed))
			continue;
		table[i].what = what;
		table[i].from = (uintptr_t)p;
		table[i].to = (uintptr_t)p + n;
		return i + 1;
	}
	return 0;
}

void map_unwatch(unsigned slot)
{
	if (!slot)
		return;
	table[slot - 1].to = 0;
	table[slot - 1].from = 0;
	atomic_flag_clear(&table[slot - 1].claimed);
}

int map_open(struct map *m, int fd, uint64_t size, const char *what, struct err *err)
{
	void *p;

	*m = (struct map){.p = ""};
	if (size == 0)
		return 0;
	if (size > SIZE_MAX / 2)
		return err_set(err, ERR_PROFILE, 0, "%s: too large to map", what);
	p = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return err_set(err, ERR_PROFILE, 0, "%s: cannot be mapped: %s", what,
			       strerror(errno));
	m->p = p;
	m->n = (size_t)size;
	m->slot = map_watch(p, m->n, what);
	return 0;
}

void map_close(struct map *m)
{
	map_unwatch(m->slot);
	if (m->n)
		munmap((void *)(uintptr_t)m->p, m->n);
	*m = (struct map){.p = ""};
}

int map_guard(int (*fn)(void *), void *arg, enum err_kind kind, struct err *err)
{
	struct guard g = {.outer = guard};
	int rc;

	pthread_once(&once, install);
	alternate_stack();
	if (sigsetjmp(g.back, 1)) {
		guard = g.outer;
		wild = NULL;
		err_clear(err);
		return err_set(err, kind, 0, "%s changed or shrank while it was read",
			       g.what);
	}
	guard = &g;
	rc = fn(arg);
	guard = g.outer;
	return rc;
}
