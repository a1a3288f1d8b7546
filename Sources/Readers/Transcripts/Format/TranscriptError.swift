public import Octets

/// Why a text or a file is not a recording, and where.
public struct TranscriptError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was wrong.
  public enum Code: Equatable, Sendable {
    /// A line of more bytes than allowed.
    case lineTooLong(count: Int, limit: Int)
    /// More lines than allowed.
    case tooManyLines(limit: Int)
    /// More exchanges than allowed.
    case tooManyExchanges(limit: Int)
    /// A line, or the value of a header, that is not hexadecimal.
    case notOctets(OctetsError)
    /// A command of fewer or more bytes than a command can have.
    case commandLength(Int, limits: ClosedRange<Int>)
    /// A response of fewer or more bytes than a response can have.
    case responseLength(Int, limits: ClosedRange<Int>)
    /// A line that begins with `#@` and is not `key: value`.
    case malformedDirective
    /// A known directive with a value that it cannot have.
    case directive(Transcript.Key, value: String, expected: String)
    /// Something else than what the format has in this place.
    case unexpected(found: String, expected: String)
    /// A version of the directives that this build does not know.
    case unsupportedVersion(String, supported: Int)
  }

  /// What was wrong.
  public let code: Code
  /// The line, from 1; of a binary recording, the record.
  public let line: Int
  /// The column, from 1; nil when the whole line is meant.
  public let column: Int?

  /// Creates an error.
  @inline(never)
  public init(_ code: Code, line: Int, column: Int? = nil) {
    self.code = code
    self.line = line
    self.column = column
  }

  /// Creates an error that quotes what was found.
  package init(quoting found: String, expected: String, line: Int) {
    self.init(.unexpected(found: "\"\(found)\"", expected: expected), line: line)
  }

  /// A sentence with the place, the value and the limit. It holds no account number.
  public var description: String {
    "line \(line)\(column.map { ", column \($0)" } ?? ""): \(reason)"
  }

  private var reason: String {
    switch code {
    case .lineTooLong(let count, let limit): "the line has \(count.bytes): the limit is \(limit)"
    case .tooManyLines(let limit): "a transcript has at most \(limit) lines"
    case .tooManyExchanges(let limit): "a transcript has at most \(limit) exchanges"
    case .notOctets(let error): "neither a comment nor bytes in hexadecimal: \(error)"
    case .commandLength(let count, let limits):
      "the command has \(count.bytes): \(limits.lowerBound) to \(limits.upperBound) are possible"
    case .responseLength(let count, let limits):
      "the response has \(count.bytes): \(limits.lowerBound) to \(limits.upperBound) are possible"
    case .malformedDirective: "a directive is written \"#@ key: value\", the key in small letters"
    case .directive(let key, let value, let expected):
      "the directive \(key.rawValue) is \"\(Self.shown(value))\": \(expected)"
    case .unexpected(let found, let expected): "expected \(expected), found \(Self.shown(found))"
    case .unsupportedVersion(let version, let supported):
      "the transcript has version \"\(Self.shown(version))\": this build reads version \(supported)"
    }
  }

  private static func shown(_ value: String) -> String { QuotedText.shown(value) }
}

extension [UInt8] {
  /// Reads hexadecimal digits of a line.
  package init(hex digits: Substring, line: Int) throws(TranscriptError) {
    do throws(OctetsError) {
      self = try [UInt8](hex: digits)
    } catch {
      throw TranscriptError(.notOctets(error), line: line)
    }
  }
}
