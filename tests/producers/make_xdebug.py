"""PHP's Xdebug: its profile beside the calls that its own tracer counted in the same run.

Xdebug has no text report of a profile; it writes a `summary:` into it, and the tracer is its
own witness of how often each function was called.
"""
import re

from producer import Skip

PHP = ("php -n -d zend_extension=xdebug.so -d xdebug.mode=profile,trace -d xdebug.trace_format=1 "
       "-d xdebug.use_compression=0 -d xdebug.start_with_request=yes -d xdebug.output_dir=. "
       "-d xdebug.trace_output_name=trace -d xdebug.profiler_output_name=%s %s")


def traced(path):
    """Calls by name, from the computerized trace: level, number, 0 at entry, ..., name."""
    calls = {}
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            cells = line.split("\t")
            if len(cells) > 7 and cells[2] == "0":
                name = cells[5]
                if cells[6] == "0":
                    name = "php::" + name
                if name in ("include", "require", "include_once", "require_once"):
                    name += "::" + cells[7]
                calls[name] = calls.get(name, 0) + 1
    return calls


def written(path):
    """The sums of summary: by event."""
    sums, events = {}, []
    with open(path, errors="surrogateescape") as f:
        for line in f:
            if line.startswith("events:"):
                events = line.split()[1:]
            elif line.startswith("summary:"):
                for event, cost in zip(events, line.split()[1:]):
                    sums[event] = sums.get(event, 0) + int(cost)
    return sums


def make(box):
    box.need("php", "php-cli")
    said = box.shell("php -n -d zend_extension=xdebug.so -v")
    if "Xdebug" not in said:
        raise Skip("PHP has no Xdebug (Debian: php-xdebug)")
    box.source("work.php")
    box.source("helpers.php")
    out = box.path("xdebug.out")
    box.shell(PHP % ("xdebug.out", "work.php"))
    calls = {k: v for k, v in traced(box.path("trace.xt")).items() if "{closure" not in k}
    calls.pop("{main}", None)
    totals = written(out)
    box.add(out, PHP % ("FILE", "work.php"), "Xdebug's trace", {}, calls=calls,
            note="summary: %s counts the start and the end of PHP too" % totals)
    return re.search(r"Xdebug v([\d.]+)", said)[1]
