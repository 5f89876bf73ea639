#!/usr/bin/env python3
"""rules.t - rules of index/lines/PROFILE.md by which a wrong number would be shown without a word.

Each profile is small, and written as its producer writes it; `say` is what is said of it.
"""
from e2e import done, ok, run, same, write_bytes

CSV = ("--no-index-write", "--format", "csv")


def answers(name, text, query, want, *say, args=()):
    """The rows of a query, without the heading; and each of `say` is on stderr."""
    told = run(*CSV, *args, write_bytes("in.out", text.encode()), "-c", query)
    same(told.text.splitlines()[1:], want, name)
    for s in say:
        ok(s in told.talk, "%s: it says %r" % (name, s), told)
    if not say:
        ok("odd lines" not in told.talk, "%s: nothing is odd" % name, told)


# ---- positions: each word is a column ----

QT = """positions: addr line
events: Ir
fn=main
0x10 1 5
+4 +1 7
cfn=f
calls=1 0x40 9
* * 20
fn=f
0x40 9 20
totals: 32
"""
answers("positions: addr is instr", QT, "functions | show fn, self, incl", ["f,20,20", "main,12,32"])
answers("its addresses", QT, "lines of main | show line, self", ["1,5", "2,7"])
answers("a word that is not known is a column", QT.replace("addr", "memAddr"),
        "functions | show fn, self, incl", ["f,20,20", "main,12,32"], "odd lines, skipped or mended: 1")
answers("line before instr", "positions: line instr\nevents: Ir\nfn=f\n7 0x10 3\n+1 +4 4\n",
        "lines of f | show line, self", ["7,3", "8,4"])
done()
