#!/usr/bin/env python3
"""look.t - bench/look, the floor that parsing is measured against, adds up what a plain loop does."""
import glob
import os
import subprocess

from e2e import done, ok, skip_all, top, work

look = os.environ.get("QUERN_BUILD", top + "/build/release") + "/bench/look"
if not os.path.exists(look):
    skip_all("bench/look is not built")
if subprocess.run([look, "/dev/null"], capture_output=True, text=True).stderr.count("AVX-512"):
    skip_all("bench/look needs AVX-512")

gen = os.path.dirname(look) + "/gen"
for name, options in (("one.out", ()), ("thirteen.out", ("--events", "13")), ("names.out", ("--names", "full"))):
    subprocess.run([gen, "-o", work + "/" + name, "--bytes", "2M", "--jumps", "--positions", "instr line",
                    *options], check=True)
files = [f for f in glob.glob(top + "/tests/fixtures/*/*") if os.path.isfile(f)]
files = [f for f in sorted(files) if b"\npositions: instr line\n" in open(f, "rb").read()]
files += [work + "/one.out", work + "/thirteen.out", work + "/names.out"]
for f in files:
    r = subprocess.run([look, "--tsv", f], capture_output=True, text=True, cwd=work)
    rows = [line.split("\t") for line in r.stdout.splitlines()]
    ok(r.returncode == 0 and [row[0] for row in rows] == [
        "wc -l", "every number looked at", "and half as many bytes kept", "these written and synced"],
       os.path.basename(f), r.stdout + r.stderr)
r = subprocess.run([look, top + "/README.md"], capture_output=True, text=True)
ok(r.returncode == 1 and "only for" in r.stderr, "no profile", r.stderr)
done()
