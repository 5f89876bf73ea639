#!/usr/bin/env python3
"""prompt.t - the prompt in a real terminal (tmux): typing, Tab, Ctrl-C, history, resize."""
import os
import shutil

from e2e import done, environ, many_paths, ok, profile, same, skip, work
from prompting import (PROMPT, at_prompt, clear, editing, expect, last, of_size, screen, send, shown, start, terminal,
                       tmux, wait, width)

NAMES = [b"main", b"std::vector<int, std::allocator<int> >::push_back(int const&)",
         b"std::vector<char, std::allocator<char> >::push_back(char&&)",
         b"\xe6\xbc\xa2\xe5\xad\x97\xe9\x96\xa2\xe6\x95\xb0" * 20, b"evil\x1b[2Jname",
         b"a_function_with_a_very_long_name_" * 5, b"memcpy", b"memset", b"unique_name"]
profile("p.out", [(n, 1000 * (i + 1)) for i, n in enumerate(NAMES)])
many_paths("big.out")

terminal()
lines = start("p.out")
if not ok(at_prompt(lines), "the prompt appears", shown(lines)):
    done()

clear()
send("top 6", "Enter")
expect(lambda s: at_prompt(s) and any("unique_name" in x for x in s), "a query is answered")
lines = screen()
ok(all(width(x) <= 100 for x in lines), "nothing is wider than the screen", shown(lines))
ok("\\x1B[2J" in shown(lines), "an escape sequence in a name is shown", shown(lines))
ok("\u2026" in shown(lines), "long names are cut in the middle", shown(lines))
starts = {width(x[:x.index("a.c:")]) for x in lines if "a.c:" in x}
same(len(starts), 1, "columns stand under each other")
clear()

# Tab: what is typed, and the line that it becomes or a test of the screen.
os.makedirs(".config/quern/queries")
for name in (".config/quern/queries/zeal_query", "with blank.csv"):
    open(name, "w").close()
for typed, becomes, name in (
        ("to", "top", "completes a verb"),
        ("callers of uniq", "callers of unique_name", "completes a function"),
        ("callers of push_b", "callers of push_back", "completes a C++ name's last part"),
        ('callers of "std::vector<ch', lambda s: last(s).endswith('allocator<char> >::push_back(char&&)"'),
         "completes a whole name in quotes"),
        ("top by ", lambda s: any(x.split()[:3] == ["Ir", "id", "self"] for x in s), "lists events and columns"),
        (".ti", ".timer", "completes a dot-command"),
        ("top > p.o", "top > p.out", "completes a file after >"),
        (".run zeal", ".run zeal_query", "completes a kept query"),
        (".run n-plus", ".run n-plus-one", "completes a query that ships"),
        (".run n-plus-one N=5 E", ".run n-plus-one N=5 EACH=", "completes a parameter of it"),
        (".run n-plus-one ", lambda s: any(x.split() == ["CALLS=", "EACH=", "TO=", "N="] for x in s), "lists its parameters"),
        ("callers of $al", "callers of $alloc", "completes a set that is always there"),
        ("top > with", 'top > "with blank.csv"', "puts a file name with a blank into quotes"),
        ('.output "with b', '.output "with blank.csv"', "goes on in them"),
        ("callers of main ", lambda s: any(x.split() == ["and", "or", "depth", "min", "max", "by", "vs", "|"] for x in s),
         "lists what may follow a set"),
        ("uniq", "unique_name", "completes a name that is a statement"),
        ("top 3; std::ve", lambda s: last(s).endswith("top 3; std::vector"), "completes a qualified name at the beginning of a statement"),
        (".open b=p.o", ".open b=p.out", "completes the file in NAME=PROFILE"),
        (".run ", lambda s: any(x.split()[:1] == ["alloc-churn"] for x in s) and "alloc-churn" in "".join(s).split("big.out")[0], "lists queries before files"),
        ("functions vs ", "functions vs p.out", "completes a profile after vs")):
    send("-l", typed)
    send("Tab")
    expect(becomes if callable(becomes) else lambda s: last(s) == PROMPT + " " + becomes, "Tab " + name)
    clear()
