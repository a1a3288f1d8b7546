import Foundation
import JSON
import MobileAuthentication
import Octets
import ProgramSupport
import Synchronization

/// One question to the person.
struct Prompt: Sendable {
  /// The name of the answer.
  let name: String
  /// The question for people, without a colon.
  let text: String
  /// What the answer must be like, shown before the question; nil for an answer without a rule.
  var rule: String?
  /// Whether a terminal shows the answer.
  var echoes = true
  /// Whether an empty answer is one; otherwise it is asked for again.
  var acceptsEmpty = false
  /// Why the last answer was refused: its code, and a sentence.
  var lastError: (code: String, message: String)?
  /// How many wrong answers lock the authenticator; nil when they are not counted.
  var remainingRetries: Int?
  /// For how long answers are ignored.
  var coolDown = Duration.zero
  /// What else the person sees.
  var details: [(String, JSONValue?)] = []

  var coolDownSeconds: Int { coolDown.wholeSeconds }
}

extension Duration {
  /// Whole seconds, rounded up.
  var wholeSeconds: Int { Int((nanoseconds + 999_999_999) / 1_000_000_000) }
}

/// Asks the person: takes the answers of a file first, then asks on the terminal.
final class Prompter: Sendable {
  private let output: EventOutput
  private let answers: Answers?
  private let clock: any MonotonicClock
  private let takesLines: Bool
  private let unanswered = Mutex<String?>(nil)
  private let activity = Mutex<(@Sendable () async -> Void)?>(nil)

  /// - Parameter takesLines: Whether lines of a pipe answer the prompts that the file does not name.
  init(_ output: EventOutput, _ answers: Answers?, clock: any MonotonicClock, takesLines: Bool = false) {
    self.output = output
    self.answers = answers
    self.clock = clock
    self.takesLines = takesLines
  }

  /// Returns the name of the question that had no answer, once; nil while all were answered.
  func takeUnansweredName() -> String? {
    unanswered.withLock { name in
      defer { name = nil }
      return name
    }
  }

  /// Sets what is called after each answer.
  func onAnswer(_ body: (@Sendable () async -> Void)?) { activity.withLock { $0 = body } }

  /// The names of the answers of the file; empty without one.
  var answerNames: Set<String> { answers?.names ?? [] }

  /// Asks one question. An entry that is empty, too long or not text is asked for again, and nothing counts it as wrong.
  ///
  /// - Parameter entry: The line on which a person enters the answer; nil for one without editing.
  func ask(_ prompt: Prompt, on entry: CommandEntry? = nil) async throws(InteractionCancelled) -> String {
    var prompt = prompt
    while true {
      switch try await answer(to: prompt, on: entry) {
      case .line(let line):
        await activity.withLock(\.self)?()
        if prompt.acceptsEmpty || !line.isEmpty { return line }
        prompt.lastError = ("EntryEmpty", "The entry is empty: enter it again.")
      case .refused(let code, let message):
        await activity.withLock(\.self)?()
        prompt.lastError = (code, message)
      // The end of a question that is cancelled, as at the end of a session, is no activity of a person.
      case .end: throw InteractionCancelled()
      }
      prompt.coolDown = .zero
    }
  }

  private func answer(
    to prompt: Prompt, on entry: CommandEntry?
  ) async throws(InteractionCancelled) -> TerminalInput.Entry {
    if let answer = answers?.next(prompt.name) {
      show(prompt)
      return TerminalInput.checked(answer)
    }
    guard takesLines ? !answerNames.contains(prompt.name) : answers == nil && TypedOctet.comesFromTerminal else {
      show(prompt)
      unanswered.withLock { $0 = prompt.name }
      throw InteractionCancelled()
    }
    if let entry {
      show(prompt)
      return await entry.line(after: prompt.text + "> ").map { .line($0) } ?? .end
    }
    return try await TerminalInput.withEcho(prompt.echoes) { () async throws(InteractionCancelled) in
      // What was typed before is discarded by now: a program that reads the event can answer at once.
      show(prompt)
      await countDown(prompt.coolDown)
      if prompt.coolDown > .zero { TerminalInput.discard() }
      return await enter(prompt.name, prompt.text, echoes: prompt.echoes)
    }
  }

