public import ISO7816
public import Octets

/// What a fault does outside the card's answer.
public struct FaultPorts: Sendable {
  /// Waits as a slow card does: blocks the link's thread.
  public let sleep: @Sendable (Duration) -> Void
  /// Takes the card out of the field; the answer that follows reaches nobody.
  public let leave: @Sendable () -> Void
  /// Hears of every fault before its answer goes out.
  public let tell: @Sendable (InjectedFault) -> Void

  /// Creates ports.
  public init(
    sleep: @escaping @Sendable (Duration) -> Void, leave: @escaping @Sendable () -> Void,
    tell: @escaping @Sendable (InjectedFault) -> Void
  ) {
    self.sleep = sleep
    self.leave = leave
    self.tell = tell
  }
}

/// A card that answers wrongly as its plan says: wraps any responder and changes answers after they were made.
///
/// The card within has answered as always, so a payment key is spent whatever the fault. The same plan and the same
/// commands give the same faults. Without a rule that is due, command and answer pass unchanged. Commands that fetch
/// what a `chained` or `length-corrected` answer holds back are exchanges of their own, at which no rule is due.
public struct FaultInjector<Base: CommandResponder & ~Copyable>: CommandResponder, ~Copyable {
  /// The card.
  public var base: Base
  private var course: FaultCourse
  private let ports: FaultPorts
  private var held: HeldAnswer?
  private var exchange = 0

  /// Wraps a card.
  public init(_ base: consuming Base, plan: FaultPlan, ports: FaultPorts) {
    self.base = base
    course = FaultCourse(plan)
    self.ports = ports
  }

  /// Ends the faults and gives the card back.
  public consuming func release() -> Base { base }

  /// Passes the event on; power and reset begin the count of exchanges anew.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    held = nil
    if event == .powered || event == .reset { exchange = 0 }
    base.fieldChanged(event, at: instant)
  }

  /// Lets the card answer and does to the answer what is due. Blocks for as long as a delay says.
  public mutating func respond(
    to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    exchange += 1
    let octets = command.array
    if let (answer, rest) = held?.next(for: octets) {
      held = rest
      return Self.put(answer.encoded, into: &response)
    }
    held = nil
    let honest = honestAnswer(to: command, at: instant, room: response.byteCount)
    return Self.put(changed(honest, octets), into: &response)
  }

  private mutating func honestAnswer(to command: Span<UInt8>, at instant: Instant, room: Int) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: room)
    let count = buffer.withMutableOctets { base.respond(to: command, at: instant, into: &$0) }
    return Array(buffer[..<count])
  }

  private mutating func changed(_ honest: [UInt8], _ command: [UInt8]) -> [UInt8] {
    guard command.count >= 2, let whole = try? ResponseAPDU(parsing: honest.span) else { return honest }
    let result = course.run(whole, command: command, exchange: exchange)
    for fault in result.faults {
      ports.tell(fault)
      if case .delay(let milliseconds) = fault.fault { ports.sleep(.milliseconds(milliseconds)) }
      if case .linkLost = fault.fault { ports.leave() }
    }
    held = result.held
    return result.answer.encoded
  }

  private static func put(_ octets: [UInt8], into response: inout MutableRawSpan) -> Int {
    response.copy(octets.span, to: 0)
    return octets.count
  }
}
