/*
 * options.c - the command line, read by one table, which --help prints; see options.h.
 *
 * Long options take `--name=value` and `--name value`.  Options and profiles may be
 * mixed; `--` ends the options.
 */
#include "repl/app/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/lang/habits.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/app/budget.h"

static const char usage[] =
	"usage: quern [PROFILE | NAME=PROFILE]... [OPTION]...\n"
	"       quern record [--stacks] -- PROGRAM [ARG]...      (quern record --help)\n"
	"\n"
	"Ask questions of Callgrind-format profiles.  Each is indexed once, into PROFILE.quern\n"
	"beside it; after that most answers take milliseconds.  Profiles may be packed (gzip,\n"
	"bzip2, xz, zstd); - is standard input.  Files without a name in front are one\n"
	"profile, the dumps and threads of a run; NAME=PROFILE opens another.  A folder\n"
	"is a table: all profiles below it are asked, of benchmarks with their runs before as\n"
	"`base`.\n"
	"\n"
	"  quern callgrind.out.4711                         the prompt; .help there\n"
	"  quern app.out overview                           what stands out, and queries about it\n"
	"  quern app.out top                                the ten most expensive functions\n"
	"  quern app.out -c 'callers of malloc' --format csv\n"
	"  quern app.out -c 'hottest 3 paths from main to malloc'\n"
	"  quern new.out base=old.out -f gate-instructions\n"
	"  quern app.out -c 'calltree > flame.svg'\n"
	"  quern new.out base=old.out -c 'functions vs base > changes.html'\n"
	"  quern callgrind.out.4711.* -c parts              several dumps as one profile\n"
	"\n";

static const char statuses[] =
	"\n"
	"Exit status: 0 answered; 1 wrong query or nothing matched; 2 wrong options; 3 profile\n"
	"cannot be read; 4 `expect` failed; 5 index cannot be made, is damaged or locked; 6 a\n"
	"limit was hit, or memory ran out; 130 interrupted.\n";

enum kind {
	GROUP, /* no option: a line of --help */
	GONE,  /* help says what to do instead; for one version */
	RARE,  /* the same; only --help all lists the options behind it */
	FLAG,
	TEXT,
	GIVEN, /* many times; at: enum given_as */
	QUERY,
	SCRIPT,
	NUMBER,
	SIZE,
	BUDGET,
	FORMAT,
	COLOUR
};

#define AT(member) offsetof(struct options, member)

