import JSON
import ProgramSupport
import Synchronization

/// The answers of a file: for each name of a prompt, texts that are taken in their order.
///
/// ```
/// {"pin": ["000000", "123456"], "confirm": ["yes"]}
/// ```
final class Answers: Sendable {
  private let left: Mutex<[String: [String]]>
  /// The names of the file.
  let names: Set<String>

  /// Reads the file.
  ///
  /// - Throws: `CommandFailure` with the first problem.
  init(path: String) throws(CommandFailure) {
    let answers = try Self.answers(in: path)
    names = Set(answers.keys)
    left = Mutex(answers)
  }

  private static func answers(in path: String) throws(CommandFailure) -> [String: [String]] {
    let octets = try OptionFiles.read(path)
    do throws(JSONError) {
      let value = try JSONValue(parsing: octets)
      guard let members = value.members else { throw value.mismatch(expected: "an object of lists") }
      var answers: [String: [String]] = [:]
      for member in members {
        guard let texts = member.value.list?.compactMap(\.text), texts.count == member.value.list?.count else {
          throw member.value.mismatch(expected: "a list of texts")
        }
        answers[member.key] = texts
      }
      return answers
    } catch { throw CommandFailure("Answers", "\(path): \(error)", .notRight) }
  }

  /// Takes the next answer of a name; nil when none is left.
  func next(_ name: String) -> String? {
    left.withLock { left in
      guard let first = left[name]?.first else { return nil }
      left[name]?.removeFirst()
      return first
    }
  }
}
