internal import ISO7816

// Tags that only a terminal uses.
extension Tag {
  /// 81: amount, authorised (binary).
  static let amountAuthorisedBinary: Tag = 0x81
  /// 9F16: merchant identifier.
  static let merchantIdentifier: Tag = 0x9F16
  /// 9F1C: terminal identification.
  static let terminalIdentification: Tag = 0x9F1C
  /// 9F29: extended selection (Book B).
  static let extendedSelection: Tag = 0x9F29
  /// 9F39: point-of-service (POS) entry mode.
  static let pointOfServiceEntryMode: Tag = 0x9F39
  /// 9F5D: available offline spending amount.
  static let availableOfflineSpendingAmount: Tag = 0x9F5D
}
