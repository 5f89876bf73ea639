#!/usr/bin/env python3
"""producers.t - small real profiles of every producer that could be had, against what the
producers themselves report of the same runs.

tests/producers/run --fixtures made them, and wrote the reports' figures down: nothing in
expected.json comes from quern.
"""
import json
import os
import shutil
import sys
import types

from e2e import done, fixtures, ok, quern, skip_all, top

sys.path.insert(0, top + "/tests/producers")
sys.dont_write_bytecode = True
from compare import compare    # noqa: E402

directory = fixtures + "/producers/"
if not os.path.exists(directory + "expected.json"):
    skip_all("no tests/fixtures/producers")
expected = json.load(open(directory + "expected.json"))
found = set(os.listdir(directory)) - {"expected.json"}
ok(found == set(expected), "every fixture has its figures, and every figure its fixture",
   sorted(found ^ set(expected)))
for name, want in sorted(expected.items()):
    shutil.copy(directory + name, ".")
    profile = types.SimpleNamespace(
        path=name, report=want["report"], totals=want["totals"], selfs=want.get("self", {}),
        calls=want.get("calls", {}), incl=want.get("incl", {}), by=want.get("by", "name"),
        within=want.get("within", 0), all=False)
    said = compare(quern, profile)
    ok(not said.wrong, "%s, %s" % (name, want["producer"]), "\n".join(said.wrong))
done()
