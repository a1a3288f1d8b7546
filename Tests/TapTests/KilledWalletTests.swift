import ContactlessPayment
import Foundation
import Octets
import TestSupport
import Testing
import WalletDatabase

@Suite("A wallet whose process is killed")
struct KilledWalletTests {
  static let rounds = 25
  static let uses = 100

  /// Only what a process said before it was killed can be known, so a payment in flight may be lost, never repeated.
  @Test("the store opens every time, no counter is used twice, and at most the payment in flight is lost")
  func killed() throws {
    let scratch = try Scratch()
    let folder = scratch.path("wallet")
    let added = try TapProgram.run(
      "wallet", "add", "--wallet", folder, "--card", TapProgram.card("visa-cvn18"), "--uses", "\(Self.uses)")
    #expect(added.code == 0, "\(added.errors)")
    var generator = SplitMix64(seed: 20)
    var (counters, left): ([Int], Int) = ([], Self.uses)
    for round in 1...Self.rounds {
      let program = try TapProgram.start([
        "present", "--link", "loopback", "--wallet", folder, "--format", "json",
      ])
      usleep(UInt32.random(in: 0...150_000, using: &generator))
      program.signal(SIGKILL)
      _ = try program.finish(timeout: .seconds(10))
      let completed = try Self.counters(program.output)
      counters += completed
      let cards = try SQLiteWalletStore(directory: folder).cards()
      #expect(cards.map(\.id).count == 1)
      let taken = left - cards[0].paymentsLeft
      #expect(taken == 1 || taken == 0 && completed.isEmpty, "round \(round): \(taken) uses for \(completed)")
      left = cards[0].paymentsLeft
    }
    #expect(counters == Set(counters).sorted())
    // The next counter is above every use that was taken, paid with or not.
    let last = try Self.counters(
      TapProgram.run("present", "--link", "loopback", "--wallet", folder, "--format", "json").output)
    #expect(last == [Self.uses - left + 1])
  }

  private static func counters(_ output: String) throws -> [Int] {
    // A line without its end was cut off by the kill.
    try output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["transactionCounter"] as? Int
    }
  }
}
