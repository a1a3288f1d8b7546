internal import Ciphers
internal import EMVCryptography
internal import EMVData
internal import Octets

/// The signatures of the card. Nothing here allocates; the result is checked with the public exponent before it is copied into
/// a response.
extension Card {
  /// Writes the signature of fDDA into a response (EMV Contactless Book C-3): the ICC dynamic data are the counter.
  mutating func sign(
    _ signature: FastSignature, _ counter: UInt16, at offset: Int, in response: inout MutableRawSpan
  ) -> Bool {
    var room = exchange(&signatureBlock, with: [])
    defer { signatureBlock = room }
    var block = room.mutableSpan
    Self.put(counter, into: &block)
    var message = RSASigningKey.layOut(signature.format, count: FastSignature.dynamicDataCount, in: &block)
    let values = optionsValues.span
    message.update(values.part(at: signature.unpredictableNumber, count: 4))
    if let payment = signature.payment {
      message.update(values.part(at: payment.amount, count: 6))
      message.update(values.part(at: payment.currency, count: 2))
      message.update(response.bytes.extracting(payment.related..<payment.related + FastSignature.relatedCount))
    }
    guard use.sign(&block, covering: message) else { return false }
    response.copy(block.span, to: offset)
    return true
  }

  /// Writes the signature of CDA into a response (EMV 4.4 Book 2, 6.6, table 19): the ICC dynamic data are the counter, the type,
  /// the cryptogram, the hash of the transaction data and, after an exchange, the relay resistance data.
  ///
  /// - Parameters:
  ///   - firstCount: For the second cryptogram, the number of bytes that the command of the first one brought; 0 for the first.
  ///   - end: The number of bytes of the response.
  mutating func sign(
    _ signature: CombinedSignature, _ counter: UInt16, _ cryptogram: UInt64, after firstCount: Int = 0, at offset: Int,
    end: Int, in response: inout MutableRawSpan
  ) -> Bool {
    var room = exchange(&signatureBlock, with: [])
    defer { signatureBlock = room }
    var block = room.mutableSpan
    Self.put(counter, into: &block)
    let start = RSASigningKey.dynamicDataOffset
    block[start + 3] = signature.type.cryptogramInformationData
    for index in 0..<8 { block[start + 4 + index] = UInt8(truncatingIfNeeded: cryptogram >> UInt64(56 - 8 * index)) }
    var transaction = SHA1Stream()
    transaction.update(optionsValues.span.part(at: 0, count: optionsValueCount))
    transaction.update(terminalValues.span.part(at: 0, count: firstCount))
    transaction.update(listValues.span.part(at: 0, count: listValueCount))
    transaction.update(response.bytes.extracting(signature.firstObject..<signature.object.lowerBound))
    transaction.update(response.bytes.extracting(signature.object.upperBound..<end))
    transaction.finish(into: &block, at: start + 12)
    var count = CombinedSignature.dynamicDataCount
    // The relay resistance data are signed with the first cryptogram.
    if relay.isExchanged, firstCount == 0 {
      relay.copyExchanged(into: &block, at: start + count)
      count += CombinedSignature.relayDataCount
    }
    var message = RSASigningKey.layOut(0x05, count: count, in: &block)
    message.update(listValues.span.part(at: signature.unpredictableNumber, count: 4))
    guard use.sign(&block, covering: message) else { return false }
    response.copy(block.span, to: offset)
    return true
  }

  /// Writes the ICC dynamic number: its length and the counter.
  static func put(_ counter: UInt16, into block: inout MutableSpan<UInt8>) {
    let start = RSASigningKey.dynamicDataOffset
    block[start] = 2
    block[start + 1] = UInt8(counter >> 8)
    block[start + 2] = UInt8(truncatingIfNeeded: counter)
  }
}
