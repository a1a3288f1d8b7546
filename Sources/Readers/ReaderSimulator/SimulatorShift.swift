internal import ISO7816
internal import Links
internal import Octets

/// One run of a field in real time: what a thread holds while it serves.
struct SimulatorShift: ~Copyable {
  private var field: SimulatedField
  private let clock: any MonotonicClock
  private var room = [UInt8](repeating: 0, count: ResponseAPDU.maximumCount)
  private var isPowered = false

  init(field: SimulatedField, clock: any MonotonicClock) {
    self.field = field
    self.clock = clock
  }

  /// The next output that is due.
  mutating func next() -> SimulatedField.Output? { field.next(until: clock.now) }

  /// How long nothing happens without inputs; nil is for ever.
  var rest: Duration? { field.nextDeadline.map { max($0 - clock.now, .zero) } }

  var frameCounts: (Int, Int) { (field.faults.frameCount, field.faults.faultCount) }

  mutating func receive(_ octets: [UInt8], _ chip: Int) { field.send(octets, to: chip, at: clock.now) }

  mutating func run(_ command: [UInt8], _ chip: Int) { field.run(command, on: chip, at: clock.now) }

  mutating func couple(_ isCoupled: Bool) { field.setCoupled(isCoupled, at: clock.now) }

  mutating func replaceFaults(_ plan: FaultPlan) { field.faults = plan }

  /// Tells the card what concerns it.
  mutating func tell<Responder: CommandResponder & ~Copyable>(
    _ output: SimulatedField.Output, _ responder: inout Responder
  ) {
    switch output {
    case .octets: break
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

  /// The field ends with the run.
  mutating func end<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) {
    if isPowered { responder.fieldChanged(.lost, at: clock.now) }
    isPowered = false
  }
}
