import ArgumentParser
import EMVData
import EMVDecoding
import Foundation
import ISO7816
import Octets
import Transcripts

/// APDU, TLV, ATR, DOL, cryptogram information in words.
struct DecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "APDU, TLV, ATR, DOL and whole transcripts in words.",
    discussion: """
      Takes hexadecimal digits, a file (a transcript, a recording of another tool, or hexadecimal digits) or, without \
      an argument, standard input. Exit codes: 0 decoded; 1 malformed, after showing what is well-formed, or unreadable.
      """)

  @Argument(
    help: ArgumentHelp("Hexadecimal digits or a file; standard input when left out or -.", valueName: "hex|file"),
    completion: .file())
  var input: [String] = []
  @Flag(help: "Show account numbers, track data and names.")
  var unmasked = false
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  private struct Node: Encodable {
    let label: String
    let tag: String?
    let text: String?
    let details: [String]?
    let parts: [Node]?

    init(_ node: DecodedNode) {
      label = node.label
      tag = node.tag.map(\.description)
      text = node.text.isEmpty ? nil : node.text
      details = node.details.isEmpty ? nil : node.details
      parts = node.children.isEmpty ? nil : node.children.map(Node.init)
    }
  }

  private struct Result: Encodable {
    let kind: String
    let decoded: [Node]
  }

  func run() throws {
    let decoded: (kind: String, nodes: [DecodedNode])
    do {
      let content = try content()
      guard content.contains(where: { $0 > 0x20 }) else { throw FileError(description: "there is nothing to decode") }
      decoded = try decode(content)
    } catch {
      throw Console.fail("\(error)")
    }
    switch format {
    case .json: try Console.print(json: Result(kind: decoded.kind, decoded: decoded.nodes.map(Node.init)))
    case .text:
      Console.print("taken for \(decoded.kind)")
      for line in decoded.nodes.flatMap(\.lines) { Console.print(line) }
    }
    if decoded.nodes.contains(where: { $0.fault != nil }) { throw ExitCode.failure }
  }

  /// The argument itself when it is hexadecimal, else a file's content.
  private func content() throws -> [UInt8] {
    let joined = input.joined(separator: " ")
    if joined.isEmpty || joined == "-" {
      return try Files.standardInput()
    }
    let isOne = input.count == 1
    if isOne, FileManager.default.fileExists(atPath: joined) { return try Files.read(joined) }
    if isOne, joined.contains(where: { $0 == "/" || $0 == "." }) {
      throw FileError(description: "\(joined): there is no such file, and these are no hexadecimal digits")
    }
    return [UInt8](joined.utf8)
  }

  private func decode(_ content: [UInt8]) throws -> (String, [DecodedNode]) {
    if TranscriptSyntax.guess(octets: content) == .proxmarkTrace {
      return ("transcript", nodes(of: TranscriptFile.tell(try ImportedTranscript(parsing: content), of: "input")))
    }
    let text = String(decoding: content, as: UTF8.self)
    let faultInHex: OctetsError
    do throws(OctetsError) {
      let octets = try [UInt8](hex: text)
      // One dump line for each command and response: more than one line of digits may be an exchange.
      let lines = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
      if lines.count < 2 {
        let guess = DecodedGuess(octets, unmasked: unmasked)
        return (guess.kind.rawValue, [guess.node])
      }
      faultInHex = OctetsError(.trailing(count: lines.count - 1), at: 0)
    } catch {
      faultInHex = error
    }
    let imported: ImportedTranscript
    do throws(TranscriptError) {
      imported = try ImportedTranscript(parsing: text)
    } catch {
      // Text without a line that looks like a transcript was meant as digits.
      if text.contains("#") || text.contains("\n") || ![.dump, .bareLines].contains(TranscriptSyntax.guess(text)) {
        throw error
      }
      throw faultInHex
    }
    return ("transcript", nodes(of: TranscriptFile.tell(imported, of: "input")))
  }

  private func nodes(of transcript: Transcript) -> [DecodedNode] {
    var context = DecodingContext()
    return transcript.exchanges.flatMap { exchange -> [DecodedNode] in
      let command = context.decoded(command: exchange.command, unmasked: unmasked)
      guard let response = exchange.response else { return [command] }
      let answer = context.decoded(response: response, to: exchange.command, unmasked: unmasked)
      context.learn(command: exchange.command, response: response)
      return [command, answer]
    }
  }
}
