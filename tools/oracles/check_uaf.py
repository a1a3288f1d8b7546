"""Verifies what a UAF client sent, with a parser and a cryptography library of its own (FIDO UAF 1.1).

usage: check_uaf.py < operations.json

The input is a list of operations in their order: {"request": the UAF request as text, "response": the body of the client's
answer, "facet": the expected facet identifier}. Keys of registrations verify the authentications after them.

Exit code 0 when every assertion is right; 1 with one line per broken rule otherwise.
"""

import base64
import hashlib
import json
import struct
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

REGISTRATION, AUTHENTICATION, DATA, SIGNED = 0x3E01, 0x3E02, 0x3E03, 0x3E04
SIGNATURE, SURROGATE, KEY_ID, CHALLENGE_HASH = 0x2E06, 0x3E08, 0x2E09, 0x2E0A
AAID, PUBLIC_KEY, COUNTERS, INFORMATION, NONCE, CONTENT_HASH = 0x2E0B, 0x2E0C, 0x2E0D, 0x2E0E, 0x2E0F, 0x2E10
ECDSA, RSA = (2, 0x101), (9, 0x103)
ALGORITHMS = {"0": (ECDSA, RSA), "1": (ECDSA,)}
MODELS = {"F1D0#%d00%d" % (profile, model) for profile in (0, 1) for model in range(1, 6)}


class Broken(Exception):
    """A rule that the client broke."""


def require(condition, sentence):
    if not condition:
        raise Broken(sentence)


def decoded(text):
    require("=" not in text and "+" not in text and "/" not in text, "base64url must have no padding")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def elements(octets):
    """Reads TLV with little-endian tags and lengths: tag -> (value, element)."""
    found, position = {}, 0
    while position < len(octets):
        tag, count = struct.unpack_from("<HH", octets, position)
        end = position + 4 + count
        require(end <= len(octets), "tag %04X is longer than its container" % tag)
        require(tag not in found, "tag %04X occurs twice" % tag)
        found[tag] = (octets[position + 4:end], octets[position:end])
        position = end
    return found


def one(octets, tag):
    found = elements(octets)
    require(list(found) == [tag], "the assertion must be one element %04X" % tag)
    return found[tag][0]


def content_of_octet_string(octets):
    require(octets[:4] == bytes.fromhex("04820100") and len(octets) == 260, "an RSA signature must be an OCTET STRING")
    return octets[4:]


