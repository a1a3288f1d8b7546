public import Links

/// A kind of reader that a text such as `pcsc:ACS` names.
public struct ReaderKind: Sendable {
  /// The word before the colon.
  public let prefix: String
  /// What stands behind the colon, as the help shows it.
  public let placeholder: String
  /// What it is, for the help; nil when the prefix says so.
  public let remark: String?
  /// Whether commands of class FF have a meaning here: a PC/SC reader answers them itself.
  public let takesReaderCommands: Bool
  /// Returns the reader that the text behind the colon names. It is not opened yet.
  ///
  /// - Parameter note: Receives a line for the person who waits for the reader.
  public let reader: @Sendable (_ name: String, _ note: @escaping @Sendable (String) -> Void) -> any CardReader

  /// Creates a kind.
  public init(
    prefix: String, placeholder: String, remark: String? = nil, takesReaderCommands: Bool = false,
    reader: @escaping @Sendable (_ name: String, _ note: @escaping @Sendable (String) -> Void) -> any CardReader
  ) {
    (self.prefix, self.placeholder, self.remark) = (prefix, placeholder, remark)
    (self.takesReaderCommands, self.reader) = (takesReaderCommands, reader)
  }

  /// All kinds, in the order of the help.
  public static let all: [ReaderKind] = [.acr122, .nfc, .pcsc]

  /// The form of a reader of the kind, such as `pcsc:NAME`.
  public var form: String { "\(prefix):\(placeholder)" }

  /// Returns the reader that a text such as `pcsc:ACS` names. It is not opened yet.
  ///
  /// - Parameter note: Receives a line for the person who waits for the reader.
  /// - Throws: `LinkError`: `.readerUnavailable` for a text that names no reader.
  public static func reader(
    _ text: String, note: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(LinkError) -> any CardReader {
    for kind in all where text.hasPrefix(kind.prefix + ":") {
      return kind.reader(String(text.dropFirst(kind.prefix.count + 1)), note)
    }
    let forms = all.map(\.form).joined(separator: ", ")
    throw LinkError(.readerUnavailable, "\"\(text)\" names no reader: use one of \(forms)")
  }
}
