"""Reads a JUnit file of `triage report --format junit` with Python's XML parser and with junitparser, and counts.

usage: junit_read.py FILE
"""

import sys
import xml.etree.ElementTree as ElementTree

from junitparser import Error, Failure, JUnitXml, Skipped

root = ElementTree.parse(sys.argv[1]).getroot()
suites = JUnitXml.fromfile(sys.argv[1])
tests = failures = errors = skipped = 0
for suite in suites:
    names = set()
    for case in suite:
        kinds = {type(r) for r in case.result}
        tests, failures, errors, skipped = tests + 1, failures + (Failure in kinds), errors + (Error in kinds), skipped + (Skipped in kinds)
        assert case.name not in names, f"two cases of {suite.name} are called {case.name}"
        names.add(case.name)
    assert len(names) == suite.tests and {p.name for p in suite.properties()} >= {"agent", "task", "run"}
assert (tests, failures, errors, skipped) == tuple(int(root.get(k)) for k in ("tests", "failures", "errors", "skipped")), "it counts otherwise"
print(f"junitparser reads {tests} cases, {failures} failures, {errors} errors, {skipped} skipped")
