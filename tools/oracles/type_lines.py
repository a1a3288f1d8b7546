"""Types at a program as a person does: starts it at a terminal of its own (a pty), waits for texts and writes keys.

type_lines.py STEPS PROGRAM ARGUMENT...
STEPS is a JSON list of [text to wait for, keys to write]. Prints everything that the program printed and in which mode it
left the terminal, and ends with the program's exit code, 256 less the number of the signal that ended it; with 99 when a
text did not come within 60 s.
"""
import json
import os
import pty
import select
import sys
import termios
import time

child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[2], sys.argv[2:])

seen = b""
searched = 0


def read(limit):
    """Takes what the program printed; false at its end or after the limit."""
    global seen
    ready, _, _ = select.select([terminal], [], [], max(0, limit - time.monotonic()))
    if not ready:
        return False
    try:
        part = os.read(terminal, 65536)
    except OSError:
        return False
    seen += part
    return bool(part)


for text, keys in json.loads(sys.argv[1]):
    limit = time.monotonic() + 60
    while text.encode() not in seen[searched:]:
        if not read(limit):
            sys.stdout.buffer.write(seen)
            print(f"\nno {text!r}")
            sys.exit(99)
    searched = seen.index(text.encode(), searched) + len(text.encode())
    os.write(terminal, keys.encode())
while read(time.monotonic() + 60):
    pass
sys.stdout.buffer.write(seen)
local = termios.tcgetattr(terminal)[3] & (termios.ICANON | termios.ECHO | termios.ISIG)
print("\nterminal: line mode" if local == termios.ICANON | termios.ECHO | termios.ISIG else "\nterminal: raw mode")
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xFF)
