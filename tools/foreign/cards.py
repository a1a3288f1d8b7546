"""Good cards of six schemes as table data. Each function returns a new dictionary.

Sources: EMV 4.4 Books 1 to 3; EMV Contactless Books A, B, C-3 and C-4; public settings of terminal vendors and the public
NEPALPAY (D-PAS) card profile for kernels 5 to 7. Account numbers are the public test numbers of the schemes.

Keys of a card: `aid`, `label`, `kernel` (9F2A), `pdol`, `fci` (more objects of template A5), `discretionary` (template
BF0C), `aip`, `iad` (with a gap for the CVR), `get_data`, `records` as {(SFI, record): nodes}, `signed` as the set of
records of offline data authentication, `flow` ("gpo": the cryptogram is in the GPO response, "ac": GENERATE AC).
"""

H = bytes.fromhex

PDOL_QVSDC = H("9F66049F02069F03069F1A0295055F2A029A039C019F3704")
CDOL1 = H("9F02069F03069F1A0295055F2A029A039C019F3704")
CDOL1_MCHIP = CDOL1 + H("9F35019F45029F4C089F34039F21039F7C14")


def account(pan, service="201"):
    """Returns the objects of the account: 57, 5A, 5F24, 5F34 (Book 3, Annex A)."""
    digits = pan + "D3012" + service + "0000000000"
    track = digits + "F" * (len(digits) % 2)
    return [["57", H(track)], ["5A", H(pan + "F" * (len(pan) % 2))], ["5F24", H("301231")], ["5F34", H("01")]]


def restrictions():
    """Returns the objects of processing restrictions (Book 3, 10.4)."""
    return [["5F25", H("250101")], ["5F28", H("0276")], ["9F07", H("FF00")], ["9F08", H("0002")]]


def base(scheme, kernel, aid, label, pan):
    """Returns what all cards have."""
    return {"scheme": scheme, "kernel": kernel, "aid": H(aid), "label": label.encode(), "pan": pan, "pdol": b"",
            "fci": [["5F2D", b"en"], ["9F11", H("01")], ["9F12", label.encode()]], "discretionary": [],
            "get_data": {"9F36", "9F17"}, "records": {}, "signed": set(), "flow": "ac", "gpo_format": "77",
            "relay": False, "csk": True}


def generate_ac_records(card, cdol1, cvm_list, codes):
    """Adds the records of a card with GENERATE AC: account, risk management, CVM list, action codes (Book 3, 7.2)."""
    card["records"] = {
        (2, 1): account(card["pan"]) + restrictions() + [["9F4A", H("82")]],
        (2, 2): [["8C", cdol1], ["8D", H("910A8A0295059F37049F4C08")], ["8E", H(cvm_list)],
                 ["9F0D", H(codes[0])], ["9F0E", H(codes[1])], ["9F0F", H(codes[2])]],
    }
    card["signed"] = {(2, 1)}
    return card


def visa():
    """Kernel 3, qVSDC without offline data authentication: everything in the GPO response (C-3, Annex A)."""
    card = base("visa", 3, "A0000000031010", "VISA CREDIT", "4761739001010010")
    card.update(pdol=PDOL_QVSDC, flow="gpo", aip=H("0000"), iad="060112{cvr}0000",
                discretionary=[["9F5A", H("3109780276")]], gpo=account(card["pan"])[0:1] + [["5F34", H("01")]],
                ctq=H("0080"), ffi=H("20700000"))
    card["get_data"] = {"9F36", "9F17"}
    return card


def visa_fdda():
    """Kernel 3, qVSDC with fDDA version 01: approves offline at an offline-only reader (C-3, Annex C)."""
    card = visa()
    card.update(scheme="visa-fdda", aip=H("2000"), fdda=1)
    card["records"] = {(1, 1): account(card["pan"])[1:3] + restrictions() + [["9F4A", H("82")]]}
    card["signed"] = {(1, 1)}
    return card