  /// Asks until an answer is accepted.
  ///
  /// - Parameter refusal: Returns why an answer is refused, its code and a sentence; nil for one that is accepted.
  func ask(
    _ prompt: Prompt, _ refusal: (String) -> (code: String, message: String)?
  ) async throws(InteractionCancelled) -> String {
    var prompt = prompt
    prompt.acceptsEmpty = true
    while true {
      let answer = try await ask(prompt)
      guard let reason = refusal(answer) else { return answer }
      prompt.lastError = reason
    }
  }

  /// Asks for a new secret. On a terminal the person enters it twice, until both entries are equal: a typing error is not
  /// visible. The answers of a file have no typing errors.
  func askNewSecret(_ prompt: Prompt) async throws(InteractionCancelled) -> String {
    var prompt = prompt
    while true {
      let first = try await ask(prompt)
      guard answers == nil else { return first }
      let second = try await TerminalInput.withEcho(false) { () async throws(InteractionCancelled) in
        await enter(prompt.name, "\(prompt.text), again", echoes: false)
      }
      switch second {
      case .line(first): return first
      case .line: prompt.lastError = ("EntriesDiffer", "The two entries differ.")
      case .refused(let code, let message): prompt.lastError = (code, message)
      case .end: throw InteractionCancelled()
      }
      prompt.coolDown = .zero
    }
  }

  /// Asks until the answer is one of a few words.
  func choose<Choice: RawRepresentable & CaseIterable>(
    _ prompt: Prompt
  ) async throws(InteractionCancelled) -> Choice where Choice.RawValue == String {
    var prompt = prompt
    prompt.acceptsEmpty = true
    while true {
      if let choice = Choice(rawValue: try await ask(prompt)) { return choice }
      let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      prompt.lastError = ("UnknownChoice", "The answer is one of: \(words).")
    }
  }

  private func enter(_ name: String, _ question: String, echoes: Bool) async -> TerminalInput.Entry {
    let isText = output.format == .text
    let entry = await TerminalInput.line(after: isText ? question + (question.hasSuffix("?") ? " " : ": ") : "")
    if !echoes { TerminalInput.write("\n") }
    // At a terminal it is the person who ends the input.
    if case .end = entry, !TypedOctet.comesFromTerminal, !Task.isCancelled { unanswered.withLock { $0 = name } }
    return entry
  }

  private func show(_ prompt: Prompt) {
    let members: [(String, JSONValue?)] = [
      ("name", JSONValue(prompt.name)),
      ("lastError", prompt.lastError.map { JSONValue($0.code) } ?? JSONValue(.null)),
      ("remainingRetries", prompt.remainingRetries.map { JSONValue($0) } ?? JSONValue(.null)),
      ("coolDownSeconds", JSONValue(prompt.coolDownSeconds)), ("rule", prompt.rule.map { JSONValue($0) }),
    ]
    output.event("prompt", members + prompt.details, text: nil)
    guard output.format == .text else { return }
    if let error = prompt.lastError { Console.note(error.message) }
    if let rule = prompt.rule { Console.note(rule) }
    if prompt.coolDown > .zero {
      Console.note("Too many wrong entries: entries are ignored for \(prompt.coolDownSeconds.counted("second")).")
    }
    guard let retries = prompt.remainingRetries, retries < 5 else { return }
    Console.note("\(retries) more wrong \(retries == 1 ? "entry locks" : "entries lock") it for good.")
  }

  /// Shows how long answers are still ignored. A device whose clock is moved forward ends it earlier.
  private func countDown(_ duration: Duration) async {
    guard duration > .zero, output.format == .text else { return }
    let end = clock.now + duration
    while clock.now < end, !Task.isCancelled {
      let seconds = (end - clock.now).nanoseconds / 1_000_000_000 + 1
      TerminalInput.write("\rToo many wrong entries: wait \(seconds) s   ", keeping: "\r")
      try? await Task.sleep(for: .milliseconds(250))
    }
    TerminalInput.write("\r                                              \r", keeping: "\r")
  }
}
