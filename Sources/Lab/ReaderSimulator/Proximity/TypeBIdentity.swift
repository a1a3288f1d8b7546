internal import ISO7816

/// What a simulated contactless card of type B answers before the first command (ISO/IEC 14443-3:2018, 7.9).
public struct TypeBIdentity: Equatable, Sendable {
  /// PUPI, the pseudo-unique identifier: 4 bytes.
  public let identifier: [UInt8]
  /// The application data: 4 bytes, of which the first is the application family.
  public let applicationData: [UInt8]
  /// The protocol information: bit rates, frame size and protocol type, waiting time and options; 3 bytes.
  public let protocolInformation: [UInt8]

  /// Creates an identity.
  ///
  /// - Parameters:
  ///   - identifier: 4 bytes; other sizes trap.
  ///   - applicationData: 4 bytes; other sizes trap.
  ///   - protocolInformation: 3 bytes; other sizes trap. The default is 106 kbit/s, 256 bytes per frame, 77.3 ms waiting
  ///     time.
  public init(
    identifier: [UInt8] = [0x50, 0x5A, 0xC3, 0x1E], applicationData: [UInt8] = [0x00, 0x00, 0x00, 0x00],
    protocolInformation: [UInt8] = [0x00, 0x81, 0x81]
  ) {
    precondition(
      identifier.count == 4 && applicationData.count == 4 && protocolInformation.count == 3,
      "a card of type B has an identifier of 4 bytes, 4 bytes of application data and 3 of protocol information")
    self.identifier = identifier
    self.applicationData = applicationData
    self.protocolInformation = protocolInformation
  }

  /// Reads an ATQB of 12 bytes; nil for anything else.
  init?(answerToRequest octets: [UInt8]) {
    guard octets.count == 12, octets[0] == 0x50 else { return nil }
    self.init(
      identifier: Array(octets[1..<5]), applicationData: Array(octets[5..<9]),
      protocolInformation: Array(octets[9..<12]))
  }

  /// ATQB without its checksum.
  var answerToRequest: [UInt8] { [0x50] + identifier + applicationData + protocolInformation }

  /// The largest frame that the card receives, in bytes (7.9.4.4).
  var frameSize: Int { AnswerToSelect.frameSize(protocolInformation[1] >> 4) }

  /// The frame waiting time (7.9.4.3); the integer 15 is reserved and read as 4.
  var frameWaitingTime: Duration {
    let integer = Int(protocolInformation[2] >> 4)
    return AnswerToSelect.frameWaitingTime(integer == 15 ? 4 : integer)
  }
}
