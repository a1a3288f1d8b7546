public import ISO7816
internal import Octets

/// A fault that was injected, for a log: as text for people, as JSON for machines. It holds no bytes of the response.
public struct InjectedFault: Hashable, Sendable {
  /// The number of the rule in the plan, from 0.
  public let rule: Int
  /// How the response was wrong.
  public let fault: CardFaultPlan.Fault
  /// The data object that the rule names, or nil.
  public let tag: Tag?
  /// The number of the command since the card was powered or reset, from 1.
  public let exchange: Int
  /// The instruction byte of the command.
  public let instruction: UInt8
}

extension InjectedFault: CustomStringConvertible {
  /// The command by its name in the books, or its instruction byte.
  public var command: String {
    CardFaultPlan.commands.first { $0.value == instruction }?.key ?? "instruction \(instruction.hex)"
  }

  /// The fault in words.
  public var detail: String { fault.words.detail }

  /// `fault at exchange 3, GET PROCESSING OPTIONS: a data object twice (faults[0], duplicated, tag 9F26)`.
  public var description: String {
    let aim = tag.map { ", tag \($0)" } ?? ""
    return "fault at exchange \(exchange), \(command): \(detail) (faults[\(rule)], \(fault.kind)\(aim))"
  }
}

extension InjectedFault: Encodable {
  private enum CodingKeys: String, CodingKey {
    case exchange, command, kind, rule, tag, detail
  }

  /// Writes `exchange`, `command`, `kind`, `rule`, `detail`, and `tag` when there is one.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(exchange, forKey: .exchange)
    try container.encode(command, forKey: .command)
    try container.encode(fault.kind, forKey: .kind)
    try container.encode(rule, forKey: .rule)
    try container.encode(detail, forKey: .detail)
    try container.encodeIfPresent(tag?.description, forKey: .tag)
  }
}
