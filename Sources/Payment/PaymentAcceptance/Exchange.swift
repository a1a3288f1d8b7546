public import EMVData
public import EMVTerminal
public import Links
public import Octets

/// One command on the wire and its response. GET RESPONSE and a command repeated with the right length are exchanges of
/// their own.
///
/// The bytes are those of the wire, unmasked; the description shows none of them.
public struct Exchange: Hashable, Sendable {
  /// The number of the exchange in the payment, from 1.
  public let number: Int
  /// The number of the tap in the payment, from 1.
  public let tap: Int
  /// The step of the payment that sent the command.
  public let phase: TransactionPhase
  /// The command's bytes.
  public let command: [UInt8]
  /// The response's bytes, status word included; nil when the link failed before a response came.
  public let response: [UInt8]?
  /// Why no response came; nil when one did.
  public let failure: LinkError.Code?
  /// When the command was handed to the link.
  public let begun: Instant
  /// The time from `begun` until the response was complete or the link had failed.
  public let nanoseconds: Int64

  /// Creates an exchange.
  public init(
    number: Int, tap: Int, phase: TransactionPhase, command: [UInt8], response: [UInt8]?,
    failure: LinkError.Code? = nil, begun: Instant = Instant(nanoseconds: 0), nanoseconds: Int64
  ) {
    self.number = number
    self.tap = tap
    self.phase = phase
    self.command = command
    self.response = response
    self.failure = failure
    self.begun = begun
    self.nanoseconds = nanoseconds
  }
}

extension Exchange: ContentConcealing {
  /// Phase, lengths and time.
  public var description: String {
    let back = response.map { "\($0.count.bytes) back" } ?? "no response"
    return "\(number) \(phase.rawValue): \(command.count.bytes) out, \(back), \(nanoseconds) ns"
  }
}
