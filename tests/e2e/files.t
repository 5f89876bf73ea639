#!/usr/bin/env python3
"""files.t - what the files of many producers say, line by line: the right values of small ones.

Each is one of a kind that was read wrongly once.
"""
from e2e import done, ok, run, same, write_bytes


def ask(text, query, *more):
    """The rows of a query, as words of csv."""
    write_bytes("in.cg", text.encode())
    r = run("in.cg", "--no-index-write", "-q", "--format", "csv", *more, "-c", query)
    return r.text.replace("\r", "").split("\n")[1:-1]


# ---- fl= inside a function
KLEE = "creator: klee\npositions: instr line\nevents: I\nob=assembly.ll\n"
for name, text, want in (
        ("fl= inside a function does not end it, and is the file of the next",
         "fl=a.c\nfn=work\n10 5 5\nfl=inl.h\n11 20 3\nfl=a.c\n12 6 2\nfn=other\n20 30 1\n",
         ["work,a.c,10", "other,a.c,1"]),
        ("the next function is in the file that stands last",
         "fl=a.c\nfn=work\n10 5 5\nfl=b.c\n11 20 3\nfn=other\n20 30 1\n", ["work,a.c,8", "other,b.c,1"]),
        ("before and behind fn=: the first is the function's", "fl=a.c\nfn=work\nfl=inl.h\n10 5 5\n", ["work,a.c,5"]),
        ("behind fn= alone it is the function's", "fn=work\nfl=a.c\n10 5 5\nfn=other\nfl=b.c\n11 6 4\n",
         ["work,a.c,5", "other,b.c,4"]),
        ("of a function without lines it is the next one's",
         "fl=a.c\nfn=none\nfl=b.c\nfn=work\n10 5 5\n", ["work,b.c,5"]),
        ("without any fn= each file is one", "fl=a.c\n10 5 5\nfl=b.c\n10 6 4\n", ["???,a.c,5", "???,b.c,4"]),
        ("a function may have no name", "fl=a.c\nfn=\n10 5 5\nfl=b.c\n10 6 4\n", ["???,a.c,9"])):
    same(ask(KLEE + text, "functions | show fn, file, self"), want, name)
same(ask(KLEE + "fl=a.c\nfn=work\n10 5 5\nfl=inl.h\n11 20 3\ncfn=g\ncalls=1 9 9\n12 21 4\nfl=a.c\n13 6 2\nfn=g\n9 9 4\n",
         "lines of work | where self > 0 | show file, line, self"), ["a.c,5,5", "inl.h,20,3", "a.c,6,2"], "each line is in its file")
done()
