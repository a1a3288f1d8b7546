internal import ISO7816
internal import Links
internal import Octets
internal import POSIX

/// One run of a field in real time. The thread that serves owns it.
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

  mutating func apply(_ change: FieldChange) {
    switch change {
    case .coupling(let isCoupled): field.setCoupled(isCoupled, at: clock.now)
    case .secondCard(let isThere): field.setSecondCard(isThere)
    case .faults(let plan): field.faults = plan
    }
  }

  /// The next output that is due, or nil when none is due now.
  mutating func next() -> SimulatedField.Output? { field.next(until: clock.now) }

  /// Passes an output on to the host or the card.
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
      // The card may have computed for a long time: the field then asks for more time as often as necessary.
      field.answer(Array(room.prefix(count)), at: clock.now)
      responder.responseSent()
    }
  }

  /// Waits until a host sends something, an output is due, or the signal is raised; then clears the signal.
  ///
  /// - Returns: What came, and for which chip.
  func wait(for signal: WakeSignal) -> [(chip: Int, input: HostInput)] {
    let rest = field.nextDeadline.map { max($0 - clock.now, .zero) }
    let rests = hosts.map { $0.remainingTime(at: clock.now) } + [rest]
    let ready = signal.wait(for: hosts.flatMap(\.descriptors), timeout: rests.compactMap(\.self).min())
    signal.clear()
    return hosts.enumerated().flatMap { chip, host in
      host.receive(ready, at: clock.now).map { (chip, $0) }
    }
  }

  /// Passes on to the chips what came for them.
  mutating func receive(_ received: [(chip: Int, input: HostInput)]) {
    for (chip, input) in received {
      switch (input, field.links[chip]) {
      case (.opened, _): field.reopen(chip: chip, at: clock.now)
      case (.powered, _): field.restart(chip: chip, at: clock.now)
      case (.octets(let octets), .serial), (.octets(let octets), .packets): field.send(octets, to: chip, at: clock.now)
      case (.octets(let command), .direct): field.run(command, on: chip, at: clock.now)
      }
    }
  }

  /// Ends the run: a card that has power loses it.
  mutating func end<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) {
    if isPowered { responder.fieldChanged(.lost, at: clock.now) }
  }
}
