#!/usr/bin/env python3
"""Exchanges APDUs with a card at the serial port of a PN532 through nfcpy, which implements the transmission protocol itself.

usage: nfcpy_exchange.py PATH [ndef | COMMAND...]

Prints the identifier and the type of the card, then each response; `ndef` reads the card as an NFC Forum Type 4 Tag.
"""

import sys

import nfc
import nfc.clf
import nfc.clf.pn532
import nfc.clf.transport
import nfc.tag


def opened(path):
    # nfcpy waits 100 ms for the first response of the chip; a loaded machine may take longer.
    for attempt in range(5):
        try:
            return nfc.clf.pn532.init(nfc.clf.transport.TTY(path))
        except OSError as error:
            last = error
    raise last


def main():
    frontend = nfc.ContactlessFrontend()
    frontend.device = opened(sys.argv[1])
    frontend.device._path = sys.argv[1]
    target = frontend.sense(nfc.clf.RemoteTarget("106A"), iterations=5, interval=0.1)
    tag = nfc.tag.activate(frontend, target)
    print("card", tag.identifier.hex(), tag.type, flush=True)
    if sys.argv[2:] == ["ndef"]:
        print("ndef", tag.ndef.octets.hex() if tag.ndef else "none", flush=True)
    else:
        for command in sys.argv[2:]:
            print(bytes(tag.transceive(bytes.fromhex(command))).hex(), flush=True)
    frontend.close()
    print("closed", flush=True)


main()
