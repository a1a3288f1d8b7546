internal import EMVData
public import Octets

/// Why text is no transcript, and in which line.
public struct TranscriptError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was wrong.
  public enum Code: Equatable, Sendable {
    /// A line of more octets than allowed.
    case lineTooLong(count: Int, limit: Int)
    /// More lines than allowed.
    case tooManyLines(limit: Int)
    /// More exchanges than allowed.
    case tooManyExchanges(limit: Int)
    /// A line, or a header's value, that is not hexadecimal.
    case notOctets(OctetsError)
    /// A command of fewer or more octets than a command can have.
    case commandLength(Int, limits: ClosedRange<Int>)
    /// A response of fewer or more octets than a response can have.
    case responseLength(Int, limits: ClosedRange<Int>)
    /// A line that begins with `#@` but is no `key: value`.
    case malformedDirective
    /// A known directive whose value is not what it has to be.
    case directive(Transcript.Key, value: String, expected: String)
    /// Something else than what has to stand there.
    case unexpected(read: String, expected: String)
    /// A version of the directives that this build does not know.
    case unsupportedVersion(String, supported: Int)
  }

  /// What was wrong.
  public let code: Code
  /// The line, from 1.
  public let line: Int

  /// Creates an error in a line.
  @inline(never)
  public init(_ code: Code, line: Int) {
    self.code = code
    self.line = line
  }

  /// A sentence with the line, the value and the limit.
  public var description: String { "line \(line): \(reason)" }

  private var reason: String {
    switch code {
    case .lineTooLong(let count, let limit): "the line has \(count) octets: the limit is \(limit)"
    case .tooManyLines(let limit): "a transcript has at most \(limit) lines"
    case .tooManyExchanges(let limit): "a transcript has at most \(limit) exchanges"
    case .notOctets(let error): "neither comment nor octets in hexadecimal: \(error)"
    case .commandLength(let count, let limits):
      "the command has \(count) octets: \(limits.lowerBound) to \(limits.upperBound) are possible"
    case .responseLength(let count, let limits):
      "the response has \(count) octets: \(limits.lowerBound) to \(limits.upperBound) are possible"
    case .malformedDirective: "a directive is written \"#@ key: value\", the key in small letters"
    case .directive(let key, let value, let expected):
      "the directive \(key.rawValue) is \"\(Self.shown(value))\": \(expected)"
    case .unexpected(let read, let expected): "\(Self.shown(read)) was read, expected was \(expected)"
    case .unsupportedVersion(let version, let supported):
      "the transcript is of version \"\(Self.shown(version))\": this build reads version \(supported)"
    }
  }

  // A value in the wrong place may be anything, an account number too.
  private static func shown(_ value: String) -> String {
    if AccountNumberSearch.mayHoldAccountNumber(text: value) { return "(\(value.utf8.count) characters)" }
    return value.count > 40 ? value.prefix(40) + "…" : value
  }
}
