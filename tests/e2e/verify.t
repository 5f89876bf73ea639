#!/usr/bin/env python3
"""verify.t - quern --verify: a profile's index or the index itself, sound, damaged, absent, stale."""
import glob
import os
import shutil

from e2e import done, ok, profile, run, same, small, write_bytes

lua = "lua-default.out"
shutil.copy(small + lua, lua)
r = run(lua, "--verify")
ok(r.status == 0 and "lua-default.out, without an index: sound\n" in r.text and "built again from the profile: the same" in r.text and
   not os.path.exists(lua + ".quern"), "no index: one is made for the check, and none is kept", r)
run(lua, "-q", "--rebuild", "-c", "info")
for what in (lua, lua + ".quern"):
    r = run(what, "--verify")
    ok(r.status == 0 and "lua-default.out.quern: sound\n" in r.text and "values in" in r.text and
       "names, files, objects" in r.text and "built again from the profile: the same" in r.text and not r.talk,
       "sound: " + what, r)
r = run(lua + ".quern", "--verify", "--safe")
ok(r.status == 0 and "no more could be checked: --safe" in r.text, "--safe reads no file that only the index names", r)
good = open(lua + ".quern", "rb").read()
for page in range(2, len(good) // 4096, 3):
    bad = bytearray(good)
    bad[page * 4096 + 77] ^= 1
    os.remove(lua + ".quern")
    write_bytes(lua + ".quern", bytes(bad))
    r = run(lua, "--verify")
    if r.status not in (0, 5) or (r.status == 5) != ("--rebuild" in r.talk and "damaged" in r.talk):
        ok(False, "a flipped bit in page %d" % page, r)
    if r.status == 5:
        same(open(lua + ".quern", "rb").read(), bytes(bad), "page %d: damage is told, not mended" % page)
write_bytes(lua + ".quern", good[:50000])
r = run(lua, "--verify")
ok(r.status == 5 and "damaged" in r.talk and "--rebuild" in r.talk, "cut off", r)
write_bytes(lua + ".quern", good)
with open(lua, "ab") as f:
    f.write(b"\n")
r = run(lua, "--verify")
ok(r.status == 0 and "no more could be checked: the profile has changed since" in r.text, "sound, but of older content", r)
os.remove(lua)
r = run(lua, "--verify")
ok(r.status == 0 and "no more could be checked: " + lua + ": No such file" in r.text, "the profile is gone, its index is not", r)
os.chmod(lua + ".quern", 0o666)
r = run(lua + ".quern", "--verify")
ok(r.status == 5 and "--trust" in r.talk, "one that others may write is not trusted", r)
same(run(lua + ".quern", "--verify", "--trust").status, 0, "unless told to")
same(run("none", "--verify").status, 3, "no such file")
profile("a", [(b"f", 1)])
run("a", "-q", "--index", "there.quern", "-c", "info")
same(run("a", "--verify", "--index", "there.quern").status, 0, "--index")
same(run("a", "--verify", "--index", "not-there.quern").status, 5, "--index, where there is none")
r = run("a", lua + ".quern", "--verify")
same(r.status, 5, "the first that is not sound ends it")
# Built in any way, an index is the same: of many files, with one more file.
runs = sorted(os.path.basename(p) for p in glob.glob(small + "thr-septhreads.out-0*"))
for name in runs:
    shutil.copy(small + name, name)
for some, how in (runs[:2], ["--rebuild"]), (runs, []):
    run(*some, "-q", *how, "-c", "info")
sets = glob.glob("thr-septhreads*.quern")
for index in sets:
    r = run(index, "--verify")
    ok(r.status == 0 and "built again from the profile: the same" in r.text, "built in steps: " + index, r)
same(len(sets), 1, "the set has one index")
with open("/dev/full", "wb") as full:
    same(run("there.quern", "--verify", stdout=full).status, 1, "/dev/full")
done()
