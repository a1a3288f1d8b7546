import Octets

/// The messages of a step of a story, and its result.
struct StoryStep: Sendable {
  /// A message, and how often it was sent.
  struct Repeated: Sendable {
    /// The first one.
    let message: Message
    private(set) var count = 1
    /// When the last one was sent; nil without a time.
    private(set) var lastSentAt: WallTime?

    init(_ message: Message) { (self.message, lastSentAt) = (message, message.sentAt) }

    /// Counts further ones that differ in their time only.
    mutating func add(_ further: Repeated) {
      count += further.count
      lastSentAt = further.lastSentAt ?? lastSentAt
    }

    func isEqual(to other: Repeated) -> Bool { message.isEqual(to: other.message) }

    /// The text, with the number of repetitions.
    var text: String { count == 1 ? message.text : "\(message.text) (\(count) times)" }
  }

  private(set) var messages: [Repeated] = []
  /// Nil for messages after the last step.
  private(set) var result: StepResult?

  /// The steps of a journal. Repetitions of a message, and of a pair of messages, are counted: a client that waits for a result
  /// sends them.
  static func all(in entries: [Journal.Entry]) -> [StoryStep] {
    var steps: [StoryStep] = []
    var step = StoryStep()
    for entry in entries {
      switch entry {
      case .message(let message): step.add(message)
      case .step(let result):
        step.result = result
        steps.append(step)
        step = StoryStep()
      }
    }
    return step.messages.isEmpty ? steps : steps + [step]
  }

  private mutating func add(_ message: Message) {
    let (count, next) = (messages.count, Repeated(message))
    if count >= 1, messages[count - 1].isEqual(to: next) {
      messages[count - 1].add(next)
    } else if count >= 3, messages[count - 2].isEqual(to: next), messages[count - 3].isEqual(to: messages[count - 1]) {
      messages[count - 3].add(messages.removeLast())
      messages[count - 2].add(next)
    } else {
      messages.append(next)
    }
  }

  /// Whether the result is a refusal or a failure.
  var isRefused: Bool { result?.isRefused ?? false }

  /// The result as text: `enrol, 532 ms: the wallet is linked to this device`.
  var title: String? {
    result.map { result in
      let time = result.milliseconds.map { ", \($0) ms" } ?? ""
      return "\(result.name)\(time): \(result.text)\(result.isRefused ? " (refused)" : "")"
    }
  }
}

extension Message {
  /// Whether both messages are equal, except for their times.
  fileprivate func isEqual(to other: Message) -> Bool {
    (sender, receiver, text, isRefused) == (other.sender, other.receiver, other.text, other.isRefused)
  }
}
