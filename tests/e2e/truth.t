#!/usr/bin/env python3
"""truth.t - trees and inclusive costs of a recursive program against its true stacks.

What the profiles are, and how the true stacks were recorded, is in tests/fixtures/truth.
"""
import itertools
import json
import os
import re
import shutil
import subprocess

import truth
from e2e import done, fixtures, ok, run, same, skip, top

# Profile, the most that functions may cost together of which less than LEAST of the self cost is
# shown, and least overlap and most frame error, twice: see folded(). What no frame shows stands
# below "(other)", by function: without that they would be 3.6 % in a tree of 30,000 frames.
MARKS = [
    ("sqlite", 0, .72, .15, .76, .10),
    ("sqlite-parts", 0, .80, .15, .89, .046),
]
LEAST = .75

true = truth.read(fixtures + "/truth/sqlite-true.folded.xz")
true_self, true_incl = truth.self_costs(true), truth.inclusive_costs(true)
twice = truth.inclusive_costs(true, 2)


def note(text, rows=()):
    for line in [text] + ["  %s: %s, shown %s" % row for row in list(rows)[:20]]:
        print("# " + ascii(line)[1:-1])


def ask(name, *queries):
    """The rows of each query as dicts, asked by one process; empty, and a failed test, when quern refuses one."""
    r = run(fixtures + "/truth/%s.out.xz" % name, "--index", name + ".quern", "-q",
            *[arg for query in queries for arg in ("-c", query + " | as json")])
    told = [json.loads(text) for text in re.split(r'\n(?={"meta":)', r.text) if text]
    if not ok(r.status == 0 and len(told) == len(queries), "%s: %s, %d asked" % (name, queries[-1], len(queries)), r):
        return [[] for _ in queries]
    return [[dict(zip(found["columns"], row)) for row in found["rows"]] for found in told]


def tree(name, most_little, *marks):
    shown, figures = folded(name, true, "calltree from main", *marks)
    same(sum(shown.values()), true_incl["main"], name + ": the stacks add up to main")
    same({stack[0] for stack in shown}, {"main"}, name + ": every stack begins with main")
    top = max(true_self, key=true_self.get)
    ok(figures.shown_self.get(top, 0) >= true_self[top] * LEAST,
       "%s: %s, which has the most self cost, is in frames" % (name, top),
       "%s of %d" % (figures.shown_self.get(top), true_self[top]))
    whole, = self_of(name, "functions")
    much, little = figures.too_much(whole), figures.too_little(LEAST)
    note("%s: %d of %d functions are shown with too much self cost" %
         (name, len(much), len(figures.true_self)), much)
    ok(not much, name + ": no function has more self cost than it has", much)
    share = sum(c for _, c, _ in little) / figures.total
    note("%s: %d functions, %.1f %% of the cost, are shown with less than %.0f %% of theirs" %
         (name, len(little), 100 * share, 100 * LEAST), little)
    ok(share <= most_little, name + ": few functions have much less self cost than they have", little)


