#!/usr/bin/env python3
"""steps.t - down, up, back: from an answer to the next question, which is printed."""
import os
import shutil

from e2e import done, fixtures, ok, run, same, skip
gen = fixtures + "/truth/xdebug/gen.xd"


def asked(*queries, profile=gen, status=0):
    """The questions that were printed, and the answers."""
    r = run(profile, "-q", "--index", "s.quern", *(w for q in queries for w in ("-c", q)))
    ok(r.status == status, "; ".join(queries), r)
    return r.talk.splitlines(), r.text


WAYS = (
    (("top 3", ".down 2"), 'callees of "useGen"'),
    (("top 3", ".down"), 'callees of "{main}"'),
    (("top 3", ".up 2"), 'callers of "useGen"'),
    (("callees of useGen", ".up"), "callers of useGen"),
    (("callers of work", ".down 1"), 'callees of "g"'),
    (("calls | sort incl", ".down 1"), 'callees of "useGen"'),
    (("calls | sort incl", ".up 1"), 'callers of "{main}"'),
    (("activations of work", ".down 6"), 'activation 6 of work | lines of "work"'),     # most of it is its own
    (("top 2 activations of work or g", ".down 1"), 'activation 2 of work or g | callsites of "g" | sort incl'),
    (("activations | sort incl", ".down 2"), 'activation 2 of /./ | callsites of "useGen" | sort incl'),
    (("activation 1 of useGen | top", ".down 2"), 'activation 1 of useGen | callees of "g"'),
    (("part 1 | activation 1 of useGen | activations of g", ".down 2"), 'part 1 | activation 1 of useGen | callsites of "g" | sort incl'),
    (("functions of php::max", ".down 1"), 'lines of "php::max"'),
    (("callsites of work", ".down 1"), 'lines of "php::str_repeat"'),
    (("lines of useGen", ".down 1"), 'callsites of "useGen" | where line = 5 | sort incl'),
    (("files", ".down 1"), 'functions of file:"/srv/app/gen.php"'),
    (("classes", ".down 2"), 'functions of class:"php"'),
    (("find work", ".down 1"), 'callees of "work"'),
    (("activation 1 of useGen | functions vs activation 1 of useDeleg", ".down 3"), 'activation 1 of useGen | callees of "g" vs activation 1 of useDeleg'),
    (("top 3", ".down 2", ".down 1", ".up", ".back"), 'callees of "g"'),
    (("top 3", ".down 2", ".down 1", ".back", ".back"), "top 3"),
)
for queries, question in WAYS:
    talk, text = asked(*queries)
    same(talk[-1:], [question], " -> ".join(queries))
    again = run(gen, "-q", "--index", "s.quern", "-c", question)
    ok(again.text and text.endswith(again.text), "... and a script has the same answer", text)
for queries, says in ((("top 3", ".down 4"), "the last answer has 3 rows"), ((".down 1",), "there is no answer to go on from"),
                      (("top 3", ".back"), "there is no question before"), (("top 3", ".down x"), "takes the number of a row"),
                      (("top 3", ".up"), "was about no function"), (("functions | count", ".down 1"), "row 1 is of no function"),
                      (("files", ".up 1"), "row 1 is of no function")):
    talk, _ = asked(*queries, status=2 if "takes" in says else 1)
    ok(any(says in line for line in talk), " -> ".join(queries) + ": " + says, talk)
with open("same.cg", "w") as f:
    f.write("events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=f\ncalls=1 1\n1 10\ncfi=b.c\ncfn=f\ncalls=1 1\n1 20\nfn=f\n1 5\ncfn=g\ncalls=1 1\n1 5\n"
            "fn=g\n1 5\nfl=b.c\nfn=f\n1 15\ncfi=a.c\ncfn=g\ncalls=1 1\n1 5\n")
talk, _ = asked("functions of f | sort incl", ".down 1", profile="same.cg")
ok(talk and talk[-1].startswith("callees of #"), "one of several of a name is a number", talk)

# ---------------------------------------------------------------- in a terminal: to the slow line of the slow call
if not shutil.which("tmux"):
    skip("the way in a terminal", "tmux is not installed")
    done()
from prompting import at_prompt, clear, screen, send, shown, start, terminal, wait     # noqa: E402
shutil.copy(gen, "gen.xd")
terminal()
ok(at_prompt(start("gen.xd")), "the prompt")


def types(text, question, answer):
    clear()
    send(text, "Enter")
    there = lambda s: at_prompt(s) and all(any(word in x for x in s) for word in (question, answer))    # noqa: E731
    lines = wait(there)
    ok(there(lines), "%s: %s" % (text, question), shown(lines))


types("top", "top", "useGen")
types("activations of useGen | sort incl", "activations", "{main}")
types("down 1", 'activation 1 of useGen | callsites of "useGen" | sort incl', "gen.php:5")
types("1", 'activation 1 of useGen | callsites of "g" | sort incl', "gen.php:2")
types("back", 'activation 1 of useGen | callsites of "useGen" | sort incl', "gen.php:5")
types("up 1", 'activation 1 of useGen | callers of "useGen"', "")    # tmux takes "up" for a key
done()