/* In the order of --help, which is made from it. */
static const struct option {
	char letter;
	const char *name, *value; /* value NULL: it takes none */
	enum kind kind;
	size_t at;	  /* the member of struct options, for kinds that need it */
	const char *help; /* empty: that of the next row; NULL: not in --help */
} table[] = {
	{0, NULL, NULL, GROUP, 0,
	 "What to run (without these: the prompt, or a script from stdin)"},
	{0, NULL, "QUERY", GROUP, 0, "after a PROFILE: the same as -c QUERY"},
	{'c', "command", "QUERY", QUERY, 0,
	 "run QUERY (also a dot-command); may be given many times"},
	{'f', "file", "FILE", SCRIPT, 0,
	 "run a script, or a query that ships (.queries lists them); it stops\n"
	 "at the first error"},
	{0, "set", "NAME=VALUE", GIVEN, GIVEN_SET,
	 "`$NAME` in queries is VALUE; may be repeated"},
	{0, "keep-going", NULL, FLAG, AT(keep_going),
	 "run the other queries after an error; count at the end which\n"
	 "`expect` hold"},
	{0, NULL, NULL, GROUP, 0, "Answers"},
	{0, "format", "FORMAT", FORMAT, AT(format),
	 "table tree csv tsv json ndjson md github junit svg flame\n"
	 "html folded speedscope dot callgrind pprof; or by `> FILE.svg`"},
	{0, "event", "EVENT", TEXT, AT(event),
	 "of costs that name none; default: the first that costs something"},
	{0, "wide", NULL, FLAG, AT(wide), "tables: shorten no name, hide no column"},
	{'q', "quiet", NULL, FLAG, AT(quiet),
	 "say only answers, errors, and what changes their meaning"},
	{0, NULL, NULL, GROUP, 0, "Which files"},
	{0, "merge", NULL, FLAG, AT(merge),
	 "one profile, even of different programs, tools or runs"},
	{0, NULL, NULL, GROUP, 0, "Programs that ask"},
	{0, "guide", NULL, FLAG, AT(guide),
	 "all that an agent needs to know, on two pages"},
	{0, "mcp", NULL, FLAG, AT(mcp),
	 "answer a client of the Model Context Protocol on stdin and\n"
	 "stdout: --safe, --budget 20k, queries by its tools alone"},
	{0, NULL, NULL, GROUP, 0, "The index"},
	{0, "index", "PATH", TEXT, AT(index), "keep it there (one profile only)"},
	{0, "no-index-write", NULL, FLAG, AT(no_index_write), "keep none"},
	{0, "verify", NULL, FLAG, AT(verify),
	 "compare it with one built again (PROFILE may be an index)"},
	{0, "bench-parse", NULL, FLAG, AT(bench_parse),
	 "only measure how fast the profile is read, beside wc -l and cat,\n"
	 "or the tool that unpacks it (also --format json)"},
	{0, NULL, NULL, GROUP, 0, "Two profiles (`vs`)"},
	{0, "rename", "s/RE/TO/", GIVEN, GIVEN_RENAME,
	 "compare names of functions, files and objects after this; may be\n"
	 "repeated"},
	{0, "accept", "WORD,...", GIVEN, GIVEN_ACCEPT,
	 "`expect` may hold in spite of that: `.help accept`"},
	{0, NULL, NULL, GROUP, 0, "Behaviour"},
	{0, "source-root", "DIR", GIVEN, GIVEN_ROOT,
	 "source and objects that are not where the profile says are\n"
	 "below DIR (may be repeated); under --safe only there"},
	{0, "with-source", NULL, FLAG, AT(with_source),
	 "`functions > x.html`: with the source of the listed functions;\n"
	 "folded, speedscope: with the lines of stacks"},
	{0, "safe", NULL, FLAG, AT(safe), "no files written, no commands run by queries"},
	{0, "no-init", NULL, FLAG, AT(no_init), "do not read ~/.config/quern/init"},
	{'h', "help", NULL, FLAG, AT(help), "this text; --help all: what few need, too"},
	{'V', "version", NULL, FLAG, AT(version), "version"},
	{0, NULL, NULL, RARE, 0, "What few need"},
	{0, "no-demangle", NULL, FLAG, AT(no_demangle),
	 "C++ and Rust names as the profile has them"},
	{0, "unit", "EVENT=UNIT", GIVEN, GIVEN_UNIT,
	 "costs of EVENT are in ns, 10ns, us, ms, s, B, KiB ...; may be\n"
	 "repeated"},
	{0, "budget", "SIZE", BUDGET, AT(budget),
	 "whole rows of an answer, up to so many bytes (20k)"},
	{0, "raw", NULL, FLAG, AT(raw),
	 "csv, tsv: no ' before = + - @ at the start of a name; stacks:\n"
	 "all of the estimated recursion"},
	{0, "color", "WHEN", COLOUR, AT(colour),
	 "auto, always, never; NO_COLOR is heeded"},
	{0, "colour", "WHEN", COLOUR, AT(colour), NULL},
	{0, "rebuild", NULL, FLAG, AT(rebuild), "make it again even if it is up to date"},
	{0, "no-wait", NULL, FLAG, AT(no_wait),
	 "fail at once when another process makes it"},
	{0, "trust", NULL, FLAG, AT(trust),
	 "use an index that other users could have written"},
	{0, "jobs", "N", NUMBER, AT(jobs), ""},
	{0, "mem", "SIZE", SIZE, AT(mem),
	 "threads (default: one per core), memory (256M, 1.5G)"},
	{0, "with-asm", NULL, FLAG, AT(with_asm),
	 "--with-source, and the instructions by objdump"},
	{0, "limit", "NAME=N", GIVEN, GIVEN_LIMIT,
	 "of a query: rows, seconds, memory, text, nesting"},
	/* Gone, or of other tools: what to do instead. */
	{0, "diff", "A B", GONE, 0, "quern NEW base=OLD why"},
	{0, "base", "FILE", GONE, 0, "quern NEW base=OLD why"},
	{0, "tree", "WHICH", GONE, 0,
	 "quern PROFILE 'callers of main'; 'callees of main'"},
	{0, "query", "QUERY", GONE, 0, "-c QUERY"},
	{'o', "output", "FILE", GONE, 0, "'QUERY > FILE', or --format json"},
	{0, "watch", NULL, GONE, 0,
	 "compare the last two dumps: quern PROFILE* 'part 3 | functions vs part 2'"},
	{0, "all-parts", NULL, GONE, 0,
	 "name the dumps and threads of the run: quern PROFILE*"},
	{0, "strip-prefix", "A=B", GONE, 0, "a tree that moved: --rename s,^A/,B/,"},
	{0, "map-object", "A=B", GONE, 0, "an object of another name: --rename s/A$/B/"},
	{0, "pair", "exact", GONE, 0,
	 "rows say by which rule they are paired: | show fn, self, base, rule"},
	{0, "least-paired", "PCT", GONE, 0,
	 "--accept paired accepts a comparison of little"},
};
enum { OPTIONS = sizeof(table) / sizeof(table[0]) };

