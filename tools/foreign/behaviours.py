"""Rules of the flow that a card does not follow: (schemes, step, flag, rule, grade, why, words that a check may use).

The flags are those of `card.Card`.
"""

from elements import AC, QUICK

DEEP = ("visa", "mastercard")
ONLINE = AC + QUICK

CARD = [
    # Counter
    (("visa", "mastercard", "jcb", "unionpay"), "gpo", "counter-constant",
     "Book 3 Annex A 9F36, Book 2 A1.3: the counter rises with each transaction", "failure",
     "session keys come twice", ["ATC", "9F36", "counter"]),
    (("visa", "mastercard", "amex"), "gpo", "counter-down", "Book 3 Annex A 9F36: the counter rises", "failure",
     "session keys come twice", ["ATC", "9F36", "counter"]),
    (DEEP, "gpo", "counter-restarts", "Book 3 Annex A 9F36: the counter rises", "failure", "session keys come twice",
     ["ATC", "9F36", "counter"]),
    # Cryptogram
    (("visa", "mastercard", "discover"), "cryptogram", "cryptogram-constant",
     "Book 2 8.1: the cryptogram depends on the transaction", "failure", "a recording can be replayed",
     ["9F26", "cryptogram"]),
    (DEEP, "cryptogram", "approves-for-online", "C-3 5.2, Book 3 9.2: a TC is not a response to a request for an ARQC",
     "failure", "approval without the issuer", ["9F27", "TC", "CID"]),
    (("amex", "jcb", "discover"), "cryptogram", "approves-for-online",
     "Book 3 9.2 and Table 14: a TC is not a response to a request for an ARQC", "failure", "approval without the issuer",
     ["9F27", "TC", "CID"]),
    (("mastercard", "amex", "discover"), "cryptogram", "approves-for-decline",
     "Book 3 9.2: an AAC is the only response to a request for an AAC", "failure", "approval of a declined payment",
     ["9F27", "TC", "CID", "AAC"]),
    (("mastercard", "jcb"), "cryptogram", "online-for-decline",
     "Book 3 9.2: an AAC is the only response to a request for an AAC", "failure", "online request of a declined payment",
     ["9F27", "ARQC", "CID", "AAC"]),
    # Signatures
    (AC, "cryptogram", "no-signature", "Book 2 6.6: CDA was asked for and a TC or ARQC is signed", "failure",
     "authentication fails", ["9F4B", "CDA", "signature"]),
    (("mastercard", "amex", "jcb"), "cryptogram", "signature-constant",
     "Book 2 6.6: the signature covers the unpredictable number", "failure", "authentication fails",
     ["9F4B", "CDA", "signature", "9F37"]),
    (("mastercard", "discover"), "cryptogram", "signature-other-data",
     "Book 2 6.6.1: the signature covers the hash of the transaction data", "failure", "authentication fails",
     ["9F4B", "CDA", "signature", "hash"]),
    (("mastercard",), "cryptogram", "signature-other-kind", "Book 2 6.6.2: 9F27 inside is 9F27 outside", "failure",
     "authentication fails", ["9F4B", "CDA", "signature", "9F27"]),
    (("visa-fdda", "unionpay"), "cryptogram", "signature-constant",
     "C-3 Annex C: the signature covers the unpredictable number", "failure", "authentication fails",
     ["9F4B", "fDDA", "signature", "9F37"]),
    ("mastercard-relay", "relay", "relay-constant", "C-2 3.10: the entropy of the card is unpredictable", "failure",
     "relay attack", ["relay", "entropy", "EXCHANGE RELAY"]),
    # Order of commands
    (DEEP, "order", "options-unselected", "Book 3 6.5.8: GET PROCESSING OPTIONS of the selected application", "failure",
     "no application is selected", ["6985", "GET PROCESSING OPTIONS", "GPO", "select"]),
    (DEEP, "order", "keeps-selection", "Book 1 12.1, ISO 7816-4 8.1.1: nothing is selected after power on", "failure",
     "state of an earlier tap", ["6985", "power", "reset", "select", "GET PROCESSING OPTIONS"]),
    (("visa", "mastercard", "amex"), "order", "options-twice",
     "Book 3 6.5.8.5: a second GET PROCESSING OPTIONS answers 6985", "failure", "two counters in one transaction",
     ["6985", "GET PROCESSING OPTIONS", "GPO", "twice", "second"]),
    (("mastercard", "jcb"), "order", "cryptogram-again-and-again",
     "Book 3 6.5.5: at most two GENERATE AC in a transaction", "failure", "cryptograms of one counter",
     ["6985", "GENERATE AC", "second", "third"]),
    (("mastercard",), "order", "cryptogram-before-options", "Book 3 8.2: GENERATE AC after GET PROCESSING OPTIONS",
     "failure", "cryptogram of an old counter", ["6985", "GENERATE AC"]),
    # Parameters
    (DEEP, "parameters", "takes-any-class", "Book 3 6.3.2: an unknown class is refused (6E00)", "failure",
     "wrong class", ["6E00", "class", "CLA"]),
    (DEEP, "parameters", "takes-unknown-instruction", "Book 3 6.3.2: an unknown instruction is refused (6D00)", "failure",
     "wrong instruction", ["6D00", "instruction", "INS"]),
    (DEEP, "parameters", "takes-wrong-lc", "Book 3 6.3.5: a wrong length is refused (6700)", "failure", "wrong length",
     ["6700", "length", "Lc"]),
    (DEEP, "parameters", "takes-select-parameters", "Book 1 11.3.2: P1 and P2 of SELECT (6A86)", "failure",
     "wrong parameters", ["6A86", "P1", "P2", "SELECT"]),
    (DEEP, "parameters", "takes-options-parameters", "Book 3 6.5.8.2: P1 and P2 are 00 (6A86)", "failure",
     "wrong parameters", ["6A86", "P1", "P2", "GET PROCESSING OPTIONS"]),
    (DEEP, "parameters", "options-any-length", "Book 3 10.1: the data are those of the PDOL", "failure",
     "a cryptogram over other data", ["PDOL", "length", "6700", "GET PROCESSING OPTIONS", "9F38"]),
    (DEEP, "parameters", "options-without-83", "Book 3 6.5.8.3: template 83", "failure", "wrong data",
     ["83", "template", "GET PROCESSING OPTIONS"]),
    (("mastercard", "jcb"), "parameters", "takes-record-parameters", "Book 3 6.5.11.2: P2 bits 3 to 1 are 100", "failure",
     "wrong parameters", ["6A86", "P2", "READ RECORD"]),
    (("mastercard", "discover"), "parameters", "record-zero", "Book 3 6.5.11: record numbers begin at 1", "failure",
     "wrong parameters", ["record 0", "READ RECORD", "6A83", "6A86", "P1"]),
    (("mastercard", "visa-fdda"), "parameters", "record-for-any-number",
     "Book 3 6.5.11.5: a record that does not exist answers 6A83", "failure", "wrong data",
     ["6A83", "READ RECORD", "record"]),
    (("mastercard", "amex"), "parameters", "takes-cryptogram-parameters",
     "Book 3 6.5.5.2: P1 11xxxxxx is RFU, P2 is 00", "failure", "wrong parameters", ["6A86", "P1", "P2", "GENERATE AC"]),
    (("mastercard", "discover"), "parameters", "takes-any-list-length", "Book 3 6.5.5.3: the data are those of CDOL1",
     "failure", "a cryptogram over other data", ["CDOL", "length", "6700", "8C", "GENERATE AC"]),
    (DEEP, "parameters", "selects-any-name", "Book 1 11.3.5: a name that is not on the card answers 6A82", "failure",
     "terminals find applications that are not there", ["6A82", "SELECT", "unknown"]),
    (DEEP, "parameters", "select-next-repeats", "Book 1 12.3.3: after the last application comes 6A82", "failure",
     "a terminal builds an endless list", ["6A82", "next", "SELECT"]),
    (DEEP, "parameters", "gives-any-data", "Book 3 6.5.7: GET DATA of an unknown tag answers 6A88", "failure",
     "data without meaning", ["6A88", "GET DATA"]),
]
# With the keys of the issuer the content of the cryptogram can be checked (CVN 18 and CVN 16).
CARD += [(DEEP, "cryptogram", "cryptogram-without-" + tag, "Book 2 Table 26: %s in the cryptogram" % tag, "failure",
          "the issuer does not accept it", ["9F26", "cryptogram"]) for tag in ("9F02", "9F37", "5F2A", "9F36")]
CARD += [(DEEP, "cryptogram", "cryptogram-other-key", "Book 2 A1.4: the key of the card", "failure",
          "the issuer does not accept it", ["9F26", "cryptogram"])]
