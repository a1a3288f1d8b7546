internal import Links
internal import Octets
internal import Synchronization

/// What everybody may know of a reader: which cards it looks for by itself.
final class EscapeNotice: Sendable {
  let operatingParameter = Atomic<UInt8>(0xFF)
}

/// One reader: its socket, its microcontroller, and when each side of it loses patience. Used by one thread at a time:
/// the one that runs the field.
final class EscapeDesk: @unchecked Sendable {
  // @unchecked: EscapeReader hands it to the thread that serves, and nobody else uses it.
  private var socket: EscapeSocket
  private var port: EscapePort
  private let notice: EscapeNotice
  private let driverPatience: Duration?
  private let timing: FieldTiming
  private var deadlines: (driver: Instant?, reader: Instant?)

  init(
    _ path: String, _ notice: EscapeNotice, announces: Bool, driverPatience: Duration?, timing: FieldTiming
  ) throws(LinkError) {
    socket = try EscapeSocket(at: path)
    self.notice = notice
    port = EscapePort(announces: announces)
    self.driverPatience = driverPatience
    self.timing = timing
  }

  /// What to poll: a driver that calls, and one that speaks.
  var descriptors: [Int32] { socket.descriptors }

  /// How long nothing happens without the driver and the chip; nil is for ever.
  func rest(at instant: Instant) -> Duration? {
    guard port.isWaiting else { return nil }
    return [deadlines.driver, deadlines.reader].compactMap(\.self).min().map { max($0 - instant, .zero) }
  }

  /// The chip has answered.
  func answer(_ octets: [UInt8]) {
    if let answer = port.answer(octets) { socket.send(answer) }
  }

  /// Does what is due, and takes what came from the driver.
  ///
  /// - Returns: The commands for the chip.
  func attend(calls: Bool, speaks: Bool, at instant: Instant) -> [[UInt8]] {
    if port.isWaiting {
      if let due = deadlines.driver, due <= instant { socket.send(port.timeOut()) }
      if port.isWaiting, let due = deadlines.reader, due <= instant { socket.send(port.giveUp()) }
    }
    var commands: [[UInt8]] = []
    if speaks, let octets = socket.receive() {
      commands = take(octets, at: instant)
    } else if speaks {
      port.hangUp()
    }
    if calls, socket.accept() { port.hangUp() }
    return commands
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
        deadlines = (driverPatience.map { instant + $0 }, port.patience.map { instant + timing.waiting($0) })
        return command
      }
    }
  }
}
