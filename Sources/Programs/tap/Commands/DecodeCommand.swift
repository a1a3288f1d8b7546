import ArgumentParser
import EMVDecoding
import EMVIssuer
import EMVTerminal
import Foundation
import ISO7816
import Octets
import PaymentAcceptance
import ProgramSupport
import RecordingFormats
import TapScenarios
import DisplayText
import Transcripts
import POSIX

/// Shows APDUs, data objects, answers to reset, lists and whole transcripts in words.
struct DecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "APDU, TLV, ATR, DOL, single fields and whole transcripts in words.",
    help: CommandHelp(
      """
      Takes bytes (hexadecimal digits in any form: 3b:80, 0x90, 0x00, \\x6f, <Buffer 6f 2c>; decimal numbers in \
      brackets), a file (a transcript, a recording of another tool, or \
      hexadecimal digits) or, without an argument, standard input. Of a transcript with certificates, each \
      step of offline data authentication is shown. From a pipe, the exchanges of a log are shown as they come: \
      journalctl -f -u pcscd | tap decode -
      """,
      examples: [
        "tap decode 9F2701809F360200019F2608B78F7F534AE64A8B": "Decode data objects.",
        "tap decode --tag TVR 8000008001": "Decode the value of a tag.",
        "tap decode tap.txt": "Decode a recording, exchange by exchange.",
      ],
      exits: [
        .done: "decoded",
        .notRight: "malformed, after showing what is well-formed",
        .error: "a file cannot be read",
      ],
      related: ["tap-send", "tap-convert"]))

  @Argument(
    help: ArgumentHelp("Hexadecimal digits or a file; standard input when left out or -.", valueName: "hex|file"),
    completion: FileCompletion.named())
  var input: [String] = []
  @OptionGroup(title: "One field") var field: DecodedField
  @Flag(name: [.long, .customLong("unredacted")], help: "Show account numbers, track data and names.")
  var unmasked = false
  @Option(
    help: ArgumentHelp(
      "The terminal profile whose certification authorities check the card of a transcript; that of the recording, and the "
        + "test authority, when left out.", valueName: "file"), completion: FileCompletion.named(endingIn: ".json"))
  var terminal: String?
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  private struct Decoded {
    let kind: String
    /// Whether an option names the kind or the format.
    var isForced = false
    /// The other kinds that fit as well, the likelier first.
    var others: [String] = []
    let nodes: [DecodedNode]
    /// The steps of offline data authentication; empty without certificates.
    var authentication: [String] = []
  }

  /// What is decoded, and the name of the file that it was read from; nil for digits of the command line.
  private struct Input {
    let octets: [UInt8]
    var name: String?
  }

  func validate() throws {
    try require(input.isEmpty || !field.isWhole, "--status and --mcc hold the value themselves: leave \(input[0]) out.")
  }

  func run() throws {
    try Console.reportingErrors(as: format) {
      var piped: [UInt8]?
      if readsLive {
        piped = try LiveDecoding.input(Disclosure(showsAll: unmasked))
        if piped == nil { return }
      }
      let decoded = try field.whole.map { Decoded(kind: $0.kind, nodes: [$0.node]) } ?? decodedInput(piped)
      switch format {
      case .json:
        try Console.print(
          json: [
            "kind": decoded.kind, "otherKinds": decoded.others.isEmpty ? nil : decoded.others,
            "decoded": decoded.nodes.map(\.json),
            "dataAuthentication": decoded.authentication.isEmpty ? nil : decoded.authentication,
          ] as JSONObject)
      case .text:
        let others = decoded.others.isEmpty ? "" : " (or \(decoded.others.joined(separator: ", ")); --as sets one)"
        Console.print("\(decoded.isForced ? "read as" : "taken for") \(decoded.kind)\(others)")
        show(decoded.nodes)
        if !decoded.authentication.isEmpty {
          Console.print("offline data authentication")
          decoded.authentication.forEach { Console.print("  \($0)") }
        }
      }
      if decoded.nodes.contains(where: { $0.fault != nil }) { throw Exit.notRight.code }
    }
  }

  /// Whether another program writes the input while it is decoded.
  private var readsLive: Bool {
    (input.isEmpty || input == ["-"]) && field.isGuessed && format == .text && PipedInput.isPresent
  }

  /// Prints the nodes in blocks of lines: long input has millions of lines.
  private func show(_ nodes: [DecodedNode]) {
    let progress = ProgressBar(of: nodes.reduce(0) { $0 + max($1.children.count, 1) }, "data objects")
    defer { progress.end() }
    var (block, done) = (Block(), 0)
    for node in nodes {
      block.add([node.title] + node.details.map { "  " + $0 })
      for child in node.children {
        block.add(child.lines.map { "  " + $0 })
        done += 1
        if done % Block.lineCount == 0 { progress.show(done) }
      }
    }
    block.end()
  }

  /// Lines that are written together.
  private struct Block {
    static let lineCount = 1_000
    private var lines: [String] = []

    mutating func add(_ further: [String]) {
      lines += further.map { FittedText.lines(Console.visible(Console.decoded($0)), width: Console.width) }
      if lines.count >= Self.lineCount { end() }
    }

    mutating func end() {
      if !lines.isEmpty { Console.write(lines.joined(separator: "\n")) }
      lines = []
    }
  }

  /// The content of a file or of standard input, or the digits of the command line.
  ///
  /// - Parameter piped: Standard input, when it was read already.
  private func content(_ piped: [UInt8]?) throws -> Input {
    if let piped { return Input(octets: piped, name: "standard input") }
    let joined = input.joined(separator: " ")
    if joined.isEmpty || joined == "-" {
      return Input(octets: try InputFile.standardInput(), name: "standard input")
    }
    let isOne = input.count == 1
    let path = NamedFile.path(joined)
    if isOne, FileManager.default.fileExists(atPath: path) {
      return Input(octets: try InputFile.read(path), name: joined)
    }
    if isOne, joined.contains(where: { $0 == "/" || $0 == "." }), HexadecimalRun(wholeText: joined) == nil {
      throw InputError(
        description: "\(joined): there is no such file, and these are not hexadecimal digits", code: .fileNotFound)
    }
    return Input(octets: [UInt8](joined.utf8))
  }

  private func decodedInput(_ piped: [UInt8]?) throws -> Decoded {
    let input = try content(piped)
    do {
      guard input.octets.contains(where: { $0 > 0x20 }) else {
        throw InputError(description: "there is nothing to decode", code: .malformed)
      }
      let value = field.tag == nil ? nil : try [UInt8](typed: String(decoding: input.octets, as: UTF8.self))
      if let node = value.flatMap({ field.node($0, unmasked: unmasked) }) {
        return Decoded(kind: "data element", nodes: [node])
      }
      return try decode(input)
    } catch {
      throw InputError(input.name.map { "\($0): " } ?? "", error)
    }
  }

  private func decode(_ input: Input) throws -> Decoded {
    if let from = field.from { return try decoded(input, as: from.format, isForced: true) }
    let text = String(decoding: input.octets, as: UTF8.self)
    if let kind = field.kind { return try decoded(text, as: kind.kind) }
    let format = try RecordingFormat.recognised(input.octets)
    let isBinary = format.recognisesOctets(input.octets)
    let lines = Self.lines(of: text)
    let single = isBinary ? nil : Result { () throws(OctetsError) in try digits(text) }
    if lines < 2, case .success(let octets)? = single { return try guessed(octets) }
    do {
      return try decoded(input, as: format)
    } catch let error as TranscriptError {
      // Text without a line of a recording was meant as digits.
      let isRecording = text.contains("#") || text.contains("\n") || ![.dump, .bareLines].contains(format)
      guard case .failure(let fault)? = single, !isRecording else {
        throw InputError(description: "\(error)\(Self.tried(input.octets))", code: .transcript)
      }
      throw InputError(description: "\(fault)\(Self.tried(input.octets))", code: .malformed)
    }
  }

  /// A dump has a line for each command and response, so several lines of digits may be an exchange.
  private static func lines(of text: String) -> Int {
    text.utf8.split { $0 == 0x0A || $0 == 0x0D }.count { !$0.allSatisfy { $0 <= 0x20 } }
  }

  /// What the input may have been, for an error.
  private static func tried(_ octets: [UInt8]) -> String {
    if let hint = RecordingFile.hint(octets) { return hint }
    return " (the bytes of one \(DecodedGuess.Kind.known.map(\.rawValue).joined(separator: ", ")), and the recordings "
      + "\(ReadableFormat.allValueStrings.joined(separator: ", ")), were tried; --as and --from set one)"
  }

  private func guessed(_ octets: [UInt8]) throws -> Decoded {
    let guess = DecodedGuess(
      octets, context: try field.context(), unmasked: unmasked, cards: CardFiles.cardNames)
    if guess.kind == .unknown { Console.note("unknown bytes\(Self.tried(octets))") }
    return Decoded(kind: guess.kind.rawValue, others: guess.others.map(\.rawValue), nodes: [guess.node])
  }

  /// Bytes of the kind of `--as`.
  private func decoded(_ text: String, as kind: DecodedGuess.Kind) throws -> Decoded {
    let octets: [UInt8]
    do throws(OctetsError) {
      octets = try digits(text)
    } catch {
      throw InputError(
        description: "read as \(kind.rawValue), which takes the hexadecimal digits of one: \(error)", code: .malformed)
    }
    let guess = DecodedGuess(
      octets, as: kind, context: try field.context(), unmasked: unmasked, cards: CardFiles.cardNames)
    return Decoded(kind: kind.rawValue, isForced: true, nodes: [guess.node])
  }

  private func decoded(_ input: Input, as format: RecordingFormat, isForced: Bool = false) throws -> Decoded {
    let imported: ImportedTranscript
    do throws(TranscriptError) {
      imported = try ImportedTranscript(parsing: input.octets, as: format)
    } catch {
      guard isForced else { throw error }
      throw InputError(description: "read as \(format): \(error)", code: .transcript)
    }
    if isForced, imported.transcript.exchanges.isEmpty {
      throw InputError(description: "read as \(format): no exchange of a recording is in it", code: .transcript)
    }
    let transcript = RecordingFile.report(imported, named: input.name ?? "input")
    return Decoded(
      kind: "transcript", isForced: isForced, nodes: try nodes(of: transcript),
      authentication: try authentication(of: transcript))
  }

  /// The most characters of digits with prefixes and colons; longer text is a recording or a plain dump.
  private static let typedCount = 4_096

  private func digits(_ text: String) throws(OctetsError) -> [UInt8] {
    if let octets = HexadecimalRun(wholeText: text)?.octets { return octets }
    return text.utf8.count <= Self.typedCount ? try [UInt8](typed: text) : try [UInt8](hex: text)
  }

  private func authentication(of transcript: Transcript) throws -> [String] {
    let recorded = RecordedAuthentication(transcript.exchanges.map { ($0.command, $0.response) })
    guard recorded.isPossible else { return [] }
    let profile = try terminal.map(NamedFile.text) ?? transcript[.terminal].map { Array($0.utf8) }
    var authorities = try profile.map { try TerminalConfiguration(json: $0).certificationAuthorities } ?? []
    if terminal == nil { authorities += TestAuthority.keys() }
    let mask = unmasked ? OutputMask() : OutputMask(transcript.cardholderData)
    return recorded.lines(
      authorities, at: try recorded.date ?? transcript.clock?.date ?? TransactionMoment.now().date,
      verdict: transcript[.authentication]
    ).map(mask.masked)
  }

  private func nodes(of transcript: Transcript) throws -> [DecodedNode] {
    var context = try field.context(hiding: unmasked ? CardholderData() : transcript.cardholderData)
    return transcript.exchanges.flatMap { exchange -> [DecodedNode] in
      let command = context.decoded(command: exchange.command, unmasked: unmasked)
      guard let response = exchange.response else { return [command] }
      let answer = context.decoded(response: response, to: exchange.command, unmasked: unmasked)
      context.learn(command: exchange.command, response: response)
      return [command, answer]
    }
  }
}

extension DecodedNode {
  fileprivate var json: JSONObject {
    [
      "label": label, "tag": tag.map(\.description), "text": text.isEmpty ? nil : text, "details": details,
      "parts": children.map(\.json),
    ]
  }
}
