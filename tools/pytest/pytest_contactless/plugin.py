"""The fixtures and options of the plugin."""

import json
import os
import shutil

import pytest

from .cards import CardSide, FunctionCard, PresentedFunction
from .programs import Presented, Reader, Tap, TapError, end


def pytest_addoption(parser):
    group = parser.getgroup("contactless", "tap tests")
    group.addoption(
        "--tap", metavar="PATH", help="the program tap; the variable CONTACTLESS_TAP, or the one on PATH, when left out"
    )
    group.addoption(
        "--reader", metavar="READER", dest="contactless_reader",
        help="the reader of the fixture `reader`, such as pcsc:ACR122U; a simulated one when left out",
    )
    group.addoption(
        "--link", metavar="LINK", dest="contactless_link", default="loopback",
        help="where cards are presented to the terminal that `terminal_test` judges, such as vpcd:127.0.0.1:35963; "
        "the terminal of this project when left out",
    )


@pytest.fixture(scope="session")
def contactless(pytestconfig):
    """The program `tap`. Without it the test fails: a test of a card must not be skipped unseen."""
    path = pytestconfig.getoption("--tap") or os.environ.get("CONTACTLESS_TAP") or shutil.which("tap")
    if not path or not os.access(path, os.X_OK):
        pytest.fail(f"the program tap is needed ({path or 'it is not on PATH'}): install it, or use --tap PATH", False)
    return Tap(path)


@pytest.fixture
def lab_reader(contactless):
    """An empty simulated PC/SC reader in a pcscd of its own, which ends with the test."""
    process = contactless.start("lab", "pcsc")
    try:
        line = process.stdout.readline()
        if not line:
            raise TapError("failed", process.stderr.read().strip() or "tap lab pcsc ended before it had a reader")
        lab = json.loads(line)
        yield Reader(lab["address"], lab["link"], {"PCSCLITE_CSOCK_NAME": lab["socket"]})
    finally:
        end(process)


@pytest.fixture
def reader(request, pytestconfig):
    """The reader of `--reader`, with a card that somebody holds to it; else `lab_reader`."""
    address = pytestconfig.getoption("contactless_reader")
    return Reader(address) if address else request.getfixturevalue("lab_reader")


@pytest.fixture
def present(contactless):
    """Presents a card at the link of a reader: `present(reader, card=FILE)`. Returns a `Presented`.

    A text in place of the reader is a link, such as `present("loopback", card=FILE)`. Further options are those of `tap present`: `present(reader, card=FILE, user="cancel", count=2)`.
    """
    presented = []

    def start(reader, **options):
        reader = Reader.of(reader)
        card = Presented(contactless.start("present", "--link", reader.link, *flags(options), reader=reader))
        presented.append(card)
        return card

    yield start
    for card in presented:
        card.stop()


@pytest.fixture
def responder(contactless):
    """Presents a function as a card: `responder(reader, answer)` with `def answer(apdu)`. Returns a `PresentedFunction`.

    The function gets the command and returns the response, both as bytes. `event=FUNCTION` gets "field on", "field off",
    "reset" or "deselected". Further options are those of `tap present`: `responder(reader, answer, timeout=600, count=2)`.
    The card has no keys and is never armed.
    """
    presented = []

    def start(reader, answer, event=None, **options):
        reader = Reader.of(reader)
        card = FunctionCard(answer, event)
        words = ["present", "--link", reader.link, "--responder", card.command, *flags(options)]
        presented.append(PresentedFunction(contactless.start(*words, reader=reader), card))
        return presented[-1]

    yield start
    for card in presented:
        card.stop()


@pytest.fixture
def card_side(contactless):
    """A card of this project as a terminal reaches it: `card_side(card=FILE).send("00A4…")`. Returns a `CardSide`.

    Options are those of `tap present`: `card_side(card=FILE)` is armed, `card_side(card=FILE, unarmed=True)` is not.
    """
    sides = []

    def start(**options):
        sides.append(CardSide(lambda link: contactless.start("present", "--link", link, *flags(options))))
        return sides[-1]

    yield start
    for side in sides:
        side.stop()


@pytest.fixture
def accept(contactless):
    """Takes a payment: `accept(reader, amount="12.34", currency="EUR")`. Returns a `Verdict`.

    A text in place of the reader is what `--reader` takes: `accept("loopback:card.json", amount="12.34", currency="EUR")`.
    """

    def run(reader, **options):
        reader = Reader.of(reader)
        return contactless.run("accept", "--reader", reader.address, *flags(options), reader=reader)

    return run


@pytest.fixture
def tap_test(contactless):
    """Runs scenarios: `tap_test("loopback", "Fixtures/Scenarios/visa-low-value.yaml")`. Returns a `Verdict`.

    The reader is a `Reader`, or what `--reader` takes. Options are those of `tap test`: `tap_test("loopback", FOLDER,
    k="visa and not cashback", repeat=3)`.
    """

    def run(reader, *scenarios, **options):
        reader = Reader.of(reader)
        return contactless.run("test", *scenarios, "--reader", reader.address, *flags(options), reader=reader)

    return run


@pytest.fixture
def terminal_test(contactless, pytestconfig):
    """Judges the terminal at `--link`: `terminal_test("Fixtures/TerminalTests", capabilities=FILE)`. Returns a `Verdict`."""
    link = pytestconfig.getoption("contactless_link")

    def run(*scenarios, **options):
        return contactless.run("test", *scenarios, "--link", link, *flags(options), timeout=7200)

    return run


def flags(options):
    """The options of a command line: `retry_limit=2` is `--retry-limit 2`, `hold=True` is `--hold`, `k="a"` is `-k a`."""
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append(("-" if len(name) == 1 else "--") + name.replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return words
