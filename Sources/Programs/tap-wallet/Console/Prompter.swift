import Foundation
import JSON
import MobileAuthentication
import Octets
import Synchronization

/// One question to the person.
struct Prompt: Sendable {
  /// The name of the answer.
  let name: String
  /// The question for people, without a colon.
  let text: String
  /// Whether a terminal shows the answer.
  var echoes = true
  /// Why the last answer was refused: its code, and a sentence.
  var lastError: (code: String, message: String)?
  /// How many wrong answers lock the authenticator; nil when they are not counted.
  var remainingRetries: Int?
  /// For how long answers are ignored.
  var coolDown = Duration.zero
  /// What else the person sees.
  var details: [(String, JSONValue?)] = []

  /// Whole seconds, rounded up.
  var coolDownSeconds: Int { Int((coolDown.nanoseconds + 999_999_999) / 1_000_000_000) }
}

/// Asks the person: takes the answers of a file first, then asks on the terminal.
final class Prompter: Sendable {
  private let output: Output
  private let answers: Answers?
  private let clock: any MonotonicClock
  private let unanswered = Atomic(false)

  init(_ output: Output, _ answers: Answers?, clock: any MonotonicClock) {
    self.output = output
    self.answers = answers
    self.clock = clock
  }

  /// Whether a question had no answer.
  var isUnanswered: Bool { unanswered.load(ordering: .acquiring) }

  /// Asks one question.
  func ask(_ prompt: Prompt) async throws(InteractionCancelled) -> String {
    show(prompt)
    if let answer = answers?.next(prompt.name) { return answer }
    guard answers == nil, TerminalInput.isAvailable else {
      unanswered.store(true, ordering: .releasing)
      throw InteractionCancelled()
    }
    await countDown(prompt.coolDown)
    let line = await TerminalInput.line(after: output.format == .text ? prompt.text + ": " : "", echoes: prompt.echoes)
    guard let line else { throw InteractionCancelled() }
    return line
  }

  private func show(_ prompt: Prompt) {
    let members: [(String, JSONValue?)] = [
      ("name", JSONValue(prompt.name)),
      ("lastError", prompt.lastError.map { JSONValue($0.code) } ?? JSONValue(.null)),
      ("remainingRetries", prompt.remainingRetries.map { JSONValue($0) } ?? JSONValue(.null)),
      ("coolDownSeconds", JSONValue(prompt.coolDownSeconds)),
    ]
    output.event("prompt", members + prompt.details, text: nil)
    guard output.format == .text else { return }
    if let error = prompt.lastError { Output.note(error.message) }
    guard let retries = prompt.remainingRetries, retries < 5 else { return }
    Output.note("\(retries) more wrong \(retries == 1 ? "entry locks" : "entries lock") it for good.")
  }

  /// Shows how long answers are still ignored. A device whose clock is moved forward ends it earlier.
  private func countDown(_ duration: Duration) async {
    guard duration > .zero, output.format == .text else { return }
    let end = clock.now + duration
    while clock.now < end, !Task.isCancelled {
      let seconds = (end - clock.now).nanoseconds / 1_000_000_000 + 1
      TerminalInput.write("\rToo many wrong entries: wait \(seconds) s   ")
      try? await Task.sleep(for: .milliseconds(250))
    }
    TerminalInput.write("\r                                              \r")
  }
}
