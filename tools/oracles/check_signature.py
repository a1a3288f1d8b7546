#!/usr/bin/env python3
"""Checks the certificates and the signature of a card in a recording of `tap accept --record` (EMV 4.4 Book 2, sections 5
and 6; Book C-3 for fDDA). It shares no code with the Swift sources. The key of the authority is in the terminal profile of
the recording.

Usage: check_signature.py RECORDING [TAG], where TAG names a data object of the card whose first byte is changed before the
check. Prints the method and the cryptogram; exits with 1 when the check fails."""
import json
import re
import sys

from data_authentication import H, objects, power, sha, text

ISSUER, CARD = (2, 4, 36), (4, 10, 42)


class Refused(Exception):
    """A check that is not met."""


def require(condition, name):
    if not condition:
        raise Refused(name)


def recovered(signed, key, exponent, name):
    require(len(signed) == len(key), f"{name}: length")
    data = power(key, signed, int.from_bytes(exponent, "big"))
    require(data[0] == 0x6A and data[-1] == 0xBC, f"{name}: header")
    return data[1:-1]


def certified(kind, signed, key, exponent, remainder, own_exponent, further=b""):
    """The key that a certificate certifies."""
    form, name, overhead = kind
    data = recovered(signed, key, exponent, f"certificate {form}")
    require(data[0] == form, "format")
    require(sha(data[:-20] + remainder + own_exponent + further) == data[-20:], f"certificate {form}: hash")
    count, room = data[name + 8], len(key) - overhead
    part = data[name + 10 : name + 10 + room]
    return part[:count] if count <= room else part + remainder


def listed(names, values, wanted):
    """The value of a tag among the values of a data object list."""
    at = place = 0
    while place < len(names):
        start = place
        place += 1
        if names[start] & 0x1F == 0x1F:
            while names[place] & 0x80:
                place += 1
            place += 1
        if text(names[start:place]) == wanted:
            return values[at : at + names[place]]
        at, place = at + names[place], place + 1
    raise Refused(f"{wanted} is in no list")


class Tap:
    """The data objects and the signed records of a recorded payment."""

    def __init__(self, exchanges):
        self.data, self.signed, self.relay, self.options, self.request = {}, b"", b"", b"", None
        for command, response in exchanges:
            self.take(command, response[:-2])

    def take(self, command, response):
        kind = text(command[:2])
        if kind == "00A4" and response:
            fci = dict((tag, value) for tag, value, _ in objects(objects(response)[0][1]))
            self.data["9F38"] = dict((t, v) for t, v, _ in objects(fci["A5"])).get("9F38", b"")
        elif kind == "80A8":
            self.options, (tag, value, _) = command[7 : 7 + command[6]], objects(response)[0]
            if tag == "80":
                self.data.update({"82": value[:2], "94": value[2:]})
            else:
                self.add(value)
        elif kind == "00B2":
            self.record(command[3] >> 3, command[2], response)
        elif kind == "80EA":
            self.relay = command[5:9] + response[2:12]
        elif kind == "80AE":
            self.request, self.response = command[5 : 5 + command[4]], objects(response)[0][1]
            self.add(self.response)

    def add(self, value):
        self.data.update((tag, content) for tag, content, _ in objects(value))

    def record(self, file, number, response):
        content = objects(response)[0][1]
        for at in range(0, len(self.data["94"]), 4):
            sfi, first, _, count = self.data["94"][at : at + 4]
            if sfi >> 3 == file and first <= number < first + count:
                self.signed += content if file <= 10 else response
        self.add(content)


def check(tap, authority):
    data = tap.data
    issuer = certified(ISSUER, data["90"], authority, b"\x03", data.get("92", b""), data["9F32"])
    static = tap.signed + (data["82"] if data.get("9F4A") == b"\x82" else b"")
    card = certified(CARD, data["9F46"], issuer, data["9F32"], data.get("9F48", b""), data["9F47"], static)
    signed = recovered(data["9F4B"], card, data["9F47"], "signature")
    dynamic, covered = signed[3 : 3 + signed[2]], signed[:-20]
    if tap.request is None:
        values = [listed(data["9F38"], tap.options, tag) for tag in ("9F37", "9F02", "5F2A")]
        require(signed[0] in (0x05, 0x95), "format")
        require(sha(covered + b"".join(values) + data["9F69"]) == signed[-20:], "signature: hash")
        return f"fDDA {text(data['9F26'])}"
    require(sha(covered + listed(data["8C"], tap.request, "9F37")) == signed[-20:], "signature: hash")
    rest = dynamic[1 + dynamic[0] :]
    others = b"".join(whole for tag, _, whole in objects(tap.response) if tag != "9F4B")
    require(rest[0] == data["9F27"][0], "type")
    require(rest[9:29] == sha(tap.options + tap.request + others), "transaction data")
    require(rest[29:] == tap.relay, "relay resistance data")
    return f"CDA {text(rest[1:9])}"


def main():
    lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
    profile = next(line.split(" ", 2)[2] for line in lines if line.startswith("#@ terminal: "))
    authority = H(json.loads(profile)["certificationAuthorities"][0]["modulus"])
    octets = [H(line) for line in lines if re.fullmatch("[0-9A-F]+", line)]
    tap = Tap(zip(octets[0::2], octets[1::2]))
    for tag in sys.argv[2:]:
        tap.data[tag] = bytes([tap.data[tag][0] ^ 1]) + tap.data[tag][1:]
    try:
        print(check(tap, authority))
    except Refused as refusal:
        sys.exit(f"refused: {refusal}")


if __name__ == "__main__":
    main()
