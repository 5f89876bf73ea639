/*
 * safe_folder.h - a folder in which a fuzz target runs the program under --safe.
 *
 * It has the profile p.out with its index, and a file SECRET that no option names.  Names in
 * the profile hold control bytes.  Whatever is typed, no file is made, changed or removed, and
 * SECRET is not shown.
 */
#ifndef QUERN_TESTS_SAFE_FOLDER_H
#define QUERN_TESTS_SAFE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

struct app;

/* Does an input hold what SECRET does?  A fuzzer sees what its text is compared with. */
bool safe_folder_told(const void *input, size_t n);
/* Go to the folder, which is made and filled when it is first entered. */
void safe_folder_enter(void);
/* Open the profile under --safe, colours off; app->output writes to descriptor 1. */
void safe_folder_open(struct app *app);
/* Go back.  Fails (fuzz_fail()) if a file is another than when the folder was entered, or if
 * the n bytes that the program wrote hold what SECRET does. */
void safe_folder_leave(const char *written, size_t n);

#endif
