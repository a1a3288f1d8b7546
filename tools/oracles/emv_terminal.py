"""Pays as a terminal that is made of the protocol classes of python-emv (package emv), for the scenarios that judge terminals.

usage: emv_terminal.py READER

Commands, responses, TLV and data object lists are those of python-emv, which shares no code with this project. What it does
not have is added here: the order of a contactless payment and the values of the terminal. A response that ends the payment,
and one that python-emv cannot read, asks for another card.
Prints what the terminal shows. Exit code 3: there is no card.
"""

import datetime
import json
import os
import secrets
import sys

from emv.card import Card
from emv.protocol.command import GenerateApplicationCryptogramCommand, GetProcessingOptions, SelectCommand
from emv.protocol.data import Tag
from emv.protocol.response import ErrorResponse
from emv.protocol.structures import DOL
from emv.transmission import TransmissionProtocol
from smartcard.CardConnection import CardConnection
from smartcard.Exceptions import CardConnectionException, NoCardException
from smartcard.pcsc.PCSCExceptions import EstablishContextException
from smartcard.System import readers

CURRENCIES = {"EUR": "0978", "USD": "0840", "GBP": "0826"}


class Contactless(TransmissionProtocol):
    """The exchange of python-emv over T=1, which PC/SC names for contactless cards; it knows T=0 only."""

    def __init__(self, connection):
        super().__init__(Connected(connection))


class Connected:
    """A connection that says T=0 and is T=1."""

    T0_protocol = CardConnection.T0_protocol

    def __init__(self, connection):
        self.connection = connection

    def connect(self, _):
        self.connection.connect(CardConnection.T1_protocol)

    def getProtocol(self):
        return self.T0_protocol

    def transmit(self, command):
        return self.connection.transmit(command)


def tag(text):
    octets = bytes.fromhex(text)
    return Tag(octets[0]) if len(octets) == 1 else Tag(tuple(octets))


def values():
    """The values of the terminal, by tag."""
    amount = os.environ["TAP_AMOUNT"].replace(".", "").zfill(12)
    currency = os.environ["TAP_CURRENCY"]
    texts = {
        "9F66": "32804000", "9F02": amount, "9F03": "000000000000", "9F1A": "0528", "95": "0000000000",
        "5F2A": CURRENCIES.get(currency, currency).zfill(4), "9A": datetime.date.today().strftime("%y%m%d"), "9C": "00",
        "9F37": secrets.token_hex(4), "9F34": "1F0302", "9F35": "22", "9F33": "0008C8", "9F40": "6000F0A001",
        "9F1D": "6C00800000000000", "9F6A": f"{secrets.randbelow(1000):08}", "9F6E": "D8004000",
    }
    return {tag(name): list(bytes.fromhex(text)) for name, text in texts.items()}


def filled(dol, terminal):
    """The data that a list of the card requests; python-emv gives some lists as bytes."""
    return (dol if isinstance(dol, DOL) else DOL.unmarshal(dol or [])).serialise(terminal)


def options(link, entry, terminal):
    """Selects an application and asks for its processing options; None when the card refuses one of them."""
    try:
        selected = link.exchange(SelectCommand(entry[Tag.ADF_NAME]))
        data = filled(selected.data[Tag.FCI][Tag.FCI_PROP].get(tag("9F38")), terminal)
        return link.exchange(GetProcessingOptions([0x83, len(data)] + data))
    except ErrorResponse:
        return None


def pay(link):
    """Takes the payment; returns the cryptogram information data."""
    terminal = values()
    directory = link.exchange(SelectCommand("2PAY.SYS.DDF01")).data[Tag.FCI][Tag.FCI_PROP][tag("BF0C")][Tag.APP]
    entries = directory if isinstance(directory, list) else [directory]
    entries.sort(key=lambda entry: (entry.get(tag("87"), [0])[0] & 0x0F) or 16)
    response = next(filter(None, (options(link, entry, terminal) for entry in entries)))
    card = {}
    if Tag.RMTF1 in response.data:
        locator = response.data[Tag.RMTF1][2:]
    else:
        card.update(response.data[Tag.RMTF2])
        locator = card.get(tag("94"), [])
    reader = Card.__new__(Card)
    reader.tp = link
    card.update(reader.get_application_data(locator))
    if tag("9F26") in card:
        return card.get(tag("9F27"), [0x80])[0]
    command = GenerateApplicationCryptogramCommand
    made = link.exchange(command(command.ARQC, filled(card[Tag.CDOL1], terminal))).data
    return made[Tag.RMTF1][0] if Tag.RMTF1 in made else made[Tag.RMTF2][tag("9F27")][0]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        reader = next(reader for reader in readers() if str(reader) == sys.argv[1])
    except (EstablishContextException, StopIteration):
        sys.exit(f"there is no reader {sys.argv[1]}; PCSCLITE_CSOCK_NAME names the socket of its service")
    try:
        link = Contactless(reader.createConnection())
    except (CardConnectionException, NoCardException):
        sys.exit(3)
    try:
        shown = "approved" if pay(link) & 0xC0 else "declined"
    except Exception as error:  # python-emv has no error of its own for what it cannot read.
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        shown = "other card"
    print(json.dumps({"shown": shown}))


if __name__ == "__main__":
    main()
