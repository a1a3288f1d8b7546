"""Faults of cards: an enumeration of (place, data element or step) x operator over the good cards of `cards`."""

import time

import cards
import elements
import tlv
import values

# Objects that are made by the card itself at each payment or from the records; they stand at these places.
MADE = {"gpo": ("82", "94", "9F10", "9F26", "9F27", "9F36", "9F6C", "9F4B"), "ac": ("9F27", "9F36", "9F10", "9F26", "9F4B")}
# Every operator is applied to every element for these; the others get the elements that their kernel reads.
DEEP = ("visa", "mastercard")
CORE = ("57", "5A", "5F24", "9F36", "9F10", "94", "82", "9F26", "9F27", "9F6C", "8E")


class CardFault:
    """A fault of a card. `name` is stable: side/scheme/place/element/operator."""

    side = "card"

    def __init__(self, scheme, place, tag, operator, rule, grade, why, edit=None, flags=(), response=None, mentions=()):
        self.name = "/".join(("card", scheme, place, tag, operator))
        self.scheme, self.place, self.tag, self.operator = scheme, place, tag, operator
        self.rule, self.grade, self.why = rule, grade, why
        self.edit, self.flags, self.response = edit, frozenset(flags), response
        self.mentions = list(mentions) or [tag] + short_names(tag)

    def change(self, place, nodes):
        """Returns the nodes of a place with the fault in them."""
        if self.edit and place == self.place:
            where = locate(nodes, self.tag)
            if where:
                self.edit(where[0], where[1], nodes)
        return nodes

    def answer(self, step, response):
        """Returns the response of a step with the fault in it. None removes the card."""
        if self.response and step == self.place:
            return self.response(response)
        return response


def short_names(tag):
    """Returns the words that a report may use in place of the tag."""
    words = elements.name(tag)
    last = words.split()[-1] if words else ""
    return [words] * bool(words) + [last] * (last.isupper() and last != words)


def locate(nodes, tag):
    """Returns (list, index) of the first node with the tag at any depth, or None."""
    for index, node in enumerate(nodes):
        if node[0] == tag:
            return nodes, index
        if isinstance(node[1], list):
            found = locate(node[1], tag)
            if found:
                return found
    return None


# Operators: edit(list, index, all nodes)

def absent(nodes, index, whole):
    del nodes[index]


def empty(nodes, index, whole):
    nodes[index] = [nodes[index][0], b""]


def set_value(value):
    def edit(nodes, index, whole):
        nodes[index] = [nodes[index][0], value]
    return edit


def mapped(change):
    def edit(nodes, index, whole):
        if isinstance(nodes[index][1], bytes):
            nodes[index] = [nodes[index][0], change(nodes[index][1])]
    return edit


def twice(nodes, index, whole):
    value = nodes[index][1]
    other = value[:-1] + bytes([value[-1] ^ 0x01]) if isinstance(value, bytes) and value else value
    nodes.insert(index + 1, [nodes[index][0], other])


def outside(nodes, index, whole):
    """Moves an object behind the template in which it belongs."""
    whole.append(nodes.pop(index))


def field(form):
    """Returns an edit of the length field."""
    def edit(nodes, index, whole):
        nodes[index] = nodes[index][:2] + [form]
    return edit


def shorter(tag):
    """Returns an edit to one byte below the shortest length."""
    lowest = elements.ELEMENTS[tag][2]
    return mapped(lambda value: value[:lowest - 1])


def longer(tag):
    """Returns an edit to one byte above the longest length."""
    highest = elements.ELEMENTS[tag][3]
    return mapped(lambda value: value + (value[-1:] or b"\x00") * (highest + 1 - len(value)))


def unformatted(tag):
    """Returns an edit that puts a byte into the value that its format does not allow, or None."""
    form = elements.ELEMENTS[tag][1]
    wrong = {"n": 0xAB, "cn": 0xAB, "ans": 0x07, "an": 0x21}.get(form)
    if wrong is None:
        return None
    return mapped(lambda value: bytes([wrong]) + value[1:])


