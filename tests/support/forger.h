/*
 * forger.h - indexes that are wrong under checksums that are right, and questions to them.
 *
 * A script is bytes: which sound index, what to do to the numbers of its values, what to ask.
 * Any bytes are one.  The values are written as an index is, so they may change in length, and
 * their checksums are made anew.  Whatever the index says then, each question ends, with an
 * answer or an error in words; so do --verify and adding a dump to a set of files.
 */
#ifndef QUERN_TESTS_FORGER_H
#define QUERN_TESTS_FORGER_H

#include <stddef.h>
#include <stdint.h>

enum { FORGER_SCRIPT = 96 }; /* bytes of one that asks several questions */

/* Make the sound indexes; else that is done when the first script is run. */
void forger_begin(void);
/* Forge and ask; what is wrong ends the program (fuzz_fail()). */
void forger_run(const uint8_t *script, size_t n);

#endif