def inclusive(name, levels=False):
    """Inclusive costs by name; of functions, or of the levels of recursion that were recorded.

    A function is compared where its self cost by name is the true one and not 0: then it ran
    under main only, so its inclusive cost is that of the true stacks it is on. The first level
    of a recursive function, whose name has no suffix, has the cost of them all.
    """
    rows, = ask(name, ("contexts | " if levels else "") + "functions | show fn, self, incl, lo, hi, estimated")
    name += ", by level" if levels else ""
    own, names = {}, {}
    for row in rows:
        fn = truth.name_alone(row["fn"])
        own[fn] = own.get(fn, 0) + row["self"]
        names[row["fn"]] = names.get(row["fn"], 0) + 1
    counts = dict(exact=0, estimated=0, levels=0, elsewhere=0)
    wrong, outside = [], []
    for row in rows:
        full, fn = row["fn"], truth.name_alone(row["fn"])
        lo, hi = (row["incl"] if row[end] is None else row[end] for end in ("lo", "hi"))
        if not lo <= row["incl"] <= hi or not row["estimated"] and lo < hi:
            outside.append((full, row))
        if fn not in true_incl:
            continue        # it never ran under main
        if own[fn] != true_self.get(fn) or names[full] > 1:
            counts["elsewhere"] += full == fn
        elif full != fn:    # a deeper level: part of the stacks, but all that have the name twice
            counts["levels"] += 1
            if lo > true_incl[fn] or full == fn + "'2" and hi < twice.get(fn, 0):
                outside.append((full, row))
        elif row["estimated"]:
            counts["estimated"] += 1
            if not lo <= true_incl[fn] <= hi:
                outside.append((full, row))
        else:
            counts["exact"] += 1
            if row["incl"] != true_incl[fn]:
                wrong.append((full, true_incl[fn], row["incl"]))
    note("%s: inclusive costs compared: %d exact, %d estimated, %d of deeper levels; %d left out, "
         "whose name runs outside main or is not unique" % (name, counts["exact"], counts["estimated"],
                                          counts["levels"], counts["elsewhere"]))
    note("%s: %d exact ones are wrong" % (name, len(wrong)), wrong)
    ok(counts["exact"] >= 1000, name + ": most functions have an exact inclusive cost", counts)
    if levels:
        ok(counts["levels"] >= 60, name + ": deeper levels are compared", counts)
    ok(not wrong, name + ": exact inclusive costs are the true ones", wrong)
    ok(not outside, name + ": true and shown inclusive costs are within their bounds", outside)


def folded(name, true, query, *marks, at=fixtures + "/truth/%s.out.xz"):
    """Both figures: with direct recursion as it is shown, and taken as one frame on both sides, since
    callgrind's own stacks have no second frame of a function that calls itself. What is shown, and its figures."""
    r = run(at % name, "--index", name + ".quern", "-q", "-c", query + " | as folded")
    ok(r.status == 0 and "error" not in r.talk, name + ": the folded tree is told without a complaint",
       "status %d\n%s" % (r.status, r.talk))
    shown, first = truth.stacks(r.text), None
    for direct, overlap, error in ((True, *marks[:2]), (False, *marks[2:])):
        figures = truth.Figures(true if direct else truth.stripped(true, False), shown, direct)
        note("%s, direct recursion %s: %s" % (name, "as it is" if direct else "as one frame", figures))
        ok(figures.overlap >= overlap and figures.frame_error <= error,
           "%s: %s" % (name, "as shown" if direct else "with direct recursion folded"),
           "overlap %.1f %%, error %.1f %%" % (100 * figures.overlap, 100 * figures.frame_error))
        first = first or figures
    return shown, first


def grouped(name, overlap, error):
    """A tree of files, against the true stacks with a frame for each change of file."""
    rows, = ask(name, "functions | show fn, file")
    file = {}
    for row in rows:
        file.setdefault(truth.name_alone(row["fn"]), row["file"] or "???")
    files = lambda stack: tuple(f for f, _ in itertools.groupby(stack))
    of_true, shown = {}, {}
    for stack, cost in true.items():
        stack = files(file[fn] for fn in stack)
        of_true[stack] = of_true.get(stack, 0) + cost
    r = run(fixtures + "/truth/%s.out.xz" % name, "--index", name + ".quern", "-q", "-c", "collapse by file | calltree | as folded")
    for stack, cost in truth.stacks(r.text).items():
        if file["main"] in stack:
            stack = stack[stack.index(file["main"]):]
            shown[stack] = shown.get(stack, 0) + cost
    figures = truth.Figures(of_true, shown)
    note("%s, by file: %s" % (name, figures))
    ok(figures.overlap >= overlap and figures.frame_error <= error and figures.other < .001, name + ": files", str(figures))


