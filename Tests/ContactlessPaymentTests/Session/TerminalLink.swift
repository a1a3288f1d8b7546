import ISO7816
import Links
import Octets
import Synchronization

/// A terminal that a test writes as a function, behind a link of its own.
final class TerminalLink: EmulationLink {
  /// What a terminal does next.
  enum Action {
    /// Sends a command and receives its response.
    case command([UInt8])
    /// Sends a command, and leaves before it has its response.
    case lose([UInt8])
    case field(FieldEvent)
  }

  private let act: @Sendable ((Action) -> [UInt8]) throws -> Void
  private let failure = Mutex<(any Error)?>(nil)

  init(_ act: @escaping @Sendable ((Action) -> [UInt8]) throws -> Void) { self.act = act }

  /// The error of the terminal's function.
  var error: (any Error)? { failure.withLock { $0 } }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    let instant = Instant(nanoseconds: 0)
    responder.fieldChanged(.powered, at: instant)
    do {
      try act { action in
        var room = [UInt8](repeating: 0, count: shortResponseCapacity)
        var count = 0
        switch action {
        case .command(let octets):
          count = room.withMutableOctets { responder.respond(to: octets.span, at: instant, into: &$0) }
          responder.responseSent()
        case .lose(let octets):
          _ = room.withMutableOctets { responder.respond(to: octets.span, at: instant, into: &$0) }
          responder.fieldChanged(.lost, at: instant)
        case .field(let event): responder.fieldChanged(event, at: instant)
        }
        return Array(room[..<count])
      }
    } catch { failure.withLock { $0 = error } }
    responder.fieldChanged(.lost, at: instant)
  }

  func stop() {}
}
