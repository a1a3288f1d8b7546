import ArgumentParser
import Links
import Octets
import PCSCReader

/// PC/SC readers and the cards in them.
struct ReadersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readers",
    abstract: "PC/SC readers and the cards in them.",
    discussion: "Exit codes: 0 listed, also when there is none; 1 no reader service.")

  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  private struct Line: Encodable {
    let reader: String
    let address: String
    let card: Bool
    let answerToReset: String?
  }

  func run() async throws {
    let readers: [PCSCReaderStatus]
    do {
      readers = try await DedicatedThread(named: "readers") { () throws(LinkError) -> [PCSCReaderStatus] in
        try PCSCService.readers()
      }.value()
    } catch {
      throw Console.fail("\(error)")
    }
    if readers.isEmpty { Console.note("No reader is connected.") }
    for reader in readers { try show(reader) }
  }

  private func show(_ reader: PCSCReaderStatus) throws {
    switch format {
    case .json:
      try Console.print(
        json: Line(
          reader: reader.name, address: "pcsc:\(reader.name)", card: reader.card != nil,
          answerToReset: reader.card.map(\.hex)))
    case .text:
      let card = reader.card.map { "card, ATR \($0.hex)" } ?? "no card"
      let use = reader.isExclusive ? ", in use by another program" : ""
      Console.print("pcsc:\(reader.name)  \(card)\(use)")
    }
  }
}
