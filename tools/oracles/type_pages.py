"""Types the shell blocks of pages at terminals, as a new user does: every page in order, every block in one folder.

type_pages.py PROGRAMS PACKAGE FOLDER PAGE...
PROGRAMS is the folder of the built programs, PACKAGE the folder of the pages and of Fixtures, and FOLDER the empty
folder in which everything is typed. Without Fixtures in PACKAGE the programs are installed ones, with examples.
Prints each line that does not do what its page says, with what it printed, and ends with 1 then.

The README is typed at 80 columns, the other pages at 60. No program may print a line that is wider, unless the line
is one word, as a shell reads it, or JSON.

A fence without a language begins a block. Each page has terminals of its own: lines are typed at its first one, and
from a line "# terminal N" on at terminal N. A line is done when the shell's prompt is there again. It is expected to
end with 0, or with CODE when its comment has "exit CODE". A line with the comment "until Ctrl-C" runs until the end
of its block, where Ctrl-C is typed; a line with & runs until the last page is done. Before the next line is typed at
another terminal, or after &, the program has to print a line. The lines after a command with a prompt of its own
(tap> ) are typed at it.

DEVICE stands for the identifier of the device that `tap-server wallet list` printed last at that terminal.

A block that begins with "# needs: THING" is typed at a stand-in when STAND_INS has one for the thing, and not typed
otherwise. One that needs installed programs is typed with these.
"""
import ctypes
import fcntl
import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import time

LIMIT = 300
PROMPT = re.compile(rb"\x01(\d+)\x02")
# Colours, and what a line showed before it was drawn again.
UNSEEN = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|^.*\r(?!$)", re.M)
SHELL_PROMPT = re.compile(rb"tap> (\x1b\[K)?$")
# What a person answers to the last line on the terminal. A new PIN differs from the one before.
ANSWERS = [
    (r"PIN of alice.*: $", ["741397", "853164"]),
    (r"PIN.*: $", ["7413", "8531"]),
    (r"assword.*: $", ["Abcdefgh1", "Bcdefghi2"]),
    (r"Question: $", ["pet", "town"]),
    (r"yes or no\): $", ["yes"]),
    (r"User name: $", ["bob@example.org"]),
    (r"\? $", ["Bern"]),
]
# The identifier of a device.
DEVICE = r"\b[A-Za-z0-9_-]{20,}\b"
# Addresses that the pages name and that other programs of this machine may use.
PORTS = ["8443", "9443", "9453", "9464", "10443", "9963", "9965", "9967", "9969", "9971"]
STAND_INS = {"a PC/SC reader ACR122U with a card": ("ACR122U", "Lab")}


def blocks(path):
    """The shell blocks of a page: the number of the first line, and the lines."""
    language, found = None, []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if line.startswith("```"):
            language = line[3:] if language is None else None
            if language == "":
                found.append((number + 1, []))
        elif language == "":
            found[-1][1].append(line)
    return found


def free_ports(count):
    """Every second one of neighbouring ports below those of outgoing connections: a virtual reader has two slots."""
    for start in range(20000 + os.getpid() * 2 % 10000, 32000, 2):
        try:
            for port in range(start, start + 2 * count):
                with socket.socket() as probe:
                    probe.bind(("", port))
            return [str(port) for port in range(start, start + 2 * count, 2)]
        except OSError:
            continue
    raise OSError("no free ports")


class Person:
    """Knows the secrets that were chosen."""

    def __init__(self):
        self.changes = {}

    def answer(self, line):
        for question, keys in ANSWERS:
            if re.search(question, line):
                number = self.changes.get(question, 0)
                if line.startswith("Question") or line.startswith("New ") and "again" not in line:
                    self.changes[question] = number = number + 1
                return keys[number % len(keys)]
        return None


