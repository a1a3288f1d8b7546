public import ISO7816

/// Where a replay left the recording: the first place, and what stands there on both sides.
public struct TranscriptDifference: Equatable, Sendable, CustomStringConvertible {
  /// What kind of difference it is.
  public enum Kind: String, Sendable {
    /// The command is another one.
    case command
    /// The response is another one.
    case response
    /// A command came that the recording does not have.
    case unexpectedCommand
    /// The recording goes on, but no command came.
    case leftover
  }

  /// What kind of difference it is.
  public let kind: Kind
  /// The number of the exchange in the recording, from 1; one more than the last for an unexpected command.
  public let exchange: Int
  /// The first octet that differs, from 0; nil when a whole command is too many or missing.
  public let offset: Int?
  /// The tag of the data element that differs, or nil when it is none.
  public let tag: Tag?
  /// What differs, from the outside in: `GPO data › 9F37 Unpredictable Number`, `P1`, `SW`; empty when nobody knows.
  public let element: String
  /// What the recording has there, in words; cardholder data are masked.
  public let expected: String
  /// What came instead, in words; cardholder data are masked.
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
