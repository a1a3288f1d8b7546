extension TranscriptSyntax {
  /// A short name without spaces, for a command line or a file.
  public var name: String {
    switch self {
    case .dump: "dump"
    case .bareLines: "bare"
    case .sendAndResponse: "send-resp"
    case .requestList: "req-res"
    case .arrows: "apdu4j-log"
    case .pcscdLog: "pcscd"
    case .pcscSpyLog: "pcsc-spy"
    case .libnfcLog: "libnfc"
    case .proxmarkTrace: "proxmark"
    case .proxmarkList: "proxmark-json"
    case .cardpeekLog: "cardpeek"
    case .scriptorScript: "scriptor"
    case .scriptorOutput: "scriptor-output"
    case .openscOutput: "opensc-tool"
    case .pyscardOutput: "pyscard"
    case .json: "json"
    }
  }

  /// The syntax with a name, or nil.
  public init?(name: String) {
    guard let syntax = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = syntax
  }

  /// What octets are most likely written in. Total: what is no text and no trace is guessed to be text.
  public static func guess(octets: [UInt8]) -> TranscriptSyntax {
    ProxmarkTrace.recognises(octets) ? .proxmarkTrace : guess(String(decoding: octets, as: UTF8.self))
  }

  /// The tool that writes lines like this one, or nil when others may have written it.
  static func ofTool(_ line: String, in text: String) -> TranscriptSyntax? {
    if line.hasPrefix("{") { return text.prefix(guessedHead).contains("\"capdu\"") ? .proxmarkList : .json }
    if line.contains("\tlibnfc.") { return .libnfcLog }
    if PCSCDLog.isLine(line) { return .pcscdLog }
    if line.contains("@>|") || line.contains("@<|") || line.hasPrefix("SCard") { return .pcscSpyLog }
    if line.hasPrefix("connecting to ") { return .pyscardOutput }
    if line.hasPrefix("> ") || line.hasPrefix("< OK:") || line.hasPrefix("Using T=") { return .scriptorOutput }
    if line.lowercased() == "reset" { return .scriptorScript }
    if line.hasPrefix("Sending: ") || line.hasPrefix("Received (SW1=") { return .openscOutput }
    if line.hasPrefix("C:") || line.hasPrefix("R:") { return .cardpeekLog }
    return nil
  }

  // A list's first pair stands near its start.
  private static let guessedHead = 4096
}

extension ImportedTranscript {
  /// Reads octets in a syntax, or in the one that they are taken for.
  ///
  /// - Parameters:
  ///   - octets: The file's content.
  ///   - syntax: nil guesses: see `TranscriptSyntax.guess(octets:)`.
  /// - Throws: `TranscriptError` with the line of the first fault (of a Proxmark trace: the record, from 1), what was
  ///   read and what was expected.
  public init(parsing octets: [UInt8], as syntax: TranscriptSyntax? = nil) throws(TranscriptError) {
    let syntax = syntax ?? TranscriptSyntax.guess(octets: octets)
    if syntax == .proxmarkTrace {
      var builder = ImportBuilder()
      try ProxmarkTrace.read(octets, into: &builder)
      self.init(syntax: syntax, builder)
    } else {
      try self.init(parsing: String(decoding: octets, as: UTF8.self), as: syntax)
    }
  }
}
