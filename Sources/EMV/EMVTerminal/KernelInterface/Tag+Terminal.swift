internal import ISO7816

// Tags of a terminal that `ISO7816` and `EMVData` do not name.
extension Tag {
  /// 81: amount, authorised (binary).
  static let amountAuthorisedBinary: Tag = 0x81
  /// 9F09: application version number, terminal.
  static let terminalApplicationVersion: Tag = 0x9F09
  /// 9F16: merchant identifier.
  static let merchantIdentifier: Tag = 0x9F16
  /// 9F1C: terminal identification.
  static let terminalIdentification: Tag = 0x9F1C
  /// 9F39: point-of-service (POS) entry mode.
  static let pointOfServiceEntryMode: Tag = 0x9F39
}