/* "-c, --command QUERY"; returns its length. */
static size_t option_form(char *buf, size_t size, const struct option *t)
{
	const char letter[] = {'-', t->letter, ',', ' ', '\0'};

	return (size_t)snprintf(buf, size, "%s%s%s%s%s", t->letter ? letter : "",
				t->name ? "--" : "", t->name ? t->name : "",
				t->name && t->value ? " " : "", t->value ? t->value : "");
}

void options_help(struct out *o, bool all)
{
	enum { TEXT_AT = 24 };
	char form[64];
	size_t at = 0; /* in the line */

	out_c(o, usage);
	for (const struct option *t = table; t < table + OPTIONS; t++) {
		if (t->kind == RARE && !all)
			break;
		if (!t->help || t->kind == GONE)
			continue;
		if (t->name || t->value) {
			out_c(o, at ? ", " : "  ");
			at += 2 + option_form(form, sizeof(form), t);
			out_c(o, form);
			if (!*t->help)
				continue;
			out_fill(o, ' ', at < TEXT_AT ? TEXT_AT - at : 1);
		}
		for (const char *p = t->help; *p; p++) {
			out_char(o, *p);
			if (*p == '\n')
				out_fill(o, ' ', TEXT_AT);
		}
		out_char(o, '\n');
		at = 0;
	}
	out_c(o, statuses);
}

bool options_size(const char *text, unsigned unit, uint64_t *size)
{
	static const char letters[] = "kMGT";
	char *end;
	double v = strtod(text, &end);
	const char *letter = *end ? strchr(letters, *end == 'K' ? 'k' : *end) : NULL;

	if (end == text || !(v >= 0) || (*end && (!letter || end[1])))
		return false;
	for (const char *l = letters; letter && l <= letter; l++)
		v *= unit;
	if (v > 1e18)
		return false;
	*size = (uint64_t)v;
	return true;
}

static const struct option *find_long(struct str name)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (table[i].name && str_eq(name, str_c(table[i].name)))
			return &table[i];
	return NULL;
}

bool options_have(const char *name)
{
	return find_long(str_c(name));
}

static const struct option *find_letter(char letter)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (table[i].letter == letter)
			return &table[i];
	return NULL;
}

static bool is_profile(const char *word)
{
	return strchr(word, '=') || access(word, F_OK) == 0;
}

