public import EMVData
internal import EMVDecoding
public import ISO7816
internal import Octets

/// The data elements that a recorded terminal sent to the card because the card's data object lists asked for them.
///
/// A recording without directives can be replayed on the terminal's side when these values are enough to set up a
/// terminal. Otherwise it can only be decoded, and `missing` has the reason.
public struct RecordedTerminalData: Equatable, Sendable, CustomStringConvertible {
  /// The tags that are needed to set up a terminal: amount, country, currency, date, type, unpredictable number, TTQ.
  /// Other amount, TVR and time may be missing, because every terminal starts with the same values.
  public static let needed: [Tag] = [
    .amountAuthorised, .terminalCountryCode, .transactionCurrencyCode, .transactionDate, .transactionType,
    .unpredictableNumber, .terminalTransactionQualifiers,
  ]

  /// Returns the tags that are needed to set up a terminal with a kernel. Kernels 2, 4 and 5 have no TTQ; kernel 4 has tag
  /// 9F6E and kernel 5 tag 9F53 in its place.
  public static func needed(by kernel: ContactlessKernel?) -> [Tag] {
    let others = needed.filter { $0 != .terminalTransactionQualifiers }
    return switch kernel {
    case .mastercard: others
    case .americanExpress: others + [0x9F6E]
    case .jcb: others + [0x9F53]
    default: needed
    }
  }

  /// The values by tag. Of several values of a tag, the first.
  public let values: [Tag: [UInt8]]
  /// The needed tags that the recording does not have.
  public let missing: [Tag]
  // The kernel of the recorded application, which names the tags.
  private let kernel: ContactlessKernel?

  /// Collects the values from the recorded commands with such data, such as GET PROCESSING OPTIONS and GENERATE AC. The
  /// directives `clock`, `type` and `currency` add what the card did not ask for.
  public init(_ transcript: Transcript) {
    var values: [Tag: [UInt8]] = [:]
    var context = DecodingContext()
    for exchange in transcript.exchanges {
      if DataObjectListCommand.recognises(exchange.command) {
        for node in context.decoded(command: exchange.command).leaves where node.kind == .object {
          guard let tag = node.tag, tag != .commandTemplate, values[tag] == nil else { continue }
          values[tag] = Array(exchange.command[node.content])
        }
      }
      if let response = exchange.response { context.learn(command: exchange.command, response: response) }
    }
    values.merge(Self.directives(transcript)) { recorded, _ in recorded }
    self.values = values
    let kernel = context.application.flatMap(ContactlessKernel.init)
    self.kernel = kernel
    missing = Self.needed(by: kernel).filter { values[$0] == nil }
  }

  private static func directives(_ transcript: Transcript) -> [Tag: [UInt8]] {
    var values: [Tag: [UInt8]] = [:]
    if let clock = transcript.clock {
      values[.transactionDate] = clock.date.numeric
      values[.transactionTime] = clock.time.numeric
    }
    values[.transactionType] = transcript[.type].flatMap { try? [UInt8](hex: $0) }
    values[.transactionCurrencyCode] = transcript[.currency].flatMap { try? [UInt8](hex: "0" + $0) }
    return values
  }

  /// Whether the values are enough to set up a terminal.
  public var isComplete: Bool { missing.isEmpty }

  /// The value of a tag, or nil.
  public subscript(_ tag: Tag) -> [UInt8]? { values[tag] }

  /// The date and time; midnight when only the date is recorded, nil without a date.
  public var clock: TransactionMoment? {
    values[.transactionDate].flatMap { TransactionMoment(date: $0, time: values[.transactionTime] ?? [0, 0, 0]) }
  }

  /// A sentence that says what the recording can be used for.
  public var description: String {
    if isComplete { return "the recording has all values that a terminal needs" }
    let names = missing.map { "\($0) \(DataElement.named($0, kernel: kernel)?.name ?? "")" }.joined(separator: ", ")
    return "decode only: the recording does not have \(names)"
  }
}
