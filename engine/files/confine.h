/*
 * confine.h - the kernel holds a process to what it still needs.
 *
 * Profiles, objects and queries may be anybody's.  Code that checks them may have a fault,
 * so what is not needed is dropped before they are read, for good:
 *
 *	                          --safe, --mcp        the child that reads an object
 *	from when on              before a profile     before the object is parsed
 *	                          is opened (1)
 *	other programs (exec)     none                 none
 *	sockets                   none                 none
 *	files to write, make,     below the folders    none
 *	remove, rename            of the indexes (2)
 *	files to read             all                  below the roots, and
 *	                                               beside the object
 *	new processes             yes (the child)      none
 *	signals to others         none                 none
 *	modes, owners of files    by descriptor        none
 *	tracing, mounts, keys,    none                 none
 *	bpf, io_uring ...
 *
 * (1) With a settings file (~/.config/quern/init), which is the user's own and may do more,
 *     after that.
 * (2) Beside each profile that the command line names or where --index says; the cache
 *     directory, if it is used; $TMPDIR.
 *
 * Files and signals are Landlock's (Linux 5.13, signals 6.12), the rest is seccomp's.  What
 * is dropped fails with EPERM or EACCES.  A kernel that has one of them does its part.
 */
#ifndef QUERN_CONFINE_H
#define QUERN_CONFINE_H

#include "index/base/str.h"

struct roots;

enum confined { CONFINED_FILES = 1, CONFINED_CALLS = 2 };

/* Write files below these folders only.  Before other threads are started.  Returns what
 * the kernel does, of enum confined. */
unsigned confine_writes(const char *const *folder, size_t n);
/* Read files below the roots and beside the object only; for a process that ends soon. */
unsigned confine_child(const struct roots *roots, struct str object);

#endif
