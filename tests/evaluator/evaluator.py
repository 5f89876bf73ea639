#!/usr/bin/env python3
"""evaluator.py - asks the engine random questions, and compares its answers with ours.

    tests/evaluator/evaluator.py [--seed N] [--questions N] [--each N] [--keep DIR]

Questions come in rounds: one profile, and so many questions (--each) about it.  A round is its
seed: the same seed makes the same profile and the same questions.  What differs is printed
with its seed and question; --keep keeps the profiles of such rounds.
"""
import argparse
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import calls                                                                  # noqa: E402
import questions                                                              # noqa: E402
import stages                                                                 # noqa: E402
from calls import Known, Run                                                  # noqa: E402
from reader import Profile                                                    # noqa: E402
from program import program                                                   # noqa: E402
from view import World                                                         # noqa: E402

top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BATCH = 100     # queries in one script
FIXTURES = ("small/clreq-combine.out", "producers/callgrind-branch.out", "producers/callgrind-recs10.out",
            "producers/callgrind-dump-before.out", "small/mutual-recs3.out", "quirks/z_mut.cg", "quirks/y_rec.cg",
            "found/rec.cg", "quirks/t_parts.cg")
UNSORTED = " | add zero = 0 | sort zero"     # rows as they stand before they are sorted by cost
EVERY = 8       # rounds: one about a fixture
CALLS = 4       # of as many others one about a run whose every call is known


class Engine:
    """quern, with an index of its own."""

    def __init__(self, quern, directory):
        self.quern, self.directory = quern, directory
        self.environ = dict(os.environ, HOME=directory, LC_ALL="C.UTF-8")

    def ask(self, paths, queries):
        """An answer each: {"columns", "rows"}, or the message as a text."""
        answers = []
        for i in range(0, len(queries), BATCH):
            answers += self._batch(paths, queries[i:i + BATCH])
        return answers

    def _batch(self, paths, queries):
        script = os.path.join(self.directory, "script")
        with open(script, "w") as f:
            f.write("".join(q + "\n" for q in queries))
        p = subprocess.run([self.quern] + paths + ["-q", "--no-init", "--limit", "seconds=3600", "--format", "json", "-f", script], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environ)
        answers, text, at, decoder = [], p.stdout.decode(), 0, json.JSONDecoder()
        while at < len(text):
            answer, at = decoder.raw_decode(text, at)
            answers.append(answer)
            while at < len(text) and text[at].isspace():
                at += 1
        if p.returncode == 0 and len(answers) == len(queries):
            return answers
        if len(queries) == 1:
            return ["status %d: %s" % (p.returncode, p.stderr.decode()[:500])]
        half = len(queries) // 2
        return self._batch(paths, queries[:half]) + self._batch(paths, queries[half:])


def rows_of(answer):
    """A delta% that is null is infinite: the base cost nothing."""
    rows = [dict(zip(answer["columns"], row)) for row in answer["rows"]]
    for row in rows:
        if row.get("delta%", 0) is None and row.get("base", 0) is not None:
            row["delta%"] = math.inf
    return rows


