"""A card that is a function of the tests, and the terminal's side of a card of `tap`."""

import os
import pathlib
import shlex
import shutil
import socket
import sys
import tempfile
import threading

from .bridge import is_command
from .programs import Presented, TapError, end

BRIDGE = pathlib.Path(__file__).with_name("bridge.py")


class FunctionCard:
    """A function that answers the commands of `tap present --responder`, on a thread of its own.

    `answer` gets a command and returns the response, both as bytes. `event` gets "field on", "field off", "reset" or
    "deselected". An exception in either ends the tap, and `check` raises it again.
    """

    def __init__(self, answer, event=None):
        self._answer = answer
        self._event = event or (lambda name: None)
        self._folder = tempfile.mkdtemp()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(os.path.join(self._folder, "card"))
        self._listener.listen()
        self._problem = None
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def command(self):
        """The command of `--responder`."""
        return shlex.join([sys.executable, str(BRIDGE), self._listener.getsockname()])

    def check(self):
        """Raises the exception of the function, if there was one."""
        if self._problem:
            raise self._problem

    def close(self):
        """Ends the thread."""
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                try:
                    self._tap(connection)
                except Exception as problem:  # Raised again where the test waits.
                    self._problem = problem

    def _tap(self, connection):
        # Closed here: the traceback of an exception would keep the connection open.
        with connection.makefile("rw", encoding="ascii", newline="\n") as lines:
            for line in lines:
                line = line.strip()
                if not is_command(line):
                    self._event(line)
                    continue
                lines.write(bytes(self._answer(bytes.fromhex(line))).hex() + "\n")
                lines.flush()


class PresentedFunction(Presented):
    """A function that is presented as a card."""

    def __init__(self, process, card):
        super().__init__(process)
        self._card = card

    def wait(self, timeout=120):
        """As `Presented.wait`. An exception of the function is raised in place of the error of `tap`."""
        try:
            return super().wait(timeout)
        finally:
            self._card.check()

    def stop(self):
        super().stop()
        self._card.close()


class CardSide:
    """A card of `tap present`, and the terminal's side of it: sends commands one by one.

    `tap` reaches it as it reaches a vpcd, whose messages are two bytes of length and a payload; a payload of one byte
    controls the power.
    """

    POWER_OFF, POWER_ON, RESET, ANSWER_TO_RESET = b"\x00", b"\x01", b"\x02", b"\x04"

    def __init__(self, start, timeout=60):
        listener = socket.create_server(("127.0.0.1", 0))
        listener.settimeout(timeout)
        self._process = start(f"vpcd:127.0.0.1:{listener.getsockname()[1]}")
        try:
            self._card = self._accept(listener)
        finally:
            listener.close()
        self._card.settimeout(timeout)
        self._write(self.ANSWER_TO_RESET)
        self.answer_to_reset = self._read()
        self._write(self.POWER_ON)

    def send(self, command):
        """Sends a command, bytes or hexadecimal digits, and returns the response as bytes."""
        self._write(bytes.fromhex(command) if isinstance(command, str) else bytes(command))
        return self._read()

    def reset(self):
        """Resets the card."""
        self._write(self.RESET)

    def leave(self, timeout=120):
        """Takes the terminal away, waits for the end of `tap present`, and returns its lines as `Presented.wait` does."""
        self._write(self.POWER_OFF)
        return Presented(self._process).wait(timeout)

    def stop(self):
        """Ends the process if it still runs."""
        self._card.close()
        end(self._process)

    def _accept(self, listener):
        try:
            card, _ = listener.accept()
            return card
        except TimeoutError:
            end(self._process)
            raise TapError("failed", "tap present did not present its card") from None

    def _write(self, payload):
        self._card.sendall(len(payload).to_bytes(2, "big") + payload)

    def _read(self):
        return self._exactly(int.from_bytes(self._exactly(2), "big"))

    def _exactly(self, count):
        octets = b""
        while len(octets) < count:
            part = self._card.recv(count - len(octets))
            if not part:
                raise TapError("cardRemoved", "the card has left")
            octets += part
        return octets
