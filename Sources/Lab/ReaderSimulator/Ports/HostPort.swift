package import Octets

/// What a chip's host did.
package enum HostInput: Equatable, Sendable {
  /// A program opened the port.
  case opened
  /// The chip lost its power and has it again.
  case powered
  /// Bytes of the serial line, or one whole command, as the field's `HostLink` has it.
  case octets([UInt8])
}

/// The connection between a chip and its host. Only the thread that runs the field uses it.
package protocol HostPort: AnyObject, Sendable {
  /// The descriptors to wait for; negative ones are ignored.
  var descriptors: [Int32] { get }

  /// How long the port can wait for the host and the chip; nil is without a limit.
  func remainingTime(at instant: Instant) -> Duration?

  /// Performs what is due at an instant, and reads what the host sent.
  ///
  /// - Parameters:
  ///   - ready: The descriptors that are readable, those of other chips included.
  ///   - instant: The present.
  func receive(_ ready: [Int32], at instant: Instant) -> [HostInput]

  /// Sends what the chip answered: bytes of its serial line, or one whole response.
  func send(_ octets: [UInt8])
}
