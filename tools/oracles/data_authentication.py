#!/usr/bin/env python3
"""Makes Fixtures/Vectors/verified/data_authentication.json: certificate chains and signatures for offline data
authentication (EMV 4.4 Book 2, sections 5 and 6). It recovers and checks each chain itself, and shares no code with
the Swift sources. Its sources are public recordings and the private test primes of the file `test_primes.json`, with
which it also signs chains that are wrong in one field.

Usage: data_authentication.py VECTORS OUTPUT, where VECTORS is the folder Fixtures/Vectors."""
import hashlib
import json
import sys
from pathlib import Path

H = bytes.fromhex
E3 = b"\x03"


def sha(data):
    return hashlib.sha1(data).digest()


def text(data):
    return data.hex().upper()


def objects(data):
    """The BER-TLV data objects of one level: tag, value, and the bytes of the whole object."""
    found, at = [], 0
    while at < len(data):
        start, at = at, at + 1
        if data[start] & 0x1F == 0x1F:
            while data[at] & 0x80:
                at += 1
            at += 1
        tag, length, at = text(data[start:at]), data[at], at + 1
        if length & 0x80:
            width = length & 0x7F
            length, at = int.from_bytes(data[at : at + width], "big"), at + width
        found.append((tag, data[at : at + length], data[start : at + length]))
        at += length
    return found


def power(key, data, exponent):
    return pow(int.from_bytes(data, "big"), exponent, int.from_bytes(key, "big")).to_bytes(len(key), "big")


