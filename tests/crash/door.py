"""door.py - a Python that asks quern by a library of its own, while allocations fail (doors.py).

    LD_PRELOAD="fault.so liblmdb.so.0" python3 door.py hot.py PROFILE TEXT

It asks once, prints how many allocations that took, and then reads lines: "mem:K:12", as in fault.c.  For
each it asks again with that fault, and prints a line: a hash of the rows, or the error in words.
"""
import ctypes
import gc
import hashlib
import importlib.util
import os
import sys

path, profile, text = sys.argv[1:]
faults = ctypes.CDLL(None)
faults.fault_record.restype = ctypes.c_ulong


def attempt(fault):
    gc.collect()
    faults.fault_arm(fault)
    try:
        rows = list(hot.ask(profile, text))
    except (Exception, SystemExit) as e:        # hot.py ends with the sentence of the library
        faults.fault_arm(None)
        return "error: %s: %s" % (type(e).__name__, str(e).replace("\n", " "))
    n = faults.fault_record(b"m", None, 0)
    faults.fault_arm(None)
    return hashlib.sha1(repr(rows).encode()).hexdigest() if fault else str(n)


spec = importlib.util.spec_from_file_location("hot", path)
hot = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hot)
attempt(b"mem:0:12")
print(attempt(None), flush=True)
for line in sys.stdin:
    print(attempt(line.strip().encode()), flush=True)
