/*
 * script.c - fuzz scripts of statements and dot-commands, under --safe: any bytes are one.
 *
 * Whatever the script is, the files stay as they are (safe_folder.h), and what is written has no
 * control byte but ends of lines (of csv: CR LF) and tabs.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "repl/app/app.h"
#include "repl/prompt/script.h"
#include "tests/support/fuzzing.h"
#include "tests/support/safe_folder.h"

/* Answers and messages go to fd. */
static void run(struct str script, int fd)
{
	struct app app;
	int saved[2];

	for (int i = 0; i < 2; i++) {
		saved[i] = dup(STDOUT_FILENO + i);
		dup2(fd, STDOUT_FILENO + i);
	}
	safe_folder_open(&app);
	script_run(&app, script, (struct origin){.line = 1});
	app_free(&app);
	for (int i = 0; i < 2; i++) {
		dup2(saved[i], STDOUT_FILENO + i);
		close(saved[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[1 << 20];
	const struct str script = {(const char *)data, size};
	const int fd = memfd_create("out", MFD_CLOEXEC);
	ssize_t n;

	if (safe_folder_told(data, size)) {
		close(fd);
		return 0;
	}
	safe_folder_enter();
	fuzz_begin();
	run(script, fd);
	fuzz_end();
	n = pread(fd, text, sizeof(text), 0);
	if (fd < 0 || n < 0)
		fuzz_fail("no file for the answers");
	close(fd);
	for (ssize_t i = 0; i < n; i++) {
		const unsigned char c = (unsigned char)text[i];

		if ((c < ' ' && !memchr("\n\t\r", c, 3)) || c == 0x7f)
			fuzz_fail("%.*s writes byte 0x%02x", (int)script.n, script.p, c);
	}
	safe_folder_leave(text, (size_t)n);
	return 0;
}
