#!/usr/bin/env python3
"""peers.t - what other readers of the format get wrong: a small profile, a query, the answer.

Each case was seen in a real file or is allowed by the format, and at least one of KCachegrind,
callgrind_annotate, gprof2dot and speedscope crashes, hangs or miscounts on it.  The answers
were worked out by hand.
"""
from e2e import done, ok, run

SELF = "functions | sort fn asc | show fn, self"
INCL = "functions | sort fn asc | show fn, self, incl"
CALLS = "calls | sort caller asc, callee asc | show caller, callee, callee_file, calls, incl"

CASES = [
    ("a NUL in a name (one hangs on PHP's class@anonymous)",
     b"events: Ir\nfl=a.php\nfn=class@anonymous\0/a.php:3$0->run\n1 5\nfn=f\n2 7\n",
     "functions | count", ["2"]),
    ("and such names are told apart",
     b"events: Ir\nfl=a\nfn=c\0one\n1 5\nfn=c\0two\n2 7\n",
     "functions | sort self | show self", ["7", "5"]),
    ("calls= without cfn= (one crashes): its cost is nobody's self cost",
     b"events: Ir\nfl=a.c\nfn=main\n1 5\ncalls=1 2\n1 100\n2 1\n", SELF, ["main,6"]),
    ("a cmd: longer than any buffer (one looks at the first few KB only)",
     b"version: 1\ncmd: " + b"x " * 50000 + b"\nevents: Ir\nfl=a.c\nfn=main\n1 5\n", SELF, ["main,5"]),
    ("(below main) and (anonymous namespace)::f are names, not ids",
     b"events: Ir\nfl=(1) a.c\nfn=(below main)\n1 5\nfn=(1) (anonymous namespace)::f\n2 7\nfn=(1)\n3 1\n",
     SELF, ["(anonymous namespace)::f,8", "(below main),5"]),
    ("--compress-mangled: (5) (3)'2'(1) holds references to other names",
     b"events: Ir\nfl=(1) a.c\nfn=(1) main\n1 5\nfn=(3) fact\n2 7\nfn=(5) (3)'2'(1)\n3 11\nfn=(5)\n4 1\n",
     SELF, ["fact,7", "fact'2'main,12", "main,5"]),
    ("a summary that underflowed is not 100 %",
     b"events: Ir\nsummary: 18446744073709551611\nfl=a.c\nfn=main\n1 25\nfn=f\n2 75\n",
     "functions | sort fn asc | show fn, self%", ["f,75", "main,25"]),
    ("blocks of one function all over the file are one function",
     b"events: Ir\nfl=a\nfn=f\n1 1\n\nfl=b\nfn=g\n1 10\n\nfl=a\nfn=f\n1 2\n\nfl=b\nfn=g\n1 20\n\nfl=a\nfn=f\n2 4\n",
     "lines | sort fn asc, line asc | show fn, line, self", ["f,1,3", "f,2,4", "g,1,30"]),
    ("calls=0 is a call: its cost is not self cost (one adds it there)",
     b"events: Ir\nfl=a.c\nfn=main\n1 2\ncfn=f\ncalls=0 1\n1 7\nfn=f\n5 7\n", INCL,
     ["f,7,7", "main,2,9"]),
    ("a callee's file is the current one, after fi= the inlined",
     b"events: Ir\nfl=a.c\nfn=main\n1 1\nfi=b.h\n9 1\ncfn=g\ncalls=1 3\n9 5\nfe=a.c\n2 1\n"
     b"fl=a.c\nfn=g\n7 50\nfl=b.h\nfn=g\n3 5\n", CALLS, ["main,g,b.h,1,5"]),
    ("fi= changes the line's file, not the function",
     b"events: Ir\nfl=a.c\nfn=main\n1 1\nfi=b.h\n9 10\nfn=f\n2 5\n",
     "functions | sort fn asc | show fn, file, self", ["f,a.c,5", "main,a.c,11"]),
    ("the target of calls= does not move the relative position",
     b"events: Ir\nfl=a.c\nfn=main\n10 1\ncfn=g\ncalls=1 +90\n+2 3\n+1 1\nfn=g\n100 3\n",
     "lines of main | sort line asc | show line, self", ["10,1", "12,0", "13,1"]),
    ("a jump is no cost, nor is the line after it",
     b"events: Ir\nfl=a.c\nfn=main\n1 5\njump=9 3\n1\njcnd=4/9 +2\n*\n+1 2\n", SELF, ["main,7"]),
    ("names given in part 1 hold in part 2 (one forgets them)",
     b"events: Ir\npart: 1\nfl=(1) a.c\nfn=(1) main\n1 5\n\npart: 2\nevents: Ir\nfl=(1)\nfn=(1)\n1 7\n",
     SELF, ["main,12"]),
    ("columns are matched by name when a part orders them otherwise",
     b"events: Ir Dr\nfl=a.c\nfn=main\n1 5 1\n\npart: 2\nevents: Dr Ir\nfl=a.c\nfn=main\n1 3 20\n",
     "functions | show fn, self.Ir, self.Dr", ["main,25,4"]),
    ("trailing zeros are left out; a bare position costs nothing",
     b"events: Ir Dr Dw\nfl=a.c\nfn=main\n1 5\n2\n3 1 2\n",
     "functions | show self.Ir, self.Dr, self.Dw", ["6,2,0"]),
    ("two static functions of one name are two",
     b"events: Ir\nfl=d1/x.c\nfn=s\n1 5\nfl=d2/x.c\nfn=s\n1 7\n",
     "functions | sort file asc | show file, self", ["d1/x.c,5", "d2/x.c,7"]),
    ("a malformed calls= swallows its cost line (peers charge the caller)",
     b"events: Ir\nfl=a.c\nfn=main\n1 5\ncfn=g\ncalls=x 1\n1 100\nfn=f\n2 7\n", SELF, ["f,7", "main,5"]),
    ("calls= at the end of a block does not take the next function's line",
     b"events: Ir\nfl=a.c\nfn=main\n1 5\ncfn=g\ncalls=1 1\nfn=f\n2 7\n", SELF, ["f,7", "main,5"]),
    ("comments and blank lines between calls= and its line",
     b"events: Ir\nfl=a.c\nfn=main\n1 5\ncfn=g\ncalls=1 1\n\n# here it comes\n1 100\n", INCL,
     ["g,100,100", "main,5,105"]),
    ("direct recursion is not counted twice",
     b"events: Ir\nfl=a\nfn=main\n1 2\ncfn=R\ncalls=1 1\n1 7\nfn=R\n1 7\ncfn=R\ncalls=3 1\n1 5\n", INCL,
     ["R,7,7", "main,2,9"]),
    ("nor is mutual recursion: of B that is an estimate, from 7 up to 8",
     b"events: Ir\nfl=a\nfn=main\n1 1\ncfn=A\ncalls=1 1\n1 10\nfn=A\n1 3\ncfn=B\ncalls=2 1\n1 7\n"
     b"fn=B\n1 5\ncfn=A\ncalls=1 1\n1 4\ncfn=H\ncalls=1 1\n1 2\nfn=H\n1 2\n", INCL,
     ["A,3,10", "B,5,8", "H,2,2", "main,1,11"]),
    ("events: that ends far behind a body's first lines of comments",
     b"# " + b"c" * 9000 + b"\nevents: Ir\nfl=a.c\nfn=main\n1 5\n", SELF, ["main,5"]),
    ("hexadecimal positions, decimal offsets behind them",
     b"positions: instr line\nevents: Ir\nfl=a.c\nfn=main\n0x10 1 5\n+3 +1 7\n",
     "instrs | sort instr asc | show instr, line, self", ["16,1,5", "19,2,7"]),
    ("ids: 0 exists, they are sparse, a file and a function may share one",
     b"events: Ir\nob=(0) o\nfl=(0) a.c\nfn=(0) main\n1 5\nfn=(4000000) far\n2 7\nfn=(0)\n3 1\n",
     "functions | sort fn asc | show fn, file, obj, self", ["far,a.c,o,7", "main,a.c,o,6"]),
    ("cfn= before cfi=, cob= last: the callee is in that file and object",
     b"events: Ir\nob=o\nfl=a.c\nfn=main\n1 5\ncfn=g\ncfi=b.c\ncob=p\ncalls=1 1\n1 3\nob=p\nfl=b.c\nfn=g\n1 3\n",
     CALLS, ["main,g,b.c,1,3"]),
    ("cfi= holds for one call only",
     b"events: Ir\nfl=a.c\nfn=main\ncfi=b.c\ncfn=g\ncalls=1 1\n1 3\ncfn=h\ncalls=1 1\n1 4\n"
     b"fl=b.c\nfn=g\n1 3\nfl=a.c\nfn=h\n1 4\n", CALLS, ["main,g,b.c,1,3", "main,h,a.c,1,4"]),
    ("costs of 2^63 and more are negative ones without a sign; a sum below all stays there",
     b"events: Ir\nfl=a.c\nfn=main\n1 9223372036854775808\n1 18446744073709551609\n1 4\nfn=f\n2 1\n", SELF,
     ["f,1", "main,-9223372036854775808"]),
    ("sums above 2^63 stop there",
     b"events: Ir\nfl=a.c\nfn=main\n1 9223372036854775807\n2 9\nfn=f\n2 1\n", SELF,
     ["f,1", "main,9223372036854775807"]),
    ("and those above 2^53 are exact",
     b"events: Ir\nfl=a.c\nfn=main\n1 9007199254740993\n", SELF, ["main,9007199254740993"]),
    ("Xdebug's append mode starts the names again",
     b"version: 1\nevents: Time\nfl=(1) a.php\nfn=(1) main\n1 5\n"
     b"==== NEW PROFILING FILE ==============================================\n"
     b"version: 1\nevents: Time\nfl=(1) b.php\nfn=(1) other\n1 7\n", SELF, ["main,5", "other,7"]),
    ("CRLF line ends", b"events: Ir\r\nfl=a.c\r\nfn=main\r\n1 5\r\n",
     "functions | show fn, file, self", ["main,a.c,5"]),
    ("a last line without its end", b"events: Ir\nfl=a.c\nfn=main\n1 5", SELF, ["main,5"]),
    ("a derived event whose formula comes last",
     b"events: Ir Dr\nfl=a.c\nfn=main\n1 5 2\nevent: Sum = Ir + 10 Dr : both\n",
     "events | where name = \"Sum\" | show total", ["25"]),
    ("a total of names with blanks is of their columns",
     b"event: Wall Time : Wall Time\nevents: Wall Time Calls\ntotals: 5 2\nfl=a.c\nfn=main\n1 5 2\n",
     "info | show totals", ["agree with the sums"]),
    ("  more costs than names are left out",
     b"event: Wall Time : Wall Time\nevents: Wall Time Calls\nfl=a.c\nfn=main\n1 5 2 7\n"
     b"cfn=f\ncalls=1 1\n2 30 4 9\nfn=f\n1 30 4 9\n2 1 1 1 1 1\n",
     "lines | sort line asc, fn | show line, fn, Wall_Time, Calls, incl_out", ["1,f,30,4,0", "1,main,5,2,0", "2,f,1,1,0", "2,main,0,0,30"]),
    ("a part reads columns as it did the first time",
     b"event: A B : x\nevents: A C B\nfl=a.c\nfn=main\n1 1 2 3\npart: 2\nevents: A B C\nfl=a.c\nfn=main\n1 4 5\n",
     "part 2 | lines of main | show A_B, C", ["4,5"]),
]

for i, (name, text, query, want) in enumerate(CASES):
    path = "case%d.out" % i
    with open(path, "wb") as f:
        f.write(text)
    r = run(path, "-q", "--format", "csv", "-c", query)
    got = r.text.split("\r\n" if "\r\n" in r.text else "\n")[1:]
    got = [line for line in got if line]
    ok(r.status == 0 and got == want, name, "got  %r\nwant %r\n%s" % (got, want, r.talk))

with open("escape.out", "wb") as f:
    f.write(b"events: Ir\nfl=a.c\nfn=\x1b]0;title\x07\x1b[2J\n1 5\n")
for form in ("table", "csv", "json", "md", "svg", "folded"):
    r = run("escape.out", "-q", "--format", form, "-c", "calltree" if form == "svg" else "top")
    ok(r.status == 0 and not set(r.out) & {0x1b, 0x07}, "an escape sequence is not sent on: " + form, r)
done()