class Terminal:
    """A shell at a terminal of its own, without an echo of what is typed."""

    def __init__(self, folder, environment, person, columns):
        self.seen, self.person, self.columns, self.device = b"", person, columns, ""
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"], environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        settings = termios.tcgetattr(self.terminal)
        settings[3] &= ~termios.ECHO
        termios.tcsetattr(self.terminal, termios.TCSANOW, settings)
        self.finish()

    def read(self, seconds):
        ready, _, _ = select.select([self.terminal], [], [], max(0, seconds))
        if not ready:
            return False
        try:
            self.seen += os.read(self.terminal, 65536)
        except OSError:
            return False
        return True

    def write(self, text):
        os.write(self.terminal, text.encode())

    def type(self, line):
        self.seen = b""
        self.write(line + "\n")

    def finish(self, limit=LIMIT):
        """Waits for a prompt and answers questions; returns the exit code, "shell", or nothing at the limit."""
        end, answered = time.monotonic() + limit, 0
        while True:
            if found := PROMPT.search(self.seen):
                return int(found[1])
            if SHELL_PROMPT.search(self.seen):
                return "shell"
            last = self.seen[answered:].replace(b"\r", b"").split(b"\n")[-1].decode(errors="replace")
            if keys := self.person.answer(last):
                answered = len(self.seen)
                self.write(keys + "\n")
            if not self.read(end - time.monotonic()) and time.monotonic() >= end:
                return None

    def printed(self, count, is_background=False):
        """Waits until the program printed so many lines, or ended."""
        end = time.monotonic() + LIMIT
        while self.seen.count(b"\n") < count and time.monotonic() < end:
            if not is_background and PROMPT.search(self.seen):
                return
            self.read(end - time.monotonic())

    @property
    def text(self):
        text = PROMPT.sub(b"", self.seen).decode(errors="replace").replace("\r\n", "\n")
        return UNSEEN.sub("", text).replace("\r", "")

    @property
    def wide_lines(self):
        return [
            line for line in self.text.split("\n")
            if len(line) > self.columns and not is_word(line) and not line.startswith(("{", "tap> "))
            # What follows a question is on its line, since the answer has no echo here.
            and not any(re.search(question[:-1], line) for question, _ in ANSWERS)
        ]


def is_word(line):
    """Whether a shell reads one word in a line, which may go on in the next one."""
    try:
        return len(shlex.split(line.rstrip().removesuffix(" \\"))) == 1
    except ValueError:
        return False


