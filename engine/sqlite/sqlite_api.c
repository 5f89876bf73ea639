/*
 * sqlite_api.c - the functions of SQLite, which the macros of sqlite3ext.h call; see
 * sqlite_in.h.  A library that is loaded is given them: sqlite3_quern_init().
 */
#include "engine/sqlite/sqlite_in.h"

SQLITE_EXTENSION_INIT1
