#!/usr/bin/env python3
"""scale.t - bench/scale at full size, up to 5 GiB, 100,000 parts and a million functions.

Under `scons torture` only: it takes minutes and 6 GB of disk.  tests/e2e/scale.t is the same
in small.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../e2e")
from e2e import done, ok, skip_all, top, work    # noqa: E402

if not os.environ.get("QUERN_TORTURE"):
    skip_all("only under `scons torture`")
if not os.path.exists(os.environ.get("QUERN_BUILD", top + "/build/release") + "/bench/gen"):
    skip_all("no bench/gen")
free = os.statvfs(work).f_bavail * os.statvfs(work).f_frsize
if free < 16 << 30:
    skip_all("less than 16 GiB of disk is free")
for what in ("bytes", "xdebug", "parts", "files", "functions", "lines", "events", "names"):
    p = subprocess.run([top + "/bench/scale", "--runs", "1", "--dir", work, what], text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    ok(p.returncode == 0 and "right" in p.stdout, what + ": every step is right", p.stdout)
done()
