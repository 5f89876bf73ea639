/*
 * sqlite_test.c - quern.so in two threads, each with a connection of its own.
 *
 * Both make the index of one profile, ask it, join it and close it, at the same time.  In
 * the variant tsan nothing of this may be a race.
 */
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/tap.h"

enum { THREADS = 2, ROUNDS = 4, FUNCTIONS = 2000 };

struct asking {
	pthread_t thread;
	const char *extension, *profile;
	sqlite3_int64 sum, pairs;
	char error[400];
};

static int one_number(sqlite3 *db, const char *sql, const char *profile,
		      sqlite3_int64 *out)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(st, 1, profile, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW)
		*out = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static int ask_all(struct asking *a, sqlite3 *db)
{
	int rc = sqlite3_enable_load_extension(db, 1);

	if (rc == SQLITE_OK)
		rc = sqlite3_load_extension(db, a->extension, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = one_number(db, "SELECT sum(self) FROM quern_functions(?)",
				a->profile, &a->sum);
	if (rc == SQLITE_OK)
		rc = one_number(
			db,
			"SELECT count(*) FROM quern_functions(?1) f JOIN "
			"quern_edges(?1) e ON e.caller_id = f.id WHERE f.self > 1990",
			a->profile, &a->pairs);
	if (rc != SQLITE_OK)
		snprintf(a->error, sizeof(a->error), "%s", sqlite3_errmsg(db));
	return rc;
}

static void *ask(void *arg)
{
	struct asking *a = arg;

	for (int i = 0; i < ROUNDS && !a->error[0]; i++) {
		sqlite3 *db = NULL;

		if (sqlite3_open(":memory:", &db) != SQLITE_OK)
			snprintf(a->error, sizeof(a->error), "no connection");
		else
			ask_all(a, db);
		sqlite3_close(db);
	}
	return NULL;
}

/* A chain of calls: function i costs i and calls the next one. */
static bool write_profile(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return false;
	fprintf(f, "events: Ir\n");
	for (int i = 1; i <= FUNCTIONS; i++)
		fprintf(f, "fn=f%d\n1 %d\ncfn=f%d\ncalls=1 1\n2 1\n", i, i, i + 1);
	return fclose(f) == 0;
}

/* The extension beside this program's folder: build/X/tests/sqlite_test. */
static bool find_extension(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 20);

	if (n < 0)
		return false;
	path[n] = '\0';
	for (int up = 0; up < 2; up++)
		*strrchr(path, '/') = '\0';
	n = (ssize_t)strlen(path);
	return snprintf(path + n, size - (size_t)n, "/quern") > 0;
}

int main(void)
{
	char extension[4096], directory[] = "/tmp/quern-sqlite-XXXXXX";
	char profile[64], index[80];
	struct asking a[THREADS];

	if (!find_extension(extension, sizeof(extension)) || !mkdtemp(directory))
		return 1;
	snprintf(profile, sizeof(profile), "%s/p.out", directory);
	snprintf(index, sizeof(index), "%s.quern", profile);
	ok(write_profile(profile), "a profile");
	for (int i = 0; i < THREADS; i++) {
		a[i] = (struct asking){.extension = extension, .profile = profile};
		ok(pthread_create(&a[i].thread, NULL, ask, &a[i]) == 0, "thread %d", i);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(a[i].thread, NULL);
		ok(!a[i].error[0], "thread %d has no error: %s", i, a[i].error);
		/* The last one has no block: what flows into it is its cost. */
		ok(a[i].sum == FUNCTIONS * (FUNCTIONS + 1) / 2 + 1,
		   "the sum of all costs");
		ok(a[i].pairs == FUNCTIONS - 1990, "a join");
	}
	unlink(index);
	unlink(profile);
	rmdir(directory);
	return done_testing();
}
