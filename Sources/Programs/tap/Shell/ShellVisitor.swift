import CardExploration
import EMVData
import EMVDecoding
import ISO7816
import Links
import Octets
import Transcripts

/// Does with a card what the lines of a shell ask for.
struct ShellVisitor: CardVisitor, Sendable {
  /// Why the card was left.
  enum Ending: Sendable {
    case quit
    case reset
    case failed(LinkError)
  }

  let input: ShellInput
  let words: ShellWords
  let exchanges = CardExchanges()
  var printer: ExchangePrinter
  var recorder: ShellRecorder
  /// Checks that a command can be sent at the reader.
  let check: @Sendable ([UInt8]) throws -> Void
  let isUnmasked: Bool
  private(set) var ending = Ending.quit
  private(set) var hasErrorStatus = false
  private(set) var hasMistake = false

  init(
    _ input: ShellInput, _ words: ShellWords, printer: ExchangePrinter, recorder: ShellRecorder, isUnmasked: Bool,
    check: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    (self.input, self.words, self.printer, self.recorder) = (input, words, printer, recorder)
    (self.isUnmasked, self.check) = (isUnmasked, check)
  }

  mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) {
    exchanges.identify(channel.identity)
    if input.isInteractive { Console.note("The card is there: \(summary). help lists the commands.") }
    ending = .quit
    while let line = input.next() {
      if let ending = perform(line, &channel) {
        self.ending = ending
        break
      }
      if input.isInteractive { write() }
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
      if !action.carriesSecret { input.remember(line) }
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
      Console.print("taken for \(guess.kind.rawValue)")
      guess.node.lines.forEach(Console.print)
    case .describe(let word): try TagWords.lines(word).forEach(Console.print)
    case .card: answerToReset.forEach(Console.print)
    case .record(let file):
      try recorder.begin(file)
      write()
    case .stopRecording:
      write()
      try recorder.end()
    case .help(let name): try ShellCommands.help(name).forEach(Console.print)
    case .reset: return .reset
    case .quit: return .quit
    }
    return nil
  }

  private mutating func send<Channel: CardChannel & ~Copyable>(
    _ command: [UInt8], _ channel: inout Channel
  ) throws {
    try check(command)
    let response = try exchanges.send(command, over: &channel) { printer.observe($0, of: exchanges.recording) }
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
    Console.note("Error: " + (input.place.map { "\($0): " } ?? "") + "\(error)")
  }
}
