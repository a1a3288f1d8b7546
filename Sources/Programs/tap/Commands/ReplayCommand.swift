import ArgumentParser
import ContactlessPayment
import EMVCard
import EMVData
import EMVTerminal
import ISO7816
import Links
import Octets
import PaymentAcceptance
import Synchronization
import Transcripts

/// Replay transcripts against this build, either side; fails at the first difference.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay transcripts against this build, either side.",
    discussion: "Exit codes: 0 all reproduce; 1 at the first difference; 2 a file that cannot be used.")

  @Argument(
    help: ArgumentHelp("Transcripts, as tap accept --record and tap present --record write them.", valueName: "file"))
  var files: [String]
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  private struct Line: Encodable {
    let file: String
    let result: String
    let role: String?
    let exchanges: Int?
    let message: String?
  }

  func run() async throws {
    for file in files {
      let transcript: Transcript
      do {
        transcript = try TranscriptFile.read(file)
      } catch {
        try emit(Line(file: file, result: "unusable", role: nil, exchanges: nil, message: "\(error)"))
        throw ExitCode(2)
      }
      try await replay(transcript, file)
    }
  }

  private func replay(_ transcript: Transcript, _ file: String) async throws {
    let role = transcript.role ?? .terminal
    let line = { (result: String, message: String?) in
      Line(
        file: file, result: result, role: role.rawValue, exchanges: transcript.exchanges.count, message: message)
    }
    do {
      switch role {
      case .terminal: try TerminalReplay(transcript).run()
      case .card: try await CardSideReplay(transcript).run()
      }
      try emit(line("reproduced", nil))
    } catch let error as ReplayFailure {
      try emit(line("different", error.description))
      throw ExitCode(1)
    } catch let difference as TranscriptDifference {
      try emit(line("different", difference.description))
      throw ExitCode(1)
    } catch {
      try emit(line("unusable", "\(error)"))
      throw ExitCode(2)
    }
  }

  private func emit(_ line: Line) throws {
    switch format {
    case .json: try Console.print(json: line)
    case .text:
      let detail = line.message.map { ": \($0)" } ?? line.exchanges.map { ", \($0) exchanges" } ?? ""
      Console.print("\(line.file): \(line.result)\(detail)")
    }
  }
}

/// All commands were the recorded ones, but what came of them was not.
struct ReplayFailure: Error, CustomStringConvertible {
  let description: String
}

/// This build's terminal against the recorded card.
struct TerminalReplay {
  let transcript: Transcript

  init(_ transcript: Transcript) { self.transcript = transcript }

  func run() throws {
    let profile = transcript[.terminal].map { Array($0.utf8) } ?? ShippedTerminal.profile
    let configuration = try TerminalConfiguration(json: profile)
    let host = RecordedHost(transcript[TerminalRecording.host])
    let tap = ReplayTap(transcript: transcript, configuration: configuration, host: host)
    let result = try tap.run(try request(configuration))
    switch result.outcome {
    case .success(let receipt): try compare(receipt.outcome.kind)
    case .failure(let failure):
      // A recording that was torn ends in the recorded link error; any other is a failure of the replay.
      guard transcript.exchanges.last?.response == nil else { throw ReplayFailure(description: "\(failure)") }
    }
  }

  private func compare(_ outcome: PaymentOutcome.Kind) throws {
    guard let recorded = transcript[.outcome], recorded != outcome.rawValue else { return }
    throw ReplayFailure(
      description: "all commands are the recorded ones, but the outcome is \"\(outcome.rawValue)\", not \"\(recorded)\""
    )
  }

  private func request(_ configuration: TerminalConfiguration) throws -> PaymentRequest {
    if let amount = transcript[.amount], let currency = transcript[.currency], let moment = transcript.clock {
      let type = try transcript[.type].flatMap { try [UInt8](hex: $0).first } ?? 0
      return try PaymentOrder(
        amount: amount, currency: currency, type: TransactionType(rawValue: type), moment: moment
      ).request(at: configuration)
    }
    return try recordedRequest(configuration)
  }

  /// A recording without directives: what the terminal told the card is what it was asked.
  private func recordedRequest(_ configuration: TerminalConfiguration) throws -> PaymentRequest {
    let data = RecordedTerminalData(transcript)
    guard data.isComplete, let moment = data.clock, let code = data[.transactionCurrencyCode],
      let numeric = data[.amountAuthorised], let type = data[.transactionType]?.first
    else { throw FileError(description: "\(data)") }
    let currency = String(code.hex.suffix(3))
    let exponent = configuration.currency(currency)?.exponent ?? 2
    let amount = try Amount(numeric: numeric, exponent: exponent)
    return try PaymentOrder(
      amount: "\(amount)", currency: currency, type: TransactionType(rawValue: type), moment: moment
    ).request(at: configuration)
  }
}

/// This build's card against the recorded terminal.
struct CardSideReplay {
  let transcript: Transcript

  init(_ transcript: Transcript) { self.transcript = transcript }

  func run() async throws {
    guard let profile = transcript[.card] else {
      throw FileError(
        description: "the recording names no card: only recordings of test cards keep it; replay the terminal's side")
    }
    var card = try CardProfile(json: Array(profile.utf8))
    if let counter = transcript.transactionCounter, !card.applications.isEmpty {
      card.applications[0].firstATC = Int(counter)
    }
    let image = try CardImage(compiling: card)
    let clock = ManualClock()
    let side = CardSide(wallet: try await ProvisionedWallet(card: image, clock: clock).wallet)
    let link = ReplayLink(transcript, clock: clock)
    let session = try await side.present(on: link)
    await session.finished()
    if let difference = link.difference { throw difference }
  }
}

/// A link on which a recorded terminal asks.
private final class ReplayLink: EmulationLink {
  private let replay: CardReplay
  private let clock: ManualClock
  private let found = Mutex<TranscriptDifference?>(nil)

  init(_ transcript: Transcript, clock: ManualClock) {
    replay = CardReplay(transcript)
    self.clock = clock
  }

  var difference: TranscriptDifference? { found.withLock { $0 } }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    let difference = replay.run(&responder, startingAt: clock.now)
    found.withLock { $0 = difference }
  }

  func stop() {}
}
