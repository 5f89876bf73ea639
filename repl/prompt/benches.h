/*
 * benches.h - a folder of benchmarks: its profiles are found, named and paired.
 *
 * Two layouts are known:
 *
 *	gungraun (iai-callgrind)  ROOT/PACKAGE/FILE/GROUP/FN.ID/callgrind.FN.ID[.MORE].out,
 *				  beside it .out.old of the run before, or .out.base@NAME
 *	CodSpeed		  ROOT/PID.out, a file for each process of a run
 *
 * An index (.out.quern) stands for a profile that is not there.
 *
 * A benchmark is called by its folder below ROOT.  The files of one are one profile, the
 * dumps, threads and processes of a run.
 */
#ifndef QUERN_BENCHES_H
#define QUERN_BENCHES_H

#include "repl/app/options.h"

struct app;

/* Is the first profile of the command line a folder? */
bool benches_asked(const struct options *o);
/*
 * Run the -c and -f of the command line (or the script on standard input) for each
 * benchmark of the folder, with its profile, and the one of before as `base`.  That may
 * come from another folder: NAME=FOLDER.  Where queries compare and some benchmarks
 * have both, those that lack one are named, and not asked.  At the prompt all profiles are opened: NAME, and
 * NAME.old of before.
 *
 * Errors are shown.  0, or the worst kind.
 */
int benches_run(struct app *app, int (*prompt)(struct app *app));

#endif
