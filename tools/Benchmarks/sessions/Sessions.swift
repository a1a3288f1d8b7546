import CHeapSize
import ContactlessPayment
import EMVCard
import Foundation
import MeasuredSession

/// Measures many cards and sessions on one image: the memory of each, the instructions of a command with one card and with
/// 10 000, and two links on two threads. Fails when a memory or a count exceeds its limit; times never fail.
@main
struct Sessions {
  static let countingArgument = "--count"
  /// The heap of an armed session beyond its image and its wallet, in octets, with its card, its tasks, its link and its
  /// thread: 21 KiB.
  static let heapLimit = 21_504
  /// The heap of a card beyond its image, in octets, without a session.
  static let cardLimit = 2_624
  /// How many more instructions a command may take with 10 000 cards than with one, as a share.
  static let instructionLimit = 0.01
  static let sessions = [50, 550]
  static let rounds = 1_000_000

  // WORKAROUND: valgrind 3.19 ends a program whose main function is asynchronous. So this one waits on a semaphore.
  static func main() throws {
    let image = try MeasuredSession.image("mastercard-cvn16")
    if CommandLine.arguments.contains(countingArgument) {
      for size in CardRow.sizes { CardRow(of: image, count: size).count(as: "\(size)") }
      return
    }
    let ended = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        guard try await measure(image) else { exit(EXIT_FAILURE) }
      } catch {
        print("FAILED: \(error)")
        exit(EXIT_FAILURE)
      }
      ended.signal()
    }
    ended.wait()
  }

  private static func measure(_ image: CardImage) async throws -> Bool {
    let before = heap_size()
    let row = CardRow(of: image, count: CardRow.sizes[1])
    row.pass()
    let card = (Int(heap_size()) - Int(before)) / CardRow.sizes[1]
    print("heap of a card beyond its image, \(CardRow.sizes[1]) cards: \(card) bytes")
    let heap = try await heap(image)
    print("heap of a wallet with its simulated device and one card: \(heap.wallet) bytes")
    print("heap of an armed session beyond its image and its wallet: \(heap.session) bytes")
    let counts = try CardRow.instructions(image)
    print("instructions of a command: \(counts[0]) with 1 card, \(counts[1]) with \(CardRow.sizes[1])")
    let alone = try await nanoseconds(of: 1, image)
    let together = try await nanoseconds(of: 2, image)
    print(
      "SELECT PPSE on 1 link: \(text(alone)) ns; on 2 links at the same time: \(text(together)) ns each, "
        + "\(text(2 * alone / together)) times the commands")
    var isWithin = true
    if card > cardLimit {
      print("FAILED: a card takes more than \(cardLimit) bytes")
      isWithin = false
    }
    if heap.session > heapLimit {
      print("FAILED: an armed session takes more than \(heapLimit) bytes")
      isWithin = false
    }
    if counts[1] > counts[0] * (1 + instructionLimit) {
      print("FAILED: a command takes more instructions with more cards on the image")
      isWithin = false
    }
    return isWithin
  }

  private static func text(_ number: Double) -> String { String(format: "%.1f", number) }

  /// Serves armed cards on links of their own, calls a function while all are in their fields, and lets them leave.
  private static func serve(
    _ links: [ServingLink], _ wallets: [Wallet], whileReady body: () -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (link, wallet) in zip(links, wallets) {
        group.addTask { try await MeasuredSession.serve(wallet, on: link) { true } }
        await Task.detached { link.waitUntilReady() }.value
      }
      body()
      for link in links { link.go() }
      try await group.waitForAll()
    }
  }

  private static func wallets(_ count: Int, _ image: CardImage) async throws -> [Wallet] {
    var wallets: [Wallet] = []
    for _ in 0..<count { wallets.append(try await MeasuredSession.wallet(image)) }
    return wallets
  }

  /// The heap of one wallet, and of one armed session: differences of two numbers of them.
  private static func heap(_ image: CardImage) async throws -> (wallet: Int, session: Int) {
    var (ofWallets, ofSessions): ([Int], [Int]) = ([], [])
    for count in sessions {
      let begun = heap_size()
      let wallets = try await wallets(count, image)
      let links = (0..<count).map { _ in ServingLink(rounds: 0) }
      let before = heap_size()
      ofWallets.append(Int(before) - Int(begun))
      try await serve(links, wallets) { ofSessions.append(Int(heap_size()) - Int(before)) }
    }
    let more = sessions[1] - sessions[0]
    return ((ofWallets[1] - ofWallets[0]) / more, (ofSessions[1] - ofSessions[0]) / more)
  }

  /// The nanoseconds of a command while several links are served, the longest of them.
  private static func nanoseconds(of count: Int, _ image: CardImage) async throws -> Double {
    var least = Double.infinity
    for _ in 0..<5 {
      let links = (0..<count).map { _ in ServingLink(rounds: rounds) }
      try await serve(links, try await wallets(count, image)) {}
      least = min(least, (links.map(\.nanoseconds).max() ?? 0) / Double(rounds))
    }
    return least
  }
}
