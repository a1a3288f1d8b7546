import DisplayText
import EMVTerminal
import Links
import Octets
import PaymentAcceptance
import ProgramSupport
import ReaderKinds
import Transcripts

extension PresentCommand {
  /// Presents a program of the user as a card, tap by tap. Prints how many commands it has answered.
  func presentResponder(_ command: CommandWords, _ device: LinkDevice) async throws {
    Console.note("A program answers as the card: it has no keys and is never armed.")
    if options.responder.laboratory {
      Console.note("Laboratory: each response waits \(ResponderOptions.laboratoryWait.text) more.")
    }
    let terminal = try options.link.isLoopback ? LoopbackTerminal() : nil
    for number in 1...options.count {
      if number > 1 { try await Task.sleep(for: Self.pauseBetweenTaps) }
      let seen = Recording(role: .card)
      let link = RecordingLink(
        try makeLink(nil, terminal?.device ?? device, waiting: .seconds(options.timeout)), recording: seen)
      let tap = try await ResponderTap.take(
        command, options.responder.times, on: link, within: .seconds(options.timeout))
      try report(tap, number, seen.transcript, terminal?.result)
    }
  }

  private func report(_ tap: ResponderTap, _ number: Int, _ seen: Transcript, _ result: PaymentResult?) throws {
    let transcript = seen.answered(by: tap)
    // The recording is written first: a closed output ends the program while it prints.
    let written = Result {
      if let file = options.recordFile {
        try file.writeAndReport(Disclosure(showsAll: false).shown(transcript).text.utf8)
      }
    }
    try show(transcript)
    if let result {
      let mask = try Disclosure(showsAll: false).mask(of: transcript)
      Console.note("The terminal in this process: \(mask.masked(result.words))")
    }
    if let failure = tap.failure { throw failure }
    guard tap.answeredCount > 0 else {
      throw InputError(description: "the link ended before a command came", exit: .notReached)
    }
    try PaymentLine(
      number, event: "programAnswered", message: "\(tap.answeredCount.counted("command")) answered by the program"
    ).print(as: options.format)
    try written.get()
  }
}

extension PaymentResult {
  /// The outcome with its reason, or the error.
  fileprivate var words: String {
    switch self {
    case .success(let receipt):
      receipt.outcome.kind.rawValue + (receipt.outcome.failure.map { ", \($0)" } ?? "")
    case .failure(let error): "\(error)"
    }
  }
}

extension Transcript {
  /// The exchanges of a program, with the outcome of its tap.
  fileprivate func answered(by tap: ResponderTap) -> Transcript {
    var transcript = self
    transcript[.outcome] = "answered by a program, never armed" + (tap.failure.map { "; \($0)" } ?? "")
    transcript.markComplete()
    return transcript
  }
}
