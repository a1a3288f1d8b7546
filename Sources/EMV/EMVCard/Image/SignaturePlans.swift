internal import EMVData

/// The signature in the response to GET PROCESSING OPTIONS, fDDA (EMV Contactless Book C-3): format, ICC dynamic data with the
/// counter, and the values that it covers.
public struct FastSignature: Sendable {
  /// What a signature of version 01 covers besides tag 9F37.
  struct Payment {
    /// The offsets of tags 9F02 (6 bytes) and 5F2A (2) among the values.
    let amount: Int
    let currency: Int
    /// The offset of the value of tag 9F69 in the response, 7 bytes.
    let related: Int
  }

  /// The first byte of the signed data: 05 or 95.
  let format: UInt8
  /// The offset of tag 9F37 (4 bytes) among the values.
  let unpredictableNumber: Int
  /// Nil in version 00 of kernel 7, whose signature covers tag 9F37 only.
  let payment: Payment?

  static let relatedCount = 7
  /// The terminal's bytes that a signature of version 00 covers: tag 9F37.
  static let numberCount = 4
  /// The terminal's bytes that a signature covers: tags 9F37, 9F02, 5F2A and 9F69.
  static let coveredCount = numberCount + 6 + 2 + relatedCount
  /// The ICC dynamic data: the length of the counter and the counter.
  static let dynamicDataCount = 3

  /// Returns nil when the PDOL does not ask for all values.
  ///
  /// - Parameter related: The offset of the value of tag 9F69 in the response; nil for version 00.
  init?(format: UInt8, _ list: DataObjectList, related: Int?) {
    guard let number = list.range(of: .unpredictableNumber), number.count == 4 else { return nil }
    self.format = format
    unpredictableNumber = number.lowerBound
    guard let related else {
      payment = nil
      return
    }
    guard let amount = list.range(of: .amountAuthorised), amount.count == 6,
      let currency = list.range(of: .transactionCurrencyCode), currency.count == 2
    else { return nil }
    payment = Payment(amount: amount.lowerBound, currency: currency.lowerBound, related: related)
  }
}

/// The signature of GENERATE AC, CDA (EMV 4.4 Book 2, 6.6): the cryptogram is in it.
public struct CombinedSignature: Sendable {
  /// The type of the cryptogram.
  let type: CryptogramType
  /// The offset of tag 9F37 among the values.
  let unpredictableNumber: Int
  /// The offset of the first data object in the response.
  let firstObject: Int
  /// The place of tag 9F4B with tag and length in the response.
  let object: Range<Int>

  /// The ICC dynamic data: length of the counter, counter, type, cryptogram and hash, without relay resistance data.
  static let dynamicDataCount = 1 + 2 + 1 + 8 + 20
  /// Relay resistance data: two numbers and three times.
  static let relayDataCount = 14
}

extension CryptogramPlan {
  /// What `CombinedSignature` and the plan of its cryptogram need of the values.
  func isWithin(_ valueCount: Int, _ signature: CombinedSignature) -> Bool {
    isWithin(valueCount) && signature.unpredictableNumber + 4 <= valueCount
  }
}
