internal import EMVData
internal import EMVDecoding
internal import ISO7816
public import Links
internal import Octets
internal import Transcripts

/// Does with a card what the lines of a shell ask for, until the lines end, the card is to be reset, or the link fails.
public struct ShellVisitor<Console: ShellConsole, Observer: ExchangeObserver>: PatientVisitor {
  /// Why the card was left.
  public enum Ending: Sendable {
    /// The lines ended, or one of them was `quit`.
    case quit
    /// The card is to be powered again.
    case reset
    /// The link failed.
    case failed(LinkError)
  }

  private let console: Console
  private let words: ShellCompletions
  private var exchanges = CardExchanges()
  private var observer: Observer
  private var recorder: ShellRecorder
  private let check: @Sendable ([UInt8]) throws -> Void
  private let isUnmasked: Bool
  /// The line whose command the last card did not answer because it left before its first response.
  private var unanswered: (line: String, failure: LinkError)?
  /// Why the last card was left.
  public private(set) var ending = Ending.quit
  /// Whether a command was answered with an error (status other than 9000 and warnings).
  public private(set) var hasErrorStatus = false
  /// Whether a line was wrong.
  public private(set) var hasMistake = false

  /// Creates a visitor. It can visit one card after another.
  ///
  /// - Parameters:
  ///   - words: What lines are completed with; it learns from the responses.
  ///   - observer: Receives each exchange.
  ///   - isUnmasked: Whether account numbers are shown when bytes are decoded.
  ///   - check: Throws when a command cannot be sent at the reader.
  public init(
    _ console: Console, _ words: ShellCompletions, observer: Observer, recorder: ShellRecorder, isUnmasked: Bool,
    check: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    (self.console, self.words, self.observer, self.recorder) = (console, words, observer, recorder)
    (self.isUnmasked, self.check) = (isUnmasked, check)
  }

  /// The failure of a card that left before its first response; nil otherwise. The next card gets its command.
  public var unansweredFailure: LinkError? { unanswered?.failure }

  /// Does what the lines ask for.
  public mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) {
    exchanges.identify(channel.identity)
    if console.isInteractive { console.note("The card is there: \(summary). help lists the commands.") }
    ending = .quit
    while let line = unanswered.take()?.line ?? console.next() {
      if let ending = perform(line, &channel) {
        if case .failed(let error) = ending, error.code == .cardRemoved, !exchanges.hasAnswer {
          unanswered = (line, error)
        }
        self.ending = ending
        break
      }
      if console.isInteractive { write() }
    }
    write()
  }

  /// Does what a line asks for, and reports a mistake.
  ///
  /// - Returns: Why the card is left; nil when it is not.
  private mutating func perform<Channel: CardChannel & ~Copyable>(
    _ line: String, _ channel: inout Channel
  ) -> Ending? {
    do {
      guard let action = try ShellAction.parsed(line) else { return nil }
      // A PIN must not stay in a file.
      if !action.carriesSecret { console.remember(line) }
      return try perform(action, &channel)
    } catch let error as LinkError {
      return .failed(error)
    } catch {
      report(error)
      return nil
    }
  }

  private mutating func perform<Channel: CardChannel & ~Copyable>(
    _ action: ShellAction, _ channel: inout Channel
  ) throws -> Ending? {
    switch action {
    case .send(let command): try send(command, &channel)
    case .options: try send(ZeroAmountOptions.command(for: pdol).encoded, &channel)
    case .decode(let octets):
      let guess = DecodedGuess(octets, unmasked: isUnmasked)
      console.print("taken for \(guess.kinds)")
      guess.node.lines.forEach(console.print)
    case .describe(let word): try DataElementText.lines(word).forEach(console.print)
    case .card: answerToReset.forEach(console.print)
    case .record(let file):
      try recorder.begin(file)
      write()
    case .stopRecording:
      write()
      try recorder.end()
    case .help(let name): try ShellCommands.help(name).forEach(console.print)
    case .reset: return .reset
    case .quit: return .quit
    }
    return nil
  }

  private mutating func send<Channel: CardChannel & ~Copyable>(
    _ command: [UInt8], _ channel: inout Channel
  ) throws {
    try check(command)
    let recording = exchanges.recording
    let response = try exchanges.send(command, over: &channel) { observer.observe($0, of: recording) }
    words.learn(response)
    if response.status.isRefusal { hasErrorStatus = true }
  }

  /// The PDOL of the last application that was selected.
  private var pdol: [UInt8]? {
    let selected = exchanges.recording.transcript.exchanges.last { $0.command.dropFirst().first == Instruction.select }
    guard let octets = selected?.response, let response = try? ResponseAPDU(parsing: octets.span) else { return nil }
    return (try? FileControlInformation(parsing: response.data))?.pdol
  }

  private var summary: String {
    let identity = exchanges.recording.transcript.identity
    return identity.answerToReset.isEmpty
      ? identity.protocolName : "\(identity.protocolName), ATR \(identity.answerToReset.hex)"
  }

  private var answerToReset: [String] {
    let octets = exchanges.recording.transcript.identity.answerToReset
    guard !octets.isEmpty else { return ["\(summary); the reader gives no answer to reset"] }
    return [summary] + DecodedNode(answerToReset: octets).lines
  }

  private mutating func write() {
    do {
      try recorder.write(exchanges.recording.transcript)
    } catch {
      report(error)
    }
  }

  private mutating func report(_ error: any Error) {
    hasMistake = true
    console.report("\(error)")
  }
}
