"""Recomputes a Visa cryptogram with pyemv from the data that a host gets.

usage: check_cryptogram.py < tap-accept.json

Exit code 0 when the cryptogram is the one that pyemv makes; 1 otherwise.
"""

import json
import sys

from pyemv.cvn import VisaCVN10, VisaCVN18

# The public test key of every shipped card's issuer.
ISSUER_KEY = bytes.fromhex("0123456789ABCDEFFEDCBA9876543210")
COVERED = ["9F02", "9F03", "9F1A", "95", "5F2A", "9A", "9C", "9F37", "82", "9F36"]


def check(data):
    """Ends the program when tag 9F26 of the data is not what pyemv makes of the others."""
    # pyemv wants keys for secure messaging too; the cryptogram does not use them.
    arguments = {"tag_" + tag.lower(): bytes.fromhex(data[tag]) for tag in COVERED}
    keys = (ISSUER_KEY, ISSUER_KEY, ISSUER_KEY, data["5A"].rstrip("F"), data["5F34"])
    issuer_data = bytes.fromhex(data["9F10"])
    version = issuer_data[2]
    if version == 10:
        made = VisaCVN10(*keys).generate_ac(**arguments, cvr=issuer_data[3:7])
    elif version == 18:
        made = VisaCVN18(*keys).generate_ac(**arguments, tag_9f10=issuer_data)
    else:
        sys.exit(f"cryptogram version {version} is not known here")
    if made.hex().upper() != data["9F26"]:
        sys.exit(f"the card gave {data['9F26']}, pyemv makes {made.hex().upper()}")


if __name__ == "__main__":
    check(json.load(sys.stdin)["cryptogram"]["data"])
