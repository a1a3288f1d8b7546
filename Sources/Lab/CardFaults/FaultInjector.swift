public import ISO7816
public import Octets

/// The effects of faults outside the card's response.
public struct FaultPorts: Sendable {
  /// Waits like a slow card: blocks the link's thread.
  public let sleep: @Sendable (Duration) -> Void
  /// Takes the card out of the field. No terminal receives the response that follows.
  public let leave: @Sendable () -> Void
  /// Receives every fault before its response is sent.
  public let report: @Sendable (InjectedFault) -> Void
  /// How many bytes of its response a card sends before it leaves, at a link that can lose a card there; nil for none.
  public var octetsBeforeRemoval: Int?

  /// Creates ports.
  public init(
    sleep: @escaping @Sendable (Duration) -> Void, leave: @escaping @Sendable () -> Void,
    report: @escaping @Sendable (InjectedFault) -> Void
  ) {
    self.sleep = sleep
    self.leave = leave
    self.report = report
  }
}

/// A card that responses wrongly by a plan: wraps any responder and changes its responses.
///
/// The wrapped card answers as always, so a payment key is spent whatever the fault. The same plan and the same
/// commands give the same faults. Where no rule is due, command and answer pass unchanged. A command that fetches the
/// data of a `chained` or `length-corrected` answer is an exchange of its own, at which no rule is due.
public struct FaultInjector<Base: CommandResponder & ~Copyable>: CommandResponder, ~Copyable {
  /// The card.
  public var base: Base
  private var run: CardFaultRun
  private let ports: FaultPorts
  private var held: HeldResponse?
  private var exchange = 0

  /// Wraps a card.
  public init(_ base: consuming Base, plan: CardFaultPlan, ports: FaultPorts) {
    self.base = base
    run = CardFaultRun(plan)
    self.ports = ports
  }

  /// Ends the faults and returns the card.
  public consuming func release() -> Base { base }

  /// Passes the event on. Power and reset restart the count of exchanges.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    held = nil
    if event == .powered || event == .reset { exchange = 0 }
    base.fieldChanged(event, at: instant)
  }

  /// Asks the card for its response and applies the rules that are due. Blocks for the time of a delay.
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
    let right = rightAnswer(to: command, at: instant, room: response.byteCount)
    return Self.put(changed(right, octets), into: &response)
  }

  /// Passes the report on.
  public mutating func responseSent() { base.responseSent() }

  private mutating func rightAnswer(to command: Span<UInt8>, at instant: Instant, room: Int) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: room)
    let count = buffer.withMutableOctets { base.respond(to: command, at: instant, into: &$0) }
    return Array(buffer[..<count])
  }

  private mutating func changed(_ right: [UInt8], _ command: [UInt8]) -> [UInt8] {
    guard command.count >= 2, let whole = try? ResponseAPDU(parsing: right.span) else { return right }
    let result = run.apply(to: whole, command: command, exchange: exchange)
    for fault in result.faults {
      ports.report(fault)
      if case .delay(let milliseconds) = fault.fault { ports.sleep(.milliseconds(milliseconds)) }
      if case .linkLost = fault.fault { ports.leave() }
    }
    held = result.held
    if let count = ports.octetsBeforeRemoval, result.faults.contains(where: { $0.fault == .linkLost }) {
      return Array(right.prefix(count))
    }
    return result.answer.encoded
  }

  private static func put(_ octets: [UInt8], into response: inout MutableRawSpan) -> Int {
    response.copy(octets.span, to: 0)
    return octets.count
  }
}
