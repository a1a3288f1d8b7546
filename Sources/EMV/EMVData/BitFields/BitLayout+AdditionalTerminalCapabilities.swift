extension BitLayout {
  /// Tag 9F40: transaction types, keys, displays and printers of a terminal (EMV 4.4 Book 4, annex A3).
  public static let additionalTerminalCapabilities = BitLayout(
    5,
    [
      1: [
        8: "cash", 7: "goods", 6: "services", 5: "cashback", 4: "inquiry", 3: "transfer", 2: "payment",
        1: "administrative",
      ],
      2: [8: "cash deposit"],
      3: [8: "numeric keys", 7: "alphabetic and special character keys", 6: "command keys", 5: "function keys"],
      4: [
        8: "print, attendant", 7: "print, cardholder", 6: "display, attendant", 5: "display, cardholder",
        2: "code table 10", 1: "code table 9",
      ],
      5: [
        8: "code table 8", 7: "code table 7", 6: "code table 6", 5: "code table 5", 4: "code table 4",
        3: "code table 3", 2: "code table 2", 1: "code table 1",
      ],
    ])
}