static void add_word(struct out *o, struct str word)
{
	if (o->n && word.n)
		out_char(o, ' ');
	out_str(o, word);
}

/* The option of the word behind its dashes; NULL: it has none, or quern has no such option. */
static const struct option *option_of(const char *arg, struct str word)
{
	const struct option *o = NULL;

	if (arg[0] == '-' && arg[1] == '-')
		o = find_long(word);
	else if (arg[0] == '-' && word.n)
		o = find_letter(*word.p);
	return o && (word.n == 1 || arg[1] == '-' || o->value) ? o : NULL;
}

/* Into given: the files and the known options, with --format for the name of a format.  Into
 * query: all other words, without their dashes.  Was there a format? */
static bool split_words(char **argv, struct out *given, struct out *query)
{
	bool format = false;

	for (char **p = argv + 1; *p; p++) {
		const struct str arg = str_c(*p), word = str_c(*p + strspn(*p, "-"));
		const struct str name = {word.p, str_find(word, '=')};
		const struct option *o = option_of(arg.p, name);

		if (o || (word.n == arg.n && is_profile(arg.p))) {
			add_word(given, arg);
			if (o && o->value && name.n == word.n && p[1])
				add_word(given, str_c(*++p));
		} else if (word.n < arg.n && format_of_name(word) != FORMAT_NONE) {
			add_word(given, STR("--format"));
			add_word(given, word);
			format = true;
		} else {
			add_word(query, name);
			if (name.n < word.n)
				add_word(query, str_from(word, name.n + 1));
		}
	}
	return format;
}

/* quern top --sort D1mr --csv FILE: quern FILE --format csv 'top by D1mr' */
static bool hint_without_options(char **argv, struct err *err)
{
	struct out given, query;
	char form[HABIT_MAX];
	const char *said;
	bool known;

	out_mem(&given);
	out_mem(&query);
	known = split_words(argv, &given, &query) && !query.n;
	/* One word that is no verb is a mistyped option. */
	said = query_meant(out_text(&query), form);
	if (said && str_find(out_text(&query), ' ') == query.n &&
	    str_starts(str_c(said), STR("functions of ")))
		said = NULL;
	if (said || known)
		err_hint(err, "here that is: quern %.*s%s%s%s", (int)given.n, given.buf,
			 said ? " '" : "", said ? said : "", said ? "'" : "");
	out_close(&given);
	out_close(&query);
	return said || known;
}

static int unknown_option(struct str name, char **argv, const char *arg, struct err *err)
{
	const char *best = NULL;
	unsigned least = name.n > 4 ? 3 : 2;

	for (size_t i = 0; i < OPTIONS; i++) {
		const char *n = table[i].name;
		unsigned d = n ? str_distance(name, str_c(n), 2) : least;

		if (d < least) {
			least = d;
			best = n;
		}
	}
	err_set(err, ERR_USAGE, 0, "there is no option '%s'", arg);
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct str word = {name.p, str_find(name, ' ')};

		if (word.n < name.n && table[i].name &&
		    str_eq(word, str_c(table[i].name)))
			return err_hint(err, "did you mean '--%s=%.*s'?", table[i].name,
					STR_ARG(str_trim(str_from(name, word.n))));
	}
	if (best)
		return err_hint(err, "did you mean '--%s'?", best);
	if (hint_without_options(argv, err))
		return err->kind;
	return err_hint(err, "quern --help lists them; a query needs no dashes: quern "
			     "PROFILE top 20 by calls");
}

static int options_wrong(const struct option *o, const char *value, const char *want,
			 struct err *err)
{
	return err_set(err, ERR_USAGE, 0, "--%s takes %s, not '%s'", o->name, want,
		       value);
}

/* A number, or bytes. */
static int store_size(struct options *to, const struct option *o, const char *value,
		      struct err *err)
{
	static const struct {
		const char *want;
		uint64_t least, most;
	} of[] = {
		[NUMBER] = {"a number from 1 to 1024", 1, 1024},
		[SIZE] = {"a size such as 512M or 1.5G", 1, UINT64_MAX},
		[BUDGET] = {"a size from 1k to 64M", BUDGET_LEAST, BUDGET_MOST},
	};
	uint64_t v;