send("callers of mem", "Tab", "Tab")
expect(lambda s: last(s) == PROMPT + " callers of mem" and
       any(x.split() == ["memset", "memcpy"] for x in s), "Tab lists functions, the hottest first")
clear()

# Ctrl-C.
send("half a line")
wait(lambda s: last(s).endswith("half a line"))
send("C-c")
expect(lambda s: at_prompt(s) and any("half a line^C" in x for x in s), "Ctrl-C drops the line")
clear()
send(".open b=big.out", "Enter")
expect(at_prompt, ".open")
clear()
editing(True)
send("in b | all paths from f0 to f199 depth 60", "Enter")
ok(editing(False), "a query runs without the editor")
send("C-c")
expect(lambda s: at_prompt(s) and "interrupted" in shown(s), "Ctrl-C stops a query, and the prompt is back")
clear()
send("top 1", "Enter")
expect(lambda s: at_prompt(s) and any("unique_name" in x for x in s), "which still answers")

# History and entries of several lines.
clear()
send("functions |", "Enter")
expect(lambda s: last(s) == "   ...>", "a statement that goes on gets another prompt")
send("take 1", "Enter")
expect(lambda s: at_prompt(s), "and is run when it ends")
clear()
tmux("set-buffer", "functions\n   | take 2\n  | show fn\ntop 1 | show self\n")
tmux("paste-buffer", "-d")
expect(lambda s: at_prompt(s) and any("2 of" in x for x in s) and any("1 of" in x for x in s) and
       sum(" functions" in x and " of " in x for x in s) == 2, "pasted lines that begin with | belong to the query above")
clear()
send("functions |", "Enter")
expect(lambda s: last(s) == "   ...>", "and so again")
send("take 1", "Enter")
expect(lambda s: at_prompt(s), "which is run when it ends")
clear()
send("Up")
expect(lambda s: "functions |" in shown(s) and "take 1" in shown(s), "Up brings the whole entry back")
send("C-c")
clear()
send("C-r", "op 6")
expect(lambda s: "top 6" in shown(s), "Ctrl-R searches")
send("Escape", "C-c")
clear()

# Errors and filters.
send("top by Nope", "Enter")
expect(lambda s: at_prompt(s) and "         ^~~~" in s, "the caret stands under the token")
clear()
send(".push hide memset", "Enter")
expect(lambda s: last(s) == "quern[hide:memset]>", "filters stand in the prompt")
send(".pop", "Enter")
expect(at_prompt, ".pop")

# The query of a hint stands at the prompt: Enter asks it, an edit is an edit, another query replaces it, Ctrl-U clears it.
for typed, hint in (("show functions", "functions"), ("info unique_nome", "info unique_name")):
    clear()
    send(typed, "Enter")
    expect(lambda s: last(s) == PROMPT + " " + hint, "the query of the hint of `%s` stands at the prompt" % typed)
send("Enter")
expect(lambda s: at_prompt(s) and any(x == "unique_name" for x in s), "Enter asks it")
clear()


def offered(*keys):
    """The query of a hint stands at the prompt; then come the keys."""
    send("C-u")
    wait(at_prompt)
    send("show functions", "Enter")
    wait(lambda s: last(s) == PROMPT + " functions")
    for key in keys:
        send(*key)


offered(["-l", " | count"], ["Enter"])
expect(lambda s: at_prompt(s) and any(x.split() == ["9"] for x in s), "edited, it is asked as it was edited")
for what, keys, line in (("  at its beginning, too", [["C-a"], ["-l", "top 3 "]], " top 3 functions"),
                         ("another query replaces it", [["-l", "lines"]], " lines")):
    offered(*keys)
    expect(lambda s: last(s) == PROMPT + line, what)
offered(["C-u"])
expect(at_prompt, "Ctrl-U clears it")
send("nonsense of this", "Enter")
expect(lambda s: at_prompt(s) and "hint: start with" in shown(s), "a hint that is no query leaves the prompt empty")
clear()
send("info evil__2Jname", "Enter")
expect(lambda s: at_prompt(s) and "did you mean 'evil\\x1B[2Jname'" in shown(s), "nor does one stand there with keys of the editor")

clear()
send("help top", "Enter")
expect(lambda s: at_prompt(s) and "top [N]" in shown(s), "help works without its dot")

