"""Tables of the standards: which data element stands where, and its form.

Books: "Book 1" to "Book 4" are EMV 4.4; "Book A" and "Book B" are EMV Contactless; "C-2" to "C-7" are the kernel books,
cited by chapter only where their text is public. Kernel rules that only public code supports have the grade warning.
"""

# Tag: (name in words, format, shortest, longest, book and section). Formats: b, n, cn, ans, an, dol (Book 3, 4.3).
ELEMENTS = {
    "84": ("DF name", "b", 5, 16, "Book 1 Table 45; Book 3 Annex A"),
    "4F": ("ADF name", "b", 5, 16, "Book B 3.3.2.3; Book 3 Annex A"),
    "50": ("Application label", "ans", 1, 16, "Book 1 12.2.4; Book 3 Annex A"),
    "87": ("Application priority indicator", "b", 1, 1, "Book 1 12.2.3; Book 3 Annex A"),
    "5F2D": ("Language preference", "an", 2, 8, "Book 3 Annex A"),
    "9F11": ("Issuer code table index", "n", 1, 1, "Book 3 Annex A"),
    "9F12": ("Application preferred name", "ans", 1, 16, "Book 3 Annex A"),
    "9F38": ("PDOL", "dol", 0, 252, "Book 3 5.4 and Annex A"),
    "82": ("Application interchange profile AIP", "b", 2, 2, "Book 3 Annex C1"),
    "94": ("Application file locator AFL", "b", 4, 252, "Book 3 10.2 and Annex A"),
    "57": ("Track 2 equivalent data", "b", 8, 19, "Book 3 Annex A"),
    "5A": ("Application PAN", "cn", 4, 10, "Book 3 Annex A"),
    "5F24": ("Application expiration date", "n", 3, 3, "Book 3 Annex A"),
    "5F25": ("Application effective date", "n", 3, 3, "Book 3 Annex A"),
    "5F28": ("Issuer country code", "n", 2, 2, "Book 3 Annex A"),
    "5F34": ("PAN sequence number", "n", 1, 1, "Book 3 Annex A"),
    "8C": ("CDOL1", "dol", 0, 252, "Book 3 5.4 and Annex A"),
    "8D": ("CDOL2", "dol", 0, 252, "Book 3 5.4 and Annex A"),
    "8E": ("CVM list", "b", 10, 252, "Book 3 10.5 and Annex C3"),
    "8F": ("CA public key index", "b", 1, 1, "Book 2 Table 5"),
    "90": ("Issuer public key certificate", "b", 176, 176, "Book 2 6.3"),
    "92": ("Issuer public key remainder", "b", 4, 4, "Book 2 6.3"),
    "9F07": ("Application usage control", "b", 2, 2, "Book 3 Annex C2"),
    "9F08": ("Application version number", "b", 2, 2, "Book 3 Annex A"),
    "9F0D": ("Issuer action code default", "b", 5, 5, "Book 3 Annex A"),
    "9F0E": ("Issuer action code denial", "b", 5, 5, "Book 3 Annex A"),
    "9F0F": ("Issuer action code online", "b", 5, 5, "Book 3 Annex A"),
    "9F10": ("Issuer application data", "b", 1, 32, "Book 3 Annex A"),
    "9F26": ("Application cryptogram", "b", 8, 8, "Book 3 Annex A"),
    "9F27": ("Cryptogram information data", "b", 1, 1, "Book 3 Table 14"),
    "9F32": ("Issuer public key exponent", "b", 1, 1, "Book 2 6.3"),
    "9F36": ("Application transaction counter ATC", "b", 2, 2, "Book 3 Annex A"),
    "9F42": ("Application currency code", "n", 2, 2, "Book 3 Annex A"),
    "9F46": ("ICC public key certificate", "b", 144, 144, "Book 2 6.4"),
    "9F47": ("ICC public key exponent", "b", 1, 1, "Book 2 6.4"),
    "9F48": ("ICC public key remainder", "b", 26, 26, "Book 2 6.4"),
    "9F4A": ("SDA tag list", "b", 1, 1, "Book 2 5.1.1; Book 3 10.3"),
    "9F4B": ("Signed dynamic application data", "b", 128, 128, "Book 2 6.5 and 6.6"),
    "9F5A": ("Application program identifier", "b", 1, 16, "C-3 Annex A"),
    "9F69": ("Card authentication related data", "b", 5, 16, "C-3 Annex C"),
    "9F6C": ("Card transaction qualifiers CTQ", "b", 2, 2, "C-3 Annex A"),
    "9F6E": ("Form factor indicator", "b", 4, 4, "C-3 Annex A"),
}

