public import EMVTerminal
public import Transcripts

// The findings of a terminal as directives of a transcript.

/// A directive that no terminal writes.
public struct RecordedFindingsError: Error, Sendable, CustomStringConvertible {
  /// The directive.
  public let key: Transcript.Key
  /// The part of its value that has another form.
  public let value: String

  /// What is expected.
  public let expected: String

  /// A sentence.
  public var description: String { "the directive \"\(key.rawValue)\" holds \"\(value)\": \(expected) is expected" }
}

extension TerminalFindings {
  /// Reads the findings of a recorded terminal; empty ones for a recording without them, such as one of an earlier version.
  ///
  /// - Throws: `RecordedFindingsError` for a value of another form.
  public init(_ transcript: Transcript) throws(RecordedFindingsError) {
    self.init(
      authentication: try Self.findings(transcript, .authentication, "passed, or failed and the name of a check,") {
        PaymentOutcome.DataAuthentication(recorded: $0)
      },
      log: try Self.findings(transcript, .log, "unknown, excepted, or last and an amount") {
        TerminalLog.Entry(recorded: $0)
      }, removalTimedOut: transcript[.removal] == Self.timedOut)
  }

  // The value of the directive `removal`.
  private static var timedOut: String { "timed out" }

  private static func findings<Finding>(
    _ transcript: Transcript, _ key: Transcript.Key, _ expected: String, _ read: (String) -> Finding?
  ) throws(RecordedFindingsError) -> Findings<Finding> {
    var findings: [Finding] = []
    for text in transcript[key]?.split(separator: ",") ?? [] {
      guard let finding = read(String(text)) else {
        throw RecordedFindingsError(key: key, value: String(text), expected: expected)
      }
      findings.append(finding)
    }
    return Findings(recorded: findings)
  }

  /// Writes the findings into a recording.
  func write(to transcript: inout Transcript) {
    transcript[.authentication] = authentication.recordedText(\.recorded)
    transcript[.log] = log.recordedText(\.recorded)
    if removalTimedOut { transcript[.removal] = Self.timedOut }
  }
}

extension Findings {
  /// The directive: every finding up to the one that all further ones are equal to; nil without a finding.
  fileprivate func recordedText(_ text: (Finding) -> String) -> String? {
    guard let last = found.last else { return nil }
    let end = found.lastIndex { $0 != last }.map { $0 + 1 } ?? 0
    return found[...end].map(text).joined(separator: ", ")
  }
}
