"""The till around `terminal.Terminal`: takes an amount from `observe`, waits for a card, pays, and answers what it shows."""

import json
import socket
import threading
import time

import terminal
import vpcd

# What the display shows for an outcome, in the words of `tap test --observe`. The host of the till approves everything.
SHOWN = {"online": "approved", "approved": "approved", "declined": "declined", "see-phone": "see phone"}
ATTEMPTS = 3


def listener():
    """Returns a listening socket at a free port of this machine."""
    return socket.create_server(("127.0.0.1", 0), backlog=8)


class Till:
    """One till. `port` is where cards connect (vpcd), `ask` is where `observe` connects."""

    def __init__(self, flags):
        self.flags = frozenset(flags)
        self.cards, self.questions = listener(), listener()
        self.port, self.ask = self.cards.getsockname()[1], self.questions.getsockname()[1]
        self.log = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        """Answers one question after the other until `close`."""
        while True:
            try:
                link, _ = self.questions.accept()
            except OSError:
                return
            with link:
                amount, _ = link.makefile().readline().split()
                shown = self.payment(int(round(float(amount) * 100)))
                try:
                    link.sendall((json.dumps({"shown": shown}) + "\n").encode())
                except OSError:
                    pass

    def payment(self, amount):
        """Pays with the next card. After a torn tap or "see phone" starts B again (Book A, 6.2), three times in all."""
        outcome, limit = "end-application", 4
        for attempt in range(1 if "no-second-attempt" in self.flags else ATTEMPTS):
            reader = self.card(limit)
            if reader is None:
                break
            payment = terminal.Terminal(reader, terminal.configuration(amount), self.flags)
            outcome = payment.pay()
            self.log.append((amount, outcome, payment.log))
            reader.close()
            if outcome not in ("try-again", "see-phone"):
                break
            limit = 1.5
        return SHOWN.get(outcome, "other card")

    def card(self, limit):
        """Waits for a card for `limit` seconds. A card that leaves at once is ignored."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            try:
                return vpcd.Reader(self.cards, max(0.1, end - time.monotonic()))
            except TimeoutError:
                return None
            except (OSError, vpcd.CardLost):
                continue
        return None

    def close(self):
        """Closes both ports, which ends the thread."""
        for port in (self.cards, self.questions):
            port.shutdown(socket.SHUT_RDWR)
            port.close()
