"""A small terminal: Entry Point, kernel 3 and kernel 2 in EMV mode without offline data authentication.

Sources: EMV Contactless Books A and B, C-3 chapters 3 to 5, EMV 4.4 Book 3 chapters 6 to 10. `flags` names rules that the
terminal does not follow.
"""

import os
import time

import tlv
import vpcd
from card import PPSE

H = bytes.fromhex
KERNELS = {"A000000003": 3, "A000000004": 2}


class Ended(Exception):
    """Ends the payment with an outcome of Book A, 6.2: declined, end-application, select-next, try-again, see-phone."""

    def __init__(self, outcome):
        super().__init__(outcome)
        self.outcome = outcome


def configuration(amount=1234, other=0, currency="0978", kind="00", cvm_limit=5000, limit=10**12, online=True):
    """Returns the data of one payment: amounts in minor units, tags as bytes."""
    day = time.strftime("%y%m%d")
    return {"amount": amount, "other": other, "cvm_limit": cvm_limit, "limit": limit, "online": online,
            "9F1A": H("0276"), "5F2A": H(currency), "9A": H(day), "9C": H(kind), "9F21": H(time.strftime("%H%M%S")),
            "9F35": H("22"), "9F33": H("E06800"), "9F40": H("F000F0A001"), "9F4E": b"FOREIGN SHOP",
            "9F15": H("5999"), "9F16": b"FOREIGN00000001", "9F1C": b"FOREIGN1", "9F09": H("0002"), "9F1E": b"FOREIGN1",
            "DF8120": H("F45084800C"), "DF8121": H("0000000000"), "DF8122": H("F45084800C")}


