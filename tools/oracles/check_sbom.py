"""Checks a list of components against the schema of CycloneDX 1.6 with cyclonedx-python-lib.

usage: check_sbom.py < sbom.json

Exit code 0 when the schema accepts it in strict mode; 1 otherwise.
"""

import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator


def main():
    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(sys.stdin.read())
    if problem:
        sys.exit(f"error: the list of components is no CycloneDX 1.6: {problem}")


if __name__ == "__main__":
    main()
