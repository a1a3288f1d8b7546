internal import Octets

/// The firmware of a device: what the device does with what the host sends. One thread uses it.
protocol USBFirmware: Sendable {
  /// Answers a control request of the class or the vendor.
  ///
  /// - Parameter octets: What the host sent with it.
  /// - Returns: The bytes for the host; nil for a STALL.
  mutating func control(_ request: USBControlRequest, _ octets: [UInt8]) -> [UInt8]?

  /// Takes the bytes of a transfer of the host.
  mutating func receive(_ octets: [UInt8], on endpoint: UInt8, at instant: Instant) -> [USBFirmwareStep]

  /// Does what is due, and takes what other threads did: cards that came, left or answered.
  mutating func wake(at instant: Instant) -> [USBFirmwareStep]

  /// When `wake` must be called at the latest; nil for never.
  var deadline: Instant? { get }

  /// The device is reset by the host, or loses its power.
  mutating func reset(at instant: Instant) -> [USBFirmwareStep]
}

/// What a firmware does on the bus.
enum USBFirmwareStep: Equatable, Sendable {
  /// Sends bytes to the host.
  case send([UInt8], endpoint: UInt8)
  /// Sends whole packets without the zero-length packet that ends them.
  case sendUnended([UInt8], endpoint: UInt8)
  /// Sends one packet that is longer than the endpoint permits.
  case babble([UInt8], endpoint: UInt8)
  /// Halts an endpoint.
  case halt(endpoint: UInt8)
  /// Leaves the bus.
  case leave
}

/// The setup packet of a control transfer (USB 2.0, 9.3).
struct USBControlRequest: Equatable, Sendable {
  let type: UInt8
  let request: UInt8
  let value: UInt16
  let index: UInt16
  let count: Int

  /// Reads a setup packet of 8 bytes; nil for fewer.
  init?(_ octets: [UInt8]) {
    guard octets.count >= 8 else { return nil }
    let word = { (at: Int) in UInt16(octets[at]) | UInt16(octets[at + 1]) << 8 }
    (type, request) = (octets[0], octets[1])
    (value, index, count) = (word(2), word(4), Int(word(6)))
  }

  /// Whether the host asks for bytes.
  var isToHost: Bool { type & 0x80 != 0 }

  /// Whether the request is one of the standard, in place of one of a class or a vendor.
  var isStandard: Bool { type & 0x60 == 0 }
}
