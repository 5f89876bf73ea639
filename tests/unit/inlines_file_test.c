/*
 * inlines_file_test.c - what is kept of objects comes back; forged files with a checksum that
 * fits are refused, or give views of themselves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/inline/inlines_file.h"
#include "index/base/arena.h"
#include "tests/support/dice.h"
#include "tests/support/tap.h"

enum { HEAD = 16, SUM = 8, FORGED = 3000, STAMP = 4711 };

static const struct kept_object kept[] = {
	{STR("/usr/bin/a"), 1000, 5, STR("0123"), false, STR("some code")},
	{STR(""), UINT64_MAX, UINT64_MAX, STR(""), true, STR("")},
	{STR("b"), 0, 0, STR("x"), false, STR("\0\377")},
};

static bool same_object(const struct kept_object *a, const struct kept_object *b)
{
	return str_eq(a->name, b->name) && a->size == b->size &&
	       a->mtime_ns == b->mtime_ns && str_eq(a->build_id, b->build_id) &&
	       a->none == b->none && str_eq(a->code, b->code);
}

static bool comes_back(const char *path, struct arena *a)
{
	size_t n;
	const struct kept_object *o = inlines_file_read(path, false, STAMP, a, &n);

	if (n != COUNT(kept))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!same_object(&o[i], &kept[i]))
			return false;
	return true;
}

static size_t read_file(const char *path, unsigned char *p, size_t max)
{
	FILE *f = fopen(path, "rb");
	const size_t n = f ? fread(p, 1, max, f) : 0;

	if (f)
		fclose(f);
	return n;
}

static bool write_file(const char *path, const unsigned char *p, size_t n)
{
	FILE *f;
	bool fine;

	unlink(path);
	f = fopen(path, "wb");
	fine = f && fwrite(p, 1, n, f) == n;
	return f && fclose(f) == 0 && fine;
}

static bool is_view(struct arena *a, struct str s)
{
	return !s.n || (arena_holds(a, s.p) && arena_holds(a, s.p + s.n - 1));
}

/* Change some bytes, or cut some off, and make the checksum fit. */
static bool survives(const char *path, const unsigned char *whole, size_t n,
		     struct arena *a)
{
	unsigned char p[256];
	size_t objects;
	struct kept_object *o;
	uint64_t sum;

	memcpy(p, whole, n);
	for (unsigned k = dice_below(4) + 1; k; k--)
		p[HEAD + SUM + dice_below((unsigned)n - HEAD - SUM)] =
			(unsigned char)(dice_below(3) ? dice_u64() : 0xff);
	if (dice_below(4) == 0)
		n = HEAD + SUM + dice_below((unsigned)n - HEAD - SUM);
	sum = str_hash((struct str){(char *)p + HEAD + SUM, n - HEAD - SUM});
	memcpy(p + HEAD, &sum, sizeof(sum));
	if (!write_file(path, p, n))
		return false;
	arena_reset(a);
	o = inlines_file_read(path, false, STAMP, a, &objects);
	for (size_t i = 0; i < objects; i++)
		if (!is_view(a, o[i].name) || !is_view(a, o[i].build_id) ||
		    !is_view(a, o[i].code))
			return false;
	return true;
}

int main(void)
{
	char dir[] = "/tmp/quern-inlines-XXXXXX", path[64];
	unsigned char whole[256];
	bool survived = true;
	struct arena a;
	size_t n, objects;

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/p.inlines", dir);
	arena_init(&a, 0);
	umask(022);
	ok(!inlines_file_read(path, false, STAMP, &a, &objects) && !objects,
	   "there is no file");
	inlines_file_write(path, STAMP, kept, COUNT(kept));
	ok(comes_back(path, &a), "what is written comes back");
	ok(!inlines_file_read(path, false, STAMP + 1, &a, &objects) && !objects,
	   "but not for another profile");
	n = read_file(path, whole, sizeof(whole));
	ok(n > HEAD + SUM && n < sizeof(whole), "%zu bytes", n);
	for (unsigned i = 0; i < FORGED; i++)
		survived = survived && survives(path, whole, n, &a);
	ok(survived, "%d forged files are refused, or sound", FORGED);
	unlink(path);
	ok(rmdir(dir) == 0, "nothing else is left");
	arena_free(&a);
	return done_testing();
}
