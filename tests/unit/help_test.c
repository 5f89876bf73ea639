/* help_test.c - every verb, stage, unit and dot-command has help with an example. */
#include "repl/prompt/help.h"

#include "engine/lang/keywords.h"
#include "repl/prompt/command.h"
#include "tests/support/tap.h"

static void has_help(const char *prefix, const char *word)
{
	char topic[64];
	struct out o;

	snprintf(topic, sizeof(topic), "%s%s", prefix, word);
	out_mem(&o);
	ok(help_print(&o, str_c(topic)), ".help %s", topic);
	/* Examples are indented by four. */
	ok(o.n && str_find_str((struct str){o.buf, o.n}, STR("\n    ")) < o.n,
	   "  with an example");
	out_close(&o);
}

static void test_words(void)
{
	for (size_t i = 0; i < verbs_n; i++)
		has_help("", verbs[i].word);
	for (size_t i = 0; i < stage_words_n; i++)
		has_help("", stage_words[i].word);
	for (size_t i = 0; path_words[i]; i++)
		has_help("", path_words[i]);
	has_help("", "let");
}

static void test_commands(void)
{
	const struct command *c;

	for (size_t i = 0; (c = command_at(i)); i++) {
		const struct help_topic *t = help_of_command(c->name);
		char start[64];

		has_help(".", c->name);
		snprintf(start, sizeof(start), ".%s", c->name);
		ok(t && t->examples[0] &&
			   strncmp(t->examples[0], start, strlen(start)) == 0,
		   "  of .%s itself", c->name);
	}
}

static void test_nothing(void)
{
	struct out o;

	out_mem(&o);
	ok(!help_print(&o, STR("nosuch")) && !help_print(&o, STR(".nosuch")) &&
		   !help_print(&o, STR("o")),
	   "no help on what there is not");
	out_close(&o);
}

int main(void)
{
	test_words();
	test_commands();
	test_nothing();
	return done_testing();
}
