internal import ISO7816

/// What a simulated contactless card of type A responses before the first command (ISO/IEC 14443-3 and -4).
public struct ProximityIdentity: Equatable, Sendable {
  /// The unique identifier: 4, 7 or 10 bytes.
  public let identifier: [UInt8]
  /// ATQA, the high byte first, as libnfc prints it.
  public let answerToRequest: [UInt8]
  /// SAK of the last cascade level.
  public let selectAcknowledge: UInt8
  /// ATS with its length byte.
  public let answerToSelect: [UInt8]
  /// The parameters in the ATS.
  let parameters: AnswerToSelect

  /// Creates an identity whose ATQA fits its identifier and whose SAK announces ISO/IEC 14443-4.
  ///
  /// - Parameters:
  ///   - identifier: 4, 7 or 10 bytes; other sizes trap. A first byte of 08 means that the others are random.
  ///   - answerToSelect: ATS with its length byte; an ATS that cannot be read traps. A simulated PN532 does not find a
  ///     card whose ATS is longer than 62 bytes. The default is that of a payment card: 256 bytes per frame, 38.7 ms
  ///     waiting time, card identifier supported.
  public init(
    identifier: [UInt8] = [0x08, 0x5A, 0xC3, 0x1E], answerToSelect: [UInt8] = [0x05, 0x78, 0x80, 0x70, 0x02]
  ) {
    precondition(
      [4, 7, 10].contains(identifier.count), "an identifier of type A has 4, 7 or 10 bytes, not \(identifier.count)")
    // Bits 7 and 8 are the size of the identifier, bit 3 is a method of bit frame anticollision (6.5.2.1).
    let answerToRequest: [UInt8] = [0x00, UInt8((identifier.count - 4) / 3) << 6 | 0x04]
    self.init(
      identifier: identifier, answerToRequest: answerToRequest, selectAcknowledge: 0x20, answerToSelect: answerToSelect)
  }

  /// Creates an identity with the ATQA and SAK that the host of a PN532 sets.
  init(identifier: [UInt8], answerToRequest: [UInt8], selectAcknowledge: UInt8, answerToSelect: [UInt8]) {
    guard let parameters = try? AnswerToSelect(parsing: answerToSelect.span) else {
      preconditionFailure("an ATS must start with its own length and contain the bytes that its format byte announces")
    }
    self.parameters = parameters
    self.identifier = identifier
    self.answerToRequest = answerToRequest
    self.selectAcknowledge = selectAcknowledge
    self.answerToSelect = answerToSelect
  }

  /// The four bytes of each cascade level: the cascade tag 88 and three bytes of the identifier, or its last four bytes
  /// (ISO/IEC 14443-3:2018, 6.5.4).
  var cascade: [[UInt8]] {
    var levels: [[UInt8]] = []
    var rest = identifier[...]
    while rest.count > 4 {
      levels.append([0x88] + rest.prefix(3))
      rest = rest.dropFirst(3)
    }
    return levels + [Array(rest)]
  }
}
