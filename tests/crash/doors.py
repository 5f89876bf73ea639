"""doors.py - allocations fail while another program asks: the library, MCP."""
import json
import os
import random
import shutil
import subprocess
import sys

import crash
from crash import HUNG, Row, Skip, environ, need_faults, quern, read, run, small, write

P = "tmpl-cachebranch.out"
ASKED = ("functions | take 10 | show self, fn", "calltree from main depth 4", "callers of malloc | show fn, calls",
         "functions | group by obj: sum(self) as self, count", "lines | where self > 100 | sort self")
EVERY = 40      # faults of one try
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
HOT = crash.e2e.top + "/engine/api/examples/hot.py"


class Door:
    """A Python that stays, and its answers; one that died is started anew."""

    def __init__(self, text):
        self.p = subprocess.Popen([PYTHON, "-B", os.path.join(os.path.dirname(__file__), "door.py"), HOT, P, text],
                                  env=dict(environ, LD_PRELOAD=crash.e2e.FAULT + " liblmdb.so.0", LD_LIBRARY_PATH=os.path.dirname(quern)),
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.allocations = int(self.p.stdout.readline() or 0)

    def ask(self, fault):
        self.p.stdin.write(fault.encode() + b"\n")
        self.p.stdin.flush()
        return self.p.stdout.readline().decode().strip()


def library_setup():
    need_faults()
    if crash.variant == "static":
        raise Skip("no library in this variant")
    shutil.copy(small + P, ".")
    assert run(P, "-q", "-c", "top 1").status == 0
    s = {"right": {}, "cases": [], "doors": {}}
    for text in ASKED:
        door = s["doors"][text] = Door(text)
        s["right"][text] = door.ask("mem:0:12")
        if not door.allocations or s["right"][text].startswith("error"):
            raise Skip("this Python cannot ask: %s" % (s["right"][text] or door.p.stderr.read().decode()[-300:]))
        s["cases"] += [(text, "mem:%d%s:12" % (k, on)) for k in range(1, door.allocations + 1) for on in ("", "+")]
    random.Random(0).shuffle(s["cases"])
    return s


def library_one(rng, i, s):
    """The rows, or a word about memory."""
    for text, fault in s["cases"][i * EVERY:(i + 1) * EVERY]:
        got = s["doors"][text].ask(fault)
        if got == s["right"][text] or got.startswith("error: MemoryError") or "memory" in got.lower():
            continue
        wrong = got or "it died: %s" % s["doors"][text].p.wait(HUNG)
        s["doors"][text] = Door(text)
        return "%s, %s: %s" % (text, fault, wrong)
    return None


# -------------------------------------------------------------------------------------- MCP

CALLS = [("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
         ("tools/list", {})] + [("tools/call", {"name": "query", "arguments": {"profile": P, "query": q}}) for q in ASKED]


def mcp_setup(calls=list(enumerate(CALLS))):
    need_faults()
    shutil.copy(small + P, ".")
    assert run(P, "-q", "-c", "top 1").status == 0
    write("talk", b"".join(json.dumps({"jsonrpc": "2.0", "id": n, "method": m, "params": p}).encode() + b"\n" for n, (m, p) in calls))
    r = run("--mcp", P, stdin=read("talk"))
    right = answers(r.out)
    assert r.status == 0 and len(right) == len(calls), r
    # Before the first message: libseccomp frees twice if memory is out, and the program ends there.
    first, n = allocations(b""), allocations(read("talk"))
    return {"right": right, "cases": [(k, on) for k in range(first + 1, n + 1) for on in ("", "+")]}


def allocations(talk):
    run("--mcp", P, stdin=talk, count="calls")
    return int(read("calls").split()[1])


def answers(out):
    return {a.get("id"): a for a in map(json.loads, out.splitlines())}


def mcp_one(rng, i, s):
    """Each answer is the right one, or says that memory is out; or the server ends, saying so."""
    k, on = s["cases"][i * 7919 % len(s["cases"])]
    r = run("--mcp", P, stdin=read("talk"), fault="mem:%d%s:12" % (k, on))
    if r.status not in (0, 6) or r.status and "memory" not in r.talk:
        return "mem:%d%s: %s" % (k, on, r)
    for n, got in answers(r.out).items():
        if got != s["right"].get(n) and "memory" not in json.dumps(got):
            return "mem:%d%s: %s" % (k, on, got)
    if r.status == 0 and len(answers(r.out)) < len(s["right"]):
        return "mem:%d%s: %d answers: %s" % (k, on, len(answers(r.out)), r)
    return None


def ping_setup():
    """A key of the answer lies across 64 bytes, where a buffer may have to grow."""
    return mcp_setup([("x" * 36, ("ping", {}))])


def tries(s):
    return -(-len(s["cases"]) // EVERY)


rows = [
    Row("librarymem", "the k-th allocation of the library fails", 8, tries, library_one, library_setup, EVERY),
    Row("mcpmem", "the k-th allocation of MCP fails", 40, lambda s: len(s["cases"]), mcp_one, mcp_setup),
    Row("mcpping", "the k-th allocation of a short talk fails", 1000, lambda s: len(s["cases"]), mcp_one, ping_setup),
]
