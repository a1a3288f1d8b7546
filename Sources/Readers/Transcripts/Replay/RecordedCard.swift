public import ISO7816
public import Links
public import Octets

/// A recorded card at a terminal: it answers with the recorded responses. It has no keys and is never armed.
///
/// When the field goes off it begins again with the first exchange, except where the recording itself has a field event at
/// this place.
public struct RecordedCard: CommandResponder {
  /// How a command is found in the recording.
  public enum Matching: String, CaseIterable, Sendable {
    /// The next recorded command, byte by byte, except for the data elements that the recording lets differ. After the first
    /// difference no command is answered from the recording until the field goes off.
    case strict
    /// The recorded command with the most equal bytes at the beginning: class, instruction and parameters at least, of
    /// GENERATE AC without P1, which asks for a kind of cryptogram. Of several the next one in the recording.
    case longest
  }

  /// How many commands were answered from the recording.
  public private(set) var answeredCount = 0
  /// The commands without a recorded response, as `CLA INS P1 P2`, in order, at most `unknownLimit`.
  public private(set) var unknownHeaders: [String] = []
  /// The first difference of `Matching.strict`; nil without one.
  public private(set) var difference: TranscriptDifference?
  /// How many headers of unknown commands are kept.
  public static let unknownLimit = 20

  private let transcript: Transcript
  private let matching: Matching
  private let unknownStatus: StatusWord
  private let link: any EmulationLink
  private var cursor: ReplayCursor
  /// The index after the exchange that was found last.
  private var position = 0
  private var hasDiffered = false

  /// Creates the card.
  ///
  /// - Parameters:
  ///   - transcript: The recording. The caller has asked `Disclosure.refusal(toPresent:)`.
  ///   - unknownStatus: The status word for a command without a recorded response.
  ///   - link: The link that serves this card. It is stopped when the field goes off after an answered command.
  public init(_ transcript: Transcript, matching: Matching, unknownStatus: StatusWord, link: any EmulationLink) {
    self.transcript = transcript
    (self.matching, self.unknownStatus, self.link) = (matching, unknownStatus, link)
    cursor = ReplayCursor(transcript)
  }

  /// Answers from the recording, or with the status word for unknown commands.
  public mutating func respond(
    to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    let command = command.array
    let recorded = matching == .strict ? strictResponse(to: command) : longestMatch(of: command)
    guard let recorded, recorded.count <= response.byteCount else {
      if unknownHeaders.count < Self.unknownLimit { unknownHeaders.append(command.prefix(4).hex) }
      response.copy([UInt8(unknownStatus.rawValue >> 8), UInt8(unknownStatus.rawValue & 0xFF)].span, to: 0)
      return 2
    }
    answeredCount += 1
    response.copy(recorded.span, to: 0)
    return recorded.count
  }

  /// Begins the recording again, and ends the link after an answered command.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    let next = matching == .strict ? cursor.next : transcript.exchanges.dropFirst(position).first
    guard next?.fieldEvents.isEmpty ?? true else { return }
    cursor = ReplayCursor(transcript)
    position = 0
    hasDiffered = false
    if event != .powered, answeredCount > 0 { link.stop() }
  }

  private mutating func strictResponse(to command: [UInt8]) -> [UInt8]? {
    guard !hasDiffered else { return nil }
    if let found = cursor.compare(command: command) {
      hasDiffered = true
      difference = difference ?? found
      return nil
    }
    let response = cursor.next?.response
    cursor.advance()
    return response
  }

  private mutating func longestMatch(of command: [UInt8]) -> [UInt8]? {
    let sent = SecretCommands.blanked(command)
    guard sent.count >= 4 else { return nil }
    let least = sent[1] == Instruction.generateAC ? 2 : 4
    let exchanges = transcript.exchanges
    // The exchanges in the order in which they follow the last one.
    let order = Array(position..<exchanges.count) + Array(0..<position)
    var best: (index: Int, count: Int)?
    for index in order where exchanges[index].response != nil {
      let count = zip(exchanges[index].command, sent).prefix { $0 == $1 }.count
      if count >= least, count > best?.count ?? 0 { best = (index, count) }
    }
    guard let best else { return nil }
    position = best.index + 1
    return exchanges[best.index].response
  }
}
