/*
 * prompt.c - fuzz what is typed at the prompt under --safe, on a terminal.
 *
 * The first byte of an input is the width of the terminal; the others are keys.  A thread types
 * them, a line whenever the editor waits for one, and reads the screen; then it leaves by Ctrl-D.
 * Whatever is typed, the files stay as they are (safe_folder.h), and what reaches the terminal
 * are letters, the editor's own moves (ESC [ ... letter) and no other control sequence: the names
 * in the profile hold some.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "repl/app/app.h"
#include "repl/prompt/shell.h"
#include "tests/support/fuzzing.h"
#include "tests/support/safe_folder.h"

enum { KEYS = 4000, TICK_MS = 1 };

static struct terminal {
	int person, program; /* the two ends; those of the first input serve all */
	const uint8_t *key;
	size_t keys;
	atomic_bool left; /* the shell ended */
	size_t n;
	char screen[1 << 20];
} t = {.person = -1};

/* The editor waits for keys: the terminal is in its mode, and all that was typed is read. */
static bool waits(void)
{
	struct termios mode;
	int unread = 0;

	return tcgetattr(t.program, &mode) == 0 && !(mode.c_lflag & ICANON) &&
	       ioctl(t.program, FIONREAD, &unread) == 0 && unread == 0;
}

static void type(const void *keys, size_t n)
{
	if (write(t.person, keys, n) != (ssize_t)n)
		fuzz_fail("the terminal takes no keys");
}

static void type_line(void)
{
	static const char leave[] = "\r\x04";
	size_t n = 0;

	while (n < t.keys && t.key[n++] != '\r')
		;
	if (n)
		type(t.key, n);
	else
		type(leave, sizeof(leave) - 1);
	t.key += n;
	t.keys -= n;
}

/* Read what is on its way to the screen, whose first MiB is kept. */
static bool read_screen(int wait_ms)
{
	struct pollfd p = {.fd = t.person, .events = POLLIN};
	char lost[4096];
	const size_t room = sizeof(t.screen) - t.n;
	ssize_t n;

	if (poll(&p, 1, wait_ms) <= 0)
		return false;
	n = read(t.person, room ? t.screen + t.n : lost, room ? room : sizeof(lost));
	t.n += room && n > 0 ? (size_t)n : 0;
	return n > 0;
}

static void *person(void *none)
{
	while (!atomic_load(&t.left))
		if (!read_screen(TICK_MS) && waits())
			type_line();
	while (read_screen(0))
		;
	return none;
}

static void run_shell(void)
{
	int saved[3];
	struct app app;

	for (int i = 0; i < 3; i++) {
		saved[i] = dup(i);
		dup2(t.program, i);
	}
	safe_folder_open(&app);
	shell_run(&app);
	app_free(&app);
	fflush(stdout);
	for (int i = 0; i < 3; i++) {
		dup2(saved[i], i);
		close(saved[i]);
	}
}

static void check_screen(void)
{
	for (size_t i = 0; i < t.n; i++) {
		const unsigned char c = (unsigned char)t.screen[i];

		if (c == 0x1b && i + 1 < t.n) {
			if (t.screen[++i] != '[')
				fuzz_fail("the terminal gets ESC 0x%02x", t.screen[i]);
			i += strspn(t.screen + i + 1, "0123456789;?");
		} else if ((c < ' ' && !memchr("\n\t\r\b\a", c, 5)) || c == 0x7f ||
			   (c == 0xc2 && (unsigned char)t.screen[i + 1] < 0xa0)) {
			fuzz_fail("the terminal gets byte 0x%02x", c);
		}
	}
}

/* Without XON/XOFF: a Ctrl-S that comes as the editor leaves its mode would stop the screen. */
static void open_terminal(void)
{
	struct termios mode;

	setenv("TERM", "xterm", 1);
	if (openpty(&t.person, &t.program, NULL, NULL, NULL) ||
	    tcgetattr(t.program, &mode))
		fuzz_fail("no terminal");
	mode.c_iflag &= ~(tcflag_t)IXON;
	if (tcsetattr(t.program, TCSANOW, &mode))
		fuzz_fail("no terminal without XON/XOFF");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct winsize w = {.ws_row = 24, .ws_col = size ? data[0] : 80};
	pthread_t typist;

	if (safe_folder_told(data, size))
		return 0;
	if (t.person < 0)
		open_terminal();
	ioctl(t.program, TIOCSWINSZ, &w);
	t.key = data + (size > 0);
	t.keys = size > KEYS ? KEYS : size - (size > 0);
	t.n = 0;
	t.left = false;
	safe_folder_enter();
	fuzz_begin();
	if (pthread_create(&typist, NULL, person, NULL))
		fuzz_fail("no thread");
	run_shell();
	atomic_store(&t.left, true);
	pthread_join(typist, NULL);
	fuzz_end();
	tcflush(t.program, TCIOFLUSH);
	check_screen();
	safe_folder_leave(t.screen, t.n);
	return 0;
}