def unionpay():
    """Kernel 7, the flow of kernel 3 with fDDA version 01 (vendors' public settings)."""
    card = visa_fdda()
    card.update(scheme="unionpay", kernel=7, aid=H("A000000333010102"), label=b"UNIONPAY CREDIT", discretionary=[],
                pan="6250947000000014", iad="070101{cvr}000001", ffi=None)
    card["fci"] = [["5F2D", b"en"], ["9F11", H("01")], ["9F12", b"UNIONPAY CREDIT"]]
    card["gpo"] = account(card["pan"])[0:1] + [["5F34", H("01")]]
    card["records"] = {(1, 1): account(card["pan"])[1:3] + restrictions() + [["9F4A", H("82")]]}
    return card


def mastercard():
    """Kernel 2, M/Chip in EMV mode with CDA, on-device verification and mag-stripe mode records."""
    card = base("mastercard", 2, "A0000000041010", "MASTERCARD", "5413330089020110")
    card.update(aip=H("1B80"), iad="0110{cvr}020000000000000000FF", csk=False,
                discretionary=[["9F5D", H("010000")]])
    generate_ac_records(card, CDOL1_MCHIP, "00000000000000001F03", ("B450840000", "0000000000", "B470848000"))
    card["records"][(1, 1)] = [
        ["9F6C", H("0001")], ["9F62", H("00000000000E")], ["9F63", H("0000000007F0")],
        ["56", b"B5413330089020110^TEST/CARD^3012201" + b"0" * 15], ["9F64", H("04")], ["9F65", H("000E")],
        ["9F66", H("07F0")], ["9F6B", H("5413330089020110D30122010000000000000F")], ["9F67", H("04")],
        ["9F69", H("9F6A049F7E01")]]
    card["records"][(2, 1)] += [["9F42", H("0978")]]
    return card


def mastercard_relay():
    """Kernel 2 with the relay resistance protocol (AIP byte 2 bit 1)."""
    card = mastercard()
    card.update(scheme="mastercard-relay", aip=H("1B81"), relay=True)
    return card


def visa_plastic():
    """Kernel 3, a plastic card: online PIN or signature where the reader needs a CVM (CTQ byte 1)."""
    card = visa()
    card.update(scheme="visa-plastic", ctq=None)
    return card


def amex():
    """Kernel 4, EMV mode with CDA (C-4, chapters 6 to 9)."""
    card = base("amex", 4, "A00000002501", "AMERICAN EXPRESS", "374245001751006")
    card.update(pdol=H("9F35019F6E04"), aip=H("1980"), iad="060101{cvr}0000")
    return generate_ac_records(card, CDOL1 + H("9F3501"), "00000000000000001F03",
                               ("B450840000", "0000000000", "B470848000"))


def jcb():
    """Kernel 5, EMV mode with CDA (public lists of data elements)."""
    card = base("jcb", 5, "A0000000651010", "JCB", "3569990010095841")
    card.update(pdol=H("9F5201"), aip=H("1980"), iad="070101{cvr}000000")
    return generate_ac_records(card, CDOL1 + H("9F5303"), "00000000000000001F03",
                               ("B450840000", "0000000000", "B470848000"))


def discover():
    """Kernel 6, D-PAS with CDA (public NEPALPAY card profile)."""
    card = base("discover", 6, "A0000001523010", "DISCOVER", "6510000000000125")
    card.update(pdol=H("9F66049F02069F03069F1A025F2A029A039C019F3704"), aip=H("1900"), iad="0115{cvr}000000000000",
                gpo_more=[["9F71", H("00CB")]])
    card["discretionary"] = []
    generate_ac_records(card, CDOL1 + H("9F35019F3403"), "000000000000000002031E031F03",
                        ("BC608C8800", "0000000000", "BC689C9800"))
    card["records"][(2, 2)][1][1] = H("910A8A0295059F3704")
    return card


ALL = {"visa": visa, "visa-plastic": visa_plastic, "visa-fdda": visa_fdda, "mastercard": mastercard,
       "mastercard-relay": mastercard_relay, "amex": amex, "jcb": jcb, "discover": discover,
       "unionpay": unionpay}
