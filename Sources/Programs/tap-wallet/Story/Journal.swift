import Foundation
import JSON
import Octets
import ProgramSupport

/// The file of a story, one line of JSON for each entry: the messages between its parts, and after the messages of a step its
/// result.
struct Journal: Sendable {
  let path: String

  /// Appends a message with the present moment. Several processes may write to one file: each line is written at once.
  func append(_ message: Message) throws(CommandFailure) {
    var message = message
    message.sentAt = SystemWallClock().now
    let file = try OptionFiles.appending(to: path)
    do {
      _ = try file.seekToEnd()
      try file.write(contentsOf: Data((message.json.compact + "\n").utf8))
    } catch { throw CommandFailure("File", "\(path) cannot be written: \(error.localizedDescription)", .error) }
  }

  /// Reads all lines.
  ///
  /// - Throws: `CommandFailure`, with the number of a line of the wrong form.
  func entries() throws(CommandFailure) -> [Entry] {
    var entries: [Entry] = []
    for (index, line) in try OptionFiles.read(path).split(separator: UInt8(ascii: "\n")).enumerated() {
      guard let json = try? JSONValue(parsing: Array(line)), let entry = Entry(json) else {
        throw CommandFailure(
          "File", "\(path), line \(index + 1): the members from, to and text, or step and text, are expected", .notRight
        )
      }
      entries.append(entry)
    }
    return entries
  }

  /// A line.
  enum Entry: Equatable, Sendable {
    case message(Message)
    case step(StepResult)

    init?(_ json: JSONValue) {
      if let message = Message(json) {
        self = .message(message)
      } else if let step = StepResult(json) {
        self = .step(step)
      } else {
        return nil
      }
    }
  }
}

/// The result of a step of a story.
struct StepResult: Equatable, Sendable {
  let name: String
  /// The result in words.
  let text: String
  /// How long it took; nil when it was not measured, or when the clock was set back meanwhile.
  let milliseconds: Int?
  /// Whether the step was refused, or failed. Older journals do not state it.
  let isRefused: Bool

  /// Reads a line; nil for one of the wrong form.
  init?(_ json: JSONValue) {
    guard let name = json["step"]?.text, let text = json["text"]?.text else { return nil }
    (self.name, self.text, milliseconds) = (name, text, json["milliseconds"]?.integer.flatMap { $0 < 0 ? nil : $0 })
    isRefused = json["refused"]?.flag ?? false
  }
}
