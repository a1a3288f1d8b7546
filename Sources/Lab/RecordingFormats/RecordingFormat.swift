public import Transcripts

/// A way to write recordings of card exchanges: how to recognise it, how to read it, how to write it.
///
/// A new format is one value in a file of its own and one line in `shipped`. Functions that choose a format take the
/// list as a parameter, so a caller can add formats without a change to this module.
public struct RecordingFormat: Sendable {
  /// Reads a whole recording.
  public typealias Read = @Sendable (_ octets: [UInt8]) throws(TranscriptError) -> RecordingContents
  /// Writes a transcript, unredacted.
  public typealias Write = @Sendable (_ transcript: Transcript) -> [UInt8]

  /// A unique short name without spaces, for a command line.
  public let name: String
  /// The name in words, such as `packet capture`.
  public let title: String
  /// Returns whether bytes are of this binary format.
  public let recognisesOctets: @Sendable (_ octets: [UInt8]) -> Bool
  /// Returns whether only this text format has such a line.
  public let recognisesLine: @Sendable (_ line: RecordingLine) -> Bool
  /// Reads a recording; nil for a format that is only written.
  public let read: Read?
  /// Writes a transcript; nil for a format that is only read.
  public let write: Write?

  /// Creates a format.
  ///
  /// - Parameters:
  ///   - name: A unique short name without spaces.
  ///   - title: The name in words.
  ///   - recognisesOctets: For a binary format: whether a whole file is of it.
  ///   - recognisesLine: For a text format: whether a line shows that the file is of it.
  ///   - read: Reads a recording; nil when the format is only written.
  ///   - write: Writes a transcript; nil when the format is only read.
  public init(
    name: String, title: String, recognisesOctets: @escaping @Sendable (_ octets: [UInt8]) -> Bool = { _ in false },
    recognisesLine: @escaping @Sendable (_ line: RecordingLine) -> Bool = { _ in false }, read: Read? = nil,
    write: Write? = nil
  ) {
    self.name = name
    self.title = title
    self.recognisesOctets = recognisesOctets
    self.recognisesLine = recognisesLine
    self.read = read
    self.write = write
  }
}

extension RecordingFormat: Hashable {
  /// Two formats are equal when their names are.
  public static func == (one: RecordingFormat, other: RecordingFormat) -> Bool { one.name == other.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension RecordingFormat: CustomStringConvertible {
  /// The name in words.
  public var description: String { title }
}

/// A line of a text whose format is not known yet.
public struct RecordingLine: Sendable {
  /// Where a line stands.
  public enum Place: Sendable {
    /// A comment, which begins with `#`, before any other line.
    case leadingComment
    /// The first line that is neither blank nor a leading comment.
    case first
    /// Any line after the first.
    case later
  }

  /// The most bytes of a line that are looked at.
  public static let maximumCount = 200
  /// The most bytes of the text that are looked at as its beginning.
  public static let maximumBeginningCount = 4096

  /// The line without white space around it, cut off after `maximumCount` bytes.
  public let text: String
  /// Where the line stands.
  public let place: Place
  /// Whether a leading comment stands before the line.
  public let followsComments: Bool
  /// The beginning of the whole text, at most `maximumBeginningCount` bytes.
  public let beginning: String
}

/// What a format reads from a recording.
public struct RecordingContents: Equatable, Sendable {
  /// A place in the recording at which the reader guessed, or left something out.
  public struct Note: Equatable, Sendable, CustomStringConvertible {
    /// The line, from 1; of a binary recording, the record.
    public let line: Int
    /// A sentence without data of the recording.
    public let text: String

    /// Creates a note.
    public init(line: Int, text: String) {
      self.line = line
      self.text = text
    }

    /// The sentence with its line.
    public var description: String { "line \(line): \(text)" }
  }

  /// The recording.
  public let transcript: Transcript
  /// What the reader guessed or left out, in the order of the lines.
  public let notes: [Note]
  /// Where each exchange stands in the recording; empty where the format has no lines.
  public let places: [Place]
  /// The number of lines that are not blank and hold nothing of an exchange.
  public let otherLineCount: Int

  /// The lines of an exchange, from 1.
  public struct Place: Equatable, Sendable {
    /// Those of the command.
    public let command: ClosedRange<Int>
    /// Those of the response; nil without a response.
    public let response: ClosedRange<Int>?
  }

  /// Creates contents.
  public init(_ transcript: Transcript, notes: [Note] = [], places: [Place] = [], otherLineCount: Int = 0) {
    self.transcript = transcript
    self.notes = notes
    self.places = places
    self.otherLineCount = otherLineCount
  }
}
