internal import Links
internal import Octets
internal import Synchronization

/// What everybody may know of a reader: which cards it looks for by itself.
final class EscapeReaderStatus: Sendable {
  let operatingParameter = Atomic<UInt8>(0xFF)
}

/// One reader: its socket, its microcontroller, and when each side of it loses patience.
final class EscapeHostPort: HostPort, @unchecked Sendable {
  // @unchecked: only the thread that runs the field uses it.
  let path: String
  let notice = EscapeReaderStatus()
  private var socket: EscapeSocket
  private var port: EscapePort
  private let driverTimeout: Duration?
  private let timing: FieldTiming
  private var deadlines: (driver: Instant?, reader: Instant?)

  init(_ path: String, announces: Bool, driverTimeout: Duration?, timing: FieldTiming) throws(LinkError) {
    self.path = path
    socket = try EscapeSocket(at: path)
    port = EscapePort(announces: announces)
    self.driverTimeout = driverTimeout
    self.timing = timing
  }

  var descriptors: [Int32] { [socket.listener, socket.connection] }

  func rest(at instant: Instant) -> Duration? {
    guard port.isWaiting else { return nil }
    return [deadlines.driver, deadlines.reader].compactMap(\.self).min().map { max($0 - instant, .zero) }
  }

  func send(_ octets: [UInt8]) {
    if let answer = port.answer(octets) { socket.send(answer) }
  }

  func receive(_ ready: [Int32], at instant: Instant) -> [[UInt8]] {
    losePatience(at: instant)
    var commands: [[UInt8]] = []
    if ready.contains(socket.connection) {
      if let octets = socket.receive() { commands = take(octets, at: instant) } else { port.hangUp() }
    }
    if ready.contains(socket.listener), socket.accept() { port.hangUp() }
    return commands
  }

  private func losePatience(at instant: Instant) {
    if port.isWaiting, let due = deadlines.driver, due <= instant { socket.send(port.timeOut()) }
    if port.isWaiting, let due = deadlines.reader, due <= instant { socket.send(port.giveUp()) }
  }

  private func take(_ octets: [UInt8], at instant: Instant) -> [[UInt8]] {
    let steps = port.receive(octets)
    // Before the driver hears of it.
    notice.operatingParameter.store(port.operatingParameter, ordering: .releasing)
    return steps.compactMap { step in
      switch step {
      case .send(let answer):
        socket.send(answer)
        return nil
      case .command(let command):
        deadlines = (driverTimeout.map { instant + $0 }, port.patience.map { instant + timing.waiting($0) })
        return command
      }
    }
  }
}
