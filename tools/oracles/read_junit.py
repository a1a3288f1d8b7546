#!/usr/bin/env python3
"""Reads JUnit XML with the parser of Python and with junitparser, and prints the common result as JSON.

usage: read_junit.py FILE
"""

import json
import sys
import xml.etree.ElementTree as ElementTree

import junitparser

path = sys.argv[1]
root = ElementTree.parse(path).getroot()
report = junitparser.JUnitXml.fromfile(path)
cases = []
suites = []
for suite in report:
    suites.append({
        "timestamp": suite.timestamp, "properties": {item.name: item.value for item in suite.properties()},
    })
    for case in suite:
        results = [(type(result).__name__.lower(), result.message, result.text) for result in case.result]
        cases.append({
            "suite": suite.name, "name": case.name, "seconds": case.time, "output": case.system_out,
            "results": [kind for kind, _, _ in results], "messages": [message for _, message, _ in results],
        })
if len(cases) != len(root.findall("./testsuite/testcase")):
    sys.exit("the two parsers found different numbers of test cases")
totals = {key: int(root.get(key)) for key in ("tests", "failures", "errors", "skipped")}
if totals != {"tests": report.tests, "failures": report.failures, "errors": report.errors, "skipped": report.skipped}:
    sys.exit("the two parsers found different totals")
# The totals must equal the counts over all cases, which junitparser computes here.
report.update_statistics()
counted = {"tests": report.tests, "failures": report.failures, "errors": report.errors, "skipped": report.skipped}
if totals != counted:
    sys.exit(f"the totals say {totals}, the cases {counted}")
print(json.dumps({"totals": totals, "cases": cases, "suites": suites, "time": float(root.get("time"))}))