# (schemes, place, tag, rule): data that a card must return. "*" is every scheme. Optional elements are not listed: their
# absence is no fault. CDOL2 is left out, since a contactless kernel without a second GENERATE AC does not need it, and the
# label in the directory (Book B 3.3.2.3: optional).
AC = ("mastercard", "amex", "jcb", "discover")
QUICK = ("visa", "visa-fdda", "unionpay")
CDA = AC
MANDATORY = [
    ("*", "ppse", "84", "Book B 3.3.2.2: FCI of the PPSE"),
    ("*", "ppse", "A5", "Book B 3.3.2.2: FCI of the PPSE"),
    ("*", "ppse", "BF0C", "Book B 3.3.2.2: FCI of the PPSE"),
    ("*", "ppse", "61", "Book B 3.3.2.2: a directory has an entry"),
    ("*", "ppse", "4F", "Book B 3.3.2.3: ADF name is mandatory in an entry"),
    ("*", "select", "84", "Book 1 Table 45: DF name is mandatory"),
    ("*", "select", "A5", "Book 1 Table 45: A5 is mandatory"),
    (QUICK, "select", "9F38", "C-3 4.1: the PDOL asks for 9F66 and the data of the cryptogram"),
    ("*", "gpo", "82", "Book 3 6.5.8.4: AIP is mandatory"),
    (AC, "gpo", "94", "Book 3 6.5.8.4: AFL is mandatory"),
    (QUICK, "gpo", "57", "C-3 Annex A: mandatory for qVSDC"),
    (QUICK, "gpo", "9F10", "C-3 Annex A: mandatory for qVSDC"),
    (QUICK, "gpo", "9F26", "C-3 Annex A: mandatory for qVSDC"),
    (QUICK, "gpo", "9F36", "C-3 Annex A: mandatory for qVSDC"),
    (AC, "record", "5A", "Book 3 7.2 Table 26: mandatory"),
    (AC, "record", "5F24", "Book 3 7.2 Table 26: mandatory"),
    (AC, "record", "8C", "Book 3 7.2 Table 26: mandatory"),
    (AC, "record", "8E", "Book 3 10.5 and 7.5: AIP byte 1 bit 5 announces a CVM list"),
    (CDA, "record", "8F", "Book 3 7.2 Table 28: AIP byte 1 bit 1 announces CDA"),
    (CDA, "record", "90", "Book 3 7.2 Table 28: AIP byte 1 bit 1 announces CDA"),
    (CDA, "record", "92", "Book 2 6.3: the issuer key is longer than its place in 90"),
    (CDA, "record", "9F32", "Book 3 7.2 Table 28: AIP byte 1 bit 1 announces CDA"),
    (CDA, "record", "9F46", "Book 3 7.2 Table 28: AIP byte 1 bit 1 announces CDA"),
    (CDA, "record", "9F47", "Book 3 7.2 Table 28: AIP byte 1 bit 1 announces CDA"),
    (CDA, "record", "9F48", "Book 2 6.4: the ICC key is longer than its place in 9F46"),
    (("visa-fdda", "unionpay"), "record", "8F", "C-3 Annex C: fDDA needs the certificates"),
    (("visa-fdda", "unionpay"), "record", "90", "C-3 Annex C: fDDA needs the certificates"),
    (("visa-fdda", "unionpay"), "record", "9F46", "C-3 Annex C: fDDA needs the certificates"),
    (("visa-fdda", "unionpay"), "record", "9F69", "C-3 Annex C: fDDA version 01 needs 9F69"),
    (("visa-fdda", "unionpay"), "record", "5A", "Book 2 6.4: the certificate is compared with 5A"),
    (("visa-fdda", "unionpay"), "record", "5F24", "C-3 5.5.1.1: a TC without 5F24 counts as expired"),
    (("visa-fdda", "unionpay"), "gpo", "9F4B", "C-3 Annex C: AIP byte 1 bit 6 announces fDDA"),
    (AC, "ac", "9F27", "Book 3 6.5.5.4 Table 13: mandatory"),
    (AC, "ac", "9F36", "Book 3 6.5.5.4 Table 13: mandatory"),
    (AC, "ac", "9F26", "Book 3 6.5.5.4 Table 13: mandatory without CDA"),
]

REDUNDANT = "Book 3 10.2: more than one occurrence of a primitive data object ends the transaction"
FORMAT = "Book 3 7.5: data that are not correctly formatted end the transaction"


def name(tag):
    """Returns the words for a tag, or the empty text."""
    return ELEMENTS[tag][0] if tag in ELEMENTS else ""
