#!/usr/bin/env python3
"""xdebug_trace.t - the stacks of a PHP run are those of Xdebug's own trace of the same run.

Programs are generated from SEED: functions, methods, closures, generators, callbacks, exceptions,
includes and destructors that call each other; then the same in fibers that take turns.  Xdebug writes a profile and a function trace of one
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


# Of fibers: some are thrown into, some run inside others, some are dropped before they end.
FIBERS = """
function leaf($d) { return md5((string)$d); }
function pause($d) { return Fiber::getCurrent() ? Fiber::suspend($d) : 0; }
function lazy($d) { yield plain($d); pause($d); yield Thing::stat($d); }
function work($d) { global $r; $r = ($r * 1103515245 + 12345) & 0x7fffffff; $n = ($r >> 8) % 4;
  if ($n == 0) return plain($d); if ($n == 1) return leaf($d); if ($n == 2) { $o = new Thing($d); return 1; } return 0; }
function inner($d, $nested) { $g = new Fiber(function($x) use ($d) { work($x); pause($x); work($x); return $x; });
  $g->start($d); work($d); if ($nested) pause($d); if (!$g->isTerminated()) $g->resume(1); return work($d); }
function task($f, $d) { try { return $f($d); } catch (Exception $e) { caught($e); pause(1); work(2); } }
function turn($f, $i) { global $r; work($i); try { if ($r % 17 == 0) { $f->throw(new Exception('thrown')); }
  else { $f->resume($i); } } catch (Exception $e) { caught($e); } }
"""
TURNS = WAYS[:6] + ["pause($d); %s;", "work($d); %s; pause($d);", "work($d); pause($d); work($d); %s;",
                    "foreach (lazy($d) as $y) { %s; }", "inner($d, 0); %s;", "inner($d, 1); %s;",
                    "if ($d == 1) { throw new Exception('x'); } %s;"]


def fibers(functions, n):
    text = COMMON + FIBERS + "$r = %d;\n" % dice.randrange(1 << 30)
    for f in range(functions):
        calls = " ".join(dice.choice(TURNS) % ("f%d($d - 1)" % dice.randrange(functions))
                         for _ in range(dice.randrange(1, 3)))
        text += "function f%d($d) { if ($d <= 0) { return work($d); } %s return $d; }\n" % (f, calls)
    return text + """for ($i = 0; $i < %d; $i++) { work($i); $fs[$i] = new Fiber('task'); $fs[$i]->start('f' . $i %% %d, 3); }
while (count($fs) > %d) foreach ($fs as $i => $f) { if (work(1) && $r %% 3 == 0) { continue; }
  if ($f->isTerminated()) { unset($fs[$i]); } else { turn($f, $i); } work(3); }
unset($f); $fs = []; work(7);
""" % (n, functions, dice.choice([0, 0, 2]))


def traced(path):
    """Calls by stack.  Each fiber has a stack of its own."""
    stack, calls, started = [], collections.Counter(), False
    holds, resumer = {}, {}    # the stack that a call is on; of a stack, the one that runs after it
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            cells = line.rstrip("\n").split("\t")
            if len(cells) < 4 or not cells[0].isdigit() or cells[2] not in "01":
                continue
            if cells[2] == "1":
                back = holds.pop(cells[1], None)
                if back is None:
                    continue
                if back is not stack and back[-1][1] == "php::Fiber::suspend":
                    resumer[id(back)] = stack
                while back.pop()[0] != cells[1]:
                    pass
                stack, started = back if back or id(back) not in resumer else resumer[id(back)], False
                continue
            name = cells[5]
            if cells[6] == "0":
                name = "php::" + name
            if name in ("include", "require", "include_once", "require_once"):
                name += "::" + cells[7]
            if started:
                fresh = []
                resumer[id(fresh)], stack = stack, fresh
            started = name == "php::Fiber->start"
            stack.append((cells[1], name))
            holds[cells[1]] = stack
            calls[tuple(s[1] for s in stack)] += 1
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


def both(text):
    """Calls by stack: what the trace says, the answer, and what the profile says."""
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
    return (want,) + profiled("p.xd")


def odd(want, got):
    return ["%s: %d, traced %d" % (";".join(k), got.get(k, 0), want.get(k, 0)) for k in sorted(set(got) | set(want))
            if got.get(k, 0) != want.get(k, 0)]


for round_ in range(12):
    want, r, got = both(program(dice.randrange(3, 9)))
    ok(r.status == 0 and sum(want.values()) > 3, "seed %d, program %d: %d calls" % (SEED, round_, sum(want.values())), r)
    ok(r.status == 0 and not odd(want, got), "each on the stack of the trace", "\n".join(odd(want, got)[:20]))

# Calls of one name that cost the same to the tick may be each other's: the answer says how many could be.
for n in 2, 5, 5, 10, 30, 60:
    want, r, got = both(fibers(dice.randrange(3, 7), n))
    calls, wrong = sum(want.values()), sum(abs(got.get(k, 0) - want.get(k, 0)) for k in set(got) | set(want)) // 2
    ok(r.status == 0 and sum(got.values()) == calls and wrong <= calls // 100,
       "seed %d, %d fibers: %d calls, %d of them elsewhere" % (SEED, n, calls, wrong), "\n".join(odd(want, got)[:20]))
    told = run("p.xd", "-q", "--no-index-write", "-c", "info")
    ok(not wrong or "fibers take turns" in told.talk + told.text, "info says so", told)
done()
