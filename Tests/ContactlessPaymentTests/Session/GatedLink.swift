import Dispatch
import ISO7816
import Links
import Octets
import Synchronization

/// A terminal behind a link of its own, whose commands wait in two parts for the test, and which ignores `stop()`: the
/// card stays in its field until both parts were sent. Stamps every command with the instant 0.
final class GatedLink: EmulationLink {
  private let parts: [[String]]
  private let gates: [DispatchSemaphore]
  private let ends: [DispatchSemaphore]
  private let received = Mutex<[String]>([])

  init(_ first: [String], _ second: [String]) {
    parts = [first, second]
    gates = parts.map { _ in DispatchSemaphore(value: 0) }
    ends = parts.map { _ in DispatchSemaphore(value: 0) }
  }

  var responses: [String] { received.withLock(\.self) }

  /// Sends the commands of a part and waits for their responses.
  func send(_ part: Int) async {
    gates[part].signal()
    await DedicatedThread(named: "wait") { [ends] in ends[part].wait() }.value()
  }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    let instant = Instant(nanoseconds: 0)
    responder.fieldChanged(.powered, at: instant)
    for (part, commands) in parts.enumerated() {
      gates[part].wait()
      for command in commands {
        let octets = (try? [UInt8](hex: command)) ?? []
        var room = [UInt8](repeating: 0, count: shortResponseCapacity)
        let count = room.withMutableOctets { responder.respond(to: octets.span, at: instant, into: &$0) }
        responder.responseSent()
        received.withLock { $0.append(Array(room[..<count]).hex) }
      }
      ends[part].signal()
    }
    responder.fieldChanged(.lost, at: instant)
  }

  func stop() {}
}
