#!/usr/bin/env python3
"""Prints results of `run run --output FILE` as a table in Markdown: by side and scheme, by operator, then what is missed."""

import json
import sys

import judge


def weak(result):
    """Returns whether a laboratory would fail the fault and the pack names it by warnings only."""
    if result["grade"] != "failure" or result["verdict"] != "named":
        return False
    named = [finding for finding in result["findings"] if judge.mentions(finding, result["expected"])]
    return all(finding["verdict"] == "warning" for finding in named)


def table(results, title, key):
    """Prints a table of verdicts by a key."""
    rows = {}
    for result in results:
        row = rows.setdefault(key(result), [0, 0, 0, 0, 0])
        row[0] += 1
        row[{"named": 1, "failed": 3, "unnoticed": 4}[result["verdict"]]] += 1
        row[2] += weak(result)
    print("\n## By %s\n" % title)
    print("| %s | faults | named | of these by a warning only | failed, not named | unnoticed |" % title)
    print("|---|---|---|---|---|---|")
    for name, row in sorted(rows.items()) + [("all", [sum(column) for column in zip(*rows.values())])]:
        print("| %s | %s |" % (name, " | ".join(map(str, row))))


def missed(results, verdict):
    """Prints the faults with a verdict, with their rule and what the pack printed."""
    print("\n## %s\n" % verdict.capitalize())
    for result in sorted(results, key=lambda result: result["name"]):
        if result["verdict"] != verdict:
            continue
        print("- `%s` (%s): %s" % (result["name"], result["grade"], result["rule"]))
        for finding in result["findings"][:3]:
            print("    - %s %s: %s" % (finding["verdict"], finding["check"], finding["message"]))


def main():
    results = []
    for path in sys.argv[1:]:
        with open(path) as file:
            results += json.load(file)
    for result in results:
        judged = [finding for finding in result["findings"] if finding["verdict"] in ("failed", "warning")]
        if result["verdict"] == "named" and not any(judge.mentions(one, result["expected"]) for one in judged):
            result["verdict"] = "failed"
    print("# Faults of foreign cards and terminals")
    table(results, "side", lambda result: result["side"])
    table(results, "scheme or kernel", lambda result: result["side"] + " " + result["scheme"])
    table(results, "book", lambda result: book(result["rule"]))
    table(results, "operator", lambda result: result["side"] + " " + result["operator"]
          if result["side"] == "card" else "terminal " + result["name"].split("/")[2])
    missed(results, "unnoticed")
    missed(results, "failed")
    print("\n## Named by a warning only, where a laboratory would fail\n")
    for result in filter(weak, results):
        print("- `%s`" % result["name"])


def book(rule):
    """Returns the book and chapter of a rule, such as "Book 3 10.2"."""
    words = rule.replace(":", " ").replace(",", " ").replace(";", " ").split()
    return " ".join(words[:3 if words[0] == "Book" else 2])


if __name__ == "__main__":
    main()