def check_signature(key, signature, octets):
    try:
        if isinstance(key, rsa.RSAPublicKey):
            key.verify(content_of_octet_string(signature), octets, padding.PKCS1v15(), hashes.SHA256())
        else:
            key.verify(signature, octets, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise Broken("the signature is wrong")


def challenge_hash(request, response, facet):
    """Checks header and final challenge parameters, and returns the hash that the assertions must contain."""
    asked, answered = request["header"], response["header"]
    for member in ("upv", "op", "serverData"):
        require(asked.get(member) == answered.get(member), "the header has another " + member)
    parameters = json.loads(decoded(response["fcParams"]))
    require(parameters["appID"] == (asked.get("appID") or facet), "fcParams has another appID")
    require(parameters["challenge"] == request["challenge"], "fcParams has another challenge")
    require(parameters["facetID"] == facet, "fcParams has another facetID")
    require(isinstance(parameters["channelBinding"], dict), "fcParams has no channelBinding")
    return hashlib.sha256(response["fcParams"].encode("ascii")).digest()


def name(key):
    return " RSA" if isinstance(key, rsa.RSAPublicKey) else ""


def common(fields, expected_hash):
    aaid = fields[AAID][0].decode("ascii")
    require(aaid in MODELS, "the AAID %s is unknown" % aaid)
    require(fields[CHALLENGE_HASH][0] == expected_hash, "the hash is not that of fcParams")
    require(32 <= len(fields[KEY_ID][0]) <= 2048, "the key identifier has a wrong size")
    return aaid, fields[KEY_ID][0]


def registration(assertion, expected_hash, keys):
    parts = elements(one(assertion, REGISTRATION))
    require(next(iter(parts)) == DATA, "the key registration data must come first")
    require(set(parts) == {DATA, SURROGATE}, "the attestation must be surrogate")
    data, element = parts[DATA]
    fields = elements(data)
    require(set(fields) == {AAID, INFORMATION, CHALLENGE_HASH, KEY_ID, COUNTERS, PUBLIC_KEY}, "wrong fields")
    aaid, key_id = common(fields, expected_hash)
    version, mode, algorithm, encoding = struct.unpack("<HBHH", fields[INFORMATION][0])
    require((version, mode) == (1, 1), "wrong version or mode")
    require((algorithm, encoding) in ALGORITHMS[aaid[5]], "wrong algorithms")
    require(fields[COUNTERS][0] == bytes(8), "the counters must be zero")
    key = serialization.load_der_public_key(fields[PUBLIC_KEY][0])
    if (algorithm, encoding) == RSA:
        require(isinstance(key, rsa.RSAPublicKey) and key.key_size == 2048, "the key must be RSA with 2048 bits")
    else:
        require(len(fields[PUBLIC_KEY][0]) == 91, "the public key must have 91 octets")
        require(isinstance(key.curve, ec.SECP256R1), "the key must be on P-256")
    require((aaid, key_id) not in keys, "the key was registered before")
    check_signature(key, elements(parts[SURROGATE][0])[SIGNATURE][0], element)
    keys[aaid, key_id] = key
    return aaid + name(key)


def authentication(assertion, expected_hash, keys, transactions):
    parts = elements(one(assertion, AUTHENTICATION))
    require(next(iter(parts)) == SIGNED, "the signed data must come first")
    data, element = parts[SIGNED]
    fields = elements(data)
    require(
        set(fields) == {AAID, INFORMATION, NONCE, CHALLENGE_HASH, CONTENT_HASH, KEY_ID, COUNTERS}, "wrong fields")
    aaid, key_id = common(fields, expected_hash)
    version, mode, algorithm = struct.unpack("<HBH", fields[INFORMATION][0])
    require(version == 1, "wrong version")
    require(len(fields[NONCE][0]) >= 8, "the nonce is too short")
    require(fields[COUNTERS][0] == bytes(4), "the counter must be zero")
    expected = [hashlib.sha256(decoded(form["content"])).digest() for form in transactions]
    require(mode == (2 if expected else 1), "the mode does not fit the transaction")
    require(fields[CONTENT_HASH][0] in (expected or [b""]), "the hash is not that of the transaction")
    require((aaid, key_id) in keys, "the key is not registered")
    key = keys[aaid, key_id]
    require(algorithm == (RSA if isinstance(key, rsa.RSAPublicKey) else ECDSA)[0], "wrong algorithm")
    check_signature(key, parts[SIGNATURE][0], element)
    return aaid + name(key)


def main():
    keys, nonces, failures, checked = {}, set(), [], []
    for number, operation in enumerate(json.load(sys.stdin), 1):
        try:
            (request,) = json.loads(operation["request"])
            (response,) = json.loads(json.loads(operation["response"])["uafResponse"])
            expected = challenge_hash(request, response, operation["facet"])
            require(request["challenge"] not in nonces, "the challenge was used before")
            nonces.add(request["challenge"])
            require(len(response["assertions"]) == 1, "one assertion is expected")
            for assertion in response["assertions"]:
                require(assertion["assertionScheme"] == "UAFV1TLV", "wrong scheme")
                octets = decoded(assertion["assertion"])
                if request["header"]["op"] == "Reg":
                    checked.append("Reg " + registration(octets, expected, keys))
                else:
                    forms = request.get("transaction") or []
                    checked.append("Auth " + authentication(octets, expected, keys, forms))
        except (Broken, KeyError, ValueError, struct.error) as error:
            failures.append("operation %d: %s" % (number, error))
    print("\n".join(failures or checked))
    return 1 if failures or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
