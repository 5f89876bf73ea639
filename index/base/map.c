/*
 * map.c - guarded read-only maps; see map.h.
 *
 * The signal handler reads the table of watched ranges.  Its entries are therefore atomic
 * and never move: when all are in use the table gets one more chunk, which is never
 * freed.
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

#include "index/base/err.h"

enum { SLOTS = 256, STACK = 64 << 10 };

struct watched {
	_Atomic uintptr_t from, to;
	const char *_Atomic what;
	atomic_flag claimed;
};

struct guard {
	sigjmp_buf back;
	struct guard *outer;
	const char *volatile what; /* name of the map that faulted; set by the handler */
	struct err *err;
	unsigned depth; /* guards around it, and itself */
};

struct chunk {
	struct watched slot[SLOTS];
	struct chunk *_Atomic next;
};

static struct chunk table;
static _Thread_local struct guard *guard;
static _Thread_local struct map_held *held;	/* the last one first */
static _Thread_local const char *volatile wild; /* map_wild() */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct sigaction before[2]; /* SIGBUS, SIGSEGV */
static pthread_key_t stack_of_thread;
static bool has_key;

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

static void fail_if_watched(uintptr_t at)
{
	for (struct chunk *t = &table; t; t = t->next)
		for (unsigned i = 0; i < SLOTS; i++)
			if (at >= t->slot[i].from && at < t->slot[i].to)
				map_fail(t->slot[i].what);
}

static void on_fault(int sig, siginfo_t *si, void *context)
{
	uintptr_t at = (uintptr_t)si->si_addr;

	(void)context;
	/* si_code <= 0: kill() sent the signal; there is no address and no instruction
	 * to repeat. */
	if (guard && si->si_code > 0 && wild)
		map_fail(wild);
	if (guard && si->si_code > 0)
		fail_if_watched(at);
	/* Not ours: restore the old action, which runs when the instruction is
	 * repeated. */
	sigaction(sig, &before[sig == SIGSEGV], NULL);
	if (si->si_code <= 0)
		raise(sig);
}

static void free_stack(void *stack)
{
	const stack_t none = {.ss_flags = SS_DISABLE};

	sigaltstack(&none, NULL);
	free(stack);
}

static void install(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault,
			       .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigemptyset(&sa.sa_mask);
	sigaction(SIGBUS, &sa, &before[0]);
	sigaction(SIGSEGV, &sa, &before[1]);
	has_key = !pthread_key_create(&stack_of_thread, free_stack);
}

/* Give this thread a stack for the handler, until the thread ends.  If memory is out, the
 * handler runs on the stack at hand. */
static void alternate_stack(void)
{
	stack_t ss = {.ss_size = STACK}, old;

	if (!has_key || sigaltstack(NULL, &old) || !(old.ss_flags & SS_DISABLE) ||
	    !(ss.ss_sp = malloc(STACK)))
		return;
	if (sigaltstack(&ss, NULL) || pthread_setspecific(stack_of_thread, ss.ss_sp))
		free_stack(ss.ss_sp);
}

/* The chunk after t, allocated if need be; NULL if memory is out. */
static struct chunk *next_chunk(struct chunk *t)
{
	struct chunk *next = t->next, *new;

	if (next)
		return next;
	new = calloc(1, sizeof(*new));
	if (new && !atomic_compare_exchange_strong(&t->next, &next, new)) {
		free(new); /* another thread came first */
		return next;
	}
	return new;
}

unsigned map_watch(const void *p, size_t n, const char *what)
{
	unsigned passed = 0;

	for (struct chunk *t = &table; t; t = next_chunk(t), passed += SLOTS)
		for (unsigned i = 0; i < SLOTS; i++) {
			if (atomic_flag_test_and_set(&t->slot[i].claimed))
				continue;
			t->slot[i].what = what;
			t->slot[i].from = (uintptr_t)p;
			t->slot[i].to = (uintptr_t)p + n;
			return passed + i + 1;
		}
	return 0;
}

void map_unwatch(unsigned slot)
{
	struct chunk *t = &table;
	struct watched *w;

	if (!slot--)
		return;
	for (; slot >= SLOTS; slot -= SLOTS)
		t = t->next;
	w = &t->slot[slot];
	w->to = 0;
	w->from = 0;
	atomic_flag_clear(&w->claimed);
}

static int cannot_map(const char *what, struct err *err)
{
	int why = errno;

	err_set(err, err_kind_of(why, ERR_PROFILE), 0, "%s: cannot be mapped: %s", what,
		strerror(why));
	return why != ENOMEM ? err->kind
			     : err_hint(err, "raise the limit on addresses, ulimit -v");
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
		return cannot_map(what, err);
	m->p = p;
	m->n = (size_t)size;
	m->slot = map_watch(p, m->n, what);
	if (m->slot)
		return 0;
	map_close(m);
	return err_set(err, ERR_LIMIT, 0, "%s: out of memory to guard its map", what);
}

void map_close(struct map *m)
{
	map_unwatch(m->slot);
	if (m->n)
		munmap((void *)(uintptr_t)m->p, m->n);
	*m = (struct map){.p = ""};
}

_Noreturn void map_leave(const struct err *err)
{
	if (!guard)
		__builtin_trap(); /* a query is run under a guard */
	if (guard->err != err)
		*guard->err = *err;
	guard->what = NULL;
	siglongjmp(guard->back, 1);
}

void map_hold(struct map_held *h)
{
	h->depth = guard ? guard->depth : 0;
	h->at = &held;
	if ((h->next = held))
		h->next->at = &h->next;
	held = h;
}

void map_let_go(struct map_held *h)
{
	*h->at = h->next;
	if (h->next)
		h->next->at = h->at;
}

static void release_held(unsigned depth)
{
	for (struct map_held *h; (h = held) && h->depth >= depth;) {
		map_let_go(h);
		h->release(h);
	}
}

/* The function has ended well: what it still holds belongs to the one around it. */
static void hand_on(unsigned depth)
{
	for (struct map_held *h = held; h && h->depth >= depth; h = h->next)
		h->depth = depth - 1;
}

int map_guard(int (*fn)(void *), void *arg, int kind, struct err *err)
{
	struct guard g = {
		.outer = guard, .err = err, .depth = guard ? guard->depth + 1 : 1};
	int rc;

	pthread_once(&once, install);
	alternate_stack();
	if (sigsetjmp(g.back, 1)) {
		guard = g.outer;
		wild = NULL;
		release_held(g.depth);
		if (!g.what)
			return err->kind;
		err_clear(err);
		return err_set(err, kind, 0, "%s changed or shrank while it was read",
			       g.what);
	}
	guard = &g;
	rc = fn(arg);
	guard = g.outer;
	hand_on(g.depth);
	return rc;
}
