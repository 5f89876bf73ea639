/* file.h - read a given number of bytes. */
#ifndef QUERN_BASE_FILE_H
#define QUERN_BASE_FILE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* Read n bytes of fd at offset `at` to p.  Returns 0, or -1 with errno; EIO: the file
 * is shorter. */
static inline int file_read(int fd, void *p, size_t n, uint64_t at)
{
	for (size_t done = 0; done < n;) {
		const ssize_t got =
			pread(fd, (char *)p + done, n - done, (off_t)(at + done));

		if (got == 0)
			errno = EIO;
		if (got == 0 || (got < 0 && errno != EINTR))
			return -1;
		if (got > 0)
			done += (size_t)got;
	}
	return 0;
}

#endif
