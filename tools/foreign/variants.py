"""Good cards that use what the books leave open. No pack may fail them.

Rows: (name, scheme, place, tag, edit, what the book allows).
"""

import cardfaults
from cardfaults import absent, mapped

H = bytes.fromhex


def added(tag, value):
    """Returns an edit that puts an object behind the one that was found."""
    def edit(nodes, index, whole):
        nodes.insert(index + 1, [tag, H(value)])
    return edit


def first_format(nodes, index, whole):
    """Turns template 77 into template 80 with the values of 82 and 94 (Book 3, 6.5.8.4, format 1)."""
    values = {tag: value for tag, value in nodes[index][1]}
    nodes[index] = ["80", values["82"] + values["94"]]


TABLE = [
    ("no-cid", "visa", "gpo", "9F27", absent, "C-3 Annex A: the kind of cryptogram is in 9F10 too"),
    ("no-form-factor", "visa", "gpo", "9F6E", absent, "C-3 Annex A: optional"),
    ("no-discretionary", "visa", "select", "BF0C", absent, "Book 1 Table 45: optional"),
    ("no-label", "visa", "ppse", "50", absent, "Book B Table 3-3: optional in an entry"),
    ("no-kernel-identifier", "visa", "ppse", "9F2A", absent, "Book B 3.3.2.5: the default kernel of the RID"),
    ("no-priority", "mastercard", "ppse", "87", absent, "Book 1 12.2.3: optional for a single application"),
    ("unknown-object-in-options", "visa", "gpo", "82", added("DF20", "0102"), "Book 3 7.1: unknown objects are ignored"),
    ("unknown-tag-in-pdol", "visa", "select", "9F38", mapped(lambda value: value + H("DF7F03")),
     "Book 3 5.4: the terminal sends zeros"),
    ("unknown-object-in-directory", "mastercard", "ppse", "4F", added("DF21", "AA"), "Book 1 12.2.2: ignored"),
    ("no-language", "mastercard", "select", "5F2D", absent, "Book 1 Table 45: optional"),
    ("no-preferred-name", "amex", "select", "9F12", absent, "Book 1 Table 45: optional"),
    ("no-effective-date", "mastercard", "record", "5F25", absent, "Book 3 7.2: optional"),
    ("no-usage-control", "mastercard", "record", "9F07", absent, "Book 3 7.2: optional"),
    ("no-action-codes", "amex", "record", "9F0D", absent, "Book 3 10.7: absent codes have default values"),
    ("no-sequence-number", "jcb", "record", "5F34", absent, "Book 3 7.2: optional"),
    ("format-1-options", "mastercard", "gpo", "77", first_format, "Book 3 6.5.8.4: format 1 is template 80"),
    ("format-1-options", "jcb", "gpo", "77", first_format, "Book 3 6.5.8.4: format 1 is template 80"),
    ("list-in-other-order", "discover", "record", "8C",
     mapped(lambda value: value[-2:] + value[:-2] if value[-2:] == H("9C01") else H("9F3704") + value.replace(
         H("9F3704"), b"")), "Book 3 5.4: the issuer chooses the order"),
    ("longer-issuer-data", "mastercard", "ac", "9F10", mapped(lambda value: value + bytes(8)), "Book 3 Annex A: 32 bytes"),
    ("second-rule", "mastercard", "record", "8E", mapped(lambda value: value[:8] + H("42031E031F03")),
     "Book 3 10.5: several rules"),
]


def every():
    """Returns (name, scheme, card variation) of each row."""
    return [("%s/%s" % (scheme, name), scheme, cardfaults.CardFault(scheme, place, tag, name, rule, "good", "", edit))
            for name, scheme, place, tag, edit, rule in TABLE]
