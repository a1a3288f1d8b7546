internal import Octets

/// The firmware of a reader that carries frames, with the faults of a plan, which other threads may replace. They happen
/// at responses of the chip; acknowledgements go right.
struct FaultyChipFirmware: USBFirmware {
  private let input: UInt8
  private let plan: FaultPort
  private var base: FrameFirmware
  private var lastResponse: [UInt8] = []
  private var hangs = false

  init(_ base: FrameFirmware, input: UInt8, plan: FaultPort) {
    self.base = base
    self.input = input
    self.plan = plan
  }

  var deadline: Instant? { base.deadline }

  mutating func control(_ request: USBControlRequest, _ octets: [UInt8]) -> [UInt8]? { base.control(request, octets) }

  mutating func receive(_ octets: [UInt8], on endpoint: UInt8, at instant: Instant) -> [USBFirmwareStep] {
    hangs ? [] : base.receive(octets, on: endpoint, at: instant)
  }

  mutating func wake(at instant: Instant) -> [USBFirmwareStep] {
    base.wake(at: instant).flatMap { step -> [USBFirmwareStep] in
      guard !hangs, case .send(let octets, _) = step else { return [] }
      // An acknowledgement has six bytes, and each response more.
      guard octets.count > 6 else { return [step] }
      defer { lastResponse = octets }
      return plan.next(isNotification: false).map { response(octets, with: $0) } ?? [step]
    }
  }

  mutating func reset(at instant: Instant) -> [USBFirmwareStep] {
    (lastResponse, hangs) = ([], false)
    return base.reset(at: instant)
  }

  private mutating func response(_ octets: [UInt8], with fault: USBFault) -> [USBFirmwareStep] {
    hangs = fault == .hang
    if let steps = fault.steps(inPlaceOf: octets, endpoint: input, after: lastResponse) { return steps }
    // Frames of a chip have no sequence number and no requests for time, and it sends no notifications.
    return fault == .mute ? [] : [.send(octets, endpoint: input)]
  }
}
