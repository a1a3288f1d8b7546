public import ISO7816

/// The first difference between a replay and its recording: the place, and the values of both.
public struct TranscriptDifference: Error, Equatable, Sendable, CustomStringConvertible {
  /// What kind of difference it is.
  public enum Kind: String, Sendable {
    /// The command is not the recorded one.
    case command
    /// The response is not the recorded one.
    case response
    /// A command was sent after the end of the recording.
    case unexpectedCommand
    /// The recording has another command, but none was sent.
    case leftover
  }

  /// What kind of difference it is.
  public let kind: Kind
  /// The number of the exchange in the recording, from 1; one more than the last for an unexpected command.
  public let exchange: Int
  /// The first byte that differs, from 0; nil when a whole command is missing or added.
  public let offset: Int?
  /// The tag of the data element that differs; nil for a part without a tag.
  public let tag: Tag?
  /// The part that differs, with the templates around it: `GPO data › 9F37 Unpredictable Number`, `P1`, `SW`. Empty
  /// when the part is unknown.
  public let element: String
  /// The recorded value in words. Cardholder data are masked.
  public let expected: String
  /// The value of the replay in words. Cardholder data are masked.
  public let got: String

  /// A sentence with the exchange, the offset, the data element and both values.
  public var description: String {
    switch kind {
    case .command, .response:
      let place = offset.map { " at offset \($0)" } ?? ""
      let part = element.isEmpty ? "" : ", \(element)"
      return "exchange \(exchange): the \(kind.rawValue) differs from the recording\(place)\(part): "
        + "expected \(expected), got \(got)"
    case .unexpectedCommand: return "exchange \(exchange): the recording has ended, but another command came: \(got)"
    case .leftover: return "exchange \(exchange): the recording goes on with \(expected), but no command came"
    }
  }
}
