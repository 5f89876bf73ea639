/*
 * os.h - what only Linux has, or only its C libraries.
 *
 * A port writes os.c anew; engine/files/confine.c, by which the kernel holds --safe, may hold nothing
 * there.  No port is promised.
 */
#ifndef QUERN_BASE_OS_H
#define QUERN_BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { OS_PATH = 64 };

/* ---- files ---- */

/* A file without a name in the directory path, relative to dir.  -1 with errno: EOPNOTSUPP,
 * EISDIR or EINVAL where there are none. */
int os_nameless(int dir, const char *path);
/* A file without a name in memory.  -1 with errno. */
int os_file_in_memory(void);
/* A path by which an open file can be opened again, wherever its name leads now.  Whether it
 * may be, as access() takes mode. */
bool os_path_of(int fd, int mode, char path[OS_PATH]);
/* Open path, which cannot leave dir; AT_FDCWD: as it stands.  ENOSYS or EPERM: not to be had. */
int os_open_below(int dir, const char *path, int flags);
/* Whether the kernel makes the file up, as in /proc. */
bool os_made_up(int fd);
/* Rename a file; is_new: EEXIST if there is one of that name, where the file system can tell. */
int os_rename(const char *from, const char *to, bool is_new);
/* Begin to write to the disk. */
void os_write_soon(int fd);
/* The clock of the times of files, which is coarse. */
void os_file_clock(struct timespec *t);

/* ---- the machine ---- */

enum { OS_NAME = 128 };
/* The processor's name; empty: not known. */
void os_processor(char name[OS_NAME]);
/* Count the cycles of this thread, and of the threads and processes that it begins from now on,
 * outside the kernel: a descriptor from which the 64 bits of their number are read.  -1: the machine
 * does not tell. */
int os_cycles(void);

/* ---- memory ---- */

/* Where the map begins that has p in it; NULL: not known. */
const char *os_map_of(const void *p);
/* Bytes of data and stacks of this process; 0: not known. */
uint64_t os_memory(void);
/* Use large pages for whole pages from p. */
void os_huge_pages(void *p, size_t bytes);
/* malloc(): blocks from so many bytes on are maps, so many free ones are kept. */
void os_heap(size_t maps, size_t kept);
/* Bytes that malloc() gave, at least those asked for. */
size_t os_block(void *p);

#endif
