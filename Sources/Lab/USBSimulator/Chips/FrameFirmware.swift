internal import Octets
internal import POSIX

/// The firmware of a reader that carries the frames of its chip in bulk transfers, as chips with a USB connector do: the
/// acknowledgement and the response are a transfer each.
struct FrameFirmware: USBFirmware {
  /// The addresses of the endpoints, at which libnfc expects them.
  static let (output, input): (UInt8, UInt8) = (0x04, 0x84)

  private let port: ChipPort

  init(_ port: ChipPort, waking signal: WakeSignal) {
    self.port = port
    port.connect(signal)
  }

  var deadline: Instant? { nil }

  mutating func control(_ request: USBControlRequest, _ octets: [UInt8]) -> [UInt8]? { nil }

  mutating func receive(_ octets: [UInt8], on endpoint: UInt8, at instant: Instant) -> [USBFirmwareStep] {
    // A transfer without bytes ends one of whole packets.
    if endpoint == Self.output, !octets.isEmpty { port.post(octets) }
    return []
  }

  mutating func wake(at instant: Instant) -> [USBFirmwareStep] {
    port.takeAnswers().map { .send($0, endpoint: Self.input) }
  }

  mutating func reset(at instant: Instant) -> [USBFirmwareStep] {
    port.restart()
    return []
  }
}