# Enumeration

def schemes_of(entry):
    """Returns the schemes that a table row is about."""
    every = ["visa", "visa-fdda", "mastercard", "amex", "jcb", "discover", "unionpay"]
    groups = {"*": every, "cda": list(elements.CDA)}
    if isinstance(entry, str):
        return groups.get(entry, [entry])
    return list(entry)


def good_tags(scheme):
    """Returns {place: tags} of the good card, in the order in which a terminal reads them."""
    import card as engine
    good = engine.Card(cards.ALL[scheme]())
    places = {"ppse": good.directory(), "select": good.control_information(),
              "record": [node for key in sorted(good.records) for node in good.records[key]]}
    tags = {place: all_tags(nodes) for place, nodes in places.items()}
    quick = good.data["flow"] == "gpo"
    made = ["82"] + (["94"] if good.records else [])
    made += [node[0] for node in good.data.get("gpo", [])] + (list(MADE["gpo"][2:7]) if quick else [])
    tags["gpo"] = made + (["9F4B"] if good.data.get("fdda") else []) + (["9F6E"] if good.data.get("ffi") else [])
    if not quick:
        tags["ac"] = list(MADE["ac"][:4])
    return tags


def all_tags(nodes):
    """Returns the tags of primitive nodes at any depth."""
    found = []
    for tag, value in nodes:
        found += all_tags(value) if isinstance(value, list) else [tag]
    return found


def mandatory_faults():
    """Absent and empty mandatory elements. An empty object counts as absent (Book 3, Annex B1)."""
    for schemes, place, tag, rule in elements.MANDATORY:
        for scheme in schemes_of(schemes):
            if scheme not in DEEP and place in ("ppse", "select"):
                continue
            yield CardFault(scheme, place, tag, "absent", rule, "failure", "mandatory", absent)
            if tag in elements.ELEMENTS and scheme in DEEP:
                yield CardFault(scheme, place, tag, "empty", rule, "failure", "an empty object counts as absent", empty)


def format_faults():
    """Lengths and formats (Book 3, 7.5), objects twice (Book 3, 10.2)."""
    for scheme in schemes_of("*"):
        for place, tags in good_tags(scheme).items():
            for tag in tags:
                if tag not in elements.ELEMENTS or scheme == "mastercard" and tag in ("9F69", "9F6C", "9F6E"):
                    continue
                if scheme not in DEEP and (place in ("ppse", "select") or tag not in CORE):
                    continue
                yield from format_faults_of(scheme, place, tag)


def format_faults_of(scheme, place, tag):
    """The format faults of one element at one place. The deep schemes get all of them."""
    words, form, lowest, highest, source = elements.ELEMENTS[tag]
    rule = "%s: %s to %s bytes, format %s; Book 3 7.5" % (source, lowest, highest, form)
    grade, why = grade_of(place, tag)
    if lowest > 1:
        yield CardFault(scheme, place, tag, "short", rule, grade, why, shorter(tag))
    deep = scheme in DEEP
    if highest < 100 and (deep or tag == "9F10"):
        yield CardFault(scheme, place, tag, "long", rule, grade, why, longer(tag))
    if deep and unformatted(tag) and tag != "5F2D":
        yield CardFault(scheme, place, tag, "not-" + form, rule, grade, why, unformatted(tag))
    if deep and tag not in ("5F2D", "9F11", "9F12", "87", "5F25", "9F08", "9F42", "9F0D", "9F0E", "9F0F"):
        yield CardFault(scheme, place, tag, "twice", elements.REDUNDANT, "failure", "the terminal ends", twice)


def grade_of(place, tag):
    """Labels, languages and priorities do not stop a payment: a warning."""
    if tag in ("50", "87", "5F2D", "9F11", "9F12", "9F5A", "9F6E", "9F42"):
        return "warning", "the payment goes on"
    return "failure", "the terminal ends or declines"