class Session:
    """All pages in one folder."""

    def __init__(self, programs, package, folder):
        self.folder, self.failures, self.count = folder, 0, 0
        self.person, self.readers = Person(), {}
        fixtures = os.path.join(package, "Fixtures")
        self.is_installed = not os.path.isdir(fixtures)
        if not self.is_installed:
            shutil.copytree(fixtures, os.path.join(folder, "Fixtures"))
        self.environment = {
            "PATH": programs + ":" + os.environ["PATH"], "HOME": folder, "PS1": "\x01$?\x02", "PS2": "",
            "LANG": "C.UTF-8", "TERM": "xterm", "USER": os.environ.get("USER", "root"),
        }
        self.replaced = dict(zip(PORTS, free_ports(len(PORTS))))
        self.terminals, self.stand_in = [], None

    def page(self, path):
        self.environment.pop("PCSCLITE_CSOCK_NAME", None)
        # Terminals of earlier pages stay open with what runs in them.
        self.opened, self.columns = {}, 80 if path.endswith("README.md") else 60
        for number, lines in blocks(path):
            self.block(path, number, lines)

    def terminal(self, name):
        if name not in self.opened:
            self.opened[name] = Terminal(self.folder, self.environment, self.person, self.columns)
            self.terminals.append(self.opened[name])
        return self.opened[name]

    def block(self, path, first, lines):
        replaced = dict(self.replaced)
        needs = re.match(r"# needs: (.*)", lines[0])
        if needs and not (self.is_installed and needs[1] == "installed programs"):
            thing = next((thing for thing in STAND_INS if needs[1].startswith(thing)), None)
            if thing is None:
                return
            self.provide(replaced, *STAND_INS[thing])
        name, running = "1", []
        for number, (line, following) in enumerate(zip(lines, lines[1:] + [""]), first):
            if other := re.match(r"# terminal (\w+)", line):
                self.wait_for_line(running)
                name = other[1]
                continue
            command, _, comment = line.partition(" #")
            if not command.strip() or command.startswith("#"):
                continue
            names = "|".join(replaced)
            line = re.sub(rf"\b({names})\b", lambda name: replaced[name[1]], line)
            at, terminal = f"{path}:{number}", self.terminal(name)
            line = re.sub(r"\bDEVICE\b", terminal.device, line, count=1)
            running = [entry for entry in running if not self.is_done(entry, terminal)]
            self.count += 1
            self.wait_for_reader(line)
            terminal.type(line)
            entry = (at, line, comment, terminal)
            if re.search(r"&\s*$", command):
                terminal.printed(2, is_background=True)
            elif "until Ctrl-C" in comment or following.startswith("# terminal"):
                running.append(entry)
            else:
                self.check(entry)
        for entry in running:
            if "until Ctrl-C" in entry[2]:
                entry[3].printed(1)
                entry[3].write("\x03")
            self.check(entry)

    def wait_for_reader(self, line):
        """Waits until the last card has left a simulated reader: the reader looks every 400 ms, a person is slower."""
        if lab := re.search(r"tap lab .*--socket (\S+) --port (\d+)", line):
            self.readers[lab[2]] = os.path.join(self.folder, lab[1])
        socket_path = self.readers.get((re.findall(r"--link vpcd:[\w.]+:(\d+)", line) or [""])[0])
        end = time.monotonic() + LIMIT
        while socket_path and time.monotonic() < end:
            environment = self.environment | {"PCSCLITE_CSOCK_NAME": socket_path}
            found = subprocess.run(["tap", "readers"], env=environment, capture_output=True, text=True).stdout
            if not re.search(r"00 00  card", found):
                return
            time.sleep(0.1)

    def wait_for_line(self, running):
        if running:
            running[-1][3].printed(1)

    def is_done(self, entry, terminal):
        """Checks a command whose terminal is needed for the next line."""
        if entry[3] is not terminal:
            return False
        if "until Ctrl-C" in entry[2]:
            terminal.write("\x03")
        self.check(entry)
        return True

    def check(self, entry):
        at, line, comment, terminal = entry
        expected = re.search(r"exit (\d+)", comment)
        code, wanted = terminal.finish(), int(expected[1]) if expected else 0
        if "wallet list" in line:
            terminal.device = (re.findall(DEVICE, terminal.text) or [""])[0]
        interrupted = "until Ctrl-C" in comment and code == 130
        refused = code == "shell" and re.search(r"^\d+\. \S+(?: \S+)*  (?!9000)[0-9A-F]{4}\b|error: ", terminal.text, re.M)
        if wide := [] if "tshark" in line else terminal.wide_lines:
            self.failures += 1
            print(f"{at}: {line}\n  printed more than {terminal.columns} columns:", *wide, sep="\n", flush=True)
        if refused or code is None or not (code == "shell" or code == wanted or interrupted):
            self.failures += 1
            print(f"{at}: {line}\n  ended with {code}, expected {wanted}:\n{terminal.text}", flush=True)
            if code is None:
                terminal.write("\x03")
                terminal.finish(10)

    def provide(self, replaced, name, stand_in):
        """Replaces the name of a reader by that of a simulated one."""
        replaced[name] = stand_in
        if self.stand_in is None:
            self.stand_in = subprocess.Popen(
                ["tap", "lab", "pcsc", "--card", "Fixtures/Cards/visa-cvn18.json", "--format", "json"],
                cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
            self.reader = json.loads(self.stand_in.stdout.readline())
        self.terminal("1").type(f"export PCSCLITE_CSOCK_NAME={self.reader['socket']}")
        self.terminal("1").finish()

    def close(self):
        for terminal in self.terminals:
            terminal.write("\x03")
            terminal.type("unset PCSCLITE_CSOCK_NAME; kill $(jobs -p) 2>/dev/null; wait; exit")
        if self.stand_in:
            self.stand_in.send_signal(signal.SIGINT)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                if os.waitpid(-1, os.WNOHANG) == (0, 0):
                    for terminal in self.terminals:
                        terminal.read(0)
                    time.sleep(0.01)
            except ChildProcessError:
                return
        children = open(f"/proc/self/task/{os.getpid()}/children").read().split()
        for child in children:
            print("still runs:", open(f"/proc/{child}/cmdline").read().replace("\0", " "))
            os.kill(int(child), signal.SIGKILL)
        self.failures += len(children)


programs, package, folder = (os.path.abspath(path) for path in sys.argv[1:4])
# What the terminals leave becomes a child of this process, which ends it (PR_SET_CHILD_SUBREAPER).
ctypes.CDLL(None).prctl(36, 1)
os.environ["PATH"] = programs + ":" + os.environ["PATH"]
session = Session(programs, package, folder)
try:
    for page in sys.argv[4:]:
        session.page(os.path.join(package, page))
finally:
    session.close()
print(f"{session.count} lines, {session.failures} failures")
sys.exit(1 if session.failures or session.count == 0 else 0)
