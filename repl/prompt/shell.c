/*
 * shell.c - the prompt on libedit; see shell.h.
 *
 * Signals: SIGINT only sets app_cancel, so a query stops at its next poll and the shell
 * goes on.  While a line is typed, SIGINT makes our reader return, and the line is
 * dropped.  SIGWINCH is handled in the same place.  Signals that end the shell first
 * restore the terminal.
 *
 * After an error whose hint is a whole query that query stands in the line that comes next.
 *
 * History: one line per entry, appended when it is entered, so several shells can share
 * the file, and a crash loses nothing.  The encoding is that of libedit (vis); a newline
 * is \012.
 */
#include "repl/prompt/shell.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "index/base/err_struct.h"
#include "index/store/store.h"
#include "repl/app/options.h"
#include "repl/prompt/complete.h"
#include "repl/render/fit.h"
#include "repl/prompt/script.h"
#include "repl/prompt/search.h"
#include "repl/term/number.h"
#include "engine/api/quern.h"

/* EVENT, FILTERS: the most columns in the prompt; of a name as of an event. */
enum { HISTORY = 2000, LISTED_LINES = 12, EVENT = 60, FILTERS = 200, PASTE_MS = 10 };

struct shell {
	struct app *app;
	EditLine *el;
	History *history;
	char *file; /* of the history; NULL: not saved */
	struct out prompt;
	struct out entry;	    /* the lines of the statement so far */
	struct search_state search; /* Ctrl-R */
	bool interrupted;
	bool offered; /* the line is the query of a hint, and no key came after it */
	mbstate_t mb;
	int keys;      /* the terminal, opened anew: its reads do not wait */
	char held[16]; /* read ahead, by goes_on() */
	size_t nheld, held_at;
};

static volatile sig_atomic_t resized;

static void on_resize(int sig)
{
	(void)sig;
	resized = 1;
}

/* The state of the terminal before the editor changed it. */
static struct termios found;

/* Restore the terminal on a fatal signal, but not if it belongs to another program by
 * now: tcsetattr() would stop us. */
