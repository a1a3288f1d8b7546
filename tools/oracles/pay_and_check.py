"""Takes a payment from a card in a PC/SC reader as an independent terminal, and recomputes its cryptogram or CVC3.

usage: pay_and_check.py READER AID

AID may be "first": the first application of the card's directory, whatever its priority.
The card is reached through pyscard and the cryptogram is recomputed by pyemv; neither shares code with this project.
Exit code 0 when pyemv computes the same value; 1 otherwise.
"""

import json
import sys

from check_cryptogram import check, check_cvc3, tlv
from smartcard.CardConnection import CardConnection
from smartcard.System import readers

# The value of this terminal for each data element that a card may request.
TERMINAL = {
    "9F66": "32804000", "9F02": "000000004711", "9F03": "000000000000", "9F1A": "0528", "95": "0000000000",
    "5F2A": "0978", "9A": "261121", "9C": "00", "9F37": "C0FFEE42", "9F34": "010002", "9F35": "21", "9F6A": "00000899",
    "9F7E": "01",
}


def values(wanted):
    """Returns the values that a data object list requests, with zeros for elements that this terminal has no value for."""
    octets, position, answer = bytes.fromhex(wanted), 0, ""
    while position < len(octets):
        end = position + (2 if octets[position] & 0x1F == 0x1F else 1)
        tag, length = octets[position:end].hex().upper(), octets[end]
        answer += TERMINAL.get(tag, "").rjust(length * 2, "0")
        position = end + 1
    return bytes.fromhex(answer)


def main():
    name = sys.argv[1]
    connection = next(reader for reader in readers() if str(reader) == name).createConnection()
    connection.connect(CardConnection.T1_protocol)

    def send(command):
        data, sw1, sw2 = connection.transmit(list(command))
        if (sw1, sw2) != (0x90, 0x00):
            sys.exit(f"{bytes(command).hex()} was answered with {sw1:02X}{sw2:02X}")
        return data

    ppse = b"2PAY.SYS.DDF01"
    directory = bytes(send(b"\x00\xA4\x04\x00" + bytes([len(ppse)]) + ppse + b"\x00"))
    if sys.argv[2] == "first":
        place = directory.index(0x4F)
        aid = directory[place + 2:place + 2 + directory[place + 1]]
    else:
        aid = bytes.fromhex(sys.argv[2])
    card = tlv(send(b"\x00\xA4\x04\x00" + bytes([len(aid)]) + aid + b"\x00"))
    wanted = values(card.get("9F38", ""))
    card.update(tlv(send(b"\x80\xA8\x00\x00" + bytes([len(wanted) + 2, 0x83, len(wanted)]) + wanted + b"\x00")))
    plain = card.pop("80", None)
    if plain:
        card.update({"82": plain[:4], "94": plain[4:]})
    locator = bytes.fromhex(card["94"])
    for start in range(0, len(locator), 4):
        for record in range(locator[start + 1], locator[start + 2] + 1):
            card.update(tlv(send(bytes([0x00, 0xB2, record, locator[start] | 0x04, 0x00]))))
    if "8C" in card and "9F26" not in card:
        wanted = values(card["8C"])
        card.update(tlv(send(b"\x80\xAE\x80\x00" + bytes([len(wanted)]) + wanted + b"\x00")))
        plain = card.pop("80", None)
        if plain:
            card.update({"9F27": plain[:2], "9F36": plain[2:6], "9F26": plain[6:22], "9F10": plain[22:]})
    elif "9F69" in card and "9F26" not in card:
        wanted = values(card["9F69"])
        card.update(tlv(send(b"\x80\x2A\x8E\x80" + bytes([len(wanted)]) + wanted + b"\x00")))
    connection.disconnect()
    if aid.hex().upper().startswith("A000000003") and card["9F6C"] != "0080":
        sys.exit(f"the card does not say that its device verified the holder: 9F6C is {card['9F6C']}")
    data = {**TERMINAL, **card}
    if "9F26" in data:
        check(data)
        made = data["9F26"]
    else:
        check_cvc3(data, data["9F6B"])
        made = data["9F61"]
    print(json.dumps({"made": made, "atc": data["9F36"]}))


if __name__ == "__main__":
    main()
