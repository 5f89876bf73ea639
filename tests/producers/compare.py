"""compare.py - quern's answers about a profile beside what its producer says."""
import json
import os
import subprocess
import tempfile


class Said:
    """How the two agree: a line of text, and what is wrong."""

    def __init__(self, text, wrong):
        self.text, self.wrong = text, wrong

    def __str__(self):
        return self.text


def ask(quern, path, queries, event=None):
    with tempfile.TemporaryDirectory() as tmp:
        argv = [quern, path, "-q", "--no-init", "--index", tmp + "/i.quern", "--format", "json"]
        if event:
            argv += ["--event", event]
        for q in queries:
            argv += ["-c", q]
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=300)
    text, at, tables = done.stdout.decode("utf-8"), 0, []
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        table, at = json.JSONDecoder().raw_decode(text, at)
        tables.append([dict(zip(table["columns"], row)) for row in table["rows"]])
    if done.returncode:
        raise ValueError("exit %d: %s" % (done.returncode, done.stderr.decode("utf-8", "replace")))
    return tables




def summed(rows, key, column):
    sums = {}
    for row in rows:
        sums[key(row)] = sums.get(key(row), 0) + (row[column] or 0)
    return sums


def differences(what, got, want, within):
    return ["%s of %s: quern %s, producer %s" % (what, key, got.get(key), want[key])
            for key in sorted(want) if abs((got.get(key) or 0) - want[key]) > within]


def compare(quern, p):
    """p is a Profile (producer.py), or has the same members."""
    functions = "functions" if p.path.endswith("xdebug.out") else "contexts | functions"      # as recorded
    queries = ["events", functions, "info", "contexts | calls | where recursive"]
    if p.by != "name":
        queries.append("contexts | lines | group by file, fn: sum(self) as self")
    try:
        events, functions, info, recursive, *lines = ask(quern, p.path, queries)
    except ValueError as e:
        return Said("not read", [str(e)])
    totals = {e["name"]: e["total"] for e in events}
    wrong = ["total of %s: quern %s, producer %s" % (e, totals.get(e), n)
             for e, n in p.totals.items() if abs(totals.get(e, -1) - n) > p.within * (1 + len(p.selfs))]

    def name(row):
        return row["fn"]

    if p.by == "name":
        selfs = summed(functions, name, "self")
    else:
        selfs = summed(lines[0], lambda r: "%s:%s" % (r["file"], r["fn"]), "self")
    calls = summed(functions, name, "calls")
    once = {}
    for f in functions:
        once.setdefault(f["fn"], []).append(f)
    # Of recursion everybody has an opinion of his own.
    loops = {c["caller_id"] for c in recursive}
    incl = {n: fs[0]["incl"] for n, fs in once.items()
            if len(fs) == 1 and not fs[0]["cycle"] and fs[0]["id"] not in loops}
    wrong += differences("self", selfs, p.selfs, p.within)
    wrong += differences("calls", calls, p.calls, 0)
    wrong += differences("incl", incl, {k: v for k, v in p.incl.items() if k in incl}, p.within)
    if not (p.totals or p.selfs or p.calls):
        wrong.append("the producer's report is empty")
    told = info[0]
    text = "%s; %s = %s; %d self, %d calls, %d incl" % (
        p.report, ", ".join("%s %s" % (e, totals.get(e)) for e in p.totals),
        ", ".join(str(n) for n in p.totals.values()), len(p.selfs), len(p.calls),
        len([k for k in p.incl if k in incl]))
    if str(told.get("diagnostics", "0")) != "0":
        text += "; %s diagnostics" % told["diagnostics"]
    return Said(text, wrong[:6])
