import Foundation
import Octets
import PaymentSupport
import TestSupport
import Testing

/// A payment of a program at a reader of the test.
final class TablePayment {
  let command: TableCommand
  let run: TableRun
  private let reader = SimulatedVPCD()
  private var responses: [String] = []
  /// Whether the program has presented its card.
  private(set) var isPresented = false

  /// The directory, the application, the options with the cryptogram, and the records that complete the payment.
  private static let commands = CardTap.shipped.first { $0.card == "visa-cvn18" }?.commands ?? []
  private static let cryptogramPlace = 2

  /// Starts the program, and waits until its card is at the reader or the program has ended.
  init(_ command: TableCommand, at place: some TablePlace) throws {
    self.command = command
    let (folder, link) = (place.folder(of: command), "vpcd:127.0.0.1:\(reader.port)")
    let (program, arguments): (String, [String]) =
      switch command {
      case .present: ("tap", ["present", "--wallet", folder, "--link", link, "--timeout", "600"])
      case .open:
        (
          "tap-wallet",
          [
            "open", "--state", folder, "--answers",
            try place.file("answers.json", #"{"action": ["pay --link \#(link)", "quit"]}"#),
          ]
        )
      default: ("tap-wallet", [command.rawValue, "--state", folder, "--link", link, "--timeout", "600"])
      }
    run = try place.start(program, arguments + ["--format", "json"] + place.deviceOptions)
    isPresented = reader.accept(of: run.program)
    // A card that gets no request for some seconds gives the reader up. This one asks for its answer to reset.
    if isPresented { _ = reader.exchange([0x04]) }
  }

  /// Switches the field on, and sends the first commands of a tap, with the command that asks for the cryptogram or without.
  func begin(withCryptogram: Bool) {
    reader.powerOn()
    send(Self.commands.prefix(Self.cryptogramPlace + (withCryptogram ? 1 : 0)))
  }

  /// Sends the command that asks for the cryptogram to the stopped process, and lets the process go on.
  func goOnWithCommandWaiting() {
    guard let octets = try? [UInt8](hex: Self.commands[Self.cryptogramPlace]) else { return }
    reader.send(octets)
    run.goOn()
    if let response = reader.receive() { responses.append(response.hex) }
    send(Self.commands.dropFirst(Self.cryptogramPlace + 1))
  }

  /// Sends a whole tap, after a loss of the field when there was one before.
  func tap() {
    reader.powerOff()
    reader.powerOn()
    send(Self.commands[...])
  }

  private func send(_ commands: ArraySlice<String>) { responses += reader.responses(to: Array(commands)) }

  /// Takes the reader away, and waits for the end of the program.
  func result() throws -> TableResult {
    reader.leave()
    return TableResult(end: try run.end(), cryptogramCount: CardTap.cryptograms(in: responses).count)
  }
}
