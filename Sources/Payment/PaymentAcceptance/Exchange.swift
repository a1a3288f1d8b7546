public import EMVTerminal
internal import ISO7816

/// One command on the wire and what came back, GET RESPONSE and repeated commands included. The octets are those of
/// the wire, unmasked; the description shows none of them.
public struct Exchange: Hashable, Sendable {
  /// Which exchange of the payment, from 1.
  public let number: Int
  /// Which tap of the payment it was in, from 1.
  public let tap: Int
  /// What it was for.
  public let phase: TransactionPhase
  /// The command's octets.
  public let command: [UInt8]
  /// The response's octets, status word included; nil when the link broke before there was one.
  public let response: [UInt8]?
  /// From before the command was handed to the link until the response was back, or the link had failed.
  public let nanoseconds: Int64
}

extension Exchange: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Phase, lengths and time.
  public var description: String {
    let back = response.map { "\($0.count) octets back" } ?? "no answer"
    return "\(number) \(phase.rawValue): \(command.count) octets out, \(back), \(nanoseconds) ns"
  }

  /// The description: an error or a log must not show card data.
  public var debugDescription: String { description }

  /// No children: a dump must not show more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
