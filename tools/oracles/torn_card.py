"""A card at a vpcd reader that disconnects in the middle of a command.

usage: torn_card.py PORT RESPONSE...

Answers the first commands with the given responses (hexadecimal), then closes the connection in the middle of the next
command.
"""

import socket
import sys


def receive(link, count):
    octets = b""
    while len(octets) < count:
        part = link.recv(count - len(octets))
        if not part:
            sys.exit(0)
        octets += part
        # Without this, every answer is delayed by the delayed acknowledgement of TCP.
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
    return octets


def main():
    responses = [bytes.fromhex(text) for text in sys.argv[2:]]
    link = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    while True:
        message = receive(link, int.from_bytes(receive(link, 2), "big"))
        if len(message) > 1 and not responses:
            sys.exit(0)
        if message == b"\x04":
            answer = b"\x3B\x80\x80\x01\x01"
        elif len(message) > 1:
            answer = responses.pop(0)
        else:
            continue
        link.sendall(len(answer).to_bytes(2, "big") + answer)


if __name__ == "__main__":
    main()
