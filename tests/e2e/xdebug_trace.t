#!/usr/bin/env python3
"""xdebug_trace.t - the stacks of a PHP run are those of Xdebug's own trace of the same run.

Programs are generated from SEED: functions, methods, closures, generators, callbacks, exceptions,
includes and destructors that call each other.  Xdebug writes a profile and a function trace of one
process; each call of the trace is on the same stack in `contexts`, and none is elsewhere.
"""
import collections
import json
import random
import shutil
import subprocess

from e2e import done, ok, run, seed, skip_all

PHP = ["php", "-n", "-d", "zend_extension=xdebug.so"]
if not shutil.which("php") or b"Xdebug" not in subprocess.run(
        PHP + ["-m"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.split(b"\n"):
    skip_all("no PHP with Xdebug: apt-get install php-cli php-xdebug")
SEED = seed()
dice = random.Random(SEED)
WAYS = ["%s;", "try { %s; } catch (Exception $e) { caught($e); }", "foreach (range(0, 2) as $i) { %s; }",
        "array_map(function ($x) use ($d) { return %s; }, [1, 2]);", "foreach (gen($d) as $y) { %s; }",
        "$o = new Thing($d); %s; $o = null;",
        "$a = [3, 1, 2]; usort($a, function ($p, $q) { return strcmp((string)$p, (string)$q); }); %s;",
        "call_user_func('plain', $d); %s;", "if ($d == 2) { throw new Exception('x'); } %s;",
        "include __DIR__ . '/part.php'; %s;"]
COMMON = """<?php
class Thing { public $n; function __construct($n) { $this->n = $n; } function __destruct() { plain($this->n); }
  static function stat($d) { return plain($d); } function __get($x) { return plain(1); } }
function plain($d) { return strlen(str_repeat('x', abs($d))); }
function caught($e) { return $e->getMessage(); }
function gen($d) { yield plain($d); yield Thing::stat($d); }
"""


def program(functions):
    text = COMMON
    for f in range(functions):
        calls = " ".join(dice.choice(WAYS) % ("f%d($d - 1)" % dice.randrange(functions))
                         for _ in range(dice.randrange(1, 3)))
        text += "function f%d($d) { if ($d <= 0) { return plain($d); } %s return $d; }\n" % (f, calls)
    text += "foreach ([%s] as $f) { try { $f(%d); } catch (Exception $e) { caught($e); } }\n" % (
        ", ".join("'f%d'" % dice.randrange(functions) for _ in range(3)), dice.randrange(3, 6))
    return (text + ("$kept = new Thing(7);\n" if dice.randrange(2) else "") +
            ("exit(0);\n" if dice.randrange(4) == 0 else ""))


def traced(path):
    """Calls by stack."""
    stack, calls = [], collections.Counter()
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            cells = line.rstrip("\n").split("\t")
            if len(cells) < 4 or not cells[0].isdigit() or cells[2] not in "01":
                continue
            level = int(cells[0])
            del stack[level - 1:]
            if cells[2] == "1":
                continue
            name = cells[5]
            if cells[6] == "0":
                name = "php::" + name
            if name in ("include", "require", "include_once", "require_once"):
                name += "::" + cells[7]
            stack += ["?"] * (level - 1 - len(stack)) + [name]
            calls[tuple(s for s in stack if s != "?")] += 1
    return calls


def profiled(path):
    r = run(path, "-q", "--no-index-write", "-c", "contexts | sort id asc | show id, under, fn, calls | as json")
    if r.status:
        return r, {}
    stacks, calls = {}, collections.Counter()
    for number, under, fn, n in json.loads(r.text)["rows"]:
        stacks[number] = stacks.get(under, ()) + (fn,)
        calls[stacks[number]] += n
    return r, calls


for round_ in range(12):
    text = program(dice.randrange(3, 9))
    with open("p.php", "w", encoding="utf-8") as f:
        f.write(text)
    with open("part.php", "w", encoding="utf-8") as f:
        f.write("<?php plain(2);\n")
    subprocess.run(PHP + ["-d", "xdebug.mode=profile,trace", "-d", "xdebug.trace_format=1", "-d",
                          "xdebug.use_compression=0",
                          "-d", "xdebug.start_with_request=yes", "-d", "xdebug.output_dir=.", "-d",
                          "xdebug.trace_output_name=trace",
                          "-d", "xdebug.profiler_output_name=p.xd", "-d", "max_execution_time=60", "p.php"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    want = traced("trace.xt")
    if "exit(0)" in text:  # what runs after it is not in the profile
        want = {stack: n for stack, n in want.items() if stack[0] == "{main}"}
    r, got = profiled("p.xd")
    ok(r.status == 0 and sum(want.values()) > 3, "seed %d, program %d: %d calls" % (SEED, round_, sum(want.values())), r)
    odd = ["%s: %d, traced %d" % (";".join(k), got.get(k, 0), want.get(k, 0)) for k in set(got) | set(want)
           if got.get(k, 0) != want.get(k, 0)]
    ok(r.status == 0 and not odd, "each on the stack of the trace", "\n".join(sorted(odd)[:20]))
done()
