#!/usr/bin/env python3
"""evaluator.t - random questions, answered by the engine and by tests/evaluator: the same?  All stages are asked.

1,000 of them; with QUERN_TORTURE set 100,000.  Each failure says how to ask it alone.
"""
import os
import re
import sys

from e2e import SLOW, done, ok, quern, seed, top, work

sys.path.insert(0, top + "/tests/evaluator")
from evaluator import Engine, rounds                                          # noqa: E402

EACH, SHOWN = 50, 5
number = 100000 if os.environ.get("QUERN_TORTURE") else 1000 if SLOW == 1 else 500
first, asked, used = seed(0) * 10 ** 6 + 1, 0, set()
NEVER = {"as", "expect", "cut", "in"}      # change no rows; of a tree alone; of two profiles that are asked by `vs`
for some in range(10):
    wrong = []
    for a_round in rounds(Engine(quern, work), first + some * (number // 10 // EACH), number // 10, EACH):
        asked += EACH
        used |= a_round.stages
        wrong += ["evaluator.py --seed %d --questions %d: %s\n%s\n%s" % (a_round.seed, EACH, os.path.basename(a_round.path), q, why)
                  for q, why in a_round.wrong]
    ok(not wrong, "%d questions" % asked, "\n".join(wrong[:SHOWN]))
with open(top + "/engine/lang/keywords.c", encoding="utf-8") as f:
    known = set(re.findall(r'^\t\{"(\w+)", (?:true|false), [GT]_', f.read(), re.M))
ok(SLOW > 1 or len(known) > 20 and used == known - NEVER, "the questions have each stage",
   "questions.py never asks: %s\nand asks what is no stage: %s" % (sorted(known - NEVER - used), sorted(used - known)))
done()
