"""Validates the output of commands against a definition of a JSON Schema with jsonschema-rs.

check_output.py SCHEMA DEFINITION FILE
Prints a line for each line of FILE that is not valid: the line and the paths of its errors.
"""
import json
import sys

import jsonschema_rs

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
definition = schema["definitions"][sys.argv[2]]
# The alternatives are tried one by one, since the error of their union names no path.
names = [part["$ref"].split("/")[-1] for part in definition.get("anyOf", [])] or [sys.argv[2]]
validators = [
    jsonschema_rs.validator_for({**schema, "$ref": "#/definitions/" + name.replace(" ", "%20")}) for name in names
]
with open(sys.argv[3], encoding="utf-8") as file:
    for line in file:
        document = json.loads(line)
        errors = [list(validator.iter_errors(document)) for validator in validators]
        if all(errors):
            fewest = min(errors, key=len)
            print(line.strip()[:200], *("/".join(map(str, e.instance_path)) + ": " + e.message for e in fewest))