static void on_end(int sig)
{
	if (tcgetpgrp(STDIN_FILENO) == getpgrp())
		tcsetattr(STDIN_FILENO, TCSANOW, &found);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void leave_terminal(void)
{
	static const int ends[] = {SIGHUP, SIGQUIT, SIGTERM};
	struct sigaction end = {.sa_handler = on_end}, before;

	if (tcgetattr(STDIN_FILENO, &found) < 0)
		return;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (sigaction(ends[i], NULL, &before) == 0 &&
		    before.sa_handler == SIG_DFL)
			sigaction(ends[i], &end, NULL);
}

/* ---- typing ---- */

static void follow_resize(struct shell *s)
{
	if (!resized)
		return;
	resized = 0;
	screen_measure(&s->app->screen);
	if (screen_fits_editor())
		el_resize(s->el);
	/* The editor has lost track of the line: wipe it, then draw it again. */
	if (write(STDOUT_FILENO, "\r\033[J", 4) < 0)
		return;
	el_set(s->el, EL_REFRESH);
}

/* Wait for a key; true: there is one.  A signal ends the wait, even one that came
 * before it: Tab may have taken long. */
static bool wait_for_key(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	sigset_t both, before;
	int ready = 0;

	sigemptyset(&both);
	sigaddset(&both, SIGINT);
	sigaddset(&both, SIGWINCH);
	sigprocmask(SIG_BLOCK, &both, &before);
	if (!atomic_load(&app_cancel) && !resized)
		ready = ppoll(&in, 1, NULL, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ready > 0;
}

/* Ctrl-C takes back what was typed before it, also the key for which wait_for_key() has
 * returned.  A read that waited then would not see the signal, and lose the next key. */
static int open_keys(void)
{
	int fd = tcgetpgrp(STDIN_FILENO) < 0
			 ? -1 /* Ctrl-C comes from another terminal, or none */
			 : open("/dev/tty", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? STDIN_FILENO : fd;
}

/* Whether text that was pasted goes on with a line that begins with '|'.  It comes at
 * once; nobody types that fast. */
static bool goes_on(struct shell *s)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	if (s->held_at < s->nheld)
		return false;
	s->nheld = s->held_at = 0;
	while (s->nheld < sizeof(s->held) && poll(&in, 1, PASTE_MS) > 0 &&
	       read(s->keys, &s->held[s->nheld], 1) == 1) {
		const char c = s->held[s->nheld++];

		if (c != ' ' && c != '\t')
			return c == '|';
	}
	return false;
}

/* A byte from the keyboard, or one that was read ahead. */
static ssize_t read_byte(struct shell *s, char *byte)
{
	if (s->held_at == s->nheld)
		return read(s->keys, byte, 1);
	*byte = s->held[s->held_at++];
	return 1;
}

/* Does the key begin another query?  That replaces the one that was offered: the key is read again,
 * after a Ctrl-U.  A blank or a '|' goes on with the offer; keys that move or delete edit it. */
static bool replaces_offer(struct shell *s, char byte)
{
	const bool is = s->offered && isgraph((unsigned char)byte) && byte != '|';

	s->offered = false;
	if (is) {
		s->held[0] = byte;
		s->nheld = 1;
		s->held_at = 0;
	}
	return is;
}

/* Read one character.  libedit's own reader would swallow the first Ctrl-C. */
static int read_char(EditLine *el, wchar_t *c)
{
	struct shell *s;
	char byte;

	el_get(el, EL_CLIENTDATA, &s);
	for (;;) {
		bool ready;
		ssize_t n;
		size_t got;

		follow_resize(s);
		ready = s->held_at < s->nheld || wait_for_key();
		if (atomic_exchange(&app_cancel, 0)) {
			s->interrupted = true;
			return -1;
		}
		if (!ready)
			continue;
		n = read_byte(s, &byte);
		if (n == 0)
			return 0;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -1;
		if (n < 0)
			continue;
		if (replaces_offer(s, byte))
			byte = 'U' & 0x1f;
		got = mbrtowc(c, &byte, 1, &s->mb);
		if (got == (size_t)-1)
			memset(&s->mb, 0, sizeof(s->mb));
		else if (got != (size_t)-2)
			return 1;
	}
}

/* Write `focus handle` as focus:handle. */
static void put_prompt_filters(struct out *o, enum emit_form form, const struct app *app)
{
	struct out all;
	size_t blank;

	out_mem(&all);
	for (size_t i = 0; i < session_filters(app->session); i++) {
		out_c(&all, i ? " " : "");
		out_str(&all, session_filter(app->session, i));
	}
	blank = str_find(out_text(&all), ' ');
	if (blank < all.n && !memchr(all.buf, ':', all.n))
		all.buf[blank] = ':';
	fit_put(o, form, FIT_TEXT, out_text(&all), FILTERS);
	out_close(&all);
}

static void put_prompt(const struct shell *s, struct out *o, enum emit_form form)
{
	if (s->search.on) {
		out_c(o, s->search.found ? "search: " : "not found: ");
		fit_put(o, form, FIT_TEXT, str_c(s->search.text), EVENT);
		out_c(o, "> ");
	} else if (s->entry.n) {
		out_c(o, "   ...> ");
	} else {
		const bool event = session_event_set(s->app->session),
			   used = s->app->used && s->app->nprofiles,
			   filters = session_filters(s->app->session);

		out_c(o, used || event || filters ? "quern[" : "quern");
		if (used)
			fit_put(o, form, FIT_TEXT, str_c(s->app->profiles[0].name),
				EVENT);
		out_c(o, used && (event || filters) ? " " : "");
		if (event)
			fit_put(o, form, FIT_TEXT, session_event(s->app->session), EVENT);
		out_c(o, event && filters ? " " : "");
		if (filters)
			put_prompt_filters(o, form, s->app);
		out_c(o, used || event || filters ? "]> " : "> ");
	}
}

/* The editor only accepts the locale's encoding: all text goes through emit_name(). */
static const char *prompt(EditLine *el)
{
	enum emit_form form;
	struct shell *s;

	el_get(el, EL_CLIENTDATA, &s);
	form = s->app->screen.utf8 ? EMIT_TEXT : EMIT_ASCII;
	out_close(&s->prompt);
	out_mem(&s->prompt);
	put_prompt(s, &s->prompt, form);
	s->search.prompt = emit_width(EMIT_TEXT, out_text(&s->prompt));
	out_char(&s->prompt, '\0');
	return out_flush(&s->prompt) ? "quern> " : s->prompt.buf;
}

/* ---- Tab ---- */

static void list(const struct app *app, const struct completion *c)
{
	enum emit_form form = app->screen.utf8 ? EMIT_TEXT : EMIT_ASCII;
	size_t screen = app->screen.columns, widest = 0, across, shown;
	struct out o;

	for (size_t i = 0; i < c->n; i++) {
		size_t w = emit_width(form, c->all[i]);

		widest = w > widest ? w : widest;
	}
	if (widest + 2 > screen)
		widest = screen - 2;
	across = screen / (widest + 2) ? screen / (widest + 2) : 1;
	shown = across * LISTED_LINES < c->n ? across * LISTED_LINES : c->n;
	out_fd(&o, STDOUT_FILENO);
	out_char(&o, '\n');
	for (size_t i = 0; i < shown; i++) {
		size_t w = fit_put(&o, form, FIT_NAME, c->all[i], widest);

		if ((i + 1) % across && i + 1 < shown)
			out_fill(&o, ' ', widest + 2 - w);
		else
			out_char(&o, '\n');
	}
	if (shown < c->n || c->more)
		out_printf(&o, "and %s%s more\n", GROUPED(c->n - shown),
			   c->more ? " or" : "");
	out_close(&o);
}

static unsigned char on_tab(EditLine *el, int key)
{
	const LineInfo *line = el_line(el);
	struct completion c = {0};
	struct err err = {0};
	struct shell *s;
	struct arena a;
	struct out text;
	unsigned char result = CC_REFRESH_BEEP;
	size_t typed, before;

	(void)key;
	el_get(el, EL_CLIENTDATA, &s);
	arena_init(&a, (size_t)64 << 20);
	/* Earlier lines belong to the statement, too. */
	out_mem(&text);
	out_bytes(&text, s->entry.buf, s->entry.n);
	before = text.n;
	out_bytes(&text, line->buffer, (size_t)(line->cursor - line->buffer));
	if (complete(s->app, out_text(&text), &a, &c, &err) == 0 && c.n &&
	    c.word_at >= before) {
		struct str word = str_from(out_text(&text), c.word_at);
		char *insert = strndup(c.insert.p, c.insert.n);

		typed = word.n;
		if (insert && !str_eq(word, c.insert)) {
			el_deletestr(el, (int)typed);
			el_insertstr(el, insert);
			result = CC_REFRESH;
		} else if (c.n > 1) {
			list(s->app, &c);
			result = CC_REDISPLAY;
		}
		free(insert);
	}
	out_close(&text);
	arena_free(&a);
	return result;
}

static unsigned char on_search(EditLine *el, int key)
{
	struct shell *s;

	(void)key;
	el_get(el, EL_CLIENTDATA, &s);
	s->search.columns = s->app->screen.columns;
	return search_history(el, s->history, &s->search);
}

/* ---- history ---- */

static void make_parents(char *path)
{
	for (char *p = path + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			mkdir(path, 0700);
			*p = '/';
		}
}

static void history_open(struct shell *s)
{
	HistEvent ev;
	struct stat st;

	s->history = history_init();
	if (!s->history)
		return;
	history(s->history, &ev, H_SETSIZE, HISTORY);
	history(s->history, &ev, H_SETUNIQUE, 1);
	if (s->app->opts->safe) /* write no file */
		return;
	s->file = app_path("XDG_STATE_HOME", ".local/state", "history");
	if (!s->file)
		return;
	make_parents(s->file);
	if (stat(s->file, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	history(s->history, &ev, H_LOAD, s->file);
	/* The file only grows while shells run; at start, cut it to the entries in
	 * memory. */
	if (st.st_size > HISTORY * 200)
		history(s->history, &ev, H_SAVE, s->file);
}

static void history_append(const struct shell *s, struct str entry)
{
	const int flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
	struct stat st;
	struct out o;
	int fd;

	if (!s->file)
		return;
	/* O_NONBLOCK: a FIFO must not block us before we can reject it. */
	fd = open(s->file, flags | O_NONBLOCK | O_NOCTTY, 0600);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		if (fd >= 0)
			close(fd);
		return;
	}
	out_fd(&o, fd);
	if (lseek(fd, 0, SEEK_END) == 0)
		out_c(&o, "_HiStOrY_V2_\n");
	for (size_t i = 0; i < entry.n; i++) {
		unsigned char b = (unsigned char)entry.p[i];

		if (b <= ' ' || b == '\\' || b >= 0x7f)
			out_printf(&o, "\\%03o", b);
		else
			out_char(&o, (char)b);
	}
	out_char(&o, '\n');
	out_close(&o);
	close(fd);
}

static void remember(struct shell *s, struct str entry)
{
	char *text = strndup(entry.p, entry.n);
	HistEvent ev;

	if (s->history && text && history(s->history, &ev, H_ENTER, text) >= 0)
		history_append(s, entry);
	free(text);
}

/* ---- entries ---- */

static void drop_line(struct shell *s)
{
	static const char shown[] = "^C\n";

	s->interrupted = false;
	s->entry.n = s->nheld = s->held_at = 0;
	if (write(STDOUT_FILENO, shown, sizeof(shown) - 1) < 0)
		s->app->quit = true;
	el_reset(s->el);
}

/* With nothing open, the name of a file opens it. */
static bool is_file(const struct app *app, struct str entry)
{
	char *path = app->nprofiles ? NULL : app_expand(entry);
	bool is =
		path && path[0] != '.' && access(path + app_split_name(path), F_OK) == 0;

	is |= path && strncmp(path, "./", 2) == 0 && access(path, F_OK) == 0;
	free(path);
	return is;
}

static void run_entry(struct shell *s)
{
	struct str entry = str_trim(out_text(&s->entry));
	char *dotted = NULL;

	while (entry.n && entry.p[entry.n - 1] == '\n')
		entry = str_trim((struct str){entry.p, entry.n - 1});
	s->entry.n = 0;
	if (!entry.n)
		return;
	remember(s, entry);
	if (is_file(s->app, entry) &&
	    asprintf(&dotted, ".open \"%.*s\"", (int)entry.n, entry.p) > 0)
		entry = str_c(dotted);
	screen_measure(&s->app->screen);
	if (entry.p[0] != '.') {
		free(s->app->last);
		s->app->last = strndup(entry.p, entry.n);
	}
	script_entry(s->app, entry, NULL);
	free(dotted);
	atomic_store(&app_cancel, 0);
	s->app->closed = false;
}

/* As if it had been typed: Enter asks it, another query replaces it. */
static void give_offer(struct shell *s)
{
	static bool told;

	s->offered = s->app->offer != NULL;
	if (!s->offered)
		return;
	if (!told)
		app_note(s->app,
			 "Enter asks the query of the hint; type another, or edit it");
	told = true;
	el_push(s->el, s->app->offer);
	free(s->app->offer);
	s->app->offer = NULL;
}

/* libedit asks for the size whenever it begins a line, and takes memory for all of it.
 * Returns whether it is still able to edit. */
static bool edit(struct shell *s)
{
	while (!s->app->quit) {
		int n = 0;
		const char *line;
		struct str so_far;
		bool empty;

		if (!screen_fits_editor())
			return false;
		/* The editor has the keyboard before the prompt is seen. */
		el_set(s->el, EL_PREP_TERM, 1);
		give_offer(s);
		line = el_gets(s->el, &n);
		if (s->interrupted) {
			drop_line(s);
			continue;
		}
		if (!line || n <= 0) {
			if (write(STDOUT_FILENO, "\n", 1) < 0)
				s->app->closed = true;
			break;
		}
		empty = str_trim((struct str){line, str_find(str_c(line), '\n')}).n == 0;
		out_bytes(&s->entry, line, (size_t)n);
		so_far = str_trim(out_text(&s->entry));
		while (so_far.n && so_far.p[so_far.n - 1] == '\n')
			so_far.n--;
		/* An empty line ends every entry: nothing traps the prompt. */
		if (!empty && so_far.n && so_far.p[0] != '.' &&
		    (query_incomplete(so_far) || goes_on(s)))
			continue;
		run_entry(s);
	}
	return true;
}

static void bind_keys(EditLine *el)
{
	el_set(el, EL_ADDFN, "quern-complete", "complete the word", on_tab);
	el_set(el, EL_BIND, "^I", "quern-complete", NULL);
	el_set(el, EL_ADDFN, "quern-search", "search the history", on_search);
	el_set(el, EL_BIND, "^R", "quern-search", NULL);
	el_set(el, EL_BIND, "\\e[1;5C", "em-next-word", NULL);
	el_set(el, EL_BIND, "\\e[1;5D", "ed-prev-word", NULL);
	el_set(el, EL_BIND, "\\e[3~", "ed-delete-next-char", NULL);
	el_set(el, EL_BIND, "^W", "ed-delete-prev-word", NULL);
}

/* Unbind the keys by which the editor runs $EDITOR, writes a file, runs any of its
 * commands by name (M-x), or changes its key map.  The two letters are Meta keys in
 * Latin-1. */
static void bind_safe_keys(EditLine *el)
{
	el_set(el, EL_BIND, "\\ex", "ed-unassigned", NULL);
	el_set(el, EL_BIND, "\\eX", "ed-unassigned", NULL);
	el_set(el, EL_BIND, "\\370", "ed-insert", NULL);
	el_set(el, EL_BIND, "\\330", "ed-insert", NULL);
}

/* The editor lives as long as the process, and serves every shell_run(): el_end() frees the
 * table with the names of added functions, but not the names. */
static struct shell shell;

/* Two lines: what is open, and how to go on. */
static void greet(const struct app *app)
{
	const struct store_info *info;
	struct store_event ev;
	uint32_t e;
	char total[NUMBER_MAX], more[60] = "";

	if (!app->nprofiles) {
		app_note(app,
			 "quern " QUERN_VERSION ": no profile is open; the name of a "
			 "file opens it");
		app_note(app, ".help says what can be asked; .quit or Ctrl-D leaves");
		return;
	}
	info = store_info(app->profiles[0].store);
	for (e = 0; e < info->all_events; e++) {
		store_event(app->profiles[0].store, e, &ev);
		if (str_eq(ev.name, session_event(app->session)))
			break;
	}
	number_si_signed(total, store_total(app->profiles[0].store, e));
	if (app->nprofiles > 1)
		snprintf(more, sizeof(more), ", and %zu more (.profiles)",
			 app->nprofiles - 1);
	app_note(app, "quern " QUERN_VERSION ": %s, %s functions, %s %.*s%s",
		 app->profiles[0].name, GROUPED(info->groups), total,
		 STR_ARG(session_event(app->session)), more);
	app_note(app, ".help says what can be asked; .quit or Ctrl-D leaves");
}

static int read_plainly(struct app *app)
{
	talk_note("this terminal is too large to edit lines; Ctrl-D runs what you typed");
	return script_file(app, "-");
}

int shell_run(struct app *app)
{
	struct sigaction winch = {.sa_handler = on_resize};
	bool able;

	if (!screen_fits_editor())
		return read_plainly(app);
	shell = (struct shell){.app = app, .el = shell.el};
	app->interactive = true;
	out_mem(&shell.entry);
	out_mem(&shell.prompt);
	leave_terminal();
	screen_give_entry();
	if (app->screen.utf8 && MB_CUR_MAX == 1)
		talk("quern: there are no locales here: only ASCII can be typed");
	if (!shell.el && !(shell.el = el_init("quern", stdin, stdout, stderr))) {
		talk("quern: no line editor for this terminal");
		return 1;
	}
	sigaction(SIGWINCH, &winch, NULL);
	shell.keys = open_keys();
	history_open(&shell);
	el_set(shell.el, EL_CLIENTDATA, &shell);
	el_set(shell.el, EL_SIGNAL, 0);
	el_set(shell.el, EL_EDITOR, "emacs");
	el_set(shell.el, EL_PROMPT, prompt);
	el_set(shell.el, EL_GETCFN, read_char);
	if (shell.history)
		el_set(shell.el, EL_HIST, history, shell.history);
	bind_keys(shell.el);
	if (app->opts->safe)
		bind_safe_keys(shell.el);
	else if (!app->opts->no_init)
		el_source(shell.el, NULL);
	greet(app);
	able = edit(&shell);
	el_reset(shell.el);
	if (shell.keys != STDIN_FILENO)
		close(shell.keys);
	if (shell.history)
		history_end(shell.history);
	free(shell.file);
	out_close(&shell.entry);
	out_close(&shell.prompt);
	return able ? 0 : read_plainly(app);
}
