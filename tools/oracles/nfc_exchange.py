#!/usr/bin/env python3
"""Drives one chip through libnfc, which is called through ctypes.

  nfc_exchange.py initiator CONNSTRING COMMAND...   select a card, send APDUs, print the responses
  nfc_exchange.py raw CONNSTRING FRAME...           the same without the protocol of the chip: RATS and blocks as given
  nfc_exchange.py target CONNSTRING [DELAY_MS]      be a card that returns the octets of a command reversed, and 9000
                                                    (at most 256 of them), until the initiator releases it
  nfc_exchange.py abort CONNSTRING                  wait for an initiator, abort, then select a card

In place of a COMMAND: `select` selects again, `infinite` makes the chip retry without a limit, `field` switches the field off
and on, `presence` checks that the card is present, `deselect` deselects it. An error of libnfc is printed as its number.
"""

import ctypes
import sys
import threading
import time

NMT_ISO14443A, NBR_106 = 1, 1
NP_ACTIVATE_FIELD, NP_INFINITE_SELECT, NP_AUTO_ISO14443_4, NP_EASY_FRAMING = 5, 7, 10, 11
NP_TIMEOUT_COM = 2

nfc = ctypes.CDLL("libnfc.so.6")
nfc.nfc_open.restype = ctypes.c_void_p
nfc.nfc_open.argtypes = [ctypes.c_void_p, ctypes.c_char_p]


class TypeA(ctypes.Structure):
    _pack_ = 1
    _fields_ = [
        ("atqa", ctypes.c_uint8 * 2),
        ("sak", ctypes.c_uint8),
        ("uid_count", ctypes.c_size_t),
        ("uid", ctypes.c_uint8 * 10),
        ("ats_count", ctypes.c_size_t),
        ("ats", ctypes.c_uint8 * 254),
    ]


class Modulation(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("kind", ctypes.c_int), ("rate", ctypes.c_int)]


class Target(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("a", TypeA), ("modulation", Modulation)]


def say(*words):
    print(*words, flush=True)


def opened(connstring):
    context = ctypes.c_void_p()
    nfc.nfc_init(ctypes.byref(context))
    device = nfc.nfc_open(context, connstring.encode())
    if not device:
        say("open failed")
        sys.exit(1)
    return ctypes.c_void_p(device)


def select(device):
    target = Target()
    code = nfc.nfc_initiator_select_passive_target(
        device, Modulation(NMT_ISO14443A, NBR_106), None, ctypes.c_size_t(0), ctypes.byref(target)
    )
    if code <= 0:
        say("select", code)
        return target
    card = target.a
    uid = bytes(card.uid[: card.uid_count]).hex()
    ats = bytes(card.ats[: card.ats_count]).hex()
    say("card", bytes(card.atqa).hex(), f"{card.sak:02x}", uid, ats)
    return target


def initiator(device, steps, raw):
    nfc.nfc_initiator_init(device)
    nfc.nfc_device_set_property_bool(device, NP_INFINITE_SELECT, False)
    if raw:
        nfc.nfc_device_set_property_bool(device, NP_AUTO_ISO14443_4, False)
        nfc.nfc_device_set_property_bool(device, NP_EASY_FRAMING, False)
        nfc.nfc_device_set_property_int(device, NP_TIMEOUT_COM, 500)
    target = select(device)
    for step in steps:
        if step == "select":
            target = select(device)
        elif step == "field":
            nfc.nfc_device_set_property_bool(device, NP_ACTIVATE_FIELD, False)
            nfc.nfc_device_set_property_bool(device, NP_ACTIVATE_FIELD, True)
        elif step == "infinite":
            nfc.nfc_device_set_property_bool(device, NP_INFINITE_SELECT, True)
        elif step == "presence":
            say("presence", nfc.nfc_initiator_target_is_present(device, ctypes.byref(target)))
        elif step == "deselect":
            say("deselect", nfc.nfc_initiator_deselect_target(device))
        else:
            command = bytes.fromhex(step)
            room = (ctypes.c_uint8 * 264)()
            count = nfc.nfc_initiator_transceive_bytes(
                device, command, ctypes.c_size_t(len(command)), room, ctypes.c_size_t(264), 5000
            )
            say(bytes(room[:count]).hex() if count >= 0 else count)


def emulated_card():
    card = Target()
    card.modulation = Modulation(NMT_ISO14443A, NBR_106)
    card.a.atqa[:] = [0x00, 0x04]
    card.a.uid_count, card.a.sak = 4, 0x20
    card.a.uid[0:4] = [0x08, 0xAB, 0xCD, 0xEF]
    # T0 without interface octets, then historical bytes.
    card.a.ats_count = 4
    card.a.ats[0:4] = [0x00, 0x41, 0x42, 0x43]
    return card


def target(device, delay):
    card = emulated_card()
    room = (ctypes.c_uint8 * 264)()
    say("waiting")
    code = nfc.nfc_target_init(device, ctypes.byref(card), room, ctypes.c_size_t(264), 0)
    say("activated", code)
    while True:
        count = nfc.nfc_target_receive_bytes(device, room, ctypes.c_size_t(264), 0)
        if count < 0:
            say("ended", count)
            return
        command = bytes(room[:count])
        say("command", command.hex())
        time.sleep(delay / 1000)
        answer = command[::-1][:256] + b"\x90\x00"
        code = nfc.nfc_target_send_bytes(device, answer, ctypes.c_size_t(len(answer)), 0)
        if code < 0:
            say("ended", code)
            return


def abort(device):
    room = (ctypes.c_uint8 * 264)()
    ended = threading.Event()

    def give_up():
        # A call that comes while libnfc does not wait is lost, so it is repeated.
        while not ended.wait(0.1):
            nfc.nfc_abort_command(device)

    threading.Thread(target=give_up).start()
    card = emulated_card()
    say("ended", nfc.nfc_target_init(device, ctypes.byref(card), room, ctypes.c_size_t(264), 0))
    ended.set()
    initiator(device, [], raw=False)


def main():
    role, connstring, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
    device = opened(connstring)
    if role == "target":
        target(device, int(rest[0]) if rest else 0)
    elif role == "abort":
        abort(device)
    else:
        initiator(device, rest, raw=role == "raw")
    nfc.nfc_close(device)
    say("closed")


main()
