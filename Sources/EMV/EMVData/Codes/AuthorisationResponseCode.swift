/// Authorisation response codes: tag 8A, field 39 of ISO 8583:1987.
public enum AuthorisationResponseCode {
  /// The meaning of the two bytes of tag 8A; nil for another number of bytes and for an unknown code.
  public static func meaning(octets: [UInt8]) -> String? {
    octets.count == 2 ? meanings[String(decoding: octets, as: UTF8.self)] : nil
  }

  private static let meanings: [String: String] = [
    // EMV 4.4 Book 4, annex A6: the terminal sets these itself.
    "Y1": "offline approved", "Z1": "offline declined", "Y3": "unable to go online, offline approved",
    "Z3": "unable to go online, offline declined",
    // ISO 8583:1987, table of response codes.
    "00": "approved", "01": "refer to card issuer", "02": "refer to card issuer, special condition",
    "03": "invalid merchant", "04": "pick up card", "05": "do not honour", "06": "error",
    "07": "pick up card, special condition", "08": "honour with identification", "09": "request in progress",
    "10": "approved for a partial amount", "11": "approved (VIP)", "12": "invalid transaction", "13": "invalid amount",
    "14": "invalid card number", "15": "no such issuer", "16": "approved, update track 3",
    "17": "customer cancellation", "18": "customer dispute", "19": "re-enter transaction", "20": "invalid response",
    "21": "no action taken", "22": "suspected malfunction", "23": "unacceptable transaction fee",
    "25": "record not found", "30": "format error", "31": "bank not supported by switch", "32": "completed partially",
    "33": "expired card, pick up", "34": "suspected fraud, pick up", "36": "restricted card, pick up",
    "38": "allowable PIN tries exceeded, pick up", "39": "no credit account",
    "40": "requested function not supported", "41": "lost card, pick up", "42": "no universal account",
    "43": "stolen card, pick up", "51": "not sufficient funds", "52": "no cheque account", "53": "no savings account",
    "54": "expired card", "55": "incorrect PIN", "56": "no card record",
    "57": "transaction not permitted to cardholder",
    "58": "transaction not permitted to terminal", "59": "suspected fraud", "61": "exceeds withdrawal amount limit",
    "62": "restricted card", "63": "security violation", "64": "original amount incorrect",
    "65": "exceeds withdrawal frequency limit", "67": "hard capture", "68": "response received too late",
    "75": "allowable number of PIN tries exceeded", "90": "cutoff is in process",
    "91": "issuer or switch is inoperative", "92": "no route to the issuer found",
    "93": "transaction cannot be completed, violation of law", "94": "duplicate transmission",
    "95": "reconcile error", "96": "system malfunction",
  ]
}
