/*
 * coverage.c - a process of the coverage variant writes its counts at its end, however it ends.
 *
 * exit() writes them; the linker leads calls of _exit() here.
 */
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

void __gcov_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);

/* Limits of time, memory and files are for what was tested. */
static void lift_limits(void)
{
	static const int lifted[] = {RLIMIT_CPU, RLIMIT_DATA, RLIMIT_FSIZE,
				     RLIMIT_NOFILE};
	struct rlimit l;

	setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
	alarm(0);
	for (unsigned i = 0; i < sizeof(lifted) / sizeof(*lifted); i++)
		if (!getrlimit(lifted[i], &l)) {
			l.rlim_cur = l.rlim_max;
			setrlimit(lifted[i], &l);
		}
}

/* A handler of a signal may end the process while its counts are being written. */
_Noreturn void __wrap__exit(int status)
{
	static atomic_flag once = ATOMIC_FLAG_INIT;

	lift_limits();
	if (!atomic_flag_test_and_set(&once))
		__gcov_dump();
	__real__exit(status);
}
