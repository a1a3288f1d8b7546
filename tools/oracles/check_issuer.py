"""Recomputes an issuer's response with pyemv: tag 91 and the chained MACs of its scripts.

usage: check_issuer.py < response.json

Exit code 0 when pyemv computes the same values; 1 otherwise. The chain of MACs is joined here, by EMV Book 2, section 9.2.
"""

import json
import sys

from pyemv.ac import generate_arpc_1, generate_arpc_2
from pyemv.kd import derive_common_sk, derive_icc_mk_a, derive_icc_mk_b, derive_visa_sm_sk
from pyemv.mac import mac_iso9797_3

# The public test keys of the issuer of all shipped cards.
CRYPTOGRAM_KEY = bytes.fromhex("0123456789ABCDEFFEDCBA9876543210")
SCRIPT_KEY = bytes.fromhex("89ABCDEF0123456776543210FEDCBA98")


def objects(octets):
    """Reads BER-TLV with tags of one or two bytes and lengths of one or two bytes into a list."""
    found, position = [], 0
    while position < len(octets):
        start = position
        position += 2 if octets[position] & 0x1F == 0x1F else 1
        tag = octets[start:position].hex().upper()
        length = octets[position]
        position += 1
        if length == 0x81:
            length = octets[position]
            position += 1
        found.append((tag, octets[position:position + length]))
        position += length
    return found


def padded(octets):
    """Pads with one byte 80, then zeros up to a whole block."""
    return octets + b"\x80" + bytes(7 - len(octets) % 8)


def card_key(case, issuer_key):
    """Derives the key of the card from one of the issuer."""
    derive = {"A": derive_icc_mk_a, "B": derive_icc_mk_b}[case["derivation"]]
    return derive(issuer_key, case["number"], "00")


def arpc(case):
    """Returns the value of tag 91: method 1 with the card's key or the session key, or method 2 with the session key."""
    cryptogram, counter = bytes.fromhex(case["cryptogram"]), bytes.fromhex(case["counter"])
    master = card_key(case, CRYPTOGRAM_KEY)
    session = derive_common_sk(master, counter + bytes(6))
    if case["response"] == "master key, code":
        return generate_arpc_1(master, cryptogram, b"00") + b"00"
    if case["response"] == "session key, code":
        return generate_arpc_1(session, cryptogram, b"00") + b"00"
    update = bytes.fromhex("00800000")
    return generate_arpc_2(session, cryptogram, update) + update


def check_scripts(case):
    """Compares the MAC of every command of the scripts."""
    cryptogram, counter = bytes.fromhex(case["cryptogram"]), bytes.fromhex(case["counter"])
    master = card_key(case, SCRIPT_KEY)
    session = derive_visa_sm_sk(master, counter) if case["scriptKey"] == "Visa" else derive_common_sk(master, cryptogram)
    previous, count = cryptogram, 0
    for template, content in objects(bytes.fromhex(case["scripts"])):
        for tag, command in objects(content):
            if tag != "86":
                continue
            parts = objects(command[5:])
            data = b"".join(bytes.fromhex(t) + bytes([len(v)]) + v for t, v in parts if t != "8E")
            given = dict(parts)["8E"]
            message = previous + padded(command[:4]) + (padded(data) if data else b"")
            # Whole blocks: padding method 1 adds nothing.
            previous = mac_iso9797_3(session[:8], session[8:], message, 1, 8)
            if previous != given:
                sys.exit(f"{case['version']}, template {template}: MAC {given.hex()}, pyemv has {previous.hex()}")
            count += 1
    if count != case["commands"]:
        sys.exit(f"{case['version']}: {count} commands instead of {case['commands']}")


def main():
    """Checks every case."""
    for case in json.load(sys.stdin):
        expected = arpc(case)
        if expected.hex().upper() != case["authenticationData"]:
            sys.exit(f"{case['version']}: tag 91 {case['authenticationData']}, pyemv has {expected.hex().upper()}")
        check_scripts(case)


main()
