internal import Octets

/// The firmware of a device with several interfaces, each with its own.
struct CompositeFirmware: USBFirmware {
  /// The index is the number of the interface; the output is its endpoint for what the host sends.
  private var parts: [(output: UInt8, firmware: any USBFirmware)]

  init(_ parts: [(output: UInt8, firmware: any USBFirmware)]) { self.parts = parts }

  var deadline: Instant? { parts.compactMap(\.firmware.deadline).min() }

  mutating func control(_ request: USBControlRequest, _ octets: [UInt8]) -> [UInt8]? {
    let interface = Int(request.index & 0xFF)
    return parts.indices.contains(interface) ? parts[interface].firmware.control(request, octets) : nil
  }

  mutating func receive(_ octets: [UInt8], on endpoint: UInt8, at instant: Instant) -> [USBFirmwareStep] {
    parts.indices.first { parts[$0].output == endpoint }
      .map { parts[$0].firmware.receive(octets, on: endpoint, at: instant) } ?? []
  }

  mutating func wake(at instant: Instant) -> [USBFirmwareStep] {
    parts.indices.flatMap { parts[$0].firmware.wake(at: instant) }
  }

  mutating func reset(at instant: Instant) -> [USBFirmwareStep] {
    parts.indices.flatMap { parts[$0].firmware.reset(at: instant) }
  }
}
