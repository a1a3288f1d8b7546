internal import ISO7816

// Tags of kernel 2. Some have another meaning for kernel 3: 9F66 and 9F69.
extension Tag {
  /// 56: track 1 data.
  static let track1Data: Tag = 0x56
  /// 9F60 and 9F61: CVC3 of track 1 and of track 2.
  static let cvc3Track1: Tag = 0x9F60
  static let cvc3Track2: Tag = 0x9F61
  /// 9F62, 9F63, 9F64: PCVC3, PUNATC and NATC of track 1.
  static let cvc3PositionsTrack1: Tag = 0x9F62
  static let numberPositionsTrack1: Tag = 0x9F63
  static let counterDigitsTrack1: Tag = 0x9F64
  /// 9F65, 9F66, 9F67: PCVC3, PUNATC and NATC of track 2.
  static let cvc3PositionsTrack2: Tag = 0x9F65
  static let numberPositionsTrack2: Tag = 0x9F66
  static let counterDigitsTrack2: Tag = 0x9F67
  /// 9F69: data object list for COMPUTE CRYPTOGRAPHIC CHECKSUM (UDOL).
  static let udol: Tag = 0x9F69
  /// 9F6A: unpredictable number (numeric).
  static let unpredictableNumberNumeric: Tag = 0x9F6A
  /// 9F6B: track 2 data.
  static let track2Data: Tag = 0x9F6B
  /// 9F6D: mag-stripe application version number, reader.
  static let magStripeVersion: Tag = 0x9F6D
  /// 9F7E: mobile support indicator.
  static let mobileSupportIndicator: Tag = 0x9F7E
  /// DF4B: point-of-service cardholder interaction information (POSCII).
  static let cardholderInteraction: Tag = 0xDF4B
}
