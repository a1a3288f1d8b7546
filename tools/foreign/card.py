"""A virtual card: the commands of EMV 4.4 Book 3, section 6.5, over the table data of `cards`.

A fault changes the card at three places: `fault.change(place, nodes)` changes data objects before they are encoded,
`fault.answer(step, response)` changes an encoded response, and `fault.flags` names rules that the card does not follow.
"""

import hashlib
import os

import crypto
import tlv

PPSE = b"2PAY.SYS.DDF01"
# The data of the cryptogram in the order of Book 2, Table 26, without AIP and ATC.
CRYPTOGRAM_DATA = [("9F02", 6), ("9F03", 6), ("9F1A", 2), ("95", 5), ("5F2A", 2), ("9A", 3), ("9C", 1), ("9F37", 4)]
NEEDS_PAYMENT = 0x6985


class NoFault:
    """The fault of a good card."""

    flags = frozenset()

    def change(self, place, nodes):
        return nodes

    def answer(self, step, response):
        return response


class Refused(Exception):
    """Ends a command with a status word."""

    def __init__(self, status):
        super().__init__("%04X" % status)
        self.status = status


def readable(dol, good):
    """Returns a data object list, or the good one where it is absent or cannot be read."""
    try:
        tlv.parse_dol(dol)
        return dol
    except (TypeError, ValueError, IndexError):
        return good