class Terminal:
    """One payment at a reader. `pay` returns the outcome and fills `log` with (command, response)."""

    def __init__(self, reader, config, flags=()):
        self.reader, self.config, self.flags = reader, config, frozenset(flags)
        self.card, self.log = {}, []
        self.tvr = bytearray(5)
        self.cvm_results = H("3F0000")
        self.number = b"\x11\x22\x33\x44" if "number-constant" in self.flags else os.urandom(4)
        self.number = bytes(4) if "number-zero" in self.flags else self.number

    def broken(self, flag):
        return flag in self.flags

    def send(self, command, again=True):
        """Sends a command. Repeats it once with the length of 6Cxx, fetches the data of 61xx (Book 1, 9.4.2)."""
        data, status = self.reader.transmit(command)
        self.log.append((command, data, status))
        if again and status >> 8 == 0x61:
            return self.send(H("00C00000") + bytes([status & 0xFF]), False)
        if again and status >> 8 == 0x6C:
            has_le = len(command) == 5 or len(command) > 5 and len(command) == 6 + command[4]
            return self.send(command[:-1 if has_le else None] + bytes([status & 0xFF]), False)
        return data, status

    def pay(self):
        """Runs starts B and C of Entry Point (Book B, 3.3 and 3.4) and the kernel."""
        try:
            for application in self.candidates():
                try:
                    return self.with_application(application)
                except Ended as ended:
                    if ended.outcome != "select-next":
                        raise
            return "end-application"
        except Ended as ended:
            return ended.outcome
        except vpcd.CardLost:
            return "try-again"

    def with_application(self, application):
        """Final selection (Book B, 3.3.3) and the kernel of the application."""
        self.card = {}
        nodes = self.select(application)
        self.kernel = application["kernel"]
        self.pdol = tlv.find(nodes, "9F38") or b""
        self.values = self.reader_values(application)
        return self.kernel_3() if self.kernel == 3 else self.kernel_2()

    # Entry Point

    def candidates(self):
        """Returns the directory entries with a kernel of this terminal by priority (Book B, 3.3.2)."""
        if self.broken("directory-left-out"):
            return [{"aid": H("A0000000031010"), "kernel": 3}, {"aid": H("A0000000041010"), "kernel": 2}]
        name = b"1PAY.SYS.DDF01" if self.broken("contact-directory") else PPSE
        data, status = self.send(self.select_command(name))
        if status != 0x9000:
            raise Ended("end-application")
        entries = []
        for order, entry in enumerate(tlv.find_all(self.decoded(data), "61")):
            application = self.entry(entry)
            if application:
                entries.append((application["priority"] or 16, order, application))
        entries.sort(key=lambda item: item[:2], reverse=self.broken("lowest-priority-first"))
        if self.broken("priority-ignored"):
            entries.sort(key=lambda item: item[1], reverse=True)
        return [application for _, _, application in entries]

    def entry(self, nodes):
        """Returns an application for a directory entry, or None (Book B, 3.3.2.3 to 3.3.2.5)."""
        name, kernel = tlv.find(nodes, "4F"), tlv.find(nodes, "9F2A")
        if not name or not 5 <= len(name) <= 16 or name[:5].hex().upper() not in KERNELS:
            return None
        own = KERNELS[name[:5].hex().upper()]
        if kernel and kernel != b"\x00" and not self.broken("kernel-identifier-ignored"):
            if len(kernel) > 1 and kernel[0] >> 6 >= 2 and len(kernel) < 3 or kernel[0] & 0x3F != own or kernel[0] >> 6:
                return None
        priority = (tlv.find(nodes, "87") or b"\x00")[0] & 0x0F
        return {"aid": name, "kernel": own, "priority": priority}

    def select_command(self, name):
        """Returns SELECT by name (Book 1, 11.3.2)."""
        p2 = 0x02 if self.broken("select-next-occurrence") else 0x00
        first = 0x00 if self.broken("select-by-file") else 0x04
        end = b"" if self.broken("select-without-le") else b"\x00"
        end = b"\x10" if self.broken("select-short-le") else end
        count = len(name) + (1 if self.broken("select-wrong-lc") else 0)
        return bytes([0x80 if self.broken("select-proprietary-class") else 0x00, 0xA4, first, p2, count]) + name + end

    def select(self, application):
        """Selects the application (Book B, 3.3.3). Another DF name removes it from the list."""
        aid = application["aid"]
        if self.broken("application-cut"):
            aid = aid[:-1]
        data, status = self.send(self.select_command(aid))
        if self.broken("application-twice"):
            data, status = self.send(self.select_command(aid))
        if status != 0x9000 and not self.broken("select-status-ignored"):
            raise Ended("select-next")
        nodes = self.decoded(data, "select-next")
        name = tlv.find(nodes, "84")
        if not self.broken("name-not-compared") and (name is None or not name.startswith(application["aid"][:5])):
            raise Ended("select-next")
        return nodes

    def decoded(self, data, outcome="end-application"):
        try:
            return tlv.decode(data)
        except (ValueError, IndexError):
            raise Ended(outcome)

    # Data of the terminal

    def reader_values(self, application):
        """Returns the values for data object lists, from the configuration and pre-processing (Book B, 3.1)."""
        config = self.config
        values = {tag: value for tag, value in config.items() if isinstance(value, bytes)}
        amount = config["amount"] * (100 if self.broken("amount-hundredfold") else 1)
        amount = 0 if self.broken("amount-zero") else amount
        values["9F02"] = H("%012d" % amount)
        values["9F03"] = H("%012d" % config["other"])
        values["9F37"], values["95"], values["9F34"] = self.number, bytes(5), self.cvm_results
        values["9F66"] = self.qualifiers()
        values["9F45"], values["9F4C"], values["9F7C"] = bytes(2), bytes(8), bytes(20)
        values["9F06"] = application["aid"]
        return self.changed_values(values)

    def qualifiers(self):
        """Returns 9F66 (Book B, 3.1.1.9 to 3.1.1.12): EMV mode, online PIN, signature; CVM required above the limit."""
        second = 0x80 if self.config["online"] else 0x00
        if self.config["amount"] >= self.config["cvm_limit"] and not self.broken("cvm-limit-ignored"):
            second |= 0x40
        if self.broken("cvm-always-required"):
            second |= 0x40
        if self.broken("cryptogram-not-required"):
            second &= 0x7F
        first = 0x36 if not self.broken("qualifiers-no-emv") else 0x16
        third = 0x40 if not self.broken("qualifiers-no-cdcvm") else 0x00
        reserved = 0x01 if self.broken("qualifiers-reserved-bits") else 0x00
        return bytes([first, second, third, reserved])

    def changed_values(self, values):
        """Puts wrong values into the data of the terminal."""
        wrong = {"currency-wrong": ("5F2A", H("0999")), "country-wrong": ("9F1A", H("0999")),
                 "date-wrong": ("9A", H("190101")), "date-yesterday": ("9A", time.strftime(
                     "%y%m%d", time.localtime(time.time() - 86400))), "type-wrong": ("9C", H("20")),
                 "other-amount-wrong": ("9F03", H("000000000777")), "date-binary": ("9A", bytes([26, 11, 30])),
                 "amount-binary": ("9F02", self.config["amount"].to_bytes(6, "big")),
                 "terminal-type-wrong": ("9F35", H("99"))}
        for flag, (tag, value) in wrong.items():
            if self.broken(flag):
                values[tag] = H(value) if isinstance(value, str) else value
        return values

    def list_data(self, dol):
        """Returns the data for a data object list (Book 3, 5.4)."""
        data, pairs = b"", tlv.parse_dol(dol)
        if self.broken("list-swapped") and len(pairs) > 2:
            pairs[0], pairs[1] = pairs[1], pairs[0]
        for tag, count in pairs:
            data += self.fitted(tag, self.values.get(tag), count)
        if self.broken("list-long"):
            data += b"\x00"
        return data[:-1] if self.broken("list-short") else data

    def fitted(self, tag, value, count):
        """Returns a value in the length that the card asks for."""
        if value is None:
            filler = b"\xFF" if self.broken("unknown-tag-not-zero") else b"\x00"
            return b"" if self.broken("unknown-tag-left-out") else filler * count
        numeric = tag in ("9F02", "9F03", "9F1A", "5F2A", "9A", "9C", "9F21", "9F35", "9F15")
        if self.broken("lengths-swapped"):
            numeric = not numeric
        if len(value) > count:
            return value[-count:] if numeric else value[:count]
        return value.rjust(count, b"\x00") if numeric else value.ljust(count, b"\x00")

    def options(self):
        """Sends GET PROCESSING OPTIONS (Book 3, 6.5.8)."""
        data = self.list_data(self.pdol)
        if not self.broken("options-without-83"):
            data = b"\x83" + tlv.length_bytes(len(data)) + data
        head = H("80A80100") if self.broken("options-parameters") else H("80A80000")
        head = H("00A80000") if self.broken("options-class") else head
        end = b"" if self.broken("options-without-le") else b"\x00"
        command = head + bytes([len(data)]) + data + end
        self.option_data = data
        answer = self.send(command)
        return self.send(command) if self.broken("options-twice") else answer

    # Card data

    def store(self, nodes):
        """Keeps primitive objects. A second one ends the payment (Book 3, 10.2)."""
        for tag, value in nodes:
            if isinstance(value, list):
                self.store(value)
            elif tag in self.card and not self.broken("duplicates-accepted"):
                raise Ended("end-application")
            elif value:
                self.card[tag] = value

    def check(self):
        """Ends the payment where an object has a wrong length (Book 3, 7.5)."""
        import elements
        if self.broken("lengths-not-checked"):
            return
        for tag in ("82", "57", "5A", "5F24", "5F25", "5F28", "5F34", "8E", "9F07", "9F10", "9F26", "9F27", "9F36",
                    "9F0D", "9F0E", "9F0F"):
            _, _, low, high, _ = elements.ELEMENTS[tag]
            if tag in self.card and not low <= len(self.card[tag]) <= high:
                raise Ended("end-application")

    def read_records(self, locator):
        """Reads the records of the AFL in order (Book 3, 10.2)."""
        if len(locator) % 4 or not locator:
            raise Ended("end-application")
        numbers = []
        for at in range(0, len(locator), 4):
            file, first, last, signed = locator[at:at + 4]
            if not self.broken("locator-not-checked"):
                if not 1 <= file >> 3 <= 30 or file & 7 or not 1 <= first <= last or signed > last - first + 1:
                    raise Ended("end-application")
            numbers += [(file >> 3, number) for number in range(first, last + 1)]
        for sfi, number in self.changed_order(numbers):
            self.read_record(sfi, number)

    def changed_order(self, numbers):
        """Returns the records in the order in which this terminal reads them."""
        if self.broken("records-reversed"):
            return numbers[::-1]
        if self.broken("last-record-left-out"):
            return numbers[:-1]
        if self.broken("first-record-left-out"):
            return numbers[1:]
        if self.broken("record-beyond"):
            return numbers + [(numbers[-1][0], numbers[-1][1] + 1)]
        if self.broken("record-twice"):
            return numbers[:1] + numbers
        return numbers

    def read_record(self, sfi, number):
        """Sends READ RECORD (Book 3, 6.5.11)."""
        p2 = sfi << 3 | (0 if self.broken("record-parameters") else 4)
        end = H("0000") if self.broken("record-with-lc") else H("00")
        end = b"" if self.broken("record-without-le") else end
        data, status = self.send(bytes([0x00, 0xB2, number, p2]) + end)
        if status != 0x9000:
            if self.broken("record-status-ignored"):
                return
            raise Ended("end-application")
        nodes = self.decoded(data)
        if not nodes or nodes[0][0] != "70" and not self.broken("record-template-ignored"):
            raise Ended("end-application")
        if self.broken("record-twice"):
            for tag in [node[0] for node in nodes[0][1]]:
                self.card.pop(tag, None)
        self.store(nodes)

    def need(self, tags):
        """Ends the payment where a mandatory object is missing (Book 3, 7.2)."""
        if self.broken("missing-data-accepted"):
            return
        if any(tag not in self.card for tag in tags):
            raise Ended("end-application")

    def store_options(self, data):
        """Keeps the data of the GPO response in format 1 or 2 (Book 3, 6.5.8.4)."""
        nodes = self.decoded(data)
        if nodes and nodes[0][0] == "80" and len(nodes[0][1]) >= 2:
            body = nodes[0][1]
            fields = [["82", body[:2]]] + ([["94", body[2:]]] if len(body) > 2 else [])
            if self.kernel == 3:
                raise Ended("end-application")
            return self.store(fields)
        if not nodes or nodes[0][0] != "77":
            raise Ended("end-application")
        self.store(nodes)

    # Kernel 3

    def kernel_3(self):
        """GPO, records, CTQ and outcome (C-3, chapters 4 and 5)."""
        data, status = self.options()
        outcomes = {0x6984: "try-another-interface", 0x6985: "select-next", 0x6986: "see-phone"}
        if status != 0x9000 and not self.broken("options-status-ignored"):
            outcome = outcomes.get(status, "end-application")
            raise Ended("end-application" if self.broken("options-status-not-told-apart") else outcome)
        self.store_options(data)
        self.need(["82", "9F36", "9F26", "9F10"])
        self.check()
        if "94" in self.card and not self.broken("records-left-out"):
            self.read_records(self.card["94"])
        self.need(["57"])
        if self.broken("cryptogram-after-options"):
            self.send(H("80AE80001D") + bytes(29) + b"\x00")
        if self.broken("data-after-options"):
            self.send(H("80CA9F3600"))
        return self.disposition_3()

    def disposition_3(self):
        """Returns the outcome of kernel 3 (C-3, 5.4 to 5.8)."""
        kind = self.kind_3()
        if kind == 0x00:
            return "online" if self.broken("decline-ignored") else "declined"
        if kind == 0xC0:
            return "declined"
        if kind == 0x40 and not self.config["online"]:
            return "declined"
        self.verification_3(kind)
        return "approved" if self.broken("online-left-out") else "online"

    def kind_3(self):
        """Returns the kind of cryptogram from 9F27, else from 9F10 byte 5 (C-3, 5.4.3)."""
        if "9F27" in self.card:
            return self.card["9F27"][0] & 0xC0
        issuer = self.card["9F10"]
        return (issuer[4] << 2) & 0xC0 if len(issuer) > 4 else 0xC0

    def verification_3(self, kind):
        """Chooses the verification by the CTQ (C-3, 5.7). Declines where none is possible."""
        if not self.values["9F66"][1] & 0x40 or self.broken("qualifiers-not-read"):
            return
        qualifiers = self.card.get("9F6C")
        if qualifiers is None:
            return
        related = self.card.get("9F69")
        if qualifiers[0] & 0x80 or qualifiers[0] & 0x40:
            return
        if qualifiers[1] & 0x80:
            if related and related[5:7] != qualifiers or not related and kind != 0x80:
                raise Ended("declined")
            return
        raise Ended("declined")

    # Kernel 2

    def kernel_2(self):
        """GPO, records, restrictions, CVM, action analysis, GENERATE AC (Book 3, chapter 10)."""
        data, status = self.options()
        if status != 0x9000:
            raise Ended("select-next" if status == 0x6985 else "end-application")
        self.store_options(data)
        self.need(["82", "94"])
        profile = self.card["82"]
        emv = profile[1] & 0x80
        if profile[1] & 0x01 and not self.broken("relay-left-out"):
            self.relay()
        if self.broken("cryptogram-before-records"):
            self.send(H("80AE800000"))
        self.read_records(self.card["94"])
        if not emv:
            return self.mag_stripe()
        self.need(["5A", "5F24", "8C"])
        self.check()
        self.restrictions()
        self.verification_2()
        return self.generate_ac(self.action())

    def relay(self):
        """EXCHANGE RELAY RESISTANCE DATA with 9F37 as entropy (C-2 3.10)."""
        data, status = self.send(H("80EA000004") + self.number + b"\x00")
        if status != 0x9000 or len(data) != 12 or data[:2] != H("800A"):
            raise Ended("end-application")
        self.tvr[4] |= 0x02

    def restrictions(self):
        """Dates and usage control (Book 3, 10.4)."""
        today = self.config["9A"]
        self.tvr[0] |= 0x80
        if self.card["5F24"] < today and not self.broken("expiry-not-checked"):
            self.tvr[1] |= 0x40
        if self.card.get("5F25", bytes(3)) > today and not self.broken("effective-date-not-checked"):
            self.tvr[1] |= 0x20
        usage = self.card.get("9F07")
        if usage and not self.broken("usage-not-checked"):
            home = self.card.get("5F28") == self.config["9F1A"]
            if not usage[0] & 0x01 or "5F28" in self.card and not usage[0] & (0x28 if home else 0x14):
                self.tvr[1] |= 0x10
        if self.card.get("9F08") not in (None, self.config["9F09"]) and not self.broken("version-not-checked"):
            self.tvr[1] |= 0x80

    def verification_2(self):
        """On-device verification by the AIP, else the CVM list (Book 3, 10.5)."""
        above = self.config["amount"] > self.config["cvm_limit"]
        if self.card["82"][0] & 0x02 and not self.broken("device-verification-ignored"):
            self.cvm_results = H("010002")
            if not above:
                self.list_verification(above)
        elif self.card["82"][0] & 0x10:
            self.list_verification(above)
        else:
            self.cvm_results = H("3F0000")

    def list_verification(self, above):
        """Goes through the CVM list (Book 3, 10.5): no CVM below the limit; signature or online PIN above it."""
        allowed = {0x02, 0x1E} if above else {0x1F}
        rules = self.card.get("8E", b"")[8:]
        for at in range(0, len(rules) - 1, 2):
            method, condition = rules[at] & 0x3F, rules[at + 1]
            if condition not in (0x00, 0x03) or condition == 0x03 and method not in allowed:
                continue
            if method in allowed:
                code = {0x1F: 2, 0x1E: 0, 0x02: 0}[method]
                self.cvm_results = bytes([rules[at], condition, code])
                self.tvr[2] |= 0x04 if method == 0x02 else 0
                return
            if not rules[at] & 0x40:
                self.cvm_results = bytes([rules[at], condition, 1])
                self.tvr[2] |= 0x80
                return
        self.cvm_results = H("3F0001")
        self.tvr[2] |= 0x80

    def action(self):
        """Returns P1 of GENERATE AC (Book 3, 10.7): denial codes, then online."""
        if self.config["amount"] > 0:
            self.tvr[3] |= 0x80
        self.tvr[3] &= 0x7F if self.broken("floor-limit-ignored") else 0xFF
        denial = bytes(a | b for a, b in zip(self.card.get("9F0E", bytes(5)), self.config["DF8121"]))
        if any(a & b for a, b in zip(self.tvr, denial)) and not self.broken("denial-ignored"):
            return 0x00
        return 0x40 if self.broken("asks-for-approval") else 0x80

    def generate_ac(self, kind):
        """Sends GENERATE AC (Book 3, 6.5.5) and returns the outcome."""
        self.values["95"] = bytes(5) if self.broken("verification-results-zero") else bytes(self.tvr)
        self.values["9F34"] = bytes(3) if self.broken("cvm-results-zero") else self.cvm_results
        if self.broken("other-number-in-cryptogram"):
            self.values["9F37"] = os.urandom(4)
        data = self.list_data(self.card["8C"])
        p1 = 0xC0 if self.broken("cryptogram-reserved") else kind
        p2 = 1 if self.broken("cryptogram-parameters") else 0
        end = b"" if self.broken("cryptogram-without-le") else b"\x00"
        command = bytes([0x80, 0xAE, p1, p2, len(data)]) + data + end
        answer, status = self.send(command)
        if self.broken("cryptogram-twice"):
            self.send(command)
        if status != 0x9000:
            raise Ended("end-application")
        return self.disposition_2(kind, answer)

    def disposition_2(self, asked, answer):
        """Reads the cryptogram in format 1 or 2 (Book 3, 6.5.5.4) and returns the outcome."""
        nodes = self.decoded(answer)
        if nodes and nodes[0][0] == "80" and len(nodes[0][1]) >= 11:
            body = nodes[0][1]
            nodes = [["77", [["9F27", body[:1]], ["9F36", body[1:3]], ["9F26", body[3:11]], ["9F10", body[11:]]]]]
        if not nodes or nodes[0][0] != "77":
            raise Ended("end-application")
        for tag in ("9F27", "9F36", "9F26", "9F10"):
            if self.broken("duplicates-accepted"):
                self.card.pop(tag, None)
        self.store(nodes)
        self.need(["9F27", "9F36", "9F26"])
        self.check()
        kind = self.card["9F27"][0] & 0xC0
        strength = {0x00: 0, 0x80: 1, 0x40: 2}
        if kind == 0xC0 or strength[kind] > strength[asked] and not self.broken("higher-cryptogram-accepted"):
            raise Ended("end-application")
        if kind == 0x00:
            return "online" if self.broken("decline-ignored") else "declined"
        return "approved" if kind == 0x40 or self.broken("online-left-out") else "online"

    def mag_stripe(self):
        """COMPUTE CRYPTOGRAPHIC CHECKSUM with the UDOL of the card or 9F6A."""
        self.need(["9F6B", "9F62", "9F63", "9F64", "9F65", "9F66", "9F67"])
        self.values["9F6A"] = H("%08d" % (int.from_bytes(self.number, "big") % 1000))
        self.values["9F7E"] = b"\x01"
        data = self.list_data(self.card.get("9F69", H("9F6A04")))
        answer, status = self.send(H("802A8E80") + bytes([len(data)]) + data + b"\x00")
        if status != 0x9000 or tlv.find(self.decoded(answer), "9F61") is None:
            raise Ended("end-application")
        return "online"
