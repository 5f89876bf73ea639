/* sqlite.h - quern.so: what SQLite calls when it loads the extension (sqlite.c). */
#ifndef QUERN_SQLITE_H
#define QUERN_SQLITE_H

#include <sqlite3.h>

struct sqlite3_api_routines;

__attribute__((visibility("default"))) int
sqlite3_quern_init(sqlite3 *db, char **why, const struct sqlite3_api_routines *api);

#endif
