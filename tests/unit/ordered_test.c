/* ordered_test.c - items are made once each and taken in order, whatever the threads do. */
#include "index/base/ordered.h"

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "tests/support/tap.h"

struct made {
	size_t item;
	uint64_t square;
};

struct taken {
	size_t n, wrong, stop_at;
};

static atomic_size_t made;

static int make(void *worker, void *slot, size_t item)
{
	struct made *m = slot;
	const struct timespec moment = {.tv_nsec = (long)(item * 7919 % 5) * 20000};

	*(size_t *)worker += 1;
	nanosleep(&moment, NULL);
	*m = (struct made){item, item * item};
	atomic_fetch_add(&made, 1);
	return item == 77 ? -5 : 0;
}

static int take(void *arg, void *slot, size_t item, int rc)
{
	const struct made *m = slot;
	struct taken *t = arg;

	t->wrong += item != t->n || m->item != item || m->square != item * item ||
		    rc != (item == 77 ? -5 : 0);
	t->n++;
	return item == t->stop_at ? 9 : 0;
}

static void run(unsigned workers, size_t slots, size_t items, size_t stop_at)
{
	struct made slot[16];
	size_t count[8] = {0}, sum = 0;
	void *worker[8];
	struct taken t = {.stop_at = stop_at};
	const struct ordered o = {.items = items,
				  .slots = slot,
				  .nslots = slots,
				  .slot_size = sizeof(*slot),
				  .worker = worker,
				  .nworkers = workers,
				  .make = make,
				  .take = take,
				  .arg = &t};
	const size_t want = stop_at < items ? stop_at + 1 : items;

	for (unsigned i = 0; i < 8; i++)
		worker[i] = &count[i];
	atomic_store(&made, 0);
	is_u64((uint64_t)ordered_run(&o), stop_at < items ? 9 : 0,
	       "%u workers, %zu slots: end", workers, slots);
	is_u64(t.n, want, "%zu of %zu items taken", want, items);
	is_u64(t.wrong, 0, "in order, each from its slot");
	for (unsigned i = 0; i < 8; i++)
		sum += count[i];
	ok(sum == atomic_load(&made) && sum >= want && sum <= want + slots,
	   "made once each, not far ahead: %zu", sum);
}

/* Ten pieces, of which the fourth waits: it is asked for again until it is told to, or 20 items are
 * taken.  The piece that is number `stop_at` says 3, which ends it all. */
struct beside {
	struct taken t;
	size_t pieces, stop_at, later, alone;
};

static int piece(void *arg, bool wait, enum ordered_left *left)
{
	struct beside *b = arg;

	if (b->pieces == 3 && !wait && b->t.n < 20) {
		b->later++;
		*left = ORDERED_LATER;
		return 0;
	}
	b->alone += wait;
	*left = ++b->pieces < 10 ? ORDERED_MORE : ORDERED_NOTHING;
	return b->pieces == b->stop_at ? 3 : 0;
}

static int take_beside(void *arg, void *slot, size_t item, int rc)
{
	struct beside *b = arg;

	return take(&b->t, slot, item, rc);
}

static void run_beside(unsigned workers, size_t items, size_t stop_at)
{
	struct made slot[4];
	size_t count[2] = {0};
	void *worker[2] = {&count[0], &count[1]};
	struct beside b = {.t = {.stop_at = SIZE_MAX}, .stop_at = stop_at};
	const struct ordered o = {.items = items,
				  .slots = slot,
				  .nslots = 4,
				  .slot_size = sizeof(*slot),
				  .worker = worker,
				  .nworkers = workers,
				  .make = make,
				  .beside = piece,
				  .take = take_beside,
				  .arg = &b};

	is_u64((uint64_t)ordered_run(&o), stop_at ? 3 : 0,
	       "%u workers, %zu items: its end counts", workers, items);
	is_u64(b.pieces, stop_at ? stop_at : 10, "all pieces, each once");
	if (!stop_at)
		is_u64(b.t.n, items, "all items are taken");
	is_u64(b.t.wrong, 0, "in order");
	if (workers == 1)
		ok(b.later == 0 && b.alone == b.pieces, "one thread: it comes first");
	else if (items >= 20 && !stop_at)
		ok(b.later > 0 && b.later <= 20, "items are taken while it waits");
}

int main(void)
{
	run_beside(1, 50, 0);
	run_beside(2, 50, 0);
	run_beside(2, 2, 0);
	run_beside(2, 0, 0);
	run_beside(1, 50, 1);
	run_beside(2, 50, 1);
	run_beside(2, 50, 7);
	run(1, 1, 200, SIZE_MAX);
	run(1, 4, 200, 50);
	run(2, 1, 200, SIZE_MAX);
	run(3, 2, 200, SIZE_MAX);
	run(8, 16, 400, SIZE_MAX);
	run(4, 8, 400, 123);
	run(4, 8, 1, SIZE_MAX);
	run(4, 8, 0, SIZE_MAX);
	is_u64(ordered_jobs(3), 3, "so many threads as are asked for");
	ok(ordered_jobs(0) >= 1 && ordered_jobs(0) <= 256, "one per core");
	is_u64(ordered_jobs(100000), 256, "not too many");
	return done_testing();
}
