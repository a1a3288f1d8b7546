"""Recomputes the cryptogram or the CVC3 of a card with pyemv, from the data of an authorisation request.

usage: check_cryptogram.py < tap-accept.json

Exit code 0 when pyemv computes the same value; 1 otherwise.
"""

import json
import sys

from pyemv.ac import PaddingType, generate_ac
from pyemv.cvn import MasterCardCVN16, MasterCardCVN17, MasterCardCVN20, MasterCardCVN21, VisaCVN10, VisaCVN18
from pyemv.cvv import generate_cvc3
from pyemv.kd import derive_common_sk, derive_icc_mk_a, derive_icc_mk_b

# The public test keys of the issuer of all shipped cards.
ISSUER_KEY = bytes.fromhex("0123456789ABCDEFFEDCBA9876543210")
CVC3_KEY = bytes.fromhex("FEDCBA98765432100123456789ABCDEF")
COVERED = ["9F02", "9F03", "9F1A", "95", "5F2A", "9A", "9C", "9F37", "82", "9F36"]
MASTERCARD = {0x10: MasterCardCVN16, 0x11: MasterCardCVN17, 0x14: MasterCardCVN20, 0x15: MasterCardCVN21}


def tlv(octets):
    """Reads BER-TLV into a flat dictionary of primitive data objects."""
    found, position = {}, 0
    while position < len(octets):
        start = position
        position += 1
        if octets[start] & 0x1F == 0x1F:
            while octets[position] & 0x80:
                position += 1
            position += 1
        tag = bytes(octets[start:position]).hex().upper()
        length = octets[position]
        position += 1
        if length & 0x80:
            count = length & 0x7F
            length = int.from_bytes(bytes(octets[position:position + count]), "big")
            position += count
        value = octets[position:position + length]
        position += length
        if octets[start] & 0x20:
            found.update(tlv(value))
        else:
            found[tag] = bytes(value).hex().upper()
    return found


def made_common_core(data):
    """Returns the cryptogram of version 5 of the Common Core Definitions (EMV Book 3, part V)."""
    key = derive_icc_mk_b(ISSUER_KEY, data["5A"].rstrip("F"), data["5F34"])
    session_key = derive_common_sk(key, bytes.fromhex(data["9F36"]) + bytes(6))
    covered = "".join(data[tag] for tag in COVERED) + data["9F10"]
    return generate_ac(session_key, bytes.fromhex(covered), PaddingType.EMV)


def made(data):
    """Returns the cryptogram that pyemv computes from the data that tag 9F26 covers."""
    # pyemv requires keys for secure messaging too; the cryptogram does not use them.
    arguments = {"tag_" + tag.lower(): bytes.fromhex(data[tag]) for tag in COVERED}
    keys = (ISSUER_KEY, ISSUER_KEY, ISSUER_KEY, data["5A"].rstrip("F"), data["5F34"])
    issuer_data = bytes.fromhex(data["9F10"])
    if len(issuer_data) == 32 and issuer_data[:2] == b"\x0F\xA5":
        return made_common_core(data)
    if issuer_data[0] != 6:
        version = issuer_data[1]
        if version not in MASTERCARD:
            sys.exit(f"Mastercard cryptogram version {version:02X} is not known here")
        if version & 1:
            arguments["counters"] = issuer_data[10:18]
        return MASTERCARD[version](*keys).generate_ac(**arguments, cvr=issuer_data[2:8])
    version = issuer_data[2]
    if version == 10:
        return VisaCVN10(*keys).generate_ac(**arguments, cvr=issuer_data[3:7])
    if version == 18:
        return VisaCVN18(*keys).generate_ac(**arguments, tag_9f10=issuer_data)
    sys.exit(f"Visa cryptogram version {version} is not known here")


def check(data):
    """Ends the program when tag 9F26 differs from the cryptogram that pyemv computes."""
    expected = made(data).hex().upper()
    if expected != data["9F26"]:
        sys.exit(f"the card returned {data['9F26']}, pyemv computes {expected}")


def check_cvc3(data, track):
    """Ends the program when tag 9F61 differs from the CVC3 that pyemv computes for the track of the card."""
    # A track holds no sequence number, so 00 is used.
    key = derive_icc_mk_a(CVC3_KEY, track.split("D")[0], "00")
    expected = generate_cvc3(key, bytes.fromhex(track), bytes.fromhex(data["9F36"]), bytes.fromhex(data["9F6A"]))
    if int(expected) != int(data["9F61"], 16):
        sys.exit(f"the card returned {int(data['9F61'], 16)}, pyemv computes {expected}")


def main():
    report = json.load(sys.stdin)
    data = report["cryptogram"]["data"]
    if report["cryptogram"]["type"] != "CVC3":
        return check(data)
    records = [tlv(bytes.fromhex(exchange["response"])[:-2]) for exchange in report["exchanges"]]
    check_cvc3(data, next(record["9F6B"] for record in records if "9F6B" in record))


if __name__ == "__main__":
    main()
