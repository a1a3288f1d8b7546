"""The program behind `tap present --responder` for a card in Python: passes lines between `tap` and the tests."""

import socket
import sys


def main(path):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        tests = connection.makefile("rw", encoding="ascii", newline="\n")
        for line in sys.stdin:
            tests.write(line)
            tests.flush()
            # An event has no response.
            if not is_command(line):
                continue
            response = tests.readline()
            if not response:
                return
            print(response, end="", flush=True)


def is_command(line):
    return all(character in "0123456789ABCDEF" for character in line.strip())


if __name__ == "__main__":
    main(sys.argv[1])