class Round:
    """One profile and the questions about it."""

    def __init__(self, engine, seed):
        self.engine, self.seed, self.rng = engine, seed, random.Random(seed)
        self.wrong, self.stages = [], set()     # the first words of the stages that were asked
        fixture = self.fixture = FIXTURES[seed // EVERY % len(FIXTURES)] if seed % EVERY == EVERY - 1 else None
        if seed % CALLS == 2:
            made, other = Run(seed), Run(seed, random.Random(-seed))
        else:
            made, other = (None, None) if fixture else program(seed)
        if fixture:
            self.path = os.path.join(engine.directory, os.path.basename(fixture))
            shutil.copy(os.path.join(top, "tests/fixtures", fixture), self.path)
            with open(self.path, encoding="utf-8") as f:
                text = f.read()
        else:
            self.path = os.path.join(engine.directory, "seed-%d.cg" % seed)
            text = made.text()
            with open(self.path, "w", encoding="utf-8") as f:
                f.write(text)
        self.base = os.path.join(engine.directory, "base-%d.cg" % seed)
        base_text = other.text() if other else text
        with open(self.base, "w", encoding="utf-8") as f:
            f.write(base_text)
        joined = bool(made and made.shape in ("levels", "callers") and self.rng.random() < 0.7)
        self.world = World(self.path, Profile(text), made, World(self.base, Profile(base_text), other), joined)

    @property
    def paths(self):
        return [self.path, "base=" + self.base]

    def run(self, number):
        if not self._number_functions():
            return
        asker = questions.Asker(self.rng, self.world)
        asked = [asker.question() for _ in range(number)]
        self._start(asked)
        if self.world.calls:
            self._partition(calls.partition(asker))
        kept = []
        for q in asked:
            if self.known.get(q.start()) is not None:
                ordered, unordered, q.total = self.known[q.start()]
                q.stages = asker.shape(q, questions.table_of(q, [dict(r) for r in ordered]))
                rows = unordered if stages.sorts_first(q.stages) else ordered
                want = questions.table_of(q, [dict(r) for r in rows])
                for stage in q.stages:
                    want = stage.run(want)
                kept.append((q, want))
                self.stages.update(s.split()[0] for s in q.graph_stages + [s.text() for s in q.stages])
        for (q, want), answer in zip(kept, self.engine.ask(self.paths, [q.text() for q, _ in kept])):
            if q.stages:
                self._compare(q, want, answer)

    def _partition(self, spans):
        """All spans of a run add up to it."""
        for query, n in (("functions | show id", 1), ("lines | show fn, file, line", 3), ("callsites | show caller, callee, file, line", 4)):
            costs = ["%s.%s" % ("incl" if n == 4 else "self", e) for e in self.world.events] + ["calls"] * (n == 4)
            *some, whole = self.engine.ask(self.paths, [" | ".join(s + [query + ", " + ", ".join(costs)]) for s in [[s] for s in spans] + [[]]])
            sums = [{}, {}]
            for i, answer in [(0, a) for a in some] + [(1, whole)] if spans else []:
                for row in answer["rows"] if isinstance(answer, dict) else []:
                    key = tuple(row[:n])
                    sums[i][key] = [a + (b or 0) for a, b in zip(sums[i].get(key, [0] * len(row)), row[n:])]
            for key in set(sums[0]) | set(sums[1]):
                if any(x != y for x, y in zip(sums[0].get(key, [0] * 9), sums[1].get(key, [0] * 9))):
                    self.wrong.append((query, "%r: %s add up to %r, not %r" % (key, ", ".join(spans), sums[0].get(key), sums[1].get(key))))
                    return

    def _number_functions(self):
        stage = "" if self.world.joined or self.world.calls else "contexts | "
        answer = self.engine.ask(self.paths, [stage + "functions | show id, fn, file, obj"])[0]
        if isinstance(answer, str):
            self.wrong.append(("functions", answer))
            return False
        self.world.number = {(obj, file, fn): n for n, fn, file, obj in answer["rows"]}
        if set(self.world.number) != set(self.world.functions):
            self.wrong.append(("functions", "not the same functions: %r" % (set(self.world.number) ^ set(self.world.functions))))
            return False
        return True

    def _start(self, asked):
        """Each source once: its rows, found right, or None."""
        self.known = {}
        first = {}
        for q in asked:
            first.setdefault(q.start(), q)
        texts = list(first)
        asides = [self._aside(first[t]) for t in texts]
        answers = iter(self.engine.ask(self.paths, [t + a for t, aside in zip(texts, asides)
                                                   for a in ("", UNSORTED, aside) if a is not None]))
        for text, aside in zip(texts, asides):
            answer, unordered, extra = next(answers), next(answers), next(answers) if aside else None
            self.known[text] = self._right(first[text], answer, unordered, extra)

    def _aside(self, q):
        """Costs of every event, which stand in expressions but in no column of the source."""
        if q.source.kind not in questions.COSTS:
            return None
        return " | show " + ", ".join("%s.%s as c%d_%d" % (c, e, i, j)
                                      for i, c in enumerate(self._costs(q)) for j, e in enumerate(self.world.events))

    @staticmethod
    def _costs(q):
        costs = questions.COSTS[q.source.kind].split()
        return costs + ["estimated"] * ("incl" in costs and q.source.kind not in ("calls", "activations"))

    def _right(self, q, answer, unordered, extra):
        """The rows as they are shown, and as they stand before they are sorted by cost."""
        for a in (answer, unordered, extra):
            if isinstance(a, str):
                self.wrong.append((q.start(), a))
                return None
        got = rows_of(answer)
        if extra:
            costs = [(c, e) for c in self._costs(q) for e in self.world.events]
            for row, cells in zip(got, extra["rows"]):
                row.update({"%s.%s" % c: cell for c, cell in zip(costs, cells)})
        why = q.view.wrong(q.source, got)
        if not why and q.source.ordered:
            cost = "incl" if q.source.kind == "calls" else "self"
            why = next(("%r stands below %r" % (b, a) for a, b in zip(got, got[1:]) if a[cost] < b[cost]), None)
        if why:
            self.wrong.append((q.start(), why))
            return None
        total = answer["meta"]["total"]
        if abs(total - q.view.total(q.source.by)) > (q.view.rounded(q.source.by, len(q.view.graph.functions)) if q.view.filtered else 0):
            self.wrong.append((q.start(), "100 %% is %r, by the law %r" % (total, q.view.total(q.source.by))))
            return None
        return got, self._arranged(q, got, answer["rows"], unordered["rows"]), total

    def _arranged(self, q, got, ordered, unordered):
        """The same rows, in the other order."""
        at = {}
        for row, cells in zip(got, ordered):
            at.setdefault(str(cells), []).append(row)
        # What is sorted by is shown, behind the other columns.
        arranged = [at[str(cells[:-1])].pop(0) for cells in unordered if at.get(str(cells[:-1]))]
        if len(arranged) != len(got):
            self.wrong.append((q.start() + UNSORTED, "other rows"))
        return arranged

    def _compare(self, q, want, answer):
        if isinstance(answer, str):
            self.wrong.append((q.text(), answer))
            return
        got = rows_of(answer)
        sorted_by = {name for s in q.stages if isinstance(s, stages.Sort) for e, _ in s.keys
                     for name in (e.text(), e.text().split(".")[0])}
        if len(want.rows) != len(got):
            self.wrong.append((q.text(), "%d rows, not %d" % (len(got), len(want.rows))))
            return
        # A column that is sorted by is shown, too.
        columns = [c for c in answer["columns"] if c not in sorted_by or c in want.shown]
        if want.rows and columns != want.shown:
            self.wrong.append((q.text(), "columns %r, not %r" % (columns, want.shown)))
            return
        for i, (a, b) in enumerate(zip(got, want.rows)):
            if not all(alike(a[c], b.get(c)) for c in columns):
                self.wrong.append((q.text(), "row %d is\n      %r, not\n      %r" % (i, a, {c: b.get(c) for c in columns})))
                return


def alike(x, y):
    if x is None and y in (math.inf, -math.inf):
        return True
    if isinstance(x, (int, float)) and isinstance(y, (int, float)) and not isinstance(x, bool):
        return x == y or math.isclose(x, y, rel_tol=1e-9)
    return x == y


def rounds(engine, seed, number, each):
    """Rounds from a seed on, until so many questions are answered."""
    for s in range(seed, seed + -(-number // each)):
        a_round = Round(engine, s)
        a_round.run(each)
        yield a_round
        if not a_round.fixture:
            os.remove(a_round.path)
        os.remove(a_round.base)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--each", type=int, default=50)
    parser.add_argument("--keep")
    parser.add_argument("--quern", default=os.environ.get("QUERN", top + "/build/release/quern"))
    arguments = parser.parse_args()
    wrong = asked = 0
    with tempfile.TemporaryDirectory(prefix="quern-evaluator-") as directory:
        engine = Engine(os.path.abspath(arguments.quern), directory)
        for a_round in rounds(engine, arguments.seed, arguments.questions, arguments.each):
            asked += arguments.each
            for text, why in a_round.wrong:
                wrong += 1
                print("seed %d, %s\n    %s\n    %s" % (a_round.seed, os.path.basename(a_round.path), text, why))
            if a_round.wrong and arguments.keep:
                os.makedirs(arguments.keep, exist_ok=True)
                shutil.copy(a_round.path, arguments.keep)
                shutil.copy(a_round.base, arguments.keep)
    print("%d questions, %d wrong" % (asked, wrong))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
