import EMVCard
import Foundation
import ISO7816
import Links
import Octets
import Synchronization

/// A link on which a card waits in its field, so that many armed sessions are alive at the same time, and then answers
/// commands on its own thread.
final class ServingLink: EmulationLink {
  private let ready = DispatchSemaphore(value: 0)
  private let start = DispatchSemaphore(value: 0)
  private let rounds: Int
  private let elapsed = Mutex(0.0)

  /// Creates a link.
  ///
  /// - Parameter rounds: How often the commands are sent.
  init(rounds: Int) { self.rounds = rounds }

  /// The nanoseconds of all commands.
  var nanoseconds: Double { elapsed.withLock { $0 } }

  /// Blocks until the card is in its field and was selected.
  func waitUntilReady() { ready.wait() }

  /// Lets the card answer the commands and leave.
  func go() { start.signal() }

  func stop() {}

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    let clock = SystemClock()
    var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
    let directory: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x0E] + Array("2PAY.SYS.DDF01".utf8) + [0x00]
    responder.fieldChanged(.powered, at: clock.now)
    Self.send(directory, to: &responder, &buffer)
    ready.signal()
    start.wait()
    let begun = clock.now.nanoseconds
    var round = 0
    while round < rounds {
      Self.send(directory, to: &responder, &buffer)
      round &+= 1
    }
    let time = Double(clock.now.nanoseconds - begun)
    elapsed.withLock { $0 = time }
    responder.fieldChanged(.lost, at: clock.now)
  }

  @inline(never)
  private static func send<Responder: CommandResponder & ~Copyable>(
    _ command: [UInt8], to responder: inout Responder, _ buffer: inout [UInt8]
  ) {
    var elements = buffer.mutableSpan
    var room = elements.mutableBytes
    let count = responder.respond(to: command.span, at: Instant(nanoseconds: 0), into: &room)
    guard count > 2, buffer[count - 2] == 0x90 else {
      print("FAILED: the card returned another status word")
      exit(EXIT_FAILURE)
    }
    responder.responseSent()
  }
}
