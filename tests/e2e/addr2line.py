#!/usr/bin/env python3
"""addr2line.py - compare inlined calls with what binutils says, address by address.

    tests/e2e/addr2line.py PROFILE OBJECT [N]

of N addresses of the object (default: all) in a profile with instruction addresses.
"""
import json
import os
import random
import subprocess
import sys


def addr2line(addresses, path):
    """{address: (names, places)}, innermost first; the last is the function itself."""
    r = subprocess.run(["addr2line", "-a", "-i", "-f", "-C", "-e", path], text=True, check=True,
                       input="\n".join(map(hex, addresses)), capture_output=True)
    frames, now = {}, None
    for line in r.stdout.splitlines():
        if line.startswith("0x") and len(line) == 18:
            now = frames.setdefault(int(line, 16), [])
        else:
            now.append(line)
    return {a: (f[0::2], [os.path.basename(p.split(" (")[0]) for p in f[1::2]]) for a, f in frames.items()}


def differences(said, path):
    """said: {address: (inlined, inlined_at)}.  Where a name is no linker's, addr2line shows
    that of the symbol for the innermost function."""
    wrong = []
    for a, (names, places) in addr2line(sorted(said), path).items():
        want, got = names[:-1], said[a][0].split(" in ") if said[a][0] else []
        if len(want) == len(got) and want and want[0] == names[-1]:
            want = got[:1] + want[1:]
        # Where a member has no linker's name, addr2line does not show its class, nor where a lambda is.
        want = [g if g.endswith("::" + w) and "(" not in w.replace("operator()", "", 1).split("<")[0] else w for g, w in zip(got, want)] if len(want) == len(got) else want
        if got != want or said[a][1] != " in ".join(places[1:]):
            wrong.append((hex(a), said[a], (names, places)))
    return wrong


def main(profile, path, most=1 << 62):
    quern = os.environ.get("QUERN", os.path.dirname(os.path.abspath(__file__)) + "/../../build/release/quern")
    query = "instrs of obj:\"%s\" | show instr, inlined, inlined_at" % os.path.basename(path)
    p = subprocess.run([quern, profile, "-q", "--format", "ndjson", "-c", query], text=True, capture_output=True)
    rows = [json.loads(line) for line in p.stdout.splitlines()]
    rows = random.Random(1).sample(rows, min(int(most), len(rows)))
    said = {r["instr"]: (r["inlined"] or "", r["inlined_at"] or "") for r in rows}
    wrong = differences(said, path)
    for one in wrong[:20]:
        print("%s\n  here       %s\n  addr2line  %s" % one)
    print("%d addresses, %d inlined, %d differ" % (len(said), sum(bool(s[0]) for s in said.values()), len(wrong)))
    return bool(wrong or not said)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
