internal import ISO7816
internal import Links
internal import Octets

/// One run of a field in real time: what a thread holds while it serves.
struct FieldRun: ~Copyable {
  private var field: SimulatedField
  private let hosts: [any HostPort]
  private let clock: any MonotonicClock
  private var room = [UInt8](repeating: 0, count: ResponseAPDU.maximumCount)
  private var isPowered = false

  init(field: SimulatedField, hosts: [any HostPort], clock: any MonotonicClock) {
    self.field = field
    self.hosts = hosts
    self.clock = clock
  }

  var frameCounts: (all: Int, faulty: Int) { (field.faults.frameCount, field.faults.faultCount) }

  mutating func make(_ change: FieldChange) {
    switch change {
    case .coupling(let isCoupled): field.setCoupled(isCoupled, at: clock.now)
    case .faults(let plan): field.faults = plan
    }
  }

  /// The next output that is due.
  mutating func next() -> SimulatedField.Output? { field.next(until: clock.now) }

  /// Tells the host or the card what concerns it.
  mutating func perform<Responder: CommandResponder & ~Copyable>(
    _ output: SimulatedField.Output, _ responder: inout Responder
  ) {
    switch output {
    case .octets(let octets, let chip): hosts[chip].send(octets)
    case .field(let event, let instant):
      isPowered = event != .lost
      responder.fieldChanged(event, at: instant)
    case .command(let command, let instant):
      let count = room.withMutableOctets { room in
        let count = responder.respond(to: command.span, at: instant, into: &room)
        requireResponse(of: count, within: room.byteCount)
        return count
      }
      // A slow card answers when it is done: the field then asks for more time as often as it had to.
      field.answer(Array(room.prefix(count)), at: clock.now)
    }
  }

  /// Waits until a host sends something, an output is due, or the bell rings.
  ///
  /// - Returns: What came, and for which chip.
  func wait(for bell: borrowing Bell) -> [(chip: Int, octets: [UInt8])] {
    let rest = field.nextDeadline.map { max($0 - clock.now, .zero) }
    let rests = hosts.map { $0.rest(at: clock.now) } + [rest]
    let ready = bell.wait(for: hosts.flatMap(\.descriptors), timeout: rests.compactMap(\.self).min())
    return hosts.enumerated().flatMap { chip, host in
      host.receive(ready, at: clock.now).map { (chip, $0) }
    }
  }

  /// Gives the chips what came for them.
  mutating func receive(_ received: [(chip: Int, octets: [UInt8])]) {
    for (chip, octets) in received {
      switch field.link {
      case .serial: field.send(octets, to: chip, at: clock.now)
      case .direct: field.run(octets, on: chip, at: clock.now)
      }
    }
  }

  /// The field ends with the run.
  mutating func end<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) {
    if isPowered { responder.fieldChanged(.lost, at: clock.now) }
  }
}
