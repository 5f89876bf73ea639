#!/usr/bin/env python3
"""refused.t - commands, options and paths that cannot be: what is said, and the exit status."""
import os
import resource
import shutil
import signal

from e2e import done, ok, run, same, small, work, write_bytes

lua = shutil.copy(small + "lua-default.out", "lua.out")
run(lua, "-q", "-c", "info")
write_bytes("params.q", b"top ${N}")
write_bytes("itself.q", b"top 1\n.run itself.q\n")
write_bytes("other.q", b".read itself.q\n")
write_bytes("many.q", b"\n".join(b"${A%d}" % i for i in range(100)))
NONE_OPEN = "no profile is open\n  hint: .open PROFILE"

# A script on standard input; its last line is refused.
COMMANDS = [
    (".mode nonsense", 2, "there is no format 'nonsense'"),
    (".mode csv nonsense", 2, "a format is not followed by 'nonsense'\n  hint: .mode FORMAT exact"),
    (".timer maybe", 2, "it is on or off, not 'maybe'"),
    (".demangle maybe", 2, "it is on or off, not 'maybe'"),
    (".open", 2, ".open needs a PROFILE or NAME=PROFILE"),
    (".open nowhere", 3, "nowhere: No such file or directory"),
    (".open a=", 2, "'a=' names no file\n  hint: NAME=PROFILE, without a blank"),
    (".close nope", 1, "no profile 'nope' is open\n  hint: .profiles lists them"),
    (".close\n.close", 1, NONE_OPEN),
    (".close\ntop", 1, "no profile is open\n  top\n  ^~~\n  hint: .open PROFILE"),
    (".close\n.event", 1, NONE_OPEN),
    (".close\n.event Ir", 1, "no profile is open"),
    (".close\n.explain top", 1, NONE_OPEN),
    (".close\n.export d", 1, NONE_OPEN),
    (".push", 2, ".push needs a graph stage"),
    (".push top", 1, "a graph stage is missing here"),
    (".push hide (", 1, ".push hide ("),
    (".pop", 1, "there is no filter"),
    (".once x", 2, "top 20 > FILE"),
    (".explain", 2, ".explain needs a query"),
    (".explain frob", 1, "no function, source or stage is called 'frob'"),
    (".help nonsense", 2, "there is no help on 'nonsense'; .help lists the topics"),
    (".read", 2, ".read needs a FILE"),
    (".read nowhere", 1, "nowhere: No such file or directory"),
    (".read .", 1, ".: Is a directory"),
    (".save", 2, ".save needs a FILE"),
    (".save q.q", 1, "nothing to save: no query was typed yet\n  hint: .save FILE QUERY"),
    (".save /nowhere/q top", 1, "/nowhere/q: No such file or directory"),
    (".save /dev/full top", 1, "/dev/full: No space left on device"),
    (".run", 2, ".run needs a FILE [NAME=VALUE]..."),
    (".run nowhere", 1, "nowhere: no such file, and no query has that name"),
    (".run params.q", 1, "N"),
    (".run params.q 3", 2, "'3' is not NAME=VALUE"),
    (".run many.q " + " ".join("A%d=x" % i for i in range(100)), 6, "more than 32 values"),
    (".run itself.q", 6, "itself.q: scripts are nested more than 16 deep"),
    (".read other.q", 6, "itself.q: scripts are nested more than 16 deep"),
    (".edit", 2, ".edit is for the prompt"),
    (".xyzzyxyzzy", 2, "there is no command '.xyzzyxyzzy'"),
    (".saev x", 2, "did you mean '.save'?"),
    (".limit nope 3", 2, "there is no limit 'nope'\n  hint: rows seconds memory text nesting"),
    (".limit memory", 2, "'' is no limit of memory"),
    (".limit memory 3x", 2, "'3x' is no limit of memory"),
    (".limit memory 1kk", 2, "'1kk' is no limit of memory"),
    (".limit seconds 1e30", 2, "'1e30' is no limit of seconds"),
    (".limit rows -1", 2, "'-1' is no limit of rows\n  hint: a number from 1 to"),
    (".event Nope", 1, "no event 'Nope'; this profile has Ir"),
    (".export", 2, ".export needs a DIRECTORY or FILE.db"),
    (".export /nowhere/x", 1, "/nowhere/x: No such file or directory"),
    (".push hide main\n.export d", 1, "there are filters\n  hint: `.pop all` first"),
    (".strip-prefix x", 2, "there is no command '.strip-prefix'"),
    ("top ! exit 3", 1, "'exit 3' ended with status 3"),
    ("top ! kill -9 $$", 1, "'kill -9 $$' was ended by signal 9"),
    ("top > /nowhere/x", 1, "/nowhere/x: No such file or directory"),
    ("top > /", 1, "/: Is a directory"),
    ("top > /dev/full", 1, "/dev/full: No space left on device"),
]
for script, status, words in COMMANDS:
    r = run(lua, "-q", stdin=script.encode() + b"\n")
    ok(r.status == status and "error: " in r.talk and words in r.talk, script[:60].replace("\n", "; "),
       "want %d %r\n%s" % (status, words, r))
