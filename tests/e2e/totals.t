#!/usr/bin/env python3
"""totals.t - callgrind's own check: what it wrote as totals is what the functions sum up to.

For every file of callgrind, per event: the sum of self costs equals the sum of the `totals:`
lines, as read here line by line, and no function's inclusive cost is above 100 %, with one
exception that is callgrind's own: where its `summary:` is more than its `totals:`, by 2 of
2,861,577 Ir in one of these files, the outermost function has the summary's cost.

Profiles beside the repository, in ../shared/profiles, are checked where they are unpacked.
"""
import glob
import json
import os

from e2e import HUNG, done, fixtures, ok, run, same, skip, top


def written(path):
    """The sums of `totals:` and of `summary:` by event; None when callgrind did not make it."""
    sums, events, made_by = {b"totals": {}, b"summary": {}}, [], b""
    with open(path, "rb") as f:
        for line in f:
            key, _, rest = line.partition(b":")
            if key == b"creator":
                made_by = rest.strip()
            elif key == b"events":
                events = rest.decode().split()
                if not made_by.startswith(b"callgrind"):
                    return None
            elif key in sums:
                for event, cost in zip(events, rest.split()):
                    sums[key][event] = sums[key].get(event, 0) + int(cost)
    return sums if sums[b"totals"] else None


def check(path):
    name, sums = os.path.basename(path), written(path)
    if sums is None:
        return 0
    want = sums[b"totals"]
    args = [path, "--index", "index.quern", "-q"]

    def ask(*more):
        return run(*args, *more, seconds=2 * HUNG)

    r = ask("--format", "json", "-c", "events")
    if not ok(r.status == 0, name + " is read", r):
        return 1
    total = {row[0]: row[3] for row in json.loads(r.text)["rows"]}
    same({e: total.get(e) for e in want}, want, name + ": self costs sum up to the totals: lines")
    r = ask("-c", "info | show totals")
    ok("agree with the sums" in r.text, name + ": info says so", r)
    for event in want:
        summary = sums[b"summary"].get(event, 0)
        most = max(want[event], summary if summary < 1 << 63 else 0)    # some underflowed
        r = ask("--event", event, "-c",
                "functions | where incl > %d or self > %d | expect none" % (most, want[event]))
        ok(r.status == 0, "%s: nothing above 100 %% of %s" % (name, event), r)
        r = ask("--event", event, "--format", "json", "-c", "functions | show self | sum")
        got = json.loads(r.text)["rows"][0][0] or 0
        same(got, want[event], "%s: the functions' %s adds up" % (name, event))
    os.remove("index.quern")
    return 1


checked = sum(check(path) for path in sorted(glob.glob(fixtures + "/small/*.out*")))
ok(checked > 12, "files of callgrind were checked", checked)

# Where they do not, it is said at once, and `info` goes on saying so.
HEAD = b"events: Ir Dr\nfn=f\n1 5 6\n"
for name, text, said, info in (
        ("all agree", HEAD + b"totals: 5 6\n", None, "agree with the sums"),
        ("the second event", HEAD + b"totals: 5 9\n", "say 9 Dr, its lines add up to 6",
         "DISAGREE in Dr: 9 written, 6 summed"),
        ("in two parts", HEAD + b"totals: 5 6\npart: 2\n" + HEAD + b"totals: 4 6\n",
         "say 9 Ir, its lines add up to 10", "DISAGREE in Ir: 9 written, 10 summed"),
        ("in one part of two", HEAD + b"part: 2\n" + HEAD + b"totals: 4 6\n", None,
         "the profile has none"),
        ("their sum does not fit", HEAD + b"totals: %d 6\npart: 2\n" % (2 ** 63 - 1) + HEAD +
         b"totals: 7 6\n", "say {:,} Ir".format(2 ** 63 - 1), "DISAGREE in Ir: {:,}".format(2 ** 63 - 1))):
    with open("t.out", "wb") as f:
        f.write(text)
    r = run("t.out", "--rebuild", "-c", "info | show totals")
    ok(r.status == 0 and info in r.text and (said in r.talk if said else "totals" not in r.talk),
       "totals: " + name, r)
    r = run("t.out", "-c", "info | show totals")
    ok(r.status == 0 and info in r.text and "say" not in r.talk, "asked again: " + name, r)
    os.remove("t.out.quern")

# The first event of this profile was counted nowhere: the first that was is taken; of the other the rows say so.
heap = fixtures + "/small/xtree-memory-memcheck.kcg"
why = "; all curB are 0, but not all totB: .event totB"
for query, rows in (("top 3", "functions"), ("top 2 files", "files"), ("top 2 lines", "lines")):
    r = run(heap, "--index", "heap.quern", "-q", "-c", query)
    ok(r.status == 0 and "totB" in r.text and why not in r.text, "%s: what is not 0" % query, r)
    r = run(heap, "--index", "heap.quern", "-q", "--event", "curB", "-c", query)
    ok(r.status == 0 and rows + why in r.text, "%s: what is not 0 instead" % query, r)
    r = run(heap, "--index", "heap.quern", "-q", "-c", ".event totB", "-c", query)
    ok(r.status == 0 and why not in r.text and " % of 98.4 KiB totB" in r.text,
       "%s: and of that" % query, r)

shared = top + "/../shared/profiles"
known = {os.path.basename(p) for p in glob.glob(fixtures + "/small/*")}
for path in sorted(glob.glob(shared + "/small/*.out*") + glob.glob(shared + "/big/*.out")):
    if os.path.basename(path) not in known:
        check(path)
for path in sorted(glob.glob(shared + "/big/*.zst")):
    if not os.path.exists(path[:-4]):
        skip(os.path.basename(path), "it is not unpacked")
if not os.path.isdir(shared):
    skip("further profiles", "../shared/profiles is not there")
done()