class Signer:
    """A private key."""

    def __init__(self, p, q):
        p, q = int(p, 16), int(q, 16)
        self.modulus = (p * q).to_bytes(((p * q).bit_length() + 7) // 8, "big")
        self.exponent = pow(3, -1, (p - 1) * (q - 1))

    def sign(self, content):
        return power(self.modulus, content, self.exponent)


def certificate(signer, subject, name, further=b"", **wrong):
    """A certificate and its remainder. `wrong` replaces single fields before the hash is made."""
    room = len(signer.modulus) - (32 + len(name))
    fmt = wrong.get("format", 2 if len(name) == 4 else 4)
    left = subject[:room] + b"\xBB" * (room - len(subject))
    remainder = wrong.get("remainder", subject[room:])
    exponent = wrong.get("exponent", E3)
    body = (
        bytes([fmt]) + name + wrong.get("expiry", H("1230")) + H("000001") + bytes([1, wrong.get("algorithm", 1)])
        + bytes([wrong.get("length", len(subject)), wrong.get("exponentLength", len(exponent))]) + left
    )
    digest = wrong.get("hash", sha(body + remainder + exponent + further))
    signed = signer.sign(wrong.get("header", b"\x6A") + body + digest + wrong.get("trailer", b"\xBC"))
    return signed, remainder, exponent


def signature(signer, fmt, dynamic, further, **wrong):
    body = bytes([fmt, wrong.get("algorithm", 1), wrong.get("length", len(dynamic))]) + dynamic
    body += b"\xBB" * (len(signer.modulus) - 22 - len(body))
    return signer.sign(b"\x6A" + body + wrong.get("hash", sha(body + further)) + b"\xBC")


def recovered_key(kind, signed, key, key_exponent, remainder, exponent, further=b""):
    """Checks a certificate and returns the certified modulus."""
    content = power(key, signed, int.from_bytes(key_exponent, "big"))
    assert content[0] == 0x6A and content[1] == kind and content[-1] == 0xBC
    assert sha(content[1:-21] + remainder + exponent + further) == content[-21:-1], "hash"
    at = 2 + (4 if kind == 2 else 10) + 7
    length, left = content[at], content[at + 2 : -21]
    modulus = left[:length] + remainder
    assert len(modulus) == length
    return modulus


def chain(name, origin, authority, pan, date, tags, static, **rest):
    key, exponent = H(authority["modulus"]), H(authority["exponent"])
    issuer = recovered_key(2, H(tags["90"]), key, exponent, H(tags.get("92", "")), H(tags["9F32"]))
    if "9F46" in tags:
        recovered_key(4, H(tags["9F46"]), issuer, H(tags["9F32"]), H(tags.get("9F48", "")), H(tags["9F47"]), static)
    return {
        "name": name, "origin": origin, "authority": authority, "pan": pan, "date": date, "tags": tags,
        "staticData": text(static), **rest,
    }


def authority(rid, index, modulus, exponent="03"):
    return {
        "rid": rid, "index": index, "modulus": modulus.upper(), "exponent": exponent,
        "checksum": text(sha(H(rid) + H(index) + H(modulus) + H(exponent))),
    }


def from_recording(name, lines, rid, key, signed_records, with_profile, date):
    """A chain of a recorded card that signs its cryptogram."""
    data, records, options, risk = {}, {}, b"", b""
    for command, response in zip(lines[0::2], lines[1::2]):
        top = objects(H(response)[:-2])[0]
        for tag, value, _ in objects(top[1]):
            data[tag] = value
        if command.startswith("80A8"):
            options = H(command)[7 : 5 + H(command)[4]]
            if top[0] == "80":
                data["82"] = top[1][:2]
        if command.startswith("00B2"):
            records[command[4:8]] = top[1]
        if command.startswith("80AE"):
            risk, response_objects = H(command)[5 : 5 + H(command)[4]], objects(top[1])
    static = b"".join(records[record] for record in signed_records) + (data["82"] if with_profile else b"")
    unsigned = b"".join(raw for tag, _, raw in response_objects if tag != "9F4B")
    at, number, definition = 0, b"", data["8C"]
    while definition:
        width = 2 if definition[0] & 0x1F == 0x1F else 1
        if text(definition[:width]) == "9F37":
            number = risk[at : at + definition[width]]
        at, definition = at + definition[width], definition[width + 1 :]
    tags = {t: text(data[t]) for t in ("90", "92", "9F32", "9F46", "9F48", "9F47") if t in data}
    return chain(
        name, "emv-bertlv", authority(rid, text(data["8F"]), *key), text(data["5A"]).rstrip("F"), date, tags, static,
        kind="cda", signature=text(data["9F4B"]), terminalData=text(number), cryptogramInformation=text(data["9F27"]),
        transactionData=text(options + risk + unsigned),
    )


def main(vectors, output):
    primes = json.loads((vectors / "verified/test_primes.json").read_text())
    ca, issuer, card = (Signer(**primes[name]) for name in ("authority", "issuer", "card"))
    root = authority("F000000001", "01", text(ca.modulus))
    pan = "5413330089604111"
    static = H("5A0854133300896041115F3401015F24033012319F4A0182") + H("2001")
    names = (H("541333FF"), H(pan) + H("FFFF"))

    def ours(case, kind, dynamic, terminal, fmt=5, ca_wrong={}, icc_wrong={}, signature_wrong={}, **rest):
        c90, c92, c9f32 = certificate(ca, issuer.modulus, ca_wrong.pop("name", names[0]), **ca_wrong)
        c9f46, c9f48, c9f47 = certificate(issuer, card.modulus, icc_wrong.pop("name", names[1]), static, **icc_wrong)
        tags = {"90": text(c90), "92": text(c92), "9F32": text(c9f32), "9F46": text(c9f46), "9F48": text(c9f48),
                "9F47": text(c9f47)}
        return {
            "name": case, "origin": "test primes", "authority": root, "pan": pan, "date": "2026-01-31", "tags": tags,
            "staticData": text(static), "kind": kind, "terminalData": text(terminal),
            "signature": text(signature(card, fmt, dynamic, terminal, **signature_wrong)), **rest,
        }

    fast = H("11223344") + H("000000001000") + H("0978") + H("01A1B2C3D40000")
    risk = H("000000001000000000000000084000000000000840260601001122334422000000000000000000001F0302")
    response = H("9F2701809F360200079F10120110A00003220000000000000000000000FF")
    combined = H("081122334455667788800123456789ABCDEF") + sha(risk + response)
    relay = H("A1A2A3A4B1B2B3B4000100640032")
    extra = {"cryptogramInformation": "80", "transactionData": text(risk + response)}
    good = [
        ours("fDDA", "fdda", H("020102"), fast, 0x95),
        ours("fDDA with format 05", "fdda", H("020102"), fast, 0x05),
        ours("CDA", "cda", combined, H("11223344"), **extra),
        ours("CDA with relay data", "cda", combined + relay, H("11223344"), relayData=text(relay), **extra),
    ]

    def bad(case, failure, **changes):
        return ours(case, "fdda", H("020102"), fast, 0x95, failure=failure, **changes)

    wrong = []
    for part, key, other in (("issuer certificate", "ca_wrong", 0x04), ("ICC certificate", "icc_wrong", 0x02)):
        for case, failure, change in (
            ("header 6B", "header", {"header": b"\x6B"}), ("trailer BD", "header", {"trailer": b"\xBD"}),
            ("the other format", "format", {"format": other}), ("a hash of zeros", "hash", {"hash": bytes(20)}),
            ("month 13", "date", {"expiry": H("1330")}), ("month 00", "date", {"expiry": H("0030")}),
            ("month 1A", "date", {"expiry": H("1A30")}), ("a year that is not decimal", "date", {"expiry": H("12A0")}),
            ("expired a month ago", "expired", {"expiry": H("1225")}), ("algorithm 02", "algorithm", {"algorithm": 2}),
            ("key length 0", "remainder", {"length": 0}), ("key length 255", "remainder", {"length": 255}),
            ("exponent length 2", "exponent", {"exponentLength": 2}), ("exponent 05", "exponent", {"exponent": b"\x05"}),
            ("no exponent", "exponent", {"exponent": b""}), ("no remainder", "remainder", {"remainder": b""}),
            ("a remainder that is one byte too long", "remainder", {"remainder": bytes(64)}),
        ):
            wrong.append(bad(f"{part}: {case}", failure, **{key: change}))
    wrong += [
        bad("issuer certificate: another issuer", "identifier", ca_wrong={"name": H("541334FF")}),
        bad("issuer certificate: identifier of two digits", "identifier", ca_wrong={"name": H("54FFFFFF")}),
        bad("issuer certificate: identifier with F between digits", "identifier", ca_wrong={"name": H("541F33FF")}),
        bad("ICC certificate: another account number", "accountNumber",
            icc_wrong={"name": H("5413330089604129") + H("FFFF")}),
        bad("signature: algorithm 02", "algorithm", signature_wrong={"algorithm": 2}),
        bad("signature: a hash of zeros", "hash", signature_wrong={"hash": bytes(20)}),
        bad("signature: dynamic data of 0 bytes", "dynamicData", signature_wrong={"length": 0}),
        bad("signature: dynamic data of 255 bytes", "dynamicData", signature_wrong={"length": 255}),
        bad("signature: one byte more than there is room", "dynamicData",
            signature_wrong={"length": len(card.modulus) - 24}),
        ours("signature: a number of 1 byte", "fdda", H("0101"), fast, 0x95, failure="dynamicData"),
        ours("signature: a number of 9 bytes", "fdda", H("09010203040506070809"), fast, 0x95, failure="dynamicData"),
        ours("signature: a number longer than the data", "fdda", H("0801"), fast, 0x95, failure="dynamicData"),
        ours("signature: format 03", "fdda", H("020102"), fast, 0x03, failure="format"),
        ours("CDA with format 95", "cda", combined, H("11223344"), 0x95, failure="format", **extra),
        ours("CDA: another cryptogram information", "cda", combined, H("11223344"), failure="cryptogramInformation",
             **{**extra, "cryptogramInformation": "40"}),
        ours("CDA: other transaction data", "cda", combined, H("11223344"), failure="transactionData",
             **{**extra, "transactionData": text(risk)}),
        ours("CDA: dynamic data that end in the hash", "cda", combined[:-1], H("11223344"), failure="dynamicData",
             **extra),
        ours("CDA: without relay data", "cda", combined, H("11223344"), failure="relayData", relayData=text(relay),
             **extra),
        ours("CDA: other relay data", "cda", combined + relay[::-1], H("11223344"), failure="relayData",
             relayData=text(relay), **extra),
    ]

    keys = dict()
    for line in (vectors / "verified/authority_keys.tsv").read_text().splitlines():
        rid, index, exponent, modulus = line.split("\t")
        keys[rid, index] = (modulus, exponent)
    recordings = vectors / "emv-bertlv"

    def lines(name):
        return [line.strip() for line in (recordings / name).read_text().splitlines() if line.strip()]

    recorded = [
        from_recording("contactless-mastercard", lines("contactless-mastercard-in.txt"), "A000000004",
                       keys["A000000004", "EF"], ["0114"], True, "2014-06-30"),
        from_recording("amex-cda", lines("amex-cda-in.txt"), "A000000025", keys["A000000025", "A1"],
                       ["020C"], True, "2014-10-31"),
    ]
    card_tests = json.loads((vectors / "proxmark3/oda_test_vectors.json").read_text())
    for name in ("sda", "dda", "cda"):
        test, mark = card_tests[name + "_test"], {"sda": "", "dda": "d_", "cda": "c_"}[name]
        rid, index = ("A000000003", "01") if name == "sda" else ("A000000004", "05")
        tags = {"90": test[mark + "issuer_cert"], "92": test[mark + "issuer_rem"], "9F32": test[mark + "issuer_exp"]}
        static = H(test[mark + "ssd1"])
        rest = {"kind": name, "signature": test.get("ssad_cr") or test[mark + "sdad_cr"]}
        if name != "sda":
            tags |= {"9F46": test[mark + "icc_cert"], "9F47": test[mark + "icc_exp"]}
            rest["terminalData"] = test[mark + "dd1"]
        if name == "cda":
            rest |= {"cryptogramInformation": "40", "transactionData": test["c_crm1"] + test["c_dd2"]}
        # The test data give the interchange profile apart.
        recorded_data = objects(static)
        pan_digits = next(text(value) for tag, value, _ in recorded_data if tag == "5A").rstrip("F")
        for profile in (b"", H("1800"), H("3800"), H("5800"), H("7C00"), H("3900"), H("1980"), H("5980"), H("5C00")):
            try:
                recorded.append(chain(
                    f"proxmark3 {name}", "proxmark3", authority(rid, index, test["_ca_modulus"][0]), pan_digits,
                    "2008-01-31" if name == "sda" else "2014-06-30", tags, static + profile, **rest))
                break
            except AssertionError:
                continue
    signatures = []
    for name, signer in (("authority", ca), ("issuer", issuer), ("card", card)):
        for fill in (0x00, 0x5A, 0xFF):
            block = b"\x6A" + bytes([fill]) * (len(signer.modulus) - 2) + b"\xBC"
            signatures.append({**primes[name], "block": text(block), "signature": text(signer.sign(block))})
    result = {"valid": good + recorded, "wrong": wrong, "signatures": signatures}
    Path(output).write_text(json.dumps(result, indent=1) + "\n")
    print(len(good + recorded), "valid,", len(wrong), "wrong")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
