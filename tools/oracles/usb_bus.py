"""A pcscd on a machine with a USB bus of its own, where readers are plugged in and pulled out by command.

usage: unshare --mount --net usb_bus.py DIRECTORY DRIVER      pcscd's socket is DIRECTORY/s

Reads commands from standard input, `add N` and `remove N` for the device N of 1 to 9, and answers each with a line. The
end of the input ends pcscd.

pcscd hears of USB readers from udev and looks them up in sysfs. Both are replaced, for this namespace only: sysfs by a
directory of the same shape, udev by messages as libudev writes them. pcscd and libudev are the system's own.
"""

import os
import pathlib
import socket
import struct
import subprocess
import sys
import time

PLIST = """<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
<key>CFBundleExecutable</key><string>driver.so</string>
<key>CFBundleName</key><string>driver</string>
<key>ifdVendorID</key><array><string>0x072F</string></array>
<key>ifdProductID</key><array><string>0x2200</string></array>
<key>ifdFriendlyName</key><array><string>Plugged Reader</string></array>
</dict></plist>
"""
DRIVERS = pathlib.Path("/usr/lib/pcsc/drivers")
NETLINK_KOBJECT_UEVENT = 15
UDEV_GROUP = 2


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def furnish(driver):
    for place in ["/sys", "/run", DRIVERS]:
        subprocess.run(["mount", "-t", "tmpfs", "none", place], check=True)
    # libudev listens only where udev runs.
    write(pathlib.Path("/run/udev/control"), "")
    contents = DRIVERS / "plugged.bundle" / "Contents"
    write(contents / "Info.plist", PLIST)
    (contents / "Linux").mkdir()
    (contents / "Linux" / "driver.so").write_bytes(pathlib.Path(driver).read_bytes())
    bus = pathlib.Path("/sys/bus/usb")
    (bus / "devices").mkdir(parents=True)
    for number in range(1, 10):
        device = pathlib.Path(f"/sys/devices/usb1/1-{number}")
        interface = device / f"1-{number}:1.0"
        for name, value in {"idVendor": "072f", "idProduct": "2200", "busnum": "1", "devnum": f"{number}"}.items():
            write(device / name, value + "\n")
        write(device / "uevent", f"DEVTYPE=usb_device\nDEVNAME=bus/usb/001/00{number}\nMAJOR=189\nMINOR={number}\n")
        write(interface / "uevent", "DEVTYPE=usb_interface\n")
        write(interface / "bInterfaceNumber", "00\n")
        (device / "subsystem").symlink_to(bus)
        (interface / "subsystem").symlink_to(bus)


def murmur(octets):
    """MurmurHash2 with seed 0, by which listeners filter messages."""
    mask, factor = 0xFFFFFFFF, 0x5BD1E995
    value = len(octets)
    whole = len(octets) // 4 * 4
    for (part,) in struct.iter_unpack("<I", octets[:whole]):
        part = part * factor & mask
        part = (part ^ part >> 24) * factor & mask
        value = (value * factor & mask) ^ part
    if octets[whole:]:
        value = (value ^ int.from_bytes(octets[whole:], "little")) * factor & mask
    value = (value ^ value >> 13) * factor & mask
    return value ^ value >> 15


def announce(action, number):
    properties = [
        f"ACTION={action}",
        f"DEVPATH=/devices/usb1/1-{number}/1-{number}:1.0",
        "SUBSYSTEM=usb",
        "DEVTYPE=usb_interface",
        "SEQNUM=1",
    ]
    body = b"".join(text.encode() + b"\0" for text in properties)
    header = b"libudev\0" + struct.pack(">I", 0xFEEDCAFE) + struct.pack("=III", 40, 40, len(body))
    header += struct.pack(">II", murmur(b"usb"), murmur(b"usb_interface")) + bytes(8)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_KOBJECT_UEVENT) as link:
        link.bind((0, 0))
        link.sendto(header + body, (0, UDEV_GROUP))


def start(directory):
    configuration, log = directory / "conf", directory / "log"
    configuration.mkdir()
    os.environ["SYSTEMD_DEVICE_VERIFY_SYSFS"] = "0"
    # As systemd hands it over: a listening socket as descriptor 3.
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(directory / "s"))
    listener.listen(16)
    number = listener.detach()
    if number != 3:
        os.dup2(number, 3)
        os.close(number)
    script = f"LISTEN_FDS=1 LISTEN_PID=$$ exec /usr/sbin/pcscd -f -i -c {configuration}"
    with open(log, "w") as output:
        pcscd = subprocess.Popen(["sh", "-c", script], stdout=output, stderr=output, pass_fds=[3])
    os.close(3)
    while "daemon ready" not in log.read_text():
        if pcscd.poll() is not None:
            sys.exit("pcscd did not start:\n" + log.read_text())
        time.sleep(0.01)
    return pcscd


def main():
    furnish(sys.argv[2])
    pcscd = start(pathlib.Path(sys.argv[1]))
    print("ready", flush=True)
    try:
        for line in sys.stdin:
            announce(*line.split())
            print("done", flush=True)
    finally:
        pcscd.kill()
        pcscd.wait()


main()
