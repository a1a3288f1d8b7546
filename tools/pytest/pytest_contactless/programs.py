"""The program `tap` and its JSON, whose form `Fixtures/Schemas/output.schema.json` describes."""

import json
import os
import signal
import subprocess
from dataclasses import dataclass, field


class TapError(Exception):
    """An error that `tap` reports: `code` is its name for programs, such as `readerUnavailable`."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Reader:
    """A reader: the address for `--reader`, the link for a card at it, and the pcscd that serves it."""

    address: str
    link: str | None = None
    environment: dict = field(default_factory=dict)

    @classmethod
    def of(cls, place):
        """A reader as it is, or that of a text that `--reader` or `--link` takes, such as `loopback:card.json`."""
        return place if isinstance(place, cls) else cls(str(place), str(place))


@dataclass(frozen=True)
class Verdict:
    """What a terminal or a test run ended with: the exit code and the JSON of the program."""

    exit_code: int
    result: dict

    @property
    def outcome(self):
        """The outcome of a payment, such as `approved`; None for a test run."""
        return self.result.get("outcome")

    @property
    def passed(self):
        """Whether all taps of a test run met their expectations; None for a payment."""
        return self.result.get("passed")

    @property
    def failures(self):
        """The failures of a test run as sentences: each names exchange, data element, expected value and value found."""
        return [
            f"{scenario['name']}, tap {tap['number']}: {failure['message']}"
            for scenario in self.result.get("scenarios", [])
            for tap in scenario.get("taps", [])
            for failure in tap.get("failures", [])
        ]

    def __getitem__(self, key):
        return self.result[key]


class Presented:
    """A card that waits for a terminal in a process of its own."""

    def __init__(self, process):
        self._process = process

    def wait(self, timeout=120):
        """Waits until the card has answered its last payment.

        Returns the lines of `tap present`, a dictionary for each payment. Raises TapError for an error of the card or
        the link, subprocess.TimeoutExpired after `timeout` seconds.
        """
        output, errors = self._process.communicate(timeout=timeout)
        lines = [json.loads(line) for line in output.splitlines() if line.strip()]
        for line in lines:
            if "error" in line:
                raise TapError(line["error"]["code"], line["error"]["message"])
        if not lines:
            raise TapError("failed", errors.strip() or f"tap ended with {self._process.returncode}")
        return lines

    def stop(self):
        """Ends the process if it still runs."""
        end(self._process)


class Tap:
    """The program `tap`."""

    def __init__(self, path):
        self.path = path

    def run(self, *arguments, reader=None, timeout=600):
        """Runs a command with `--format json` to its end and returns its verdict.

        Raises TapError when the program reports an error, subprocess.TimeoutExpired after `timeout` seconds.
        """
        finished = subprocess.run(
            self._line(arguments), env=self._environment(reader), capture_output=True, text=True, timeout=timeout
        )
        try:
            result = json.loads(finished.stdout)
        except json.JSONDecodeError:
            raise TapError("usage" if finished.returncode == 64 else "failed", finished.stderr.strip()) from None
        if set(result) == {"error"}:
            raise TapError(result["error"]["code"], result["error"]["message"])
        return Verdict(finished.returncode, result)

    def start(self, *arguments, reader=None):
        """Starts a command with `--format json` and returns its process."""
        return subprocess.Popen(
            self._line(arguments), env=self._environment(reader), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL, text=True,
        )

    def _line(self, arguments):
        return [self.path, *(str(argument) for argument in arguments), "--format", "json"]

    def _environment(self, reader):
        return {**os.environ, **(reader.environment if reader else {})}


def end(process):
    """Interrupts a process as Ctrl-C does, and kills it when it does not end within ten seconds."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
