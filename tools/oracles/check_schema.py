"""Validates JSON documents against a JSON Schema with jsonschema-rs, which shares no code with this project.

check_schema.py SCHEMA FILE...
Prints a line for each document that is not valid: the file and the paths of its errors.
"""
import json
import sys

import jsonschema_rs

with open(sys.argv[1], encoding="utf-8") as file:
    validator = jsonschema_rs.validator_for(json.load(file))
for name in sys.argv[2:]:
    with open(name, encoding="utf-8") as file:
        paths = ["/".join(str(part) for part in error.instance_path) for error in validator.iter_errors(json.load(file))]
    if paths:
        print(name, *sorted(paths))
