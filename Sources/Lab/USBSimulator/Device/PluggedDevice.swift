internal import Octets

/// A device on the bus: its endpoints, and the firmware behind them. Transfers in, transfers that have ended out.
struct PluggedDevice: Sendable {
  let description: USBDescription
  private var firmware: any USBFirmware
  private var pipes: [UInt8: USBPipe] = [:]
  private var haltedOutputs: Set<UInt8> = []
  private var completions: [HostTransfer.Completion] = []
  /// Whether the firmware has left the bus by itself.
  private(set) var hasLeft = false

  init(_ description: USBDescription, firmware: any USBFirmware) {
    self.description = description
    self.firmware = firmware
    for endpoint in description.interfaces.flatMap(\.endpoints) where endpoint.address & 0x80 != 0 {
      pipes[endpoint.address] = USBPipe(packetSize: endpoint.packetSize)
    }
  }

  var deadline: Instant? { firmware.deadline }

  /// The transfers that have ended since the last call.
  mutating func takeCompletions() -> [HostTransfer.Completion] {
    for address in pipes.keys {
      while let completion = pipes[address]?.next() { completions.append(completion) }
    }
    return exchange(&completions, with: [])
  }

  /// The host asks for bytes of an endpoint.
  ///
  /// - Returns: False when the device has no such endpoint.
  mutating func receive(_ transfer: HostTransfer.Identifier, from endpoint: UInt8, room: Int) -> Bool {
    guard pipes[endpoint] != nil else { return false }
    pipes[endpoint]?.receive(transfer, room: room)
    return true
  }

  /// The host sends bytes to an endpoint.
  ///
  /// - Returns: False when the device has no such endpoint.
  mutating func send(
    _ transfer: HostTransfer.Identifier, to endpoint: UInt8, _ octets: [UInt8], at instant: Instant
  ) -> Bool {
    guard description.interfaces.contains(where: { $0.endpoints.contains { $0.address == endpoint } }) else {
      return false
    }
    guard !haltedOutputs.contains(endpoint) else {
      completions.append(.init(transfer: transfer, status: .stalled, octets: [], count: 0))
      return true
    }
    completions.append(.init(transfer: transfer, status: .done, octets: [], count: octets.count))
    perform(firmware.receive(octets, on: endpoint, at: instant))
    return true
  }

  /// Ends a transfer that the program discards.
  ///
  /// - Returns: False when it does not wait.
  mutating func discard(_ transfer: HostTransfer.Identifier) -> Bool {
    for address in pipes.keys {
      guard let completion = pipes[address]?.cancel(transfer, .cancelled) else { continue }
      completions.append(completion)
      return true
    }
    return false
  }

  /// Answers a control request.
  ///
  /// - Returns: Nil for a STALL.
  mutating func control(_ request: USBControlRequest, _ octets: [UInt8]) -> [UInt8]? {
    guard request.isStandard else { return firmware.control(request, octets) }
    switch request.request {
    // GET_STATUS, CLEAR_FEATURE, GET_DESCRIPTOR, GET_CONFIGURATION, SET_CONFIGURATION, SET_INTERFACE.
    case 0x00: return [0, 0]
    case 0x01:
      clearHalt(of: UInt8(truncatingIfNeeded: request.index))
      return []
    case 0x06: return descriptor(request)
    case 0x08: return [1]
    case 0x09, 0x0B: return []
    default: return nil
    }
  }

  private func descriptor(_ request: USBControlRequest) -> [UInt8]? {
    switch request.value >> 8 {
    case 1: description.deviceDescriptor
    case 2: description.configurationDescriptor
    case 3: description.stringDescriptor(UInt8(request.value & 0xFF))
    default: nil
    }
  }

  mutating func clearHalt(of endpoint: UInt8) {
    haltedOutputs.remove(endpoint)
    pipes[endpoint]?.clearHalt()
  }

  /// The host resets the device.
  mutating func reset(at instant: Instant) {
    for address in pipes.keys {
      pipes[address]?.clearHalt()
      pipes[address]?.discardPackets()
    }
    haltedOutputs = []
    perform(firmware.reset(at: instant))
  }

  /// The device leaves the bus: all transfers end.
  mutating func unplug(at instant: Instant) {
    _ = firmware.reset(at: instant)
    for address in pipes.keys { completions += pipes[address]?.cancelAll(.unplugged) ?? [] }
  }

  /// Lets the firmware do what is due.
  mutating func wake(at instant: Instant) { perform(firmware.wake(at: instant)) }

  private mutating func perform(_ steps: [USBFirmwareStep]) {
    for step in steps {
      switch step {
      case .send(let octets, let endpoint): pipes[endpoint]?.send(octets, endsShort: true)
      case .sendUnended(let octets, let endpoint): pipes[endpoint]?.send(octets, endsShort: false)
      case .babble(let octets, let endpoint): pipes[endpoint]?.sendPacket(octets)
      case .halt(let endpoint):
        if endpoint & 0x80 == 0 { haltedOutputs.insert(endpoint) } else { pipes[endpoint]?.halt() }
      case .leave: hasLeft = true
      }
    }
  }
}
