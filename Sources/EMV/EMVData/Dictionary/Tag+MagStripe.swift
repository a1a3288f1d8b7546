package import ISO7816

// Tags of Mastercard. Some have another meaning for other kernels.
extension Tag {
  /// 56: track 1 data.
  package static let track1Data: Tag = 0x56
  /// 9F60 and 9F61: CVC3 of track 1 and of track 2.
  package static let cvc3Track1: Tag = 0x9F60
  package static let cvc3Track2: Tag = 0x9F61
  /// 9F66: PUNATC of track 2.
  package static let numberPositionsTrack2: Tag = 0x9F66
  /// 9F69: data object list for COMPUTE CRYPTOGRAPHIC CHECKSUM (UDOL).
  package static let udol: Tag = 0x9F69
  /// 9F6A: unpredictable number (numeric).
  package static let unpredictableNumberNumeric: Tag = 0x9F6A
  /// 9F6B: track 2 data.
  package static let track2Data: Tag = 0x9F6B
  /// 9F6D: mag-stripe application version number, reader.
  package static let magStripeVersion: Tag = 0x9F6D
  /// 9F7E: mobile support indicator (seen in public recordings): bit 1 is set when the terminal supports mobile devices.
  package static let mobileSupportIndicator: Tag = 0x9F7E
  /// DF4B: point-of-service cardholder interaction information (POSCII).
  package static let cardholderInteraction: Tag = 0xDF4B
}
