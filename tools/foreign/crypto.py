"""Cryptograms and certificates of test cards (EMV 4.4 Book 2). Every key here is for tests only."""

import hashlib
import json
import os

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.ciphers import Cipher, modes

KEYS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "keys.json")
ISSUER_MASTER_KEY = bytes.fromhex("C1D2E3F4A5B6978889A0B1C2D3E4F508")


def des3(key, block):
    """Encrypts one or more blocks of 8 bytes with two-key triple DES in ECB mode."""
    work = Cipher(TripleDES(key + key[:8]), modes.ECB()).encryptor()
    return work.update(block) + work.finalize()


def odd_parity(key):
    """Returns the key with odd parity in each byte."""
    return bytes(b ^ (1 if bin(b).count("1") % 2 == 0 else 0) for b in key)


def retail_mac(key, data):
    """Returns the MAC of ISO 9797-1 algorithm 3 with padding method 2 (Book 2, A1.2.1)."""
    data += b"\x80" + bytes(-(len(data) + 1) % 8)
    single = Cipher(TripleDES(key[:8] * 3), modes.ECB()).encryptor()
    state = bytes(8)
    for at in range(0, len(data), 8):
        state = bytes(a ^ b for a, b in zip(state, data[at:at + 8]))
        if at + 8 < len(data):
            state = single.update(state)
    return des3(key, state)


def card_master_key(pan, sequence):
    """Derives the card key from the issuer key by option A (Book 2, A1.4.1). `pan` and `sequence` are digits."""
    block = bytes.fromhex((pan + sequence)[-16:].rjust(16, "0"))
    other = bytes(b ^ 0xFF for b in block)
    return odd_parity(des3(ISSUER_MASTER_KEY, block) + des3(ISSUER_MASTER_KEY, other))


def session_key(master, atc):
    """Derives the common session key from the ATC (Book 2, A1.3.1)."""
    left, right = atc + b"\xF0" + bytes(5), atc + b"\x0F" + bytes(5)
    return odd_parity(des3(master, left) + des3(master, right))


def session_key_skd(master, atc, number):
    """Derives the Mastercard proprietary session key from ATC and unpredictable number."""
    left, right = atc + b"\xF0\x00" + number, atc + b"\x0F\x00" + number
    return odd_parity(des3(master, left) + des3(master, right))


def new_key(bits):
    """Returns a new RSA key with exponent 3 as a dictionary of hexadecimal text."""
    while True:
        numbers = rsa.generate_private_key(65537, bits).private_numbers()
        phi = (numbers.p - 1) * (numbers.q - 1)
        if phi % 3:
            return {"n": "%X" % (numbers.p * numbers.q), "d": "%X" % pow(3, -1, phi)}


def keys():
    """Returns the keys of the test authority, issuer and card. Creates the file at the first call."""
    if not os.path.exists(KEYS):
        made = {"authority": new_key(1408), "issuer": new_key(1152), "card": new_key(1024)}
        with open(KEYS, "w") as file:
            json.dump(made, file, indent=1)
    with open(KEYS) as file:
        return json.load(file)


def modulus(key):
    """Returns the modulus of a key as bytes."""
    return bytes.fromhex(key["n"])


def sign(key, message):
    """Applies the RSA private function (Book 2, B2.1)."""
    size = len(modulus(key))
    assert len(message) == size
    value = pow(int.from_bytes(message, "big"), int(key["d"], 16), int(key["n"], 16))
    return value.to_bytes(size, "big")


def certificate(signer, head, subject, static=b""):
    """Returns (certificate, remainder) of a public key (Book 2, Tables 6 and 14). `head` begins with the format."""
    room = len(modulus(signer)) - 22 - len(head) - 4
    public = modulus(subject)
    fields = head + bytes([1, 1, len(public), 1])
    part, rest = public[:room].ljust(room, b"\xBB"), public[room:]
    digest = hashlib.sha1(fields + part + rest + b"\x03" + static).digest()
    return sign(signer, b"\x6A" + fields + part + digest + b"\xBC"), rest


def issuer_certificate(pan, expiry="1230"):
    """Returns the issuer public key certificate and its remainder (Book 2, 6.3)."""
    ring = keys()
    head = b"\x02" + bytes.fromhex(pan[:8]) + bytes.fromhex(expiry) + b"\x00\x00\x01"
    return certificate(ring["authority"], head, ring["issuer"])


def card_certificate(pan, static, expiry="1230"):
    """Returns the ICC public key certificate over the static data, and its remainder (Book 2, 6.4)."""
    ring = keys()
    head = b"\x04" + bytes.fromhex(pan.ljust(20, "F")) + bytes.fromhex(expiry) + b"\x00\x00\x01"
    return certificate(ring["issuer"], head, ring["card"], static)


def dynamic_signature(first, dynamic, hashed):
    """Returns signed dynamic application data (Book 2, Tables 17 and 22). `first` is the signed data format."""
    key = keys()["card"]
    body = first + b"\x01" + bytes([len(dynamic)]) + dynamic
    body += b"\xBB" * (len(modulus(key)) - 22 - len(body))
    digest = hashlib.sha1(body + hashed).digest()
    return sign(key, b"\x6A" + body + digest + b"\xBC")
