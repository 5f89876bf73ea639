/*
 * sql.c - fuzz the SQLite extension: any text is SQL, of a connection that has it.
 *
 * The profile is "p.out", a name that the text may use; the tables temp.f and m, a copy of its
 * functions, are there.  Whatever is asked ends with rows or an error, and nothing is written
 * but the index of a profile.
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/query.h"
#include "engine/sqlite/sqlite.h"
#include "tests/support/fuzzing.h"

enum { STEPS = 400, ROWS_MOST = 2000 };

/* It may ask of the profile, but of no other file. */
static int allow(void *arg, int what, const char *a, const char *b, const char *c,
		 const char *d)
{
	(void)arg, (void)a, (void)b, (void)c, (void)d;
	return what == SQLITE_ATTACH ? SQLITE_DENY : SQLITE_OK;
}

/* Called now and then: enough is enough. */
static int enough(void *arg)
{
	return ++*(int *)arg > STEPS;
}

static int count(void *arg, int n, char **value, char **name)
{
	(void)value, (void)name, (void)n;
	return ++*(int *)arg > ROWS_MOST;
}

static void write_profile(const char *path)
{
	static const char text[] =
		"events: Ir Dr\nfl=a.c\nfn=main\n1 10 1\ncfn=f\ncalls=2 3\n2 7 7\n"
		"fn=f\n3 5 5\ncfn=f\ncalls=1 3\n4 2 2\nfn=10\n5 100 0\nfn=caf\xe9\n6 10 9\n";
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, sizeof(text) - 1) < 0)
		fuzz_fail("cannot write %s", path);
	close(fd);
}

static sqlite3 *connect_to(void)
{
	sqlite3 *db = NULL;
	char *why = NULL;

	sqlite3_auto_extension((void (*)(void))sqlite3_quern_init);
	if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
	    sqlite3_exec(db,
			 "CREATE VIRTUAL TABLE temp.f USING quern('p.out', 'functions');"
			 "CREATE TEMP TABLE m AS SELECT * FROM quern_functions('p.out')",
			 NULL, NULL, &why) != SQLITE_OK)
		fuzz_fail("no connection: %s", why ? why : sqlite3_errmsg(db));
	return db;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[4096];
	int rows = 0, steps = 0, before;
	sqlite3 *db;

	if (size >= sizeof(text) - 1)
		return 0;
	/* Whoever replays reads its files by relative paths. */
	before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (before < 0 || chdir(fuzz_directory()))
		fuzz_fail("no directory");
	if (access("p.out", F_OK))
		write_profile("p.out");
	memcpy(text, data, size);
	text[size] = '\0';
	fuzz_begin();
	db = connect_to();
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
	sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, 25000);
	sqlite3_set_authorizer(db, allow, NULL);
	sqlite3_progress_handler(db, 1000, enough, &steps);
	sqlite3_exec(db, text, count, &rows, NULL);
	if (sqlite3_close(db) != SQLITE_OK)
		fuzz_fail("the connection stays open");
	if (fchdir(before))
		fuzz_fail("no way back");
	close(before);
	fuzz_end();
	return 0;
}
