public import EMVData
internal import Octets

/// The cardholder verification of kernel 3 (EMV Contactless Book C-3 v2.11, 5.7.1).
public enum Kernel3Verification {
  /// Decides how the cardholder is verified.
  ///
  /// - Parameters:
  ///   - reader: Tag 9F66 as it went to the card. Byte 3 bit 7, CDCVM supported, has no effect: the book requires it of
  ///     every reader.
  ///   - card: Tag 9F6C, or nil when the card gave none.
  ///   - relatedData: Tag 9F69, or nil when the card gave none. Its bytes 6 and 7 are a signed copy of tag 9F6C.
  ///   - cryptogram: The type of the cryptogram.
  /// - Throws: `StepFailure` when the payment must be declined.
  public static func decide(
    reader: TerminalTransactionQualifiers, card: CardTransactionQualifiers?, relatedData: [UInt8]?,
    cryptogram: CryptogramType
  ) throws(StepFailure) -> CardholderVerificationMethod {
    guard let card else { return try withoutQualifiers(reader) }
    if card.contains(.onlinePINRequired), reader.contains(.onlinePIN) { return .onlinePIN }
    if card.contains(.cdcvmPerformed) {
      guard covers(relatedData, card, cryptogram) else { throw StepFailure(.decision, .verificationNotTrusted) }
      return .consumerDevice
    }
    if card.contains(.signatureRequired), reader.contains(.signature) { return .signature }
    guard !reader.contains(.cvmRequired) else { throw StepFailure(.decision, .verificationRequired) }
    return .none
  }

  // 5.7.1.1.
  private static func withoutQualifiers(
    _ reader: TerminalTransactionQualifiers
  ) throws(StepFailure) -> CardholderVerificationMethod {
    guard reader.contains(.cvmRequired) else { return .none }
    if reader.contains(.signature) { return .signature }
    if reader.contains(.onlinePIN) { return .onlinePIN }
    throw StepFailure(.decision, .verificationRequired)
  }

  // 5.7.1.2: the copy in the signed data must be equal; without signed data, the issuer must check the cryptogram.
  private static func covers(
    _ relatedData: [UInt8]?, _ card: CardTransactionQualifiers, _ cryptogram: CryptogramType
  ) -> Bool {
    guard let relatedData else { return cryptogram == .arqc }
    guard relatedData.count >= 7 else { return false }
    return UInt16(bigEndian: relatedData[5..<7]) == card.rawValue
  }
}
