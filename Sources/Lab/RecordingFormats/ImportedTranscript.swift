public import Transcripts

/// A recording of this project or of another tool, read into a transcript.
///
/// A transcript keeps pairs of command and response. A reader leaves out what does not fit, such as a response without
/// a command; a comment in its place and an entry in `notes` report it.
public struct ImportedTranscript: Equatable, Sendable {
  /// The format that the recording was read in.
  public let format: RecordingFormat
  /// The recording.
  public let transcript: Transcript
  /// What the reader guessed or left out, in the order of the lines.
  public let notes: [RecordingContents.Note]
  /// Where each exchange stands in the recording; empty where the format has no lines.
  public let places: [RecordingContents.Place]
  /// The number of lines that are not blank and hold nothing of an exchange.
  public let otherLineCount: Int

  /// Reads the bytes of a file.
  ///
  /// - Parameters:
  ///   - octets: The content of the file.
  ///   - format: A format that can be read, or nil to guess it. A format that is only written traps.
  ///   - formats: The formats to guess from.
  /// - Throws: `TranscriptError` with the line of the first fault, what was read and what was expected.
  public init(
    parsing octets: [UInt8], as format: RecordingFormat? = nil,
    among formats: [RecordingFormat] = RecordingFormat.shipped
  ) throws(TranscriptError) {
    let format = if let format { format } else { try RecordingFormat.recognised(octets, among: formats) }
    guard let read = format.read else { preconditionFailure("the format \(format.name) is only written, never read") }
    let contents = try read(octets)
    self.format = format
    transcript = contents.transcript
    notes = contents.notes
    places = contents.places
    otherLineCount = contents.otherLineCount
  }

  /// Reads text.
  ///
  /// - Parameters:
  ///   - text: The content of the file.
  ///   - format: A format that can be read, or nil to guess it. A format that is only written traps.
  ///   - formats: The formats to guess from.
  /// - Throws: `TranscriptError` with the line of the first fault, what was read and what was expected.
  public init(
    parsing text: String, as format: RecordingFormat? = nil, among formats: [RecordingFormat] = RecordingFormat.shipped
  ) throws(TranscriptError) {
    try self.init(parsing: Array(text.utf8), as: format, among: formats)
  }
}