def template_faults():
    """Templates: another tag, objects outside, forms of length (Book 3, Annex B; Book 1, 11.3)."""
    templates = [("ppse", "6F"), ("select", "6F"), ("gpo", "77"), ("record-template", "70"), ("ac", "77")]
    for scheme in DEEP + ("amex", "unionpay"):
        data = cards.ALL[scheme]()
        for place, tag in templates:
            if place == "ac" and data["flow"] == "gpo" or place == "record-template" and not data["records"]:
                continue
            if scheme in DEEP or place in ("gpo", "ac", "record-template"):
                yield from template_faults_of(scheme, place, tag)


def template_faults_of(scheme, place, tag):
    """The faults of one template."""
    step = {"ppse": "SELECT", "select": "SELECT", "gpo": "GET PROCESSING OPTIONS", "ac": "GENERATE AC",
            "record-template": "READ RECORD"}[place]
    words = [tag, "template"]
    yield CardFault(scheme, place, tag, "other-template", "Book 3 6.5: %s answers template %s" % (step, tag), "failure",
                    "the terminal ends", retag("71" if tag != "71" else "72"), mentions=words)
    if scheme not in DEEP:
        return
    yield CardFault(scheme, place, tag, "indefinite-length", "Book 3 Annex B2: the indefinite form is not used",
                    "failure", "the response cannot be read", field(lambda n: b"\x80"),
                    mentions=words + ["BER", "TLV", "length", "malformed"])
    yield CardFault(scheme, place, tag, "too-long-length", "Book 3 Annex B2: length of the value", "failure",
                    "the response cannot be read", field(lambda n: tlv.length_bytes(n + 3)),
                    mentions=words + ["BER", "TLV", "length", "malformed", "beyond", "ends"])
    yield CardFault(scheme, place, tag, "not-shortest-length", "Book 3 Annex B2: lengths below 128 have one byte",
                    "warning", "readers accept it", field(lambda n: b"\x82" + n.to_bytes(2, "big")),
                    mentions=words + ["length", "minimal", "shortest"])
    yield CardFault(scheme, place, tag, "bytes-behind", "Book 3 6.5: one template, nothing behind it", "warning",
                    "readers may ignore them", lambda nodes, index, whole: whole.append(["50", b"X"]),
                    mentions=words + ["behind", "trailing", "after"])


def retag(tag):
    def edit(nodes, index, whole):
        nodes[index] = [tag] + nodes[index][1:]
    return edit


def misplaced_faults():
    """Objects outside their template (Book 1, Table 45; Book B, Table 3-2)."""
    rows = [("visa", "select", "84"), ("mastercard", "select", "84"), ("visa", "select", "9F38"),
            ("visa", "ppse", "4F"), ("mastercard", "ppse", "61"), ("visa", "gpo", "9F36"), ("mastercard", "gpo", "94"),
            ("mastercard", "ac", "9F36"), ("amex", "gpo", "94"), ("jcb", "ac", "9F27"), ("discover", "gpo", "82"),
            ("unionpay", "gpo", "9F26")]
    for scheme, place, tag in rows:
        yield CardFault(scheme, place, tag, "outside-template", "Book 1 Table 45, Book 3 6.5: the object is in its template",
                        "failure", "the terminal does not find it", outside)


def value_faults():
    """Other values, from the table of `values`."""
    for row, (schemes, place, tag, operator, change, rule, grade, why) in enumerate(values.VALUES):
        for scheme in two_of(schemes_of(schemes), row):
            yield CardFault(scheme, place, tag, operator, rule, grade, why, mapped(change))


def two_of(schemes, row):
    """Returns the first deep scheme of a row and one more, another one for each row."""
    first = [scheme for scheme in schemes if scheme in DEEP][:1]
    rest = [scheme for scheme in schemes if scheme not in first]
    return first + (rest[row % len(rest):][:1] if rest else [])


def status(code, data=False):
    """Returns a response with another status word, with or without its data."""
    return lambda response: (response[:-2] if data else b"") + bytes.fromhex(code)


