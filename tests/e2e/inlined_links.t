#!/usr/bin/env python3
"""inlined_links.t - debug information in other files: found where it should be, nowhere else read.

An object can name three further files: .gnu_debuglink, .gnu_debugaltlink (as dwz makes), and
for each unit DW_AT_dwo_name (-gsplit-dwarf).  Each is looked for below the roots only, and a
FIFO there, which would block its reader for ever, is not opened.
"""
import os
import shutil
import subprocess
import tempfile

from e2e import done, ok, same
from inlining import age, build, forget, need, out, record, restore, rows, source

need("valgrind", "g++", "objcopy", "readelf")
build("-O2", "-g", "-gdwarf-5", "-Wl,--build-id")
record()
QUERY = "inlined of work or main | show fn, file, self"
right, _ = rows(QUERY)
outside = tempfile.mkdtemp(prefix="quern-outside-")


def objcopy(*args):
    subprocess.run(["objcopy", *args, "p"], check=True)
    age(-10)


def answer():
    forget()
    return rows(QUERY)


def names(name):
    same(answer(), (right, ""), name)


def unnamed(name, word="no debug information"):
    got, talk = answer()
    ok(got and not any(r[0] for r in got) and word in talk, name, "%s\n%s" % (talk, got))


def put(path, what):
    """Something at path that must not be read."""
    if os.path.lexists(path):
        os.remove(path)
    if what == "FIFO":
        os.mkfifo(path)
    elif what == "a symbolic link out of the roots":
        os.symlink(os.path.join(outside, os.path.basename(path)), path)
    elif what == "a symbolic link to /proc":
        os.symlink("/proc/self/mem", path)


TRAPS = ("FIFO", "a symbolic link out of the roots", "a symbolic link to /proc")

# ---- .gnu_debuglink and build-id

subprocess.run(["objcopy", "--only-keep-debug", "p.built", "p.debug"], check=True)
objcopy("--strip-debug", "--add-gnu-debuglink=p.debug")
shutil.copy2("p", "p.stripped")
names("a stripped object, its debug information beside it")
forget()
same(rows(QUERY, profile=out + ".quern"), (right, ""), "the same from the index")
shutil.copy("p.debug", outside)
for trap in TRAPS:
    put("p.debug", trap)
    unnamed(trap + " in place of the debug information")
os.remove("p.debug")
unnamed("it is nowhere")
when = os.stat("p").st_mtime_ns
with open("p", "r+b") as f:
    f.write(b"x" * os.path.getsize("p"))
os.utime("p", ns=(when, when))
got, talk = rows(QUERY)
ok(got and "no debug information" in talk, "that is kept: the object is not opened again", talk)
shutil.copy2("p.stripped", "p")
shutil.copy(outside + "/p.debug", "p.debug")
same(rows(QUERY), (right, ""), "until there is a file where it was looked for")
os.remove("p.debug")
notes = subprocess.run(["readelf", "-n", "p"], text=True, capture_output=True).stdout
build_id = notes.split("Build ID:")[1].split()[0]
below = "debug/.build-id/" + build_id[:2]
os.makedirs(below)
shutil.copy(outside + "/p.debug", "%s/%s.debug" % (below, build_id[2:]))
forget()
same(rows(QUERY, "--source-root", "."), (right, ""), "below /usr/lib/debug, by build-id, or in a copy of that")
restore()
subprocess.run(["g++", "-O1", "-g", "-std=c++17", "-x", "c++", "-", "-o", "other"], input=b"int main() {}", check=True)
shutil.copy("other", "%s/%s.debug" % (below, build_id[2:]))
shutil.copy2("p.stripped", "p")
forget()
got, talk = rows(QUERY, "--source-root", ".")
ok(got and "no debug information" in talk, "one with another build-id is not used", talk)
shutil.rmtree("debug")

# ---- .gnu_debugaltlink: names in another file


def section(path, name):
    for line in subprocess.run(["readelf", "-SW", path], text=True, capture_output=True).stdout.splitlines():
        w = line.replace("[", " ").replace("]", " ").split()
        if len(w) > 5 and w[1] == name:
            return int(w[4], 16), int(w[5], 16)
    return 0, 0


def with_alt(link):
    """The object with all names by DW_FORM_strp_sup in place of DW_FORM_strp: those of `link`."""
    with open("p.built", "rb") as f:
        data = bytearray(f.read())
    at, size = section("p.built", ".debug_abbrev")
    for attribute in (0x03, 0x6e):      # DW_AT_name, DW_AT_linkage_name
        data[at:at + size] = data[at:at + size].replace(bytes((attribute, 0x0e)), bytes((attribute, 0x1d)))
    with open("p", "wb") as f:
        f.write(data)
    with open("alt.section", "wb") as f:
        f.write(link.encode() + b"\0" + bytes.fromhex(build_id))
    objcopy("--add-section", ".gnu_debugaltlink=alt.section")


shutil.copy("p.built", "p.alt")
with_alt("p.alt")
names("names in the file that .gnu_debugaltlink names")
shutil.copy("p.built", outside + "/p.alt")
for trap in TRAPS:
    put("p.alt", trap)
    unnamed(trap + " in its place", "in a file that is not found")
os.remove("p.alt")
for link in (outside + "/p.alt", os.path.relpath(outside + "/p.alt")):
    with_alt(link)
    unnamed("a path out of the roots", "in a file that is not found")
restore()
names("and without such a link")

# ---- units whose debug information is in other files

build("-O2", "-g", "-gdwarf-5", "-gsplit-dwarf", "-Wl,--build-id")
age(-10)
dwo = [n for n in os.listdir(".") if n.endswith(".dwo")]
ok(len(dwo) == 1, "split debug information is in a file", os.listdir("."))
names("it is read")
shutil.copy(dwo[0], outside)
for trap in TRAPS:
    put(dwo[0], trap)
    unnamed(trap + " in its place", "in a file that is not found")
os.remove(dwo[0])

# An absolute path outside of the roots, and a file of that name below one: libdw would open the path.
gone = tempfile.mkdtemp(prefix="quern-gone-")
subprocess.run(["g++", "-std=c++17", "-O2", "-g", "-gdwarf-5", "-gsplit-dwarf", "-c", source + "inlined.cc", "-o", gone + "/p.o"], check=True)
subprocess.run(["g++", "-Wl,--build-id", gone + "/p.o", "-o", "p"], check=True)
age(-10)


def below():
    forget()
    return rows(QUERY, "--source-root", ".")


def refused(name):
    got, talk = below()
    ok(got and not any(r[0] for r in got) and "in a file that is not found" in talk, name, "%s\n%s" % (talk, got))


refused("split debug information out of the roots is not read")
shutil.copy(gone + "/p.dwo", ".")
refused("nor if there is one of its name below them")
for trap in TRAPS:
    put(gone + "/p.dwo", trap)
    refused(trap + " there")
os.remove(gone + "/p.dwo")
shutil.rmtree(gone)
os.remove("p.dwo")

# ---- the object

for trap in TRAPS:
    shutil.copy("p.built", outside + "/p")
    put("p", trap)
    unnamed(trap + " in place of the object", "the kernel makes it" if "/proc" in trap else "regular file" if trap == "FIFO" else "newer")
shutil.rmtree(outside)
done()