	if (!(o->kind == NUMBER ? str_u64(str_c(value), &v)
				: options_size(value, 1024, &v)) ||
	    v < of[o->kind].least || v > of[o->kind].most)
		return options_wrong(o, value, of[o->kind].want, err);
	*(uint64_t *)((char *)to + o->at) = v;
	return 0;
}

/* Its place among the words that it takes; what: those. */
static int word_of(const struct option *o, const char *value, const char *words,
		   const char *what, struct err *err)
{
	const int place = str_place(words, str_c(value));

	if (place < 0)
		options_wrong(o, value, what, err);
	return place;
}

/* The arrays hold argc entries, so they cannot overflow. */
static int store(struct options *to, const struct option *o, const char *value,
		 struct err *err)
{
	switch (o->kind) {
	case GROUP:
	case RARE: break;
	case GONE:
		err_set(err, ERR_USAGE, 0, "quern has no --%s", o->name);
		return err_hint(err, "%s", o->help);
	case FLAG: *(bool *)((char *)to + o->at) = true; break;
	case TEXT: memcpy((char *)to + o->at, &value, sizeof(value)); break;
	case GIVEN:
		to->given[to->ngiven++] = (struct given){(enum given_as)o->at, value};
		to->rooted |= o->at == GIVEN_ROOT;
		break;
	case QUERY:
	case SCRIPT:
		to->tasks[to->ntasks++] = (struct task){o->kind == SCRIPT, value};
		break;
	case NUMBER:
	case SIZE:
	case BUDGET: return store_size(to, o, value, err);
	case COLOUR:
		to->colour = (enum colour_when)word_of(o, value, "auto always never",
						       "auto, always or never", err);
		return err->kind;
	case FORMAT:
		to->format = format_of_name(str_c(value));
		if (to->format == FORMAT_NONE)
			return options_wrong(o, value, "a format (--help lists them)",
					     err);
	}
	return 0;
}

static int read_long(struct options *to, char **argv, int *i, struct err *err)
{
	struct str name = str_c(argv[*i] + 2);
	size_t eq = str_find(name, '=');
	const char *value = eq < name.n ? name.p + eq + 1 : NULL;
	const struct option *o = find_long((struct str){name.p, eq});

	if (!o)
		return unknown_option((struct str){name.p, eq}, argv, argv[*i], err);
	if (!o->value && value)
		return err_set(err, ERR_USAGE, 0, "--%s takes no value", o->name);
	if (o->value && !value && !(value = argv[++*i]))
		return err_set(err, ERR_USAGE, 0, "--%s needs a value", o->name);
	return store(to, o, value, err);
}

/* -c QUERY, -cQUERY, -qh */
static int read_letters(struct options *to, char **argv, int *i, struct err *err)
{
	for (const char *p = argv[*i] + 1; *p; p++) {
		const struct option *o = find_letter(*p);
		const char *value = NULL;

		if (!o)
			return unknown_option(str_c(p), argv, argv[*i], err);
		if (o->value && !(value = p[1] ? p + 1 : argv[++*i]))
			return err_set(err, ERR_USAGE, 0, "-%c needs a value", o->letter);
		if (store(to, o, value, err))
			return err->kind;
		if (value)
			break;
	}
	return 0;
}

bool options_stdin_profile(const struct options *o)
{
	for (size_t i = 0; i < o->nprofiles; i++) {
		const char *eq = strchr(o->profiles[i], '=');

		if (strcmp(eq ? eq + 1 : o->profiles[i], "-") == 0)
			return true;
	}
	return false;
}

static bool options_stdin_script(const struct options *o)
{
	for (size_t i = 0; i < o->ntasks; i++)
		if (o->tasks[i].file && strcmp(o->tasks[i].text, "-") == 0)
			return true;
	return false;
}

