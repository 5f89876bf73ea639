"""door.py - a Python that asks quern by a library of its own, while allocations fail (doors.py).

    LD_PRELOAD="fault.so liblmdb.so.0" python3 door.py EXTENSION.so|hot.py PROFILE TEXT

It asks once, prints how many allocations that took, and then reads lines: "mem:K:12", as in fault.c.  For
each it asks again with that fault, and prints a line: a hash of the rows, or the error in words.  The
extension keeps profiles open, so PROFILE.0 to PROFILE.11 are asked in turn.
"""
import ctypes
import gc
import hashlib
import importlib.util
import itertools
import os
import sqlite3
import sys

path, profile, text = sys.argv[1:]
turn = itertools.cycle(range(12))
faults = ctypes.CDLL(None)
faults.fault_record.restype = ctypes.c_ulong


def by_sqlite():
    db.execute("DROP TABLE IF EXISTS temp.t")
    db.execute("CREATE VIRTUAL TABLE temp.t USING quern('%s.%d', 'functions')" % (profile, next(turn)))
    return db.execute(text).fetchall()


def by_library():
    return list(hot.ask("%s.%d" % (profile, next(turn)), text))


def attempt(fault):
    gc.collect()
    faults.fault_arm(fault)
    try:
        rows = ask()
    except (Exception, SystemExit) as e:        # hot.py ends with the sentence of the library
        faults.fault_arm(None)
        return "error: %s: %s" % (type(e).__name__, str(e).replace("\n", " "))
    n = faults.fault_record(b"m", None, 0)
    faults.fault_arm(None)
    return hashlib.sha1(repr(rows).encode()).hexdigest() if fault else str(n)


ask = by_sqlite
if path.endswith(".py"):
    spec = importlib.util.spec_from_file_location("hot", path)
    hot = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hot)
    ask = by_library
else:       # some Pythons crash where they have no memory to say why an extension is not loaded
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension(path)
attempt(b"mem:0:12")
print(attempt(None), flush=True)
for line in sys.stdin:
    print(attempt(line.strip().encode()), flush=True)
