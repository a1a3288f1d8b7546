"""Other values of data elements that break a rule: (schemes, place, tag, operator, change, rule, grade, why).

`change` takes the bytes of the good card and returns other bytes. The grade is "failure" where a payment ends, is declined
or is approved wrongly, and "warning" where it is only not as the standard has it.
"""

from elements import AC, QUICK

H = bytes.fromhex
FDDA = ("visa-fdda", "unionpay")


def fixed(text):
    """Returns a change to a constant value."""
    return lambda value: H(text)


def without(text):
    """Returns a change that removes one tag and length from a data object list."""
    return lambda value: value.replace(H(text), b"", 1)


def replaced(old, new):
    """Returns a change of the first occurrence of some bytes."""
    return lambda value: value.replace(H(old), H(new), 1)


def flipped(at, mask=0xFF):
    """Returns a change of bits of one byte."""
    return lambda value: value[:at] + bytes([value[at] ^ mask]) + value[at + 1:]


VALUES = [
    # Directory
    ("*", "ppse", "84", "other", lambda v: b"1PAY.SYS.DDF01", "Book B 3.3.2.2: DF name is 2PAY.SYS.DDF01", "failure",
     "the name is not the one selected"),
    ("*", "ppse", "4F", "other", flipped(6, 0x77), "Book 1 12.2.1: an entry names an application that can be selected",
     "failure", "the application is not found"),
    ("*", "ppse", "4F", "unknown-provider", lambda v: b"\xB0" + v[1:],
     "Book 1 12.2.1: an entry names an application that can be selected", "failure", "the application is not found"),
    ("*", "ppse", "9F2A", "other-scheme", lambda v: bytes([v[0] % 6 + 2]),
     "Book B 3.3.2.5: the kernel identifier is that of the application", "failure", "another kernel is started"),
    ("*", "ppse", "9F2A", "unknown-kernel", fixed("3F"),
     "Book B 3.3.2.5 Table 3-6: identifiers are assigned by EMVCo", "failure", "no kernel is found"),
    ("*", "ppse", "9F2A", "domestic-too-short", fixed("8102"),
     "Book B 3.3.2.5: a domestic identifier has at least 3 bytes", "failure", "the entry is skipped"),
    ("*", "ppse", "87", "reserved-bits", fixed("71"), "Book 1 Table 48: bits 7 to 5 are RFU", "warning", "RFU bits"),
    # Application
    ("*", "select", "84", "other", flipped(6, 0x77), "Book 1 11.3.4: DF name is the name of the selected file",
     "failure", "the name is not the one selected"),
    ("*", "select", "84", "cut", lambda v: v[:5], "Book 1 12.4: DF name is the AID of the application", "failure",
     "the name is shorter than the selected one"),
    ("*", "select", "87", "reserved-bits", fixed("71"), "Book 1 Table 48: bits 7 to 5 are RFU", "warning", "RFU bits"),
    ("*", "select", "87", "not-as-in-directory", fixed("02"), "Book 1 12.2.3: one priority of an application", "warning",
     "directory and application differ"),
    ("*", "select", "50", "not-as-in-directory", lambda v: b"OTHER", "Book 1 12.2.4: one label of an application",
     "warning", "directory and application differ"),
    ("*", "select", "9F11", "unknown-table", fixed("99"), "Book 4 Annex B: tables 01 to 10 of ISO 8859", "warning",
     "no such table"),
    ("*", "select", "5F2D", "no-language", lambda v: b"1!", "Book 3 Annex A: two letters of ISO 639", "warning",
     "no language"),
    (QUICK, "select", "9F38", "without-9F66", without("9F6604"), "C-3 4.1: the PDOL asks for 9F66", "failure",
     "the card cannot see what the reader needs"),
    (QUICK, "select", "9F38", "without-9F37", without("9F3704"),
     "C-3 4.1, Book 2 8.1: the cryptogram rests on the unpredictable number", "failure", "a recording can be replayed"),
    (QUICK, "select", "9F38", "without-9F02", without("9F0206"), "Book 2 Table 26: amount in the cryptogram", "failure",
     "the cryptogram does not cover the amount"),
    (QUICK, "select", "9F38", "without-5F2A", without("5F2A02"), "Book 2 Table 26: currency in the cryptogram", "failure",
     "the cryptogram does not cover the currency"),
    (QUICK, "select", "9F38", "9F37-of-2", replaced("9F3704", "9F3702"), "Book 3 Annex A: 9F37 has 4 bytes", "failure",
     "half of the number is missing"),
    (QUICK, "select", "9F38", "cut-entry", lambda v: v[:-1], "Book 3 5.4: an entry is a tag and a length", "failure",
     "the list cannot be read"),
    (QUICK, "select", "9F38", "asks-for-template", lambda v: v + H("7710"),
     "Book 3 5.4: a list asks for primitive objects", "warning", "the terminal sends zeros"),
    # Options
    ("*", "gpo", "82", "reserved-bits", lambda v: bytes([v[0], v[1] | 0x02]) if v[1] & 2 == 0 else v,
     "Book 3 Annex C1: RFU bits are 0", "warning", "RFU bits"),
    ("visa", "gpo", "82", "promises-cda", fixed("0100"), "Book 3 7.2 Table 28: AIP announces CDA without certificates",
     "failure", "the AIP promises what the data lack"),
    ("visa", "gpo", "82", "promises-fdda", fixed("2000"), "C-3 Annex C: AIP announces fDDA without certificates",
     "failure", "the AIP promises what the data lack"),
    ("visa", "gpo", "82", "promises-sda", fixed("4000"), "Book 3 7.2 Table 27: AIP announces SDA without 93", "failure",
     "the AIP promises what the data lack"),
    (AC, "gpo", "82", "promises-sda", lambda v: bytes([v[0] | 0x40, v[1]]),
     "Book 3 7.2 Table 27: AIP announces SDA without 93", "failure", "the AIP promises what the data lack"),
    (AC, "gpo", "94", "file-zero", lambda v: b"\x00" + v[1:], "Book 3 10.2: an SFI is 1 to 30", "failure",
     "the terminal ends"),
    (AC, "gpo", "94", "file-31", lambda v: b"\xF8" + v[1:], "Book 3 10.2: an SFI is 1 to 30", "failure",
     "the terminal ends"),
    (AC, "gpo", "94", "low-bits", lambda v: bytes([v[0] | 1]) + v[1:], "Book 3 10.2: bits 3 to 1 are 0", "failure",
     "the AFL is malformed"),
    (AC, "gpo", "94", "first-record-zero", lambda v: v[:1] + b"\x00" + v[2:], "Book 3 10.2: the first record is not 0",
     "failure", "the terminal ends"),
    (AC, "gpo", "94", "last-before-first", lambda v: v[:1] + b"\x03\x01" + v[3:],
     "Book 3 10.2: the last record is not below the first", "failure", "the terminal ends"),
    (AC, "gpo", "94", "signed-beyond", lambda v: v[:3] + b"\x05" + v[4:],
     "Book 3 10.2: not more signed records than records", "failure", "the terminal ends"),
    (AC, "gpo", "94", "missing-record", lambda v: v + H("50010100"), "Book 3 10.2: each record of the AFL can be read",
     "failure", "READ RECORD fails and the terminal ends"),
    (AC, "gpo", "94", "record-twice", lambda v: v + v[-4:], "Book 3 10.2: data objects come once", "failure",
     "every object of the record comes twice"),
    (AC, "gpo", "94", "last-entry-left-out", lambda v: v[:-4],
     "Book 3 10.2: the AFL names the records of the transaction", "failure", "the ICC certificate is not read"),
    # Account
    (AC, "record", "5A", "not-as-57", lambda v: flip_digit(v), "Book 3 Annex A: 57 has the account number of 5A",
     "failure", "two account numbers"),
    (AC, "record", "57", "other-account", lambda v: bytes([v[0]]) + flip_digit(v[1:]),
     "Book 3 Annex A: 57 has the account number of 5A", "failure", "two account numbers"),
    (AC, "record", "57", "no-separator", lambda v: H(v.hex().upper().replace("D", "0")),
     "Book 3 Annex A: a separator D stands behind the account number", "failure", "the track cannot be read"),
    (AC, "record", "57", "other-expiry", lambda v: H(v.hex().upper().replace("D3012", "D3111")),
     "Book 3 Annex A: 57 has the date of 5F24", "warning", "two expiry dates"),
    (QUICK, "gpo", "57", "no-separator", lambda v: H(v.hex().upper().replace("D", "0")),
     "Book 3 Annex A: a separator D stands behind the account number", "failure", "the track cannot be read"),
    (QUICK, "gpo", "57", "month-13", lambda v: H(v.hex().upper().replace("D3012", "D3013")),
     "Book 3 Annex A: expiry is YYMM", "failure", "no date"),
    (QUICK, "gpo", "57", "padding-inside", lambda v: v[:3] + b"\xFF" + v[4:],
     "Book 3 Annex A: F is padding at the end only", "failure", "the account number cannot be read"),
    (QUICK, "gpo", "57", "no-check-digit", lambda v: v[:6] + bytes([v[6] ^ 0x01]) + v[7:],
     "ISO/IEC 7812-1: the last digit is a Luhn digit", "warning", "test numbers exist without it"),
    (FDDA, "record", "5A", "not-as-57", lambda v: flip_digit(v), "Book 3 Annex A: 57 has the account number of 5A",
     "failure", "two account numbers"),
    (AC, "record", "5F24", "month-13", fixed("301331"), "Book 3 Annex A: YYMMDD", "failure", "no date"),
    (AC, "record", "5F24", "day-32", fixed("301232"), "Book 3 Annex A: YYMMDD", "failure", "no date"),
    (AC, "record", "5F24", "past", fixed("200131"), "Book 3 10.4.3: the application has expired", "warning",
     "depends on today; also another date than in 57"),
    (AC, "record", "5F25", "future", fixed("491231"), "Book 3 10.4.3: the application is not yet effective", "warning",
     "depends on today"),
    (AC, "record", "5F25", "day-00", fixed("250100"), "Book 3 Annex A: YYMMDD", "failure", "no date"),
    (AC, "record", "5F28", "unknown-country", fixed("0000"), "Book 3 Annex A: ISO 3166 code", "warning", "no country"),
    (AC, "record", "9F07", "nothing-allowed", fixed("0000"), "Book 3 10.4.2: services are allowed by 9F07", "failure",
     "every payment gets TVR byte 2 bit 5"),
    (AC, "record", "9F4A", "other-tag", fixed("5A"), "Book 3 10.3: 9F4A names tag 82 only", "failure",
     "data authentication fails"),
    (AC, "record", "9F4A", "two-tags", fixed("8294"), "Book 3 10.3: 9F4A names tag 82 only", "failure",
     "data authentication fails"),
    (FDDA, "record", "9F4A", "two-tags", fixed("8294"), "Book 3 10.3: 9F4A names tag 82 only", "failure",
     "data authentication fails"),
    # CDOL
    (AC, "record", "8C", "without-9F37", without("9F3704"),
     "Book 2 8.1 and 6.6: the cryptogram rests on the unpredictable number", "failure", "a recording can be replayed"),
    (AC, "record", "8C", "without-9F02", without("9F0206"), "Book 2 Table 26: amount in the cryptogram", "failure",
     "the cryptogram does not cover the amount"),
    (AC, "record", "8C", "without-95", without("9505"), "Book 2 Table 26: TVR in the cryptogram", "failure",
     "the issuer cannot see the TVR"),
    (AC, "record", "8C", "without-5F2A", without("5F2A02"), "Book 2 Table 26: currency in the cryptogram", "failure",
     "the cryptogram does not cover the currency"),
    (AC, "record", "8C", "9F37-of-1", replaced("9F3704", "9F3701"), "Book 3 Annex A: 9F37 has 4 bytes", "failure",
     "three quarters of the number are missing"),
    (AC, "record", "8C", "cut-entry", lambda v: v[:-1], "Book 3 5.4: an entry is a tag and a length", "failure",
     "the list cannot be read"),
    (AC, "record", "8C", "empty", lambda v: b"", "Book 3 7.2 Table 26: mandatory, not empty", "failure",
     "the cryptogram covers nothing"),
    (AC, "record", "8C", "swapped-with-8D", fixed("910A8A0295059F37049F4C08"),
     "Book 3 9.2: CDOL1 holds the transaction data, CDOL2 the issuer's response", "failure",
     "the cryptogram does not cover the amount"),
    # CVM list
    (AC, "record", "8E", "odd", lambda v: v + b"\x1F", "Book 3 10.5: the length is even", "failure",
     "the list is malformed"),
    (AC, "record", "8E", "no-rules", lambda v: v[:8], "Book 3 10.5: at least one rule", "failure",
     "no rule, the terminal ends or fails the CVM"),
    (AC, "record", "8E", "unknown-method", lambda v: v[:8] + b"\x2A\x00", "Book 3 Annex C3 Table 43: RFU method",
     "failure", "verification fails"),
    (AC, "record", "8E", "unknown-condition", lambda v: v[:8] + b"\x1F\x7A", "Book 3 Annex C3 Table 44: RFU condition",
     "failure", "the rule never holds"),
    (AC, "record", "8E", "contact-pin-only", lambda v: v[:8] + b"\x01\x00",
     "C-2 and Book A: no offline PIN on a contactless interface", "warning",
     "no rule can be performed; with verification on the device the list is not used"),
    # Certificates
    ("cda", "record", "90", "damaged", flipped(9), "Book 2 6.3: the certificate can be recovered", "failure",
     "authentication fails"),
    ("cda", "record", "92", "damaged", flipped(1), "Book 2 6.3: hash of the issuer key", "failure",
     "authentication fails"),
    ("cda", "record", "9F46", "damaged", flipped(9), "Book 2 6.4: the certificate can be recovered", "failure",
     "authentication fails"),
    ("cda", "record", "9F48", "damaged", flipped(1), "Book 2 6.4: hash of the ICC key", "failure",
     "authentication fails"),
    ("cda", "record", "9F32", "even", fixed("02"), "Book 2 Annex B2.1: exponents 3 and 65537", "failure",
     "no RSA exponent"),
    ("cda", "record", "9F47", "even", fixed("02"), "Book 2 Annex B2.1: exponents 3 and 65537", "failure",
     "no RSA exponent"),
    ("cda", "record", "8F", "unknown", fixed("00"), "Book 2 5.2: the authority key is known", "failure",
     "no key of the authority"),
    # Cryptogram
    (QUICK, "gpo", "9F27", "reserved", lambda v: b"\xC0", "Book 3 Table 14: 11 is RFU", "failure", "no such cryptogram"),
    (QUICK, "gpo", "9F27", "not-as-9F10", lambda v: b"\x00", "C-3 5.4.3: 9F10 and 9F27 say the same", "failure",
     "cryptogram kinds differ"),
    (QUICK, "gpo", "9F10", "wrong-inner-length", lambda v: b"\x09" + v[1:],
     "C-3 Annex A: the first byte is the length of the scheme's data", "failure", "the CVR is at another place"),
    (QUICK, "gpo", "9F10", "wrong-cvr-length", lambda v: v[:3] + b"\x04" + v[4:],
     "C-3 Annex A: CVR begins with its length 03", "failure", "the CVR is at another place"),
    (QUICK, "gpo", "9F10", "zeros", lambda v: bytes(len(v)), "C-3 Annex A: length, key index, version, CVR", "failure",
     "no CVR"),
    (QUICK, "gpo", "9F6C", "pin-despite-cdcvm", fixed("8080"),
     "C-3 5.7.1: online PIN is not asked after a CDCVM", "failure", "the cardholder is asked twice"),
    (QUICK, "gpo", "9F6C", "no-cvm-above-limit", fixed("0000"), "C-3 5.7.1: 9F66 byte 2 bit 7 asks for a CVM", "failure",
     "the reader declines"),
    (QUICK, "gpo", "9F6C", "reserved-bits", lambda v: bytes([v[0], v[1] | 0x0F]), "C-3 Annex A: RFU bits are 0",
     "warning", "RFU bits"),
    (FDDA, "record", "9F69", "unknown-version", lambda v: b"\x07" + v[1:], "C-3 Annex C: fDDA version 01", "failure",
     "authentication fails"),
    (FDDA, "record", "9F69", "not-as-9F6C", lambda v: v[:5] + b"\x80\x00", "C-3 5.7.1: bytes 6 and 7 are the CTQ",
     "failure", "the reader declines"),
    (FDDA, "gpo", "9F4B", "damaged", flipped(9), "C-3 Annex C: the signature can be recovered", "failure",
     "authentication fails"),
    (AC, "ac", "9F27", "reserved", fixed("C0"), "Book 3 Table 14: 11 is RFU", "failure", "no such cryptogram"),
    (AC, "ac", "9F27", "reserved-reason", lambda v: bytes([v[0] | 0x07]), "Book 3 Table 14: RFU reasons", "warning",
     "RFU value"),
    (AC, "ac", "9F36", "zero", fixed("0000"), "Book 3 Annex A: the counter counts transactions", "failure",
     "the session key is that of no transaction"),
    ("mastercard", "ac", "9F10", "unknown-version", lambda v: v[:1] + b"\x77" + v[2:],
     "C-2: the second byte is the cryptogram version", "warning", "only public code describes 9F10"),
    (("amex", "jcb"), "ac", "9F10", "wrong-inner-length", lambda v: b"\x0F" + v[1:],
     "C-4, C-5: the first byte is a length", "warning", "only public lists describe 9F10"),
]


def flip_digit(value):
    """Returns a packed number with another digit in its fourth byte."""
    return value[:3] + bytes([value[3] ^ 0x01]) + value[4:]

