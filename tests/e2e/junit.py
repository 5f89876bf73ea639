"""junit.py - a strict reader of reports of tests: the facts of tests/outputs/junit.xsd, and counts that are right."""
import re
from xml.etree import ElementTree

ATTRIBUTES = {"testsuites": "name tests failures errors time", "testsuite": "name tests failures errors skipped time",
              "testcase": "name classname time", "failure": "type message", "error": "type message", "skipped": "type message",
              "system-out": "", "system-err": ""}
REQUIRED = {"testsuite": "name tests failures errors", "testcase": "name"}
INSIDE = {"testsuites": "testsuite", "testsuite": "testcase", "testcase": "failure error skipped system-out system-err"}


class Report:
    """A document: `wrong` lists what is against the schema, `cases` has (name, outcome, text)."""

    def __init__(self, data):
        self.wrong, self.cases = [], []
        root = ElementTree.fromstring(data)     # raises if it is not well-formed
        if root.tag != "testsuites":
            self.wrong.append("the root is " + root.tag)
        self.element(root)
        for suite in root.iter("testsuite"):
            for count, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                n = len(list(suite.iter(tag)))
                if suite.get(count) != str(n) or root.get(count, str(n)) != str(n):
                    self.wrong.append("%s=%s, but %d" % (count, suite.get(count), n))
        for case in root.iter("testcase"):
            outcome = [e for e in case if e.tag in ("failure", "error", "skipped")]
            if len(outcome) > 1:
                self.wrong.append("a case with %d outcomes" % len(outcome))
            self.cases.append((case.get("name"), outcome[0].tag if outcome else "passed",
                               outcome[0].text if outcome else case.findtext("system-out", "")))
            self.messages = [e.get("message") for e in root.iter() if e.tag in ("failure", "error")]

    def element(self, e):
        unknown = set(e.attrib) - set(ATTRIBUTES.get(e.tag, "").split())
        missing = set(REQUIRED.get(e.tag, "").split()) - set(e.attrib)
        if unknown or missing:
            self.wrong.append("%s: unknown %s, missing %s" % (e.tag, sorted(unknown), sorted(missing)))
        if not re.fullmatch(r"[0-9]+(\.[0-9]{1,3})?", e.get("time", "0")):
            self.wrong.append("time " + e.get("time"))
        if e.tag in INSIDE and (e.text or "").strip():
            self.wrong.append("text in " + e.tag)
        for inner in e:
            if inner.tag not in INSIDE.get(e.tag, "").split():
                self.wrong.append("%s in %s" % (inner.tag, e.tag))
            self.element(inner)
