"""A card in a virtual reader (vpcd) that answers commands as a file says.

usage: fakecard.py HOST:PORT SPEC.json
SPEC: {"atr": hex, "answers": [{"cmd": hex, "resp": hex, "times": n}], "default": hex}
The first answer counts whose cmd begins the command and that was not given `times` times.
"""
import json
import socket
import struct
import sys


def main(address, path):
    with open(path, encoding="utf-8") as file:
        spec = json.load(file)
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port))) as link:
        serve(link, spec)


def serve(link, spec):
    answers = [dict(answer) for answer in spec["answers"]]
    while True:
        # Two bytes of length, then the message: one byte is for the reader, more are a command.
        header = link.recv(2, socket.MSG_WAITALL)
        if len(header) < 2:
            return
        message = link.recv(struct.unpack(">H", header)[0], socket.MSG_WAITALL)
        if message == b"\x04":
            reply(link, spec.get("atr", "3B80800101"))
        elif len(message) > 1:
            reply(link, response(message.hex().upper(), answers, spec["default"]))


def response(command, answers, default):
    for answer in answers:
        if command.startswith(answer["cmd"]) and answer.get("times", 1) > 0:
            answer["times"] = answer.get("times", sys.maxsize) - 1
            return answer["resp"]
    return default


def reply(link, digits):
    octets = bytes.fromhex(digits)
    link.sendall(struct.pack(">H", len(octets)) + octets)


main(*sys.argv[1:])
