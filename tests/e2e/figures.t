#!/usr/bin/env python3
"""figures.t - the figures of tests/README.md are those of the tree."""
import os
import shutil
import subprocess

from e2e import done, ok, top, work

r = subprocess.run([top + "/tests/figures", "--check"], stdout=subprocess.PIPE, text=True)
ok(r.returncode == 0, "the page has today's figures; else: tests/figures --update", r.stdout)

# In a tree with one program and a page that says nine.
os.makedirs("tests/unit")
shutil.copy(top + "/tests/figures", "tests/figures")
with open("tests/unit/one_test.c", "w") as f:
    f.write("int main;\n")
with open("tests/README.md", "w") as f:
    f.write("above\n<!-- tests/figures --update -->\n| programs in C | 9 | 1 |\n<!-- end -->\nbelow\n")


def figures(*args):
    return subprocess.run([work + "/tests/figures", *args], stdout=subprocess.PIPE, text=True)


r = figures("--check")
ok(r.returncode == 1 and "programs in C: the page says [9, 1], there are [1, 1]" in r.stdout, "a wrong figure is found", r.stdout)
figures("--update")
ok(figures("--check").returncode == 0 and figures().stdout in open("tests/README.md").read(), "--update mends it")
ok(open("tests/README.md").read().startswith("above\n") and open("tests/README.md").read().endswith("\nbelow\n"), "and leaves the rest")
done()