clear()
send("?", "Enter")
expect(lambda s: "Ctrl-D leaves" in shown(s) or "Commands" in shown(s), "and so does ?")
clear()

# Another size.
tmux("resize-window", "-x", "60", "-y", "20")
ok(of_size(20, 60), "the terminal has another size")
clear()
send("top 5", "Enter")
lines = wait(lambda s: at_prompt(s) and any("unique_name" in x for x in s))
ok(any("unique_name" in x for x in lines) and all(width(x) <= 60 for x in lines),
   "a resize is followed", shown(lines))
clear()
send("functions ! cat > all.txt", "Enter")
wait(at_prompt)
if shutil.which("less"):
    send(".pager less -SX", "Enter", "functions | as json", "Enter")
    expect(lambda s: any("meta" in x for x in s) and not at_prompt(s),
           "a long answer goes to the pager")
    send("q")
    expect(at_prompt, "which leaves the prompt as it was")
else:
    skip("a long answer goes to the pager", "less is not installed")
clear()
send("top 2 > out.csv", "Enter")
expect(lambda s: at_prompt(s) and "wrote 2 rows to out.csv" in shown(s), "a file that was written is named")
clear()
send("top 9", "Enter")
expect(lambda s: at_prompt(s) and any("9 of 9" in x for x in s), "an answer that fits does not")

# .edit: a temporary file of our own, wherever temporary files are to be.
os.mkdir("it's here")
with open("ed", "w") as f:
    f.write("#!/bin/sh\necho \"$1\" > edited; echo 'functions | count' > \"$1\"\n")
os.chmod("ed", 0o755)
clear()
send(".quit", "Enter")
expect(lambda s: last(s).startswith("$"), ".quit leaves")
start(before="TMPDIR=\"$PWD/it's here\" EDITOR=./ed ")
clear()
send(".edit top 3", "Enter")
expect(lambda s: at_prompt(s) and "functions | count" in shown(s) and any(x.split() == ["9"] for x in s),
       ".edit runs what the editor left")
ok(os.path.exists("edited") and open("edited").read().startswith(work + "/it's here/quern."),
   "its file was in $TMPDIR", open("edited").read() if os.path.exists("edited") else "")
same(os.listdir("it's here"), [], "and is gone")
clear()
send(".quit", "Enter")
expect(lambda s: last(s).startswith("$"), ".quit leaves again")
start(before="TMPDIR=/nowhere ")
send(".edit top 3", "Enter")
expect(lambda s: at_prompt(s) and "/nowhere/quern." in shown(s) and "No such file" in shown(s),
       "a TMPDIR that is not there is said")
clear()

# Leaving, and coming back.
send("C-d")
expect(lambda s: last(s).startswith("$"), "Ctrl-D leaves")
history = open(work + "/state/quern/history").read()
ok(os.stat(work + "/state/quern/history").st_mode & 0o777 == 0o600, "the history is private")
ok("functions\\040|\\012take\\0401" in history, "entries are kept whole", history)
ok(at_prompt(start("p.out")), "again")
send("Up")
expect(lambda s: last(s) == PROMPT + " .edit top 3", "the history is there again")
send("C-c")
wait(at_prompt)
send("C-d")
wait(lambda s: last(s).startswith("$"))
start(before="LC_ALL=C ")
send("top 5", "Enter")
expect(lambda s: at_prompt(s) and "unique_name" in shown(s) and shown(s).isascii(),
       "the C locale gets only ASCII")
send("quit", "Enter")
expect(lambda s: last(s).startswith("$"), "quit leaves")
start(before="unset QUERN_PAGER; PATH=/none ")
clear()
send("functions | as json", "Enter")
expect(lambda s: at_prompt(s) and "main" in shown(s) and "not found" not in shown(s),
       "without less an answer is shown all the same")
send("quit", "Enter")
expect(lambda s: last(s).startswith("$"), "and quit leaves")
for name in ("decode/large", "encode/small"):
    os.makedirs("set/" + name)
    profile("set/%s/p.out" % name, [(b"main", 1000)])
start("-q set")
clear()
send("in dec", "Tab")
expect(lambda s: last(s) == PROMPT + " in decode/large", "Tab completes a member of a folder")
done()
