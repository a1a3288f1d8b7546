import ArgumentParser
import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVData
import EMVIssuer
import EMVTerminal
import Fixtures
import Foundation
import ISO7816
import Links
import Octets
import PaymentAcceptance
import PaymentSimulation
import WalletDatabase

/// Pays once with a card that takes its issuer's response, and stops at a command until it is killed. `KilledIssuerTests`
/// kills this program and compares the wallet with the journal.
struct IssuerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "issuer", abstract: "Pay once, and stop before or after a command of the terminal.")

  @OptionGroup var options: ExerciseOptions
  @Option(help: "The profile of a card with one application that takes its issuer's response.")
  var card: String
  @Option(help: "The file to which every command is written.")
  var journal: String
  @Option(help: "The number of the command at which the program stops, from 0; it stops nowhere when left out.")
  var stopAt: Int?
  @Flag(help: "Stop before the command is sent, not after its response.")
  var before = false

  func run() async throws {
    let image = try CardImage(json: [UInt8](Data(contentsOf: URL(filePath: card))))
    let store = try SQLiteWalletStore(directory: options.wallet)
    let wallet = Wallet(store: store, device: try StoredDevice(path: options.device).ports)
    try await wallet.configure(options.policy)
    if try store.cards().isEmpty {
      let provisioning = TestIssuerProvisioning(uses: 9)
      try await wallet.add("card", image, keys: provisioning.keys(for: image))
    }
    let terminal = PaymentAcceptance(
      configuration: try TerminalConfiguration(json: [UInt8](Fixtures.data("Terminals/issuer-response.json"))),
      host: host(image))
    let request = try PaymentOrder(amount: "12.34", currency: "EUR").request(at: terminal.configuration)
    let log = CommandLog(try Journal(path: journal), stopAt: stopAt, before: before)
    let loopback = Loopback()
    let session = try await CardPresentation(wallet: wallet).present(on: loopback)
    let result = await DedicatedThread(named: "terminal") {
      var field = PoweredField { timeout throws(LinkError) in
        LoggedChannel(try loopback.connect(timeout: timeout), log)
      }
      return terminal.result(of: request, at: &field)
    }.value()
    loopback.stop()
    await session.finished()
    switch result {
    case .success(let receipt): print("\(receipt.outcome.kind)")
    case .failure(let failure): print("\(failure)")
    }
  }

  /// Before the second cryptogram the issuer writes tag 9F58, after it the issuer blocks the application. The card of a
  /// second presentment gets both in one.
  private func host(_ image: CardImage) -> TestIssuerHost {
    let host = TestIssuerHost(knowing: [image])
    let application = image.applications[0]
    for (moment, command) in [
      (ScriptOrder.Moment.beforeSecondCryptogram, ScriptCommand.putData(0x9F58, [7])),
      (.afterSecondCryptogram, .blockApplication),
    ] {
      host.order(
        ScriptOrder(moment, identifier: 7, [command]), accountNumber: application.accountNumber,
        sequenceNumber: application.sequenceNumber)
    }
    return host
  }
}

/// The commands of all presentments.
private final class CommandLog: @unchecked Sendable {
  // @unchecked: only the thread of the terminal uses it.
  private let journal: Journal
  private let stopAt: Int?
  private let before: Bool
  private var number = 0

  init(_ journal: Journal, stopAt: Int?, before: Bool) {
    (self.journal, self.stopAt, self.before) = (journal, stopAt, before)
  }

  func send(_ command: [UInt8]) {
    journal.write("send \(command.hex)")
    if stopAt == number, before { stop() }
  }

  func receive(_ response: [UInt8]) {
    journal.write("receive \(response.hex)")
    if stopAt == number, !before { stop() }
    number += 1
  }

  /// Waits to be killed.
  private func stop() {
    journal.write("stopped")
    while true { sleep(3600) }
  }
}

/// A channel that writes what it exchanges.
private struct LoggedChannel: CardChannel, ~Copyable {
  private var base: LoopbackChannel
  private let log: CommandLog

  init(_ base: consuming LoopbackChannel, _ log: CommandLog) {
    self.base = base
    self.log = log
  }

  var identity: CardIdentity { base.identity }

  mutating func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) throws(LinkError) -> Int {
    log.send(command.array)
    let count = try base.transmit(command, into: &response)
    log.receive((0..<count).map { response.bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) })
    return count
  }

  mutating func close() { base.close() }
}
