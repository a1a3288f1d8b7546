import ArgumentParser
import Links
import NFCReader
import Octets
import PCSCReader

/// PC/SC readers with the cards in them, and the devices that libnfc finds.
struct ReadersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readers",
    abstract: "PC/SC readers with the cards in them, and NFC devices of libnfc.",
    discussion: """
      libnfc finds USB devices by itself, and serial ones only where its configuration or LIBNFC_DEVICE names them. \
      Exit codes: 0 listed, also when there is none; 1 no reader service.
      """)

  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  private struct Line: Encodable {
    let reader: String
    let address: String
    /// libnfc does not tell before the device is used.
    let card: Bool?
    let answerToReset: String?
  }

  func run() async throws {
    let devices = DedicatedThread(named: "nfc") { () throws(LinkError) in try NFCDevice.connstrings() }
    let service = DedicatedThread(named: "readers") { () throws(LinkError) in try PCSCService.readers() }
    var count = 0
    do {
      for connstring in try await devices.value() {
        count += 1
        try show(connstring)
      }
    } catch let error as LinkError {
      Console.note("NFC devices are not listed: \(error)")
    }
    do {
      let readers = try await service.value()
      if readers.isEmpty, count == 0 { Console.note("No reader is connected.") }
      for reader in readers { try show(reader) }
    } catch let error as LinkError {
      throw Console.fail("\(error)")
    }
  }

  private func show(_ connstring: String) throws {
    switch format {
    case .json:
      try Console.print(json: Line(reader: connstring, address: "nfc:\(connstring)", card: nil, answerToReset: nil))
    case .text: Console.print("nfc:\(connstring)")
    }
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