class Card:
    """A card in a reader. `respond` takes a command APDU and returns the response APDU."""

    def __init__(self, data, fault=None, first_atc=None):
        self.data = data
        self.fault = fault or NoFault()
        self.atc = first_atc if first_atc is not None else 0x10
        self.master = crypto.card_master_key(data["pan"], "01")
        self.records = {}
        self.selected = None
        self.aip = tlv.find(self.changed("gpo", [["82", data["aip"]]]), "82") or data["aip"]
        self.pdol = readable(tlv.find(self.changed("select", self.control_information()), "9F38"), data["pdol"])
        self.build_records()
        self.reset()

    def reset(self):
        """Power on: no application is selected (Book 1, 12.1)."""
        if "keeps-selection" not in self.fault.flags:
            self.selected = None
        self.begin()

    def begin(self):
        """Starts a transaction: after SELECT, or after power on."""
        self.options = None
        self.cryptograms = 0
        self.checksums = 0
        self.relay_data = b""

    # Records

    def build_records(self):
        """Makes the records, changes them by the fault, and certifies the changed static data (Book 2, 5.1)."""
        static = b""
        for key in sorted(self.data["records"]):
            nodes = self.changed("record", self.data["records"][key])
            self.records[key] = nodes
            if key in self.data["signed"]:
                static += tlv.encode_all(nodes)
        if self.data["signed"]:
            self.add_certificates(static + self.aip)

    def add_certificates(self, static):
        """Adds the records of the certificates (Book 2, Tables 5 and 12) and of 9F69 (C-3, Annex C)."""
        pan = self.data["pan"]
        issuer, rest = crypto.issuer_certificate(pan)
        card, remainder = crypto.card_certificate(pan, static)
        sfi = max(sfi for sfi, _ in self.records) + 1
        nodes = [["8F", b"\xF1"], ["90", issuer], ["92", rest], ["9F32", b"\x03"]]
        self.records[sfi, 1] = self.changed("record", nodes)
        nodes = [["9F46", card], ["9F47", b"\x03"], ["9F48", remainder]]
        self.records[sfi, 2] = self.changed("record", nodes)
        if self.data.get("fdda"):
            self.records[sfi, 3] = [["9F69", b"\x01" + bytes(4) + self.data["ctq"]]]

    def locator(self):
        """Returns the AFL: one entry for each run of records of an SFI (Book 3, 10.2)."""
        entries = b""
        for sfi in sorted({sfi for sfi, _ in self.records}):
            numbers = sorted(number for file, number in self.records if file == sfi)
            signed = sum(1 for number in numbers if (sfi, number) in self.data["signed"])
            entries += bytes([sfi << 3, numbers[0], numbers[-1], signed])
        return entries

    def changed(self, place, nodes):
        return self.fault.change(place, [list(node) for node in nodes])

    # Commands

    def respond(self, command):
        """Returns the response to a command, or None where the card leaves the field."""
        try:
            step, response = self.dispatch(command)
        except Refused as refused:
            step, response = "refusal", refused.status.to_bytes(2, "big")
        return self.fault.answer(step, response)

    def dispatch(self, command):
        """Finds the command by class and instruction (Book 3, Table 4)."""
        if len(command) < 4:
            raise Refused(0x6700)
        cla, ins = command[0], command[1]
        known = {0xA4: self.select, 0xA8: self.options_command, 0xB2: self.read_record, 0xCA: self.get_data,
                 0xAE: self.generate_ac, 0x2A: self.checksum, 0xEA: self.relay}
        if ins not in known or ins == 0xEA and not self.data["relay"] or ins == 0xAE and self.data["flow"] == "gpo" \
                or ins == 0x2A and self.data["kernel"] != 2:
            if "takes-unknown-instruction" in self.fault.flags:
                return "unknown", b"\x90\x00"
            raise Refused(0x6D00)
        wanted = 0x00 if ins in (0xA4, 0xB2) else 0x80
        if cla != wanted and "takes-any-class" not in self.fault.flags:
            raise Refused(0x6E00)
        data = self.command_data(command)
        if data and ins in (0xB2, 0xCA):
            raise Refused(0x6700)
        return known[ins](command[2], command[3], data)

    def command_data(self, command):
        """Returns the data of a command of case 1 to 4 (Book 1, 9.4.1). Raises Refused(6700) for wrong lengths."""
        if len(command) <= 5:
            return b""
        count, data = command[4], command[5:]
        if len(data) not in (count, count + 1):
            if "takes-wrong-lc" not in self.fault.flags:
                raise Refused(0x6700)
        return data[:count]

    def success(self, place, nodes):
        return place, tlv.encode_all(self.changed(place, nodes)) + b"\x90\x00"

    # SELECT (Book 1, 11.3; Book B, 3.3.2)

    def select(self, p1, p2, data):
        if (p1, p2) not in ((4, 0), (4, 2)):
            if "takes-select-parameters" not in self.fault.flags:
                raise Refused(0x6A86)
        if p2 == 2 and "select-next-repeats" not in self.fault.flags:
            raise Refused(0x6A82)
        if data == PPSE:
            self.selected = None
            self.begin()
            return self.success("ppse", self.directory())
        aid = self.data["aid"]
        if not (5 <= len(data) <= len(aid) and aid.startswith(data)):
            if "selects-any-name" not in self.fault.flags:
                raise Refused(0x6A82)
        self.selected = aid
        self.begin()
        return self.success("select", self.control_information())

    def directory(self):
        """The FCI of the PPSE (Book B, Table 3-2)."""
        entry = [["4F", self.data["aid"]], ["50", self.data["label"]], ["87", b"\x01"],
                 ["9F2A", bytes([self.data["kernel"]])]]
        return [["6F", [["84", PPSE], ["A5", [["BF0C", [["61", entry]]]]]]]]

    def control_information(self):
        """The FCI of the application (Book 1, Table 45)."""
        nodes = [["50", self.data["label"]], ["87", b"\x01"]]
        if self.data["pdol"]:
            nodes.append(["9F38", self.data["pdol"]])
        nodes += [list(node) for node in self.data["fci"]]
        if self.data["discretionary"]:
            nodes.append(["BF0C", [list(node) for node in self.data["discretionary"]]])
        return [["6F", [["84", self.data["aid"]], ["A5", nodes]]]]

    # GET PROCESSING OPTIONS (Book 3, 6.5.8)

    def options_command(self, p1, p2, data):
        flags = self.fault.flags
        if self.selected is None and "options-unselected" not in flags:
            raise Refused(NEEDS_PAYMENT)
        if self.options is not None and "options-twice" not in flags:
            raise Refused(NEEDS_PAYMENT)
        if (p1, p2) != (0, 0) and "takes-options-parameters" not in flags:
            raise Refused(0x6A86)
        values = self.option_values(data)
        self.options = values
        self.cryptograms = 0
        self.count()
        if self.data["flow"] == "gpo":
            return self.quick_payment(tlv.dol_values(self.pdol, values))
        nodes = [["82", self.data["aip"]], ["94", self.locator()]]
        return self.success("gpo", [["77", nodes + [list(node) for node in self.data.get("gpo_more", [])]]])

    def option_values(self, data):
        """Returns the PDOL values of template 83. Raises Refused(6700) where the length is not that of the PDOL."""
        size = tlv.dol_size(self.pdol)
        if data[:1] != b"\x83" or len(data) < 2 or len(data) != 2 + data[1]:
            if "options-without-83" not in self.fault.flags:
                raise Refused(0x6A80)
        if len(data) - 2 != size and "options-any-length" not in self.fault.flags:
            raise Refused(0x6700)
        return data[2:2 + size].ljust(size, b"\x00")

    def count(self):
        """Counts the transaction (Book 3, Annex A: 9F36)."""
        if "counter-down" in self.fault.flags:
            self.atc -= 1
        elif "counter-constant" not in self.fault.flags:
            self.atc += 1
        if "counter-restarts" in self.fault.flags and self.atc % 3 == 0:
            self.atc = 0x11
        if "counter-zero" in self.fault.flags:
            self.atc = 0

    # Cryptograms

    def issuer_data(self, kind):
        """Returns 9F10 with a CVR of 4 or 6 bytes for the kind of cryptogram (80 ARQC, 40 TC, 00 AAC)."""
        first = {0x80: "A0", 0x40: "90", 0x00: "80"}[kind]
        cvr = first + "0000000000" if self.data["kernel"] == 2 else "03" + first
        return bytes.fromhex(self.data["iad"].format(cvr=cvr))

    def cryptogram(self, values, issuer_data):
        """Returns 9F26 over the data of Book 2, Table 26, AIP, ATC and issuer data (CVN 18; CVN 16 for kernel 2)."""
        flags, atc = self.fault.flags, self.atc.to_bytes(2, "big")
        data = b""
        for tag, size in CRYPTOGRAM_DATA:
            left_out = "cryptogram-without-" + tag in flags
            data += bytes(size) if left_out else values.get(tag, bytes(size)).rjust(size, b"\x00")
        data += self.aip + (bytes(2) if "cryptogram-without-9F36" in flags else atc)
        data += issuer_data[2:8] if self.data["kernel"] == 2 else issuer_data
        master = bytes(16) if "cryptogram-other-key" in flags else self.master
        if "cryptogram-constant" in flags:
            return b"\x5A" * 8
        number = values.get("9F37", bytes(4))
        key = crypto.session_key(master, atc) if self.data["csk"] else crypto.session_key_skd(master, atc, number)
        return crypto.retail_mac(key, data)

    def quick_payment(self, values):
        """The GPO response with a cryptogram (C-3, chapter 4 and Annex A). 9F66 byte 2 bit 8 asks for an ARQC."""
        kind = self.quick_kind(values.get("9F66", bytes(4)))
        issuer_data = self.issuer_data(kind)
        nodes = [["82", self.data["aip"]]]
        if self.records:
            nodes.append(["94", self.locator()])
        nodes += [list(node) for node in self.data["gpo"]]
        nodes += [["9F10", issuer_data], ["9F26", self.cryptogram(values, issuer_data)], ["9F27", bytes([kind])],
                  ["9F36", self.atc.to_bytes(2, "big")], ["9F6C", self.qualifiers(values.get("9F66", bytes(4)))]]
        if self.data.get("ffi"):
            nodes.append(["9F6E", self.data["ffi"]])
        if self.data.get("fdda"):
            nodes.append(["9F4B", self.fast_signature(values, kind)])
        return self.success("gpo", [["77", nodes]])

    def quick_kind(self, reader):
        """Chooses the cryptogram by 9F66 (C-3, 5.2): TC only for an offline-only reader and a card that signs."""
        if "approves-for-online" in self.fault.flags:
            return 0x40
        if reader[1] & 0x80 or not reader[0] & 0x08:
            return 0x80
        return 0x40 if self.data.get("fdda") else 0x00

    def qualifiers(self, reader):
        """Returns the CTQ (9F6C). A plastic card asks for online PIN or signature where the reader needs a CVM."""
        if self.data["ctq"] is not None:
            return self.data["ctq"]
        if not reader[1] & 0x40:
            return b"\x00\x00"
        return b"\x80\x00" if reader[0] & 0x04 else b"\x40\x00"

    def fast_signature(self, values, kind):
        """Signs 9F37, 9F02, 5F2A and 9F69 (C-3, Annex C) and renews 9F69."""
        related = b"\x01" + os.urandom(4) + self.qualifiers(values.get("9F66", bytes(4)))
        last = max(self.records)
        self.records[last] = self.changed("record", [["9F69", related]])
        hashed = b"".join(values.get(tag, bytes(size)) for tag, size in (("9F37", 4), ("9F02", 6), ("5F2A", 2))) + related
        if "signature-constant" in self.fault.flags:
            hashed = bytes(4) + hashed[4:]
        first = b"\x05" if kind == 0x40 else b"\x95"
        return crypto.dynamic_signature(first, b"\x02" + self.atc.to_bytes(2, "big"), hashed)

    # READ RECORD, GET DATA (Book 3, 6.5.11 and 6.5.7)

    def read_record(self, number, p2, data):
        if self.selected is None:
            raise Refused(NEEDS_PAYMENT)
        if p2 & 7 != 4 and "takes-record-parameters" not in self.fault.flags:
            raise Refused(0x6A86)
        if number == 0 and "record-zero" in self.fault.flags:
            number = 1
        nodes = self.records.get((p2 >> 3, number))
        if nodes is None:
            if "record-for-any-number" in self.fault.flags and self.records:
                nodes = self.records[min(self.records)]
            else:
                raise Refused(0x6A83 if any(p2 >> 3 == sfi for sfi, _ in self.records) else 0x6A82)
        template = self.fault.change("record-template", [["70", nodes]])
        return "record", tlv.encode_all(template) + b"\x90\x00"

    def get_data(self, p1, p2, data):
        tag = "%02X%02X" % (p1, p2) if p1 else "%02X" % p2
        if self.selected is None:
            raise Refused(NEEDS_PAYMENT)
        values = {"9F36": self.atc.to_bytes(2, "big"), "9F17": b"\x03"}
        if "gives-any-data" in self.fault.flags:
            return "get", tlv.encode([tag, b"\x00\x00"]) + b"\x90\x00"
        if tag not in self.data["get_data"] or tag not in values:
            raise Refused(0x6A88)
        return self.success("get", [[tag, values[tag]]])

    # GENERATE AC (Book 3, 6.5.5)

    def generate_ac(self, p1, p2, data):
        flags = self.fault.flags
        if self.options is None and "cryptogram-before-options" not in flags:
            raise Refused(NEEDS_PAYMENT)
        limit = 9 if "cryptogram-again-and-again" in flags else 2 if self.cryptograms and self.first_kind == 0x80 else 1
        if self.cryptograms >= limit:
            raise Refused(NEEDS_PAYMENT)
        if p1 & 0xC0 == 0xC0 or p2 or p1 & 0x2F:
            if "takes-cryptogram-parameters" not in flags:
                raise Refused(0x6A86)
        tag = "8D" if self.cryptograms and limit == 2 else "8C"
        values = self.list_values(tag, data)
        kind = self.kind(p1 & 0xC0, values, tag)
        self.cryptograms += 1
        self.first_kind = kind if self.cryptograms == 1 else self.first_kind
        self.first_data = data if self.cryptograms == 1 else self.first_data + data
        return self.cryptogram_response(kind, p1 & 0x10 and kind, values)

    def list_values(self, tag, data):
        """Returns the CDOL values. Raises Refused(6700) where the length is wrong."""
        good = tlv.find([node for nodes in self.data["records"].values() for node in nodes], tag)
        dol = readable(tlv.find([node for nodes in self.records.values() for node in nodes], tag), good)
        if len(data) != tlv.dol_size(dol) and "takes-any-list-length" not in self.fault.flags:
            raise Refused(0x6700)
        size = tlv.dol_size(dol)
        values = tlv.dol_values(dol, data[:size].ljust(size, b"\x00"))
        return {**self.last_values, **values} if tag == "8D" else values

    def kind(self, asked, values, tag):
        """Returns the cryptogram for a request: never a higher one than asked (Book 3, 9.2 and Table 14)."""
        flags = self.fault.flags
        self.last_values = values
        if asked == 0x80 and "approves-for-online" in flags or asked == 0 and "approves-for-decline" in flags:
            return 0x40
        if asked == 0 and "online-for-decline" in flags:
            return 0x80
        if tag == "8D":
            return 0x40 if asked == 0x40 and values.get("8A") == b"00" else 0x00
        if asked == 0x40 and int(values.get("9F02", b"\x00").hex()) > 5000:
            return 0x80
        return asked if asked in (0x40, 0x80) else 0x00

    def cryptogram_response(self, kind, signs, values):
        """Returns template 77 with a cryptogram or, with CDA, a signature (Book 2, 6.6)."""
        issuer_data = self.issuer_data(kind)
        cryptogram = self.cryptogram(values, issuer_data)
        nodes = [["9F27", bytes([kind])], ["9F36", self.atc.to_bytes(2, "big")], ["9F10", issuer_data]]
        if not signs or "no-signature" in self.fault.flags:
            nodes.insert(2, ["9F26", cryptogram])
            return self.success("ac", [["77", nodes]])
        plain = tlv.find(self.changed("ac", [["77", nodes]]), "77") or nodes
        signature = self.combined_signature(kind, cryptogram, plain, values)
        nodes.insert(2, ["9F4B", signature])
        return self.success("ac", [["77", nodes]])

    def combined_signature(self, kind, cryptogram, nodes, values):
        """Signs the cryptogram and the hash of the transaction data (Book 2, Tables 18 to 20)."""
        digest = hashlib.sha1(self.options + self.first_data + tlv.encode_all(nodes)).digest()
        if "signature-other-data" in self.fault.flags:
            digest = bytes(20)
        inner = kind ^ 0xC0 if "signature-other-kind" in self.fault.flags else kind
        number = b"\x08" + os.urandom(8)
        dynamic = number + bytes([inner]) + cryptogram + digest + self.relay_data
        hashed = bytes(4) if "signature-constant" in self.fault.flags else values.get("9F37", bytes(4))
        return crypto.dynamic_signature(b"\x05", dynamic, hashed)

    # Kernel 2 only

    def checksum(self, p1, p2, data):
        """COMPUTE CRYPTOGRAPHIC CHECKSUM of mag-stripe mode: CVC3 of both tracks, ATC."""
        if self.options is None or self.checksums:
            raise Refused(NEEDS_PAYMENT)
        if (p1, p2) != (0x8E, 0x80):
            raise Refused(0x6A86)
        if len(data) != 5:
            raise Refused(0x6700)
        self.checksums += 1
        atc = self.atc.to_bytes(2, "big")
        code = crypto.des3(self.master, data[:4] + atc + b"\x00\x00")
        nodes = [["9F61", code[:2]], ["9F60", code[2:4]], ["9F36", atc], ["DF4B", b"\x00\x10\x00"]]
        return self.success("checksum", [["77", nodes]])

    def relay(self, p1, p2, data):
        """EXCHANGE RELAY RESISTANCE DATA: entropy, and three times in units of 100 microseconds."""
        if self.options is None or self.cryptograms:
            raise Refused(NEEDS_PAYMENT)
        if (p1, p2) != (0, 0):
            raise Refused(0x6A86)
        if len(data) != 4:
            raise Refused(0x6700)
        entropy = os.urandom(4) if "relay-constant" not in self.fault.flags else b"\x11" * 4
        times = bytes.fromhex("000000C80012")
        self.relay_data = data + entropy + times
        body = self.fault.change("relay", [["80", entropy + times]])
        return "relay", tlv.encode_all(body) + b"\x90\x00"
