import CAllocationCounter
import ContactlessPayment
import Foundation
import ISO7816
import Links
import MeasuredSession
import Octets
import Synchronization

/// Counts what 10,000 taps of a signing card allocate while the card answers, and measures its signatures.
enum SigningAllocations {
  static let taps = 10_000
  /// Card, commands of a tap, and the position of the one that the card signs.
  private static let cards: [(name: String, commands: [String])] = [
    (
      "visa-fdda",
      [
        "00A4040007F000000001101000",
        "80A8000023832136004000000000001234000000000000027600000000000978261121" + "00" + "52BF4585" + "00",
      ]
    ),
    (
      "mastercard-cda",
      [
        "00A4040007F000000001101000", "80A8000002830000", "80EA00000452BF458500",
        "80AE900021" + "000000001234" + "000000000000" + "0276" + "0000000000" + "0978" + "261121" + "00" + "52BF4585"
          + "22" + "010002" + "00",
      ]
    ),
  ]

  /// Prints the counts and the times. Returns whether nothing was allocated.
  static func measure() async throws -> Bool {
    print("\(taps) taps of a card that signs: heap allocations while it answers; time of the signature")
    var isClean = true
    for card in cards {
      let image = try MeasuredSession.image(card.name)
      let wallet = try await MeasuredSession.wallet(image, uses: taps)
      let link = SigningLink(try card.commands.map { try [UInt8](hex: $0) })
      for _ in 0..<taps { try await MeasuredSession.serve(wallet, on: link) { true } }
      let times = link.times.sorted()
      let (median, last) = (times[times.count / 2], times[times.count * 99 / 100])
      print("  \(card.name): \(link.allocations), median \(median / 1_000) us, p99 \(last / 1_000) us")
      isClean = isClean && link.allocations == 0 && times.count == taps
    }
    return isClean
  }
}

/// A link that takes one signature from each card it serves.
private final class SigningLink: EmulationLink {
  private let commands: [[UInt8]]
  private let state = Mutex<(allocations: UInt64, times: [Int64])>((0, []))

  init(_ commands: [[UInt8]]) {
    self.commands = commands
    state.withLock { $0.times.reserveCapacity(SigningAllocations.taps) }
  }

  /// The heap allocations of all taps.
  var allocations: UInt64 { state.withLock(\.allocations) }
  /// How long each signature took, in nanoseconds.
  var times: [Int64] { state.withLock(\.times) }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    let clock = SystemClock()
    var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
    responder.fieldChanged(.powered, at: clock.now)
    var (index, duration, count, allocations) = (0, Duration.zero, 0, UInt64(0))
    while index < commands.count {
      let (command, before, instant) = (commands[index], thread_allocation_count(), clock.now)
      count = buffer.withMutableOctets { responder.respond(to: command.span, at: instant, into: &$0) }
      duration = clock.now - instant
      allocations += thread_allocation_count() - before
      guard count > 2, buffer[count - 2] == 0x90, buffer[count - 1] == 0x00 else {
        print("FAILED: command \(index + 1) of a signing card: another status word than 9000")
        exit(EXIT_FAILURE)
      }
      // The notices to the session leave after the response.
      responder.responseSent()
      index += 1
    }
    // A response without a signature is shorter than the modulus of 112 bytes.
    guard count > 112 else { preconditionFailure("the last command of a tap is signed") }
    state.withLock { state in
      state.allocations += allocations
      state.times.append(duration.nanoseconds)
    }
    // A card with records left to read ends with its session.
    responder.fieldChanged(.lost, at: clock.now)
  }

  func stop() {}
}
