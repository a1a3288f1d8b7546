"""Checks that each card fault changes what a terminal receives: pays with the good and the faulty card and compares.

Faults of order and parameters need commands outside a payment; they are checked for their flags only.
"""

import os
import sys

import card
import cardfaults
import cards

H = bytes.fromhex


def commands(subject):
    """Yields the commands of a payment above the CVM limit with this card, at a fixed date and number."""
    import terminal
    config = terminal.configuration(amount=9000)
    reader = terminal.Terminal(None, config)
    reader.number = H("01020304")
    values = reader.reader_values({"aid": subject.data["aid"]})
    values["95"], values["9F34"], values["9A"] = bytes(5), H("1F0302"), H("261130")
    reader.values = values
    yield H("00A404000E") + card.PPSE + b"\0"
    yield H("00A40400") + bytes([len(subject.data["aid"])]) + subject.data["aid"] + b"\0"
    data = reader.list_data(subject.data["pdol"])
    yield H("80A80000") + bytes([len(data) + 2, 0x83, len(data)]) + data + b"\0"
    if subject.data["relay"]:
        yield H("80EA00000401020304") + b"\0"
    for sfi, number in sorted(subject.records):
        yield bytes([0, 0xB2, number, sfi << 3 | 4, 0])
    if subject.data["flow"] == "ac":
        dol = good_list(subject)
        data = reader.list_data(dol)
        yield H("80AE8000") + bytes([len(data)]) + data + b"\0"


def good_list(subject):
    """Returns CDOL1 of the good card."""
    return [value for nodes in subject.data["records"].values() for tag, value in nodes if tag == "8C"][0]


def transcript(scheme, fault=None):
    """Returns the responses of a payment. Random bytes are fixed."""
    real, os.urandom = os.urandom, lambda count: b"\x07" * count
    try:
        subject = card.Card(cards.ALL[scheme](), fault)
        return [subject.respond(command) for command in commands(subject)]
    finally:
        os.urandom = real


def main():
    """Prints the faults without an effect. Exit code 2 when there are any."""
    without = []
    for fault in cardfaults.every():
        if fault.flags or fault.operator == "late":
            continue
        if transcript(fault.scheme, fault) == transcript(fault.scheme):
            without.append(fault.name)
    print("\n".join(without))
    return 2 if without else 0


if __name__ == "__main__":
    sys.exit(main())