def late(seconds):
    def wait(response):
        time.sleep(seconds)
        return response
    return wait


STEPS = {"ppse": ("SELECT", "Book B 3.3.2"), "select": ("SELECT", "Book 1 12.4"),
         "gpo": ("GET PROCESSING OPTIONS", "Book 3 10.1"), "record": ("READ RECORD", "Book 3 10.2"),
         "ac": ("GENERATE AC", "Book 3 9.2"), "relay": ("EXCHANGE RELAY RESISTANCE DATA", "C-2 3.10")}

STEP_OPERATORS = [
    ("6A82", status("6A82"), "the command that the flow needs answers 9000", "failure", ["6A82"]),
    ("6985", status("6985"), "the command that the flow needs answers 9000", "failure", ["6985"]),
    ("6F00", status("6F00"), "the command that the flow needs answers 9000", "failure", ["6F00"]),
    ("no-data", status("9000"), "9000 comes with the template", "failure", ["template", "data", "empty"]),
    ("cut", lambda r: r[:-5] + r[-2:], "the template is whole", "failure", ["length", "TLV", "malformed", "ends"]),
    ("warning-status", status("6283", True), "the status word is 9000", "failure", ["6283"]),
    ("silent", lambda r: None, "the card answers each command", "failure", ["left", "torn", "lost", "removed", "answer"]),
    ("no-status", lambda r: r[:1], "a response ends with a status word of 2 bytes (Book 1 9.4.2)", "failure",
     ["status", "byte", "malformed"]),
    ("late", late(0.6), "a payment takes the card 400 ms (Book A 10.2)", "warning", ["ms", "time", "late", "slow"]),
]


def step_faults():
    """Steps: status words, missing data, cut and late responses."""
    for scheme, places in (("visa", ("ppse", "select", "gpo")), ("mastercard", ("ppse", "select", "gpo", "record", "ac")),
                           ("mastercard-relay", ("relay",)), ("amex", ("gpo", "ac")), ("jcb", ("record", "ac")),
                           ("discover", ("gpo", "ac")), ("unionpay", ("gpo", "record"))):
        for place in places:
            for operator, response, rule, grade, words in STEP_OPERATORS:
                if scheme not in DEEP + ("mastercard-relay",) and operator not in ("6985", "no-data", "cut"):
                    continue
                command, source = STEPS[place]
                yield CardFault(scheme, place, "step", operator, "%s: %s" % (source, rule), grade,
                                "late" if operator == "late" else "the payment ends", response=response,
                                mentions=words + [command])


def rule_faults():
    """Rules that a card does not follow, from the table of `behaviours`."""
    import behaviours
    for schemes, step, flag, rule, grade, why, words in behaviours.CARD:
        for scheme in schemes_of(schemes):
            yield CardFault(scheme, step, "rule", flag, rule, grade, why, flags=[flag], mentions=words)


def relay_faults():
    """The response of the relay protocol: template 80 with 10 bytes, its times (C-2 3.10)."""
    rows = [("short", lambda v: v[:-1], "10 bytes", "failure"), ("long", lambda v: v + b"\0", "10 bytes", "failure"),
            ("minimum-above-maximum", lambda v: v[:4] + bytes.fromhex("00C80001") + v[8:], "minimum is not above maximum",
             "failure"),
            ("impossible-maximum", lambda v: v[:6] + b"\x00\x00" + v[8:], "the card keeps its times", "failure")]
    for operator, change, rule, grade in rows:
        yield CardFault("mastercard-relay", "relay", "80", operator, "C-2 3.10: " + rule, grade, "the TVR gets relay bits",
                        mapped(change), mentions=["relay", "80EA", "EXCHANGE RELAY", "80 EA", "maximum", "minimum"])


def every():
    """Returns all faults of cards, each name once."""
    faults = {}
    for source in (mandatory_faults, format_faults, template_faults, misplaced_faults, value_faults, step_faults,
                   rule_faults, relay_faults):
        for fault in source():
            faults.setdefault(fault.name, fault)
    return list(faults.values())
