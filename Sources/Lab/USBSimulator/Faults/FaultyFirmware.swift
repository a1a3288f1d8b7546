internal import Octets
internal import Synchronization

/// The firmware of a reader with the faults of a plan, which other threads may replace.
struct FaultyFirmware: USBFirmware {
  /// The endpoints with notifications.
  private let interrupts: Set<UInt8>
  private let plan: FaultPort
  private var base: any USBFirmware
  private var delayed: [(due: Instant, step: USBFirmwareStep)] = []
  private var lastResponse: [UInt8] = []
  private var hangs = false
  /// Slot and sequence number of the last command for a card.
  private var exchange: [UInt8] = []

  private static let lateness = Duration.milliseconds(1600)

  init(_ base: any USBFirmware, plan: FaultPort, interrupts: Set<UInt8>) {
    self.base = base
    self.plan = plan
    self.interrupts = interrupts
  }

  var deadline: Instant? { (delayed.map(\.due) + [base.deadline].compactMap(\.self)).min() }

  mutating func control(_ request: USBControlRequest, _ octets: [UInt8]) -> [UInt8]? { base.control(request, octets) }

  mutating func receive(_ octets: [UInt8], on endpoint: UInt8, at instant: Instant) -> [USBFirmwareStep] {
    if let command = CCIDCommand(octets), command.kind == .exchange { exchange = [command.slot, command.sequence] }
    return changed(base.receive(octets, on: endpoint, at: instant), at: instant)
  }

  mutating func wake(at instant: Instant) -> [USBFirmwareStep] {
    let due = delayed.filter { $0.due <= instant }.map(\.step)
    delayed.removeAll { $0.due <= instant }
    return due + changed(base.wake(at: instant), at: instant)
  }

  mutating func reset(at instant: Instant) -> [USBFirmwareStep] {
    (delayed, lastResponse, hangs, exchange) = ([], [], false, [])
    return base.reset(at: instant)
  }

  private mutating func changed(_ steps: [USBFirmwareStep], at instant: Instant) -> [USBFirmwareStep] {
    steps.flatMap { step -> [USBFirmwareStep] in
      guard case .send(let octets, let endpoint) = step else { return hangs ? [] : [step] }
      if interrupts.contains(endpoint) { return notification(step, at: instant) }
      if hangs { return [] }
      guard isResponseOfCard(octets) else { return [step] }
      defer { lastResponse = octets }
      guard let fault = plan.next(isNotification: false) else { return [step] }
      return response(octets, endpoint, with: fault)
    }
  }

  /// Whether a message answers the last command for a card. The ATR and what a reader says about a slot always go right:
  /// pcscd asks for both at times of its own.
  private func isResponseOfCard(_ octets: [UInt8]) -> Bool {
    octets.count >= CCIDCommand.headerCount && octets.first == CCIDResponse.Kind.data.rawValue
      && octets[5...6].elementsEqual(exchange)
  }

  private mutating func notification(_ step: USBFirmwareStep, at instant: Instant) -> [USBFirmwareStep] {
    switch plan.next(isNotification: true) {
    case .lostInterrupt: return []
    case .lateInterrupt:
      delayed.append((instant + Self.lateness, step))
      return []
    default: return [step]
    }
  }

  private mutating func response(_ octets: [UInt8], _ endpoint: UInt8, with fault: USBFault) -> [USBFirmwareStep] {
    hangs = fault == .hang
    if let steps = fault.steps(inPlaceOf: octets, endpoint: endpoint, after: lastResponse) { return steps }
    let right = USBFirmwareStep.send(octets, endpoint: endpoint)
    switch fault {
    case .wrongSequence:
      var wrong = octets
      wrong[6] &-= 1
      return [.send(wrong, endpoint: endpoint)]
    case .extended:
      let request = USBFirmwareStep.send(Self.header(of: octets, 0x80, 1), endpoint: endpoint)
      return [USBFirmwareStep](repeating: request, count: 4) + [right]
    case .mute: return [.send(Self.header(of: octets, 0x40, CCIDResponse.Fault.mute), endpoint: endpoint)]
    default: return [right]
    }
  }

  /// The header of a response without content, with another bStatus and bError.
  private static func header(of octets: [UInt8], _ status: UInt8, _ error: UInt8) -> [UInt8] {
    var header = Array(octets.prefix(CCIDCommand.headerCount))
    header.replaceSubrange(1...4, with: [0, 0, 0, 0])
    header[7] = header[7] & 0x3F | status
    header[8] = error
    return header
  }
}

/// The fault plan of a device, which the thread of the bus reads and other threads replace.
final class FaultPort: Sendable {
  private let plan = Mutex(USBFaultPlan.none)

  func set(_ plan: USBFaultPlan) { self.plan.withLock { $0 = plan } }

  func next(isNotification: Bool) -> USBFault? { plan.withLock { $0.next(isNotification: isNotification) } }
}
