import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVData
import Foundation
import ISO7816
import JSON
import Octets
import TestSupport
import Testing
import WalletDatabase

/// The process of a wallet is killed before and after each command of a payment with its issuer's response.
@Suite("A wallet that is killed during its issuer's response", .blocks, .timeLimit(.minutes(20)))
struct KilledIssuerTests {
  /// Kernel 2: a second GENERATE AC; kernel 3: a second presentment.
  @Test(arguments: ["mastercard", "visa"])
  func `one use has one cryptogram and what was acknowledged is stored, wherever the process is killed`(
    _ scheme: String
  ) async throws {
    let whole = try KilledPayment(scheme)
    let commands = try whole.run().exchanges
    try #require(commands.count > 6 && commands.last?.command[1] == 0x1E, "\(commands.map(\.command.hex))")
    for (number, exchange) in commands.enumerated() {
      for before in [true, false] {
        let payment = try KilledPayment(scheme)
        let killed = try payment.run(stopAt: number, before: before)
        let place = "\(before ? "before" : "after") command \(number), \(exchange.command.prefix(2).hex)"
        #expect(killed.exchanges.count == number + 1, "\(place)")
        let kept = try await payment.kept()
        // A use that was reserved may be lost with its process, and never more than one.
        let computed = killed.exchanges.contains { $0.counter != nil }
        #expect(computed ? kept.left == 8 : [8, 9].contains(kept.left), "\(place): \(kept.left) payments left")
        let answered = killed.exchanges.filter { $0.response != nil }
        #expect(kept.isWritten || !answered.contains { $0.isAcknowledged(0xDA) }, "\(place)")
        #expect(kept.isBlocked || !answered.contains { $0.isAcknowledged(0x1E) }, "\(place)")
        // What no command has asked for has not happened.
        #expect(!kept.isWritten || killed.exchanges.contains { $0.command[1] == 0xDA }, "\(place)")
        #expect(!kept.isBlocked || killed.exchanges.contains { $0.command[1] == 0x1E }, "\(place)")
        let next = try payment.run()
        let counters = (killed.exchanges + next.exchanges).compactMap(\.counter)
        let (first, second) = (Set(killed.exchanges.compactMap(\.counter)), Set(next.exchanges.compactMap(\.counter)))
        #expect(first.isDisjoint(with: second) && first.count <= 1 && second.count <= 1, "\(place): \(counters)")
        #expect(counters == counters.sorted(), "\(place)")
        #expect(next.outcome == (kept.isBlocked ? "endApplication" : "approved"), "\(place)")
      }
    }
  }
}

/// A wallet with one card, and the journal of the processes that pay with it.
private struct KilledPayment {
  struct Exchange {
    let command: [UInt8]
    /// Nil for a command during which the process was killed.
    var response: [UInt8]?

    /// The counter of a cryptogram; nil for another response.
    var counter: UInt16? {
      guard let response, response.suffix(2).elementsEqual([0x90, 0x00]), [0xA8, 0xAE].contains(command[1]),
        let nodes = try? [TLVNode](parsing: Array(response.dropLast(2)).span), let node = nodes.first
      else { return nil }
      if node.tag == Tag(rawValue: 0x80) {
        return command[1] == 0xAE ? UInt16(node.value[1]) << 8 | UInt16(node.value[2]) : nil
      }
      guard let value = node.first(0x9F36)?.value else { return nil }
      return UInt16(value[0]) << 8 | UInt16(value[1])
    }

    /// Whether the card acknowledged a command of the issuer.
    func isAcknowledged(_ instruction: UInt8) -> Bool { command[1] == instruction && response == [0x90, 0x00] }
  }

  let scratch: Scratch

  init(_ scheme: String) throws {
    scratch = try Scratch()
    try StoredDevice(path: scratch.path("device")).apply([.setPasscode, .enrolBiometric])
    let made = try TapProgram.run("card", "new", "--scheme", scheme, "--issuer-response")
    var profile = try CardProfile(json: Array(made.output.utf8))
    profile.applications[0].getData = ["9F58 01"]
    profile.applications[0].schemeKeys["scripts"] = ["putData": ["9F58"]]
    _ = try scratch.write("card.json", String(decoding: profile.json, as: UTF8.self))
  }

  /// Pays in a process of its own. Returns the outcome, empty for a process that was killed.
  func run(stopAt: Int? = nil, before: Bool = false) throws -> (outcome: String, exchanges: [Exchange]) {
    let path = URL(filePath: TapProgram.path).deletingLastPathComponent().appending(path: "wallet-exercise").path
    let journal = scratch.path("journal")
    try? FileManager.default.removeItem(atPath: journal)
    let stop = stopAt.map { ["--stop-at", "\($0)"] + (before ? ["--before"] : []) } ?? []
    let program = try ProgramRun(
      path,
      [
        "issuer", "--wallet", scratch.path("wallet"), "--device", scratch.path("device"), "--card",
        scratch.path("card.json"), "--journal", journal,
      ] + stop)
    if stopAt == nil {
      #expect(try program.finish(timeout: .seconds(120)) == .exited(0), "\(program.errors)")
    } else {
      let isStopped = program.wait(timeout: .seconds(120)) { _ in
        (FileManager.default.contents(atPath: journal) ?? Data()).suffix(8) == Data("stopped\n".utf8)
      }
      #expect(isStopped, "\(program.output)\(program.errors)")
      program.signal(SIGKILL)
      _ = try program.finish(timeout: .seconds(60))
    }
    return (program.output.trimmingCharacters(in: .newlines), try exchanges(journal))
  }

  private func exchanges(_ journal: String) throws -> [Exchange] {
    var exchanges: [Exchange] = []
    for line in String(decoding: FileManager.default.contents(atPath: journal) ?? Data(), as: UTF8.self).split(
      separator: "\n")
    {
      let words = line.split(separator: " ").map(String.init)
      switch words[0] {
      case "send": exchanges.append(Exchange(command: try [UInt8](hex: words[1])))
      case "receive": exchanges[exchanges.count - 1].response = try [UInt8](hex: words[1])
      default: break
      }
    }
    return exchanges
  }

  /// What the store has kept: the payments left, whether tag 9F58 was written, whether the application is blocked.
  func kept() async throws -> (left: Int, isWritten: Bool, isBlocked: Bool) {
    let store = try SQLiteWalletStore(directory: scratch.path("wallet"))
    let binding = try #require(try store.binding())
    try store.unlock(with: await StoredDevice(path: scratch.path("device")).ports.keys.unseal(binding.key.identifier))
    let card = try #require(try store.cards().first)
    let state = card.cardState.applications[0]
    return (card.paymentsLeft, state.data[0x9F58] == [7], state.isBlocked)
  }
}
