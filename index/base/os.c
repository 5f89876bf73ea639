/* os.c - what only Linux has; see os.h. */
#include "index/base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int os_nameless(int dir, const char *path)
{
	return openat(dir, path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

int os_file_in_memory(void)
{
	return memfd_create("quern", MFD_CLOEXEC);
}

bool os_path_of(int fd, int mode, char path[OS_PATH])
{
	snprintf(path, OS_PATH, "/proc/self/fd/%d", fd);
	return access(path, mode) == 0;
}

int os_open_below(int dir, const char *path, int flags)
{
	struct open_how how = {.flags = (uint64_t)flags,
			       .resolve = RESOLVE_NO_MAGICLINKS};

	how.resolve |= dir == AT_FDCWD ? 0 : RESOLVE_BENEATH;
	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

bool os_made_up(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) || fs.f_type == PROC_SUPER_MAGIC ||
	       fs.f_type == SYSFS_MAGIC;
}

int os_rename(const char *from, const char *to, bool is_new)
{
	const int rc =
		renameat2(AT_FDCWD, from, AT_FDCWD, to, is_new ? RENAME_NOREPLACE : 0);

	return rc && errno == EINVAL ? rename(from, to) : rc;
}

void os_write_soon(int fd)
{
	(void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

void os_file_clock(struct timespec *t)
{
	clock_gettime(CLOCK_REALTIME_COARSE, t);
}

const char *os_map_of(const void *p)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	uintptr_t from, to, at = (uintptr_t)p;
	const char *map = NULL;

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) == 2 &&
		    at >= from && at < to)
			map = (const char *)from;
	if (maps)
		fclose(maps);
	return map;
}

uint64_t os_memory(void)
{
	uint64_t pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%*u %*u %*u %*u %*u %" SCNu64, &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void os_processor(char name[OS_NAME])
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];

	*name = '\0';
	while (f && !*name && fgets(line, sizeof(line), f))
		sscanf(line, "model name : %127[^\n]", name);
	if (f)
		fclose(f);
}

int os_cycles(void)
{
	struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE,
					 .size = sizeof(cycles),
					 .config = PERF_COUNT_HW_CPU_CYCLES,
					 .inherit = 1,
					 .exclude_kernel = 1,
					 .exclude_hv = 1};

	return (int)syscall(SYS_perf_event_open, &cycles, 0, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

void os_huge_pages(void *p, size_t bytes)
{
	madvise(p, bytes, MADV_HUGEPAGE);
}

void os_heap(size_t maps, size_t kept)
{
#ifdef M_MMAP_THRESHOLD /* not musl's */
	mallopt(M_MMAP_THRESHOLD, (int)maps);
	mallopt(M_TRIM_THRESHOLD, (int)kept);
#else
	(void)maps, (void)kept;
#endif
}

size_t os_block(void *p)
{
	return malloc_usable_size(p);
}
