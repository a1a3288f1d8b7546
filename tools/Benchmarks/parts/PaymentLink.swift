import EMVCard
import Foundation
import ISO7816
import InstructionCounting
import Links
import Octets
import Synchronization

/// One command of the measured payment.
struct PaymentStep: Sendable {
  let name: String
  let command: [UInt8]

  /// A payment with the profile `mastercard-cvn16`: GENERATE AC derives its session key from the terminal's unpredictable
  /// number and signs 39 octets.
  static let all: [PaymentStep] = [
    PaymentStep(name: "SELECT PPSE", command: [0x00, 0xA4, 0x04, 0x00, 0x0E] + Array("2PAY.SYS.DDF01".utf8) + [0x00]),
    PaymentStep(name: "SELECT AID", command: [0x00, 0xA4, 0x04, 0x00, 0x07, 0xA0, 0, 0, 0, 0x04, 0x10, 0x10, 0x00]),
    PaymentStep(name: "GET PROCESSING OPTIONS", command: [0x80, 0xA8, 0x00, 0x00, 0x02, 0x83, 0x00, 0x00]),
    PaymentStep(name: "READ RECORD 1", command: [0x00, 0xB2, 0x01, 0x14, 0x00]),
    PaymentStep(name: "READ RECORD 2", command: [0x00, 0xB2, 0x02, 0x14, 0x00]),
    PaymentStep(name: generation, command: [0x80, 0xAE, 0x80, 0x00, 0x21] + values + [0x00]),
  ]
  static let generation = "GENERATE AC"

  private static let values: [UInt8] =
    [0, 0, 0, 0, 0x12, 0x34] + [0, 0, 0, 0, 0, 0] + [0x02, 0x76] + [0, 0, 0, 0, 0] + [0x09, 0x78]
    + [0x26, 0x11, 0x21, 0x00] + [0x52, 0xBF, 0x45, 0x85] + [0x22, 0x01, 0x00, 0x02]
}

/// A link that sends the commands of one payment and measures each until its response is there. Its card belongs to a
/// verified session that armed it. The notices that the card sends to the session after a response are counted apart.
final class PaymentLink: EmulationLink {
  /// The number under which the instructions are counted; nil measures the time.
  private let number: Int?
  private let measured = Mutex<[UInt64]>([])

  init(counting number: Int? = nil) { self.number = number }

  /// The nanoseconds of each command.
  var times: [UInt64] { measured.withLock { $0 } }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    let clock = SystemClock()
    var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
    var times: [UInt64] = []
    responder.fieldChanged(.powered, at: clock.now)
    for (index, step) in PaymentStep.all.enumerated() {
      let count: Int
      if let number {
        count = responder.answer(step.command, into: &buffer, counting: "payment \(index) \(number)")
      } else {
        let begun = clock.now.nanoseconds
        count = responder.answer(step.command, into: &buffer)
        times.append(UInt64(clock.now.nanoseconds - begun))
      }
      guard buffer[count - 2] == 0x90, buffer[count - 1] == 0x00 else {
        print("FAILED: \(step.name): the card returned another status word")
        exit(EXIT_FAILURE)
      }
      report(index, of: &responder)
    }
    measured.withLock { $0 = times }
    responder.fieldChanged(.lost, at: clock.now)
  }

  /// Reports that the response to a step has left.
  private func report<Responder: CommandResponder & ~Copyable>(_ index: Int, of responder: inout Responder) {
    guard let number else { return responder.responseSent() }
    let counter = InstructionCounter("after \(index) \(number)")
    responder.responseSent()
    counter.dump()
  }

  /// Counts the instructions of the measurement itself: the calls of a card that does nothing.
  static func countNothing(_ number: Int) {
    var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
    var card = idleCard()
    _ = card.answer([], into: &buffer, counting: "nothing 0 \(number)")
    let counter = InstructionCounter("nothing 1 \(number)")
    card.responseSent()
    counter.dump()
  }

  /// A card of a type that the caller does not know, as the type of a session's card.
  @inline(never)
  private static func idleCard() -> any CommandResponder { IdleCard() }

  private struct IdleCard: CommandResponder {
    mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
      0
    }

    mutating func responseSent() {}

    mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {}
  }

  func stop() {}
}

extension CommandResponder where Self: ~Copyable {
  @inline(never)
  fileprivate mutating func answer(_ command: [UInt8], into buffer: inout [UInt8]) -> Int {
    var elements = buffer.mutableSpan
    var room = elements.mutableBytes
    return respond(to: command.span, at: Instant(nanoseconds: 0), into: &room)
  }

  /// As above, and counts the instructions of the command alone, without those that lend the buffers.
  @inline(never)
  fileprivate mutating func answer(_ command: [UInt8], into buffer: inout [UInt8], counting name: String) -> Int {
    var elements = buffer.mutableSpan
    var room = elements.mutableBytes
    let octets = command.span
    let counter = InstructionCounter(name)
    let count = respond(to: octets, at: Instant(nanoseconds: 0), into: &room)
    counter.dump()
    return count
  }
}
