import ArgumentParser
import EMVData
import EMVDecoding
import ISO7816
import Octets

/// One field that `tap decode` shows, in place of bytes whose kind it guesses.
struct DecodedField: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The data element whose value the digits are: a tag such as 95, or a name such as TVR.", valueName: "tag"),
    completion: .custom { _, _, _ in DataElement.all.map { "\($0.tag)" } })
  var tag: String?
  @Option(
    help: ArgumentHelp("The application that defines the tags, such as A0000000041010.", valueName: "aid"))
  var application: String?
  @Option(
    help: ArgumentHelp(
      "The list of the data of a GET PROCESSING OPTIONS (tag 9F38), such as 9F66049F3704.", valueName: "dol"))
  var pdol: String?
  @Option(
    help: ArgumentHelp("The list of the data of a GENERATE AC (tag 8C), such as 9F02069F3704.", valueName: "dol"))
  var cdol: String?
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "What the bytes are: \(DecodedKind.allValueStrings.joined(separator: ", ")); guessed when left out.",
      valueName: "kind"))
  var kind: DecodedKind?
  @Option(
    help: ArgumentHelp("The format of a recording; guessed when left out.", valueName: "format"))
  var from: ReadableFormat?
  @Option(help: ArgumentHelp("A status word, such as 6985.", valueName: "digits"))
  var status: String?
  @Option(help: ArgumentHelp("A merchant category code (ISO 18245), such as 5812.", valueName: "digits"))
  var mcc: String?

  /// Whether the value is in the option itself, so that there is no further input.
  var isWhole: Bool { status != nil || mcc != nil }

  /// Whether no option says what the input is.
  var isGuessed: Bool { tag == nil && kind == nil && from == nil && !isWhole }

  func validate() throws {
    guard [tag, status, mcc].count(where: { $0 != nil }) <= 1 else {
      throw ValidationError("Only one of --tag, --status and --mcc can be decoded at a time.")
    }
    let hasList = pdol != nil || cdol != nil
    let isForced = kind != nil || from != nil
    try require(!isWhole || application == nil && !hasList && !isForced, "--status and --mcc take no other option.")
    try require(kind == nil || from == nil, "--as is for bytes, and --from for a recording: leave one of them out.")
    try require(tag == nil || !isForced, "--tag says what the bytes are: leave --as and --from out.")
    try require(tag == nil || !hasList, "--pdol and --cdol are for a command: leave --tag out.")
    _ = try lists
    if let tag, DataElement.tag(named: tag) == nil {
      throw ValidationError("--tag \(tag): a tag such as 95 or 9F10, or a name of the books such as TVR, is needed.")
    }
    if let application, aid == nil {
      throw ValidationError("--application \(application): 5 to 16 bytes in hexadecimal are needed.")
    }
    if let status, statusWord == nil {
      throw ValidationError("--status \(status): four hexadecimal digits are needed, such as 6985.")
    }
    if let mcc, merchantCategory == nil {
      throw ValidationError("--mcc \(mcc): four decimal digits are needed, such as 5812.")
    }
  }

  /// What `--status` or `--mcc` names, in words; nil without them.
  var whole: (kind: String, node: DecodedNode)? {
    if let statusWord { return ("status word", DecodedNode(status: statusWord)) }
    return merchantCategory.map { ("merchant category", DecodedNode(merchantCategory: $0)) }
  }

  /// The value of the data element of `--tag` in words; nil without it.
  func node(_ octets: [UInt8], unmasked: Bool) -> DecodedNode? {
    tag.flatMap { DataElement.tag(named: $0) }.map {
      DecodedNode(value: octets, of: $0, application: aid, unmasked: unmasked)
    }
  }

  /// What the exchanges before a command or a response would have shown.
  ///
  /// - Parameter hidden: What is masked in every value.
  func context(hiding hidden: CardholderData = CardholderData()) throws -> DecodingContext {
    let (pdol, cdol) = try lists
    return DecodingContext(application: aid, pdol: pdol, cdol: cdol, hiding: hidden)
  }

  private var lists: (pdol: DataObjectList?, cdol: DataObjectList?) {
    get throws { (try Self.list("--pdol", pdol), try Self.list("--cdol", cdol)) }
  }

  private static func list(_ option: String, _ text: String?) throws -> DataObjectList? {
    guard let text else { return nil }
    let octets = try? [UInt8](typed: text)
    guard let octets, let list = try? DataObjectList(parsing: octets), !list.entries.isEmpty else {
      throw ValidationError("\(option) \(text): tags and lengths in hexadecimal are needed, such as 9F02069F3704.")
    }
    return list
  }

  private var aid: AID? { application.flatMap { try? [UInt8](typed: $0) }.flatMap(AID.init) }

  private var statusWord: StatusWord? { status.flatMap(StatusWord.init(typed:)) }

  private var merchantCategory: Int? {
    guard let mcc, mcc.utf8.count == 4, mcc.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(mcc)
  }
}

/// What bytes are, as `--as` takes it.
struct DecodedKind: ExpressibleByArgument {
  let kind: DecodedGuess.Kind

  init?(argument: String) {
    guard let kind = DecodedGuess.Kind.known.first(where: { $0.rawValue.lowercased() == argument.lowercased() }) else {
      return nil
    }
    self.kind = kind
  }

  static let allValueStrings = DecodedGuess.Kind.known.map { $0.rawValue.lowercased() }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension StatusWord {
  /// Reads four hexadecimal digits as they are typed.
  init?(typed text: String) {
    guard let octets = try? [UInt8](typed: text), octets.count == 2 else { return nil }
    self.init(rawValue: UInt16(octets[0]) << 8 | UInt16(octets[1]))
  }
}

extension [UInt8] {
  /// Reads hexadecimal digits as people and other programs write them: `9F36020001`, `9F 36 02`, `3b:80:80:01:01`,
  /// `0x90, 0x00`.
  ///
  /// - Throws: `OctetsError` with the position, in characters, of the first error.
  init(typed text: String) throws(OctetsError) {
    let digits = text.replacing(/(^|[^0-9A-Fa-f])0[xX]/) { "\($0.1)  " }
    try self.init(hex: String(digits.map { ":,".contains($0) ? " " : $0 }))
  }
}