/* A client asks; so nothing else does, and standard input is its. */
static int check_mcp(const struct options *o, struct err *err)
{
	if (!o->nprofiles)
		return err_set(err, ERR_USAGE, 0, "--mcp needs a profile");
	if (o->ntasks || o->verify || o->bench_parse)
		return err_set(err, ERR_USAGE, 0,
			       "--mcp takes queries from its client, not from -c, -f, "
			       "--verify or --bench-parse");
	if (options_stdin_profile(o))
		return err_set(err, ERR_USAGE, 0,
			       "with --mcp standard input is the client, not a profile");
	return 0;
}

static int check_options(const struct options *o, struct err *err)
{
	if (o->index && o->no_index_write)
		return err_set(err, ERR_USAGE, 0,
			       "--index and --no-index-write contradict");
	if (o->index && !*o->index)
		return err_set(err, ERR_USAGE, 0, "--index takes the path of a file");
	if (options_stdin_profile(o) && options_stdin_script(o)) {
		err_set(err, ERR_USAGE, 0,
			"the profile and the script cannot both be standard input");
		return err_hint(err, "give queries by -c, or the script by -f FILE");
	}
	if (o->mcp && !o->help && !o->version)
		return check_mcp(o, err);
	if (o->verify && !o->nprofiles && !o->help && !o->version)
		return err_set(err, ERR_USAGE, 0, "--verify needs a profile");
	if (o->bench_parse && !o->nprofiles && !o->help && !o->version)
		return err_set(err, ERR_USAGE, 0, "--bench-parse needs a profile");
	if (o->bench_parse && o->format != FORMAT_NONE && o->format != FORMAT_TABLE &&
	    o->format != FORMAT_JSON)
		return err_set(err, ERR_USAGE, 0, "--bench-parse writes a table or json");
	return 0;
}

/* Is it a query?  It reads as one, or it is several words and the first cannot be a path. */
static bool is_quoted_query(const char *arg)
{
	const size_t first = strcspn(arg, "./= ");

	return query_reads(str_c(arg)) || (first && arg[first] == ' ');
}

/* sqlite3 FILE 'select ...': after a profile, what is no file and reads as a query, or is
 * several words, is one; commands need no profile. */
static bool is_query(const struct options *o, const char *arg)
{
	size_t word = 0; /* of a dot-command */

	if (access(arg, F_OK) == 0)
		return false;
	if (arg[0] == '.')
		word = strspn(arg + 1, "abcdefghijklmnopqrstuvwxyz-");
	if (word || strcmp(arg, "help") == 0)
		return !word || !arg[1 + word] || arg[1 + word] == ' ';
	return o->nprofiles ? is_quoted_query(arg)
			    : query_reads(str_c(arg)) && strchr(arg, ' ');
}

/* quern NEW OLD why: files are added up unless one is the base. */
static int check_compared(const struct options *o, const char *last, struct err *err)
{
	static const char words[] = "why overview diff compare vs";
	const char *const *const file = o->profiles;
	const int place = str_place(words, str_c(last));

	/* quern diff OLD NEW */
	if (o->nprofiles == 3 && !strchr(file[1], '=') && access(file[0], F_OK) < 0 &&
	    access(file[1], F_OK) == 0 && access(file[2], F_OK) == 0 &&
	    str_place(words, str_c(file[0])) >= 0) {
		err_set(err, ERR_USAGE, 0, "'%s' is no command", file[0]);
		return err_hint(err, "quern %s base=%s why", file[2], file[1]);
	}
	if (!last || o->nprofiles < 2 || o->nprofiles > 3 || strchr(file[1], '=') ||
	    access(file[0], F_OK) < 0 || access(file[1], F_OK) < 0 || place < 0 ||
	    access(last, F_OK) == 0)
		return 0;
	err_set(err, ERR_USAGE, 0, "two files, and '%s': one of them is to be the base",
		last);
	return err_hint(err, "quern %s base=%s %s", file[0], file[1],
			place < 2 ? last : "why");
}

