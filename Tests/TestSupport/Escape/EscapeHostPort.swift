import Links
import Octets
import POSIX
import ReaderSimulator
import Synchronization

/// What other threads may read of a reader while it runs.
final class EscapeReaderStatus: Sendable {
  /// The PICC operating parameter: the card types for which the reader polls by itself.
  let operatingParameter = Atomic<UInt8>(0xFF)
}

/// One reader: its socket, its microcontroller, and the time limits of driver and reader for one command.
final class EscapeHostPort: HostPort, @unchecked Sendable {
  // @unchecked: only the thread that runs the field uses it.
  let path: String
  let status = EscapeReaderStatus()
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

  var descriptors: [Int32] { [socket.listener.number, socket.connection] }

  func remainingTime(at instant: Instant) -> Duration? {
    guard port.escape.isWaiting else { return nil }
    return [deadlines.driver, deadlines.reader].compactMap(\.self).min().map { max($0 - instant, .zero) }
  }

  func send(_ octets: [UInt8]) {
    if let answer = port.answer(octets) { socket.send(answer) }
  }

  func receive(_ ready: [Int32], at instant: Instant) -> [HostInput] {
    endOverdueCommand(at: instant)
    var commands: [HostInput] = []
    if ready.contains(socket.connection) {
      if let octets = socket.receive() { commands = take(octets, at: instant) } else { port.close() }
    }
    if ready.contains(socket.listener.number), socket.accept() { port.close() }
    return commands
  }

  private func endOverdueCommand(at instant: Instant) {
    if port.escape.isWaiting, let due = deadlines.driver, due <= instant { socket.send(port.endByDriver()) }
    if port.escape.isWaiting, let due = deadlines.reader, due <= instant { socket.send(port.endByReader()) }
  }

  private func take(_ octets: [UInt8], at instant: Instant) -> [HostInput] {
    let steps = port.receive(octets)
    // Before the response is sent, so that a driver that has its response also sees the new value.
    status.operatingParameter.store(port.escape.operatingParameter, ordering: .releasing)
    return steps.compactMap { step in
      switch step {
      case .send(let answer):
        socket.send(answer)
        return nil
      case .command(let command):
        deadlines = (driverTimeout.map { instant + $0 }, port.escape.chipTimeout.map { instant + timing.waiting($0) })
        return .octets(command)
      }
    }
  }
}
