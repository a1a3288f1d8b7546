internal import ISO7816

// Tags of a card that kernels read which ask for a cryptogram (EMV 4.4 Book 3, annex A).
extension Tag {
  /// 9F08: application version number, card.
  static let cardApplicationVersion: Tag = 0x9F08
  /// 9F0D, 9F0E, 9F0F: issuer action codes.
  static let issuerActionDefault: Tag = 0x9F0D
  static let issuerActionDenial: Tag = 0x9F0E
  static let issuerActionOnline: Tag = 0x9F0F
  /// 9F42: application currency code.
  static let applicationCurrencyCode: Tag = 0x9F42
}
