/*
 * sanitizers.c - how sanitizers run in each program of their variants; ASAN_OPTIONS and the like
 * say otherwise.
 *
 * The options are in the program, since tests give a program an environment of their own.
 */
#define OPTIONS(tool, text)                           \
	const char *__##tool##_default_options(void); \
	__attribute__((visibility("default")))        \
	const char *__##tool##_default_options(void)  \
	{                                             \
		return text;                          \
	}

/* Refusing what malloc cannot give is tested; the sanitizers would rather die. */
#define SHARED "allocator_may_return_null=1"

OPTIONS(asan, SHARED ":detect_stack_use_after_return=1")
OPTIONS(tsan, SHARED)
OPTIONS(ubsan, "print_stacktrace=1")
