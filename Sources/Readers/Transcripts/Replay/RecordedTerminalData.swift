public import EMVData
internal import EMVDecoding
public import ISO7816
internal import Octets

/// What a recording tells of the terminal that made it: the values that it gave the card, after the card's lists.
///
/// A recording without directives can be replayed on the terminal's side when these values suffice to set a
/// terminal up; otherwise it can only be decoded, and `missing` says why.
public struct RecordedTerminalData: Equatable, Sendable, CustomStringConvertible {
  /// What a terminal cannot be set up without: amount, country, currency, date, type, unpredictable number, TTQ.
  /// Amount other, TVR and time have values that all terminals begin with, so they may be missing.
  public static let needed: [Tag] = [
    .amountAuthorised, .terminalCountryCode, .transactionCurrencyCode, .transactionDate, .transactionType,
    .unpredictableNumber, .terminalTransactionQualifiers,
  ]

  /// What a terminal of a kernel cannot be set up without: kernel 2 has no TTQ.
  public static func needed(by kernel: ContactlessKernel?) -> [Tag] {
    kernel == .mastercard ? needed.filter { $0 != .terminalTransactionQualifiers } : needed
  }

  /// The values by tag; where a tag came more than once, the first.
  public let values: [Tag: [UInt8]]
  /// The needed tags that the recording does not tell.
  public let missing: [Tag]

  /// Collects the values of the recorded GET PROCESSING OPTIONS, GENERATE AC and so on; `clock`, `type` and
  /// `currency` directives fill what the card did not ask for.
  public init(_ transcript: Transcript) {
    var values: [Tag: [UInt8]] = [:]
    var context = DecodingContext()
    for exchange in transcript.exchanges {
      if SelectedLists.areGiven(in: exchange.command) {
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

  /// Whether a terminal can be set up from the values.
  public var isComplete: Bool { missing.isEmpty }

  /// The value of a tag, or nil.
  public subscript(_ tag: Tag) -> [UInt8]? { values[tag] }

  /// The date and time, midnight where only the date is recorded; nil without a date.
  public var clock: TransactionMoment? {
    values[.transactionDate].flatMap { TransactionMoment(date: $0, time: values[.transactionTime] ?? [0, 0, 0]) }
  }

  /// What the recording can be used for, in a sentence.
  public var description: String {
    if isComplete { return "the recording tells all that a terminal needs" }
    let names = missing.map { "\($0) \(DataElement.named($0)?.name ?? "")" }.joined(separator: ", ")
    return "decode only: the recording does not tell \(names)"
  }
}

/// Commands whose data follow a list that the card gave before.
enum SelectedLists {
  static func areGiven(in command: [UInt8]) -> Bool {
    guard command.count >= 4, command[0] & 0x80 != 0, command[0] != 0xFF else { return false }
    return [Instruction.getProcessingOptions, Instruction.generateAC, 0x2A].contains(command[1])
  }
}
