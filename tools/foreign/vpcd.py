"""The protocol of vsmartcard's vpcd: a length of 2 bytes, then the data.

A reader sends one byte for power off (00), power on (01), reset (02) and ATR (04). Anything longer is a command APDU. The
card answers the ATR and each command.
"""

import socket
import time

OFF, ON, RESET, ATR = 0, 1, 2, 4
# ATR of a contactless card without historical bytes (PC/SC part 3, 3.1.3.2.3).
CONTACTLESS_ATR = bytes.fromhex("3B80800101")


def receive_exactly(link, count):
    """Receives `count` bytes. Returns None when the peer has closed the connection."""
    data = b""
    while len(data) < count:
        # vpcd sends length and data in two segments; a late acknowledgement would delay the second one by 40 ms.
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        part = link.recv(count - len(data))
        if not part:
            return None
        data += part
    return data


def receive(link):
    """Receives one message. Returns None at the end of the connection."""
    head = receive_exactly(link, 2)
    return None if head is None else receive_exactly(link, int.from_bytes(head, "big"))


def send(link, data):
    """Sends one message."""
    link.sendall(len(data).to_bytes(2, "big") + data)


def connect(port, limit=10):
    """Connects to the vpcd port of a reader. Tries again until `limit` seconds have passed."""
    end = time.monotonic() + limit
    while True:
        try:
            link = socket.create_connection(("127.0.0.1", port), timeout=5)
            link.settimeout(None)
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return link
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def serve_card(link, card):
    """Answers as `card` until the reader closes. A None response closes the connection (card leaves the field)."""
    while True:
        try:
            data = receive(link)
        except OSError:
            return
        if data is None:
            return
        if len(data) != 1:
            response = card.respond(data)
            if response is None:
                return
            send(link, response)
        elif data[0] == ATR:
            send(link, CONTACTLESS_ATR)
        else:
            card.reset()


class CardLost(Exception):
    """The card closed the connection before its response, or did not answer in time."""


class Reader:
    """A reader with a raw vpcd socket: waits for a card and sends commands to it."""

    def __init__(self, listener, limit=20):
        """Waits up to `limit` seconds for a card at `listener` and powers it on."""
        listener.settimeout(limit)
        self.link, _ = listener.accept()
        self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.link.settimeout(8)
        send(self.link, bytes([ON]))
        send(self.link, bytes([ATR]))
        self.atr = self.answer()

    def answer(self):
        """Returns the next message of the card. Raises CardLost."""
        try:
            data = receive(self.link)
        except OSError:
            data = None
        if data is None:
            raise CardLost()
        return data

    def transmit(self, command):
        """Sends a command and returns (data, status word as an integer). Raises CardLost."""
        try:
            send(self.link, command)
        except OSError:
            raise CardLost()
        response = self.answer()
        if len(response) < 2:
            raise CardLost()
        return response[:-2], int.from_bytes(response[-2:], "big")

    def close(self):
        """Powers the card off and closes the connection."""
        try:
            send(self.link, bytes([OFF]))
        except OSError:
            pass
        self.link.close()
