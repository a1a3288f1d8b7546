internal import ISO7816
internal import JSON
internal import Octets
internal import Transcripts

extension RecordingFormat {
  /// What a Proxmark has read from a card with `emv scan`, with the commands that give these data.
  public static let proxmarkScan = RecordingFormat(
    name: "proxmark-scan", title: "Proxmark EMV scan",
    recognisesLine: { line in
      line.place == .first && line.beginsObject && line.beginning.contains("emv scan")
    },
    read: { (octets) throws(TranscriptError) in
      var scan = ProxmarkScan(root: try .transcript(parsing: octets))
      return try scan.contents()
    })
}

/// The file has responses and no commands, and the common data objects once for the whole card.
private struct ProxmarkScan {
  /// More than any card has: templates of EMV lie at most four deep in each other.
  private static let maximumDepth = 16

  let root: JSONValue
  private var builder = TranscriptBuilder()

  init(root: JSONValue) { self.root = root }

  mutating func contents() throws(TranscriptError) -> RecordingContents {
    builder.role("terminal")
    if let identifier = root["Card"]?["Contactless"]?["UID"] { builder.header("UID", try identifier.octets().hex) }
    if let answer = root["Card"]?["Contactless"]?["ATS"] { builder.comment("ATS: \(try answer.octets().hex)") }
    if let answer = root["Card"]?["Contact"]?["ATR"] { builder.header("ATR", try answer.octets().hex) }
    builder.note("the file has no commands: those that give its data stand in their place", line: 1)
    if let directory = root["PPSE"] {
      try addSelection(of: directory)
    }
    let application = try root.member("Application")
    try addSelection(of: application)
    try addOptions(application)
    for record in try application["Records"]?.list(expected: "a list of records") ?? [] {
      let (file, number) = (try Self.octet(record.member("SFI")), try Self.octet(record.member("RecordNum")))
      guard (1...30).contains(file) else { throw TranscriptError(try record.member("SFI"), expected: "01 to 1E") }
      try add(.readRecord(number, sfi: file), record["Data"])
    }
    return builder.contents
  }

  private mutating func addSelection(of file: JSONValue) throws(TranscriptError) {
    let name = try file.member("AID").octets()
    guard (1...16).contains(name.count) else {
      throw TranscriptError(try file.member("AID"), expected: "1 to 16 bytes in hexadecimal")
    }
    try add(.select(name: name), file["FCITemplate"])
  }

  /// GET PROCESSING OPTIONS, with zeros for the values that the card asked for.
  private mutating func addOptions(_ application: JSONValue) throws(TranscriptError) {
    guard let options = application["GPO"] else { return }
    let information = try application["FCITemplate"].map { (value) throws(TranscriptError) in try node(value) }
    let objects = information.flatMap { try? [TLVNode](parsing: $0.encoded.span) }
    let list = objects?.first(0x9F38)?.value ?? []
    let values = [UInt8](repeating: 0, count: Self.valueCount(of: list))
    if !values.isEmpty {
      builder.note(
        "the values of GET PROCESSING OPTIONS are not in the file: zeros stand in their place",
        line: options.position.line)
    }
    let data = TLVNode(0x83, values).encoded
    let command = try? CommandAPDU(
      cla: 0x80, ins: Instruction.getProcessingOptions, p1: 0, p2: 0, data: data, expectedLength: 256, form: .short)
    guard let command else { throw TranscriptError(options, expected: "a list of at most 253 bytes of values") }
    try add(command, options)
  }

  private mutating func add(_ command: CommandAPDU, _ value: JSONValue?) throws(TranscriptError) {
    guard let value else { return }
    try builder.command(command.encoded, line: value.position.line)
    try builder.response(try node(value).encoded + [0x90, 0x00], line: value.position.line)
  }

  /// The data object of an object: its value, its parts, or the name of a value of the whole card.
  private func node(_ object: JSONValue, depth: Int = 0) throws(TranscriptError) -> TLVNode {
    if let name = object["appdata"] {
      let text = try name.text(expected: "the name of a data object")
      guard let tag = Self.names[text] else { throw TranscriptError(name, expected: "the name of a known data object") }
      return TLVNode(tag, try root.member("ApplicationData").member(text).octets())
    }
    let octets = try object.member("tag").octets()
    guard let tag = Tag(prefixOf: octets[...]), tag.octetCount == octets.count else {
      throw TranscriptError(try object.member("tag"), expected: "a tag")
    }
    guard depth < Self.maximumDepth else { throw TranscriptError(object, expected: "fewer templates in each other") }
    guard let parts = object["Childs"] else { return TLVNode(tag, try object["value"]?.octets() ?? []) }
    var value: [UInt8] = []
    for part in try parts.list(expected: "a list of data objects") { value += try node(part, depth: depth + 1).encoded }
    return TLVNode(tag, value)
  }

  private static func octet(_ value: JSONValue) throws(TranscriptError) -> UInt8 {
    let octets = try value.octets()
    guard octets.count == 1 else { throw TranscriptError(value, expected: "one byte in hexadecimal") }
    return octets[0]
  }

  /// The length of the values that a data object list asks for.
  private static func valueCount(of list: [UInt8]) -> Int {
    var (rest, count) = (list[...], 0)
    while let tag = Tag(prefixOf: rest), let length = rest.dropFirst(tag.octetCount).first {
      count += Int(length)
      rest = rest.dropFirst(tag.octetCount + 1)
    }
    return count
  }

  /// The names that the Proxmark client gives to data objects of the whole card.
  private static let names: [String: Tag] = [
    "AIP": 0x82, "AFL": 0x94, "PAN": 0x5A, "PANSeqNo": 0x5F34, "ExpirationDate": 0x5F24, "EffectiveDate": 0x5F25,
    "IssuerCountryCode": 0x5F28, "ApplicationLabel": 0x50, "VersionNumber": 0x9F08, "CurrencyCode": 0x9F42,
    "LanguagePreference": 0x5F2D, "PriorityIndicator": 0x87, "ATC": 0x9F36, "CardholderName": 0x5F20, "PDOL": 0x9F38,
    "CDOL1": 0x8C, "CDOL2": 0x8D, "AUC": 0x9F07, "CTQ": 0x9F6C, "CVMList": 0x8E, "IACDefault": 0x9F0D,
    "IACDeny": 0x9F0E, "IACOnline": 0x9F0F, "CertificationAuthorityPublicKeyIndex": 0x8F,
    "IssuerPublicKeyExponent": 0x9F32, "IssuerPublicKeyRemainder": 0x92, "IssuerPublicKeyCertificate": 0x90,
    "ICCPublicKeyExponent": 0x9F47, "ICCPublicKeyCertificate": 0x9F46,
  ]
}
