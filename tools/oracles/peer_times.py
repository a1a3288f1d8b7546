"""Prints the times of other libraries in nanoseconds, one a line, for tools/Benchmarks.

usage: peer_times.py transmit READER COUNT     pyscard: GET DATA of the transaction counter
       peer_times.py cryptogram COUNT          pyemv: a session key and a cryptogram over 39 octets
"""

import sys
import time


def times(count, operation):
    """Returns the times of an operation, after a tenth as many that are not measured."""
    for _ in range(count // 10):
        operation()
    measured = []
    for _ in range(count):
        begun = time.perf_counter_ns()
        operation()
        measured.append(time.perf_counter_ns() - begun)
    return measured


def transmit(reader, count):
    """Returns the times of a command to a card in a reader."""
    from smartcard.CardConnection import CardConnection
    from smartcard.System import readers

    connection = next(each for each in readers() if each.name == reader).createConnection()
    connection.connect(CardConnection.T1_protocol)
    command = [0x80, 0xCA, 0x9F, 0x36, 0x00]
    measured = times(count, lambda: connection.transmit(command))
    connection.disconnect()
    return measured


def cryptogram(count):
    """Returns the times of a session key and a cryptogram."""
    from pyemv.ac import PaddingType, generate_ac
    from pyemv.kd import derive_common_sk

    key = bytes.fromhex("0123456789ABCDEFFEDCBA9876543210")
    data = bytes(39)
    return times(
        count,
        lambda: generate_ac(derive_common_sk(key, b"\x00\x01\x00\x00\x52\xbf\x45\x85"), data, PaddingType.EMV))


if sys.argv[1] == "transmit":
    found = transmit(sys.argv[2], int(sys.argv[3]))
else:
    found = cryptogram(int(sys.argv[2]))
print("\n".join(map(str, found)))
