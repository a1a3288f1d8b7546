import CardEmulation
import ISO7816
import Links
import Octets
import TestSupport
import Testing

/// A session whose events a test reads one by one.
final class Emulation: @unchecked Sendable {
  // @unchecked: a test reads the events from one task at a time.
  let session: CardEmulationSession
  private var iterator: AsyncStream<CardEmulationSession.Event>.AsyncIterator
  private(set) var names: [String] = []
  private(set) var apdu: ReceivedAPDU?

  init(_ session: CardEmulationSession) {
    self.session = session
    iterator = session.events.makeAsyncIterator()
  }

  @discardableResult
  func next() async -> String? {
    apdu = nil
    guard let event = await iterator.next(isolation: nil) else { return nil }
    let name: String
    switch event {
    case .sessionStarted: name = "started"
    case .readerDetected: name = "detected"
    case .received(let received):
      apdu = received
      name = "received"
    case .readerDeselected(let reason): name = "deselected \(reason.rawValue)"
    case .sessionInvalidated(let error): name = "invalidated \(error.code)"
    }
    names.append(name)
    return name
  }

  func next(_ count: Int) async -> [String] {
    for _ in 0..<count { await next() }
    return names.suffix(count)
  }

  /// Releases the APDU that was received last.
  func drop() { apdu = nil }

  func drain() async -> [String] {
    while await next() != nil {}
    return names
  }
}

/// Sends commands on a thread of its own and closes the channel.
func tap(_ commands: [String], at loopback: Loopback) throws -> DedicatedThread<[String], LinkError> {
  let octets = try commands.map { try [UInt8](hex: $0) }
  return DedicatedThread(named: "terminal") { () throws(LinkError) in
    var channel = try loopback.connect(timeout: .seconds(600))
    var answers: [String] = []
    for command in octets {
      var buffer = [UInt8](repeating: 0, count: ResponseAPDU.maximumCount)
      let count = try buffer.withMutableOctets { (room) throws(LinkError) in
        try channel.transmit(command.span, into: &room)
      }
      answers.append(Array(buffer[..<count]).hex)
    }
    channel.close()
    return answers
  }
}

/// A loopback that can fail as other links do, and reports whether it is being served.
final class FallibleLink: EmulationLink {
  private let base: Loopback
  private let failure: LinkError.Code?
  private let (ends, teller) = AsyncStream<Void>.makeStream()

  init(_ base: Loopback, _ failure: LinkError.Code? = nil) {
    self.base = base
    self.failure = failure
  }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    defer { teller.finish() }
    try base.serve(&responder)
    if let failure { throw LinkError(failure, "lost") }
  }

  func stop() { base.stop() }

  func ended() async { for await _ in ends {} }
}