/* Join words that are no files.  *quoted: one of them is several, beside others. */
static size_t join_words(const char *const *word, size_t n, char *text, size_t bytes,
			 bool *quoted)
{
	size_t words = 0, at = 0;
	bool blanks = false;

	*text = '\0';
	for (size_t i = 0; i < n; i++)
		if (!is_profile(word[i])) {
			at += (size_t)snprintf(text + at, bytes - at, "%s%s",
					       words++ ? " " : "", word[i]);
			blanks |= strchr(word[i], ' ') != NULL;
		}
	*quoted = blanks && words > 1;
	return words;
}

/* quern FILE top 5, quern 'top 5' FILE, quern FILE malloc: words that are no files are a query
 * if they read as one.  One word is, if it does not look like a file. */
static int take_words(struct options *o, const char *const *word, size_t n,
		      struct err *err)
{
	size_t bytes = 1, words, found = 0;
	bool quoted;

	for (size_t i = 0; i < n; i++) {
		bytes += strlen(word[i]) + 1;
		found += access(word[i], F_OK) == 0;
	}
	if (!(o->unquoted = malloc(bytes)))
		return err_no_memory(err, NULL);
	words = join_words(word, n, o->unquoted, bytes, &quoted);
	if (!found || !words || quoted || o->verify || o->bench_parse || o->mcp)
		return 0;
	if (words == 1 && !strchr(o->unquoted, ' ')
		    ? strpbrk(o->unquoted, "/.=*?[-") != NULL
		    : !is_quoted_query(o->unquoted))
		return 0;
	o->nprofiles = 0;
	for (size_t i = 0; i < n; i++)
		if (is_profile(word[i]))
			o->profiles[o->nprofiles++] = word[i];
	o->ntasks = 1;
	o->tasks[0] = (struct task){false, o->unquoted};
	return 0;
}

/* quern base=OLD new=NEW: the first profile is asked, and the base is there to compare. */
static void base_last(struct options *o)
{
	const char *const first = o->nprofiles ? o->profiles[0] : "";

	if (strncmp(first, "base=", 5) == 0) {
		memmove(o->profiles, o->profiles + 1,
			(o->nprofiles - 1) * sizeof(*o->profiles));
		o->profiles[o->nprofiles - 1] = first;
	}
}

int options_read(struct options *o, int argc, char **argv, struct err *err)
{
	size_t n = (size_t)argc + 1, nwords = 0;
	const char **words = calloc(n, sizeof(*words)); /* that are no options */
	bool ended = false;

	*o = (struct options){0};
	o->profiles = calloc(n, sizeof(*o->profiles));
	o->tasks = calloc(n, sizeof(*o->tasks));
	o->given = calloc(n, sizeof(*o->given));
	if (!o->profiles || !o->tasks || !o->given || !words) {
		free(words);
		return err_no_memory(err, NULL);
	}
	for (int i = 1; i < argc && !err->kind; i++) {
		const char *a = argv[i];

		if (ended || a[0] != '-' || !a[1])
			words[nwords++] = a;
		if ((ended || a[0] != '-' || !a[1]) && is_query(o, a))
			o->tasks[o->ntasks++] = (struct task){false, a};
		else if (ended || a[0] != '-' || !a[1])
			o->profiles[o->nprofiles++] = a;
		else if (strcmp(a, "--") == 0)
			ended = true;
		else if (a[1] == '-')
			read_long(o, argv, &i, err);
		else
			read_letters(o, argv, &i, err);
	}
	if (!err->kind)
		check_compared(o, nwords == 3 ? words[2] : NULL, err);
	/* The tasks of -c and -f leave words to be files. */
	if (!err->kind && o->ntasks + o->nprofiles == nwords)
		take_words(o, words, nwords, err);
	free(words);
	base_last(o);
	return err->kind ? (int)err->kind : check_options(o, err);
}

void options_free(struct options *o)
{
	free(o->unquoted);
	free(o->profiles);
	free(o->tasks);
	free(o->given);
}
