"""Validates JSON documents against a JSON Schema with jsonschema-rs, which shares no code with this project.

check_schema.py SCHEMA FILE...
Prints a line for each document that is not valid: the file and the paths of its errors.
"""
import json
import os.path
import sys

import jsonschema_rs

folder = os.path.dirname(sys.argv[1])


def read(name):
    """The schema of a file beside the schema that refers to it."""
    with open(os.path.join(folder, os.path.basename(name)), encoding="utf-8") as file:
        return json.load(file)


validator = jsonschema_rs.validator_for(read(sys.argv[1]), retriever=read)
for name in sys.argv[2:]:
    with open(name, encoding="utf-8") as file:
        paths = ["/".join(str(part) for part in error.instance_path) for error in validator.iter_errors(json.load(file))]
    if paths:
        print(name, *sorted(paths))