def stages(name, focus, hide):
    """Self costs after focus, ignore and hide of functions with 0.5 to 90 % of the cost.

    The error is the cost that stands at the wrong function, of all under main. Of ignore it is
    told how far it is from the rest of focus: the two add up to all.
    """
    total = sum(true.values())
    sets = [fn for fn, cost in sorted(true_incl.items()) if .005 * total < cost < .9 * total][::1 if "QUERN_TORTURE" in os.environ else 20]
    asked = ["functions"] + ["%s /^%s('[0-9]+)?$/ | functions" % (stage, fn)
                             for fn in sets for stage in ("focus", "ignore", "hide")]
    whole, *told = self_of(name, *asked)
    wrong = dict(focus=0, hide=0)
    for i, fn in enumerate(sets):
        passing, rest = {}, {}
        for stack, cost in true.items():
            left = stack
            if fn in stack:
                passing[stack[-1]] = passing.get(stack[-1], 0) + cost
                left = [x for x in stack if x != fn]
            if left:
                rest[left[-1]] = rest.get(left[-1], 0) + cost
        shown, ignored, hidden = told[3 * i:3 * i + 3]
        wrong["focus"] += misplaced(passing, shown)
        wrong["hide"] += misplaced(rest, hidden)
        both = {f: shown.get(f, 0) + ignored.get(f, 0) for f in whole}
        same(both, whole, "%s: focus and ignore %s add up to all" % (name, fn))
    for stage, most in ("focus", focus), ("hide", hide):
        error = wrong[stage] / len(sets) / total
        note("%s: %s, %d functions in turn: %.3f %% of the cost is misplaced" %
             (name, stage, len(sets), 100 * error))
        ok(error <= most, "%s: %s by self costs" % (name, stage), error)


def self_of(name, *queries):
    """{function: self cost} of each query."""
    sums = []
    for rows in ask(name, *[query + " | show fn, self" for query in queries]):
        costs = {}
        for row in rows:
            fn = truth.name_alone(row["fn"])
            costs[fn] = costs.get(fn, 0) + row["self"]
        sums.append(costs)
    return sums


def misplaced(wanted, shown):
    return sum(abs(wanted.get(fn, 0) - shown.get(fn, 0)) for fn in true_self) / 2


for profile, *marks in MARKS:
    tree(profile, *marks)
    inclusive(profile)
    inclusive(profile, levels=True)
grouped("sqlite", .93, .082)
grouped("sqlite-parts", .97, .04)
folded("sqlite13", truth.read(fixtures + "/truth/sqlite13-true.folded.xz"), "calltree", .775, .085, .81, .057)
perl = truth.read(fixtures + "/truth/perl-true.folded.xz")
folded("perl", perl, "calltree", .77, .06, .78, .06)
folded("perl13", perl, "calltree", .84, .025, .85, .025)    # 13 events
same(*[run(fixtures + "/truth/perl13.out.xz", "--index", "jobs%d.quern" % n, "--jobs", str(n), "-q", "-c",
           "calltree max 3000 | as csv").text for n in (1, 4)], "signs: the same tree for each number of threads")
folded("perl3", perl, "calltree", .96, .01, .98, .005)      # callers in the names
rows = "calltree from Perl_runops_standard depth 8%s | count"
same([run(fixtures + "/truth/perl.out.xz", "--index", "perl.quern", "-q", "-c", rows % most).text for most in ("", " max 1000000")],
     [" count\n10,854\n"] * 2, "a limit of depth keeps rows that are cheaper than 40,000 deeper ones")
beside = os.path.join(top, "..", "shared", "profiles", "truth")
if os.path.isdir(beside) and shutil.which("zstd"):      # too large for a fixture
    with open("cc1.folded", "wb") as f:
        subprocess.run(["zstd", "-qdc", beside + "/cc1-true.folded.zst"], stdout=f, check=True)
    folded("cc1", truth.read("cc1.folded"), "calltree", .52, .11, .76, .031, at=beside + "/%s.out.zst")
else:
    skip("cc1: as shown", "its profile is not there")
stages("sqlite", .0035, .0035)
stages("sqlite-parts", .0015, .0035)
done()
