internal import ISO7816
internal import Octets

/// What a simulated contactless card of type A shows before the first command (ISO/IEC 14443-3 and -4).
public struct ProximityIdentity: Equatable, Sendable {
  /// The unique identifier: 4, 7 or 10 octets.
  public let identifier: [UInt8]
  /// ATQA, the high octet first, as libnfc prints it.
  public let answerToRequest: [UInt8]
  /// SAK after the whole identifier.
  public let selectAcknowledge: UInt8
  /// ATS with its length octet.
  public let answerToSelect: [UInt8]
  /// What the ATS says.
  let parameters: AnswerToSelect

  /// Creates an identity whose ATQA fits its identifier and whose SAK announces ISO/IEC 14443-4.
  ///
  /// - Parameters:
  ///   - identifier: 4, 7 or 10 octets; others trap. A first octet of 08 says that the rest is random.
  ///   - answerToSelect: ATS with its length octet; one that cannot be read traps. The default is that of a payment
  ///     card: 256 octets per frame, 38.7 ms waiting time, card identifier supported.
  public init(
    identifier: [UInt8] = [0x08, 0x5A, 0xC3, 0x1E], answerToSelect: [UInt8] = [0x05, 0x78, 0x80, 0x70, 0x02]
  ) {
    precondition([4, 7, 10].contains(identifier.count), "an identifier of type A has 4, 7 or 10 octets")
    // Bits 7 and 8 tell the size of the identifier, bit 3 a method of bit frame anticollision (6.5.2.1).
    let answerToRequest: [UInt8] = [0x00, UInt8((identifier.count - 4) / 3) << 6 | 0x04]
    self.init(
      identifier: identifier, answerToRequest: answerToRequest, selectAcknowledge: 0x20, answerToSelect: answerToSelect)
  }

  /// An identity as a PN532 takes it: ATQA and SAK as the host set them.
  init(identifier: [UInt8], answerToRequest: [UInt8], selectAcknowledge: UInt8, answerToSelect: [UInt8]) {
    guard let parameters = try? AnswerToSelect(parsing: answerToSelect.span) else {
      preconditionFailure("an ATS begins with its own length and is whole")
    }
    self.parameters = parameters
    self.identifier = identifier
    self.answerToRequest = answerToRequest
    self.selectAcknowledge = selectAcknowledge
    self.answerToSelect = answerToSelect
  }

  /// The four octets of each cascade level: three of the identifier behind the cascade tag 88, but for the last level
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