r = run(lua, "-q", "-c", "top ! exit 3", preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
ok(r.status == 1 and "ended with status 3" in r.talk, "what a command ended with, where SIGCHLD was ignored", r)
r = run(lua, "-q", "-c", "top ! kill -PIPE $$", "-c", "top ! kill -INT $$")
ok(r.status == 0 and not r.talk, "a command that had enough has not failed", r)
same(os.listdir(work).count("d"), 0, "nothing is written by what is refused")

# Negative costs and sums: a difference of two profiles, or a run of PHP that frees more memory than it takes.
for creator, status in ((b"x", 3), (b"xdebug 3.2.0 (PHP 8.2.0)", 0)):
    write_bytes("less.out", b"creator: %s\nevents: T M\nfl=a\nfn={main}\n1 5 -7\n\nsummary: 5 -7\n" % creator)
    r = run("less.out", "-q", "-c", "functions | show fn")
    ok(r.status == status and ("a difference of two profiles" in r.talk) == (status == 3), "a negative summary of %s" % creator.decode(), r)

OPTIONS = [
    (["a=", "-c", "top"], 2, "'a=' names no file"),
    (["", "-c", "top"], 2, "'' names no file\n  hint: give a PROFILE"),
    ([lua, "--index", "", "-c", "top"], 2, "--index takes the path of a file"),
    ([lua, "--index", "x", "--no-index-write"], 2, "--index and --no-index-write contradict"),
    ([lua, "--limit", "rows", "-c", "top"], 2, "'' is no limit of rows"),
    ([lua, "--limit", "rows=0", "-c", "top"], 2, "'0' is no limit of rows"),
    ([lua, "--mem", "x"], 2, "--mem takes a size such as 512M or 1.5G, not 'x'"),
    ([lua, "--jobs", "0"], 2, "--jobs takes a number from 1 to 1024, not '0'"),
    ([lua, "--format", "nope"], 2, "--format takes a format (--help lists them), not 'nope'"),
    ([lua, "-c"], 2, "-c needs a value"),
    ([lua, "-f", "nowhere.q"], 1, "nowhere.q: No such file or directory"),
    ([lua, "-f", "/"], 1, "/: Is a directory"),
    ([lua, "--source-root", "nowhere", "-c", "top"], 2, "source root nowhere: No such file or directory"),
    (["-", "-f", "-"], 2, "cannot both be standard input"),
    (["--verify"], 2, "--verify needs a profile"),
    (["--bench-parse"], 2, "--bench-parse needs a profile"),
    (["--bench-parse", "nowhere"], 3, "nowhere: No such file or directory"),
    ([lua, "--watch"], 2, "part 3 | functions vs part 2"),
    (["nowhere*", "-c", "top"], 3, "nowhere*: no file has such a name"),
    (["--all-parts", lua, "-c", "top"], 2, "quern PROFILE*"),
    ([lua, "b=" + lua, "--index", "x", "-c", "top"], 2, "--index names one index, but 2 profiles"),
    ([lua, "-c", "functions | where change = new"], 1, 'hint: it would be: functions vs base | where change = "new" -- of two profiles: quern new.out base=old.out'),
    ([lua, "-c", "top by delta"], 1, "hint: it would be: functions vs base | sort delta -- of two profiles: quern"),
    ([lua, "-c", "thread 1 | functions"], 1, "hint: there is only one: leave it out"),
    ([small + "xdebug-small.out", "-c", "asm of fib"], 1, "this profile has no instruction addresses\n  asm of fib\n  ^~~\n  hint: Xdebug records none"),
    (["diff", lua, small + "tmpl-default.out"], 2, "'diff' is no command\n  hint: quern %stmpl-default.out base=%s why" % (small, lua)),
    (["--nope"], 2, "there is no option '--nope'\n  hint: quern --help lists them"),
]
for args, status, words in OPTIONS:
    r = run(*args)
    ok(r.status == status and words in r.talk and not r.text, " ".join(args), "want %d %r\n%s" % (status, words, r))

# Long names: an index whose name would be too long goes to the cache, under a shorter one.
TOP = ("-c", "functions | sort id asc | take 1 | show self | as csv")
want = run(lua, "-q", *TOP).text
for n in (225, 226, 255):
    name = shutil.copy(lua, "n" * n)
    for said, how in (("indexed", ["--rebuild"]), ("", [])):
        r = run(name, *how, *TOP)
        ok(r.status == 0 and r.text == want and ("indexed" in r.talk) == bool(said), "a name of %d bytes: %s" % (n, said), r)
    same(os.path.exists(name + ".quern") if n < 250 else False, n == 225, "%d bytes: beside it or not" % n)
    r = run(name, "--verify")
    ok(r.status == 0 and "sound" in r.text, "%d bytes: --verify finds it" % n, r)


def path_of(n, end="x"):
    """A path of n bytes to a file in this directory."""
    return "./" * ((n - len(end)) // 2) + "/" * (n % 2 != len(end) % 2) + end


for n, words in ((240, ".tmp."), (252, ".lock: File name too long")):
    r = run(lua, "--index", "x" * n, *TOP)
    ok(r.status == 5 and words in r.talk and "hint: put the index elsewhere" in r.talk, "--index of %d bytes" % n, r)
for n in (4096, 4120, 4140, 4157, 4200):
    r = run(lua, "--index", path_of(n), *TOP)
    ok(r.status == 5 and "too long" in r.talk and "hint: " in r.talk and not r.text, "--index, a path of %d bytes" % n, r)
same(run(lua, "--index", path_of(4000), "-q", *TOP).text, want, "--index, a path of 4000 bytes")

# A directory for temporary files that cannot be.
NO_INDEX = ("--rebuild", "--no-index-write", *TOP)
for tmp, words in (("/nowhere", "there is no directory /nowhere"), ("/dev/null", "/dev/null"), ("/proc", "/proc"),
                   ("/tmp" + path_of(4100, "/"), "too long"), ("/tmp" + path_of(4148, "/"), "too long"),
                   ("/tmp" + path_of(4200, "/"), "TMPDIR is too long")):
    r = run(lua, *NO_INDEX, env={"TMPDIR": tmp})
    ok(r.status == 5 and words in r.talk and "hint: name another directory with TMPDIR" in r.talk and not r.text,
       "TMPDIR=%s (%d)" % (tmp[:12], len(tmp)), r)

# An index in the place of a profile is judged as any other.
run(lua, "--index", "as-profile", "-q", *TOP)
same(run("as-profile", "-q", *TOP).text, want, "an index is asked by its name")
os.chmod("as-profile", 0o666)
r = run("as-profile", "-q", *TOP)
ok(r.status == 5 and "could have been written by others" in r.talk and not r.text, "one that others could have written is not", r)
done()
