internal import Octets

/// What lies between a chip and its host. Used by one thread at a time: the one that runs the field.
protocol HostPort: AnyObject, Sendable {
  /// Where the host finds the chip.
  var path: String { get }
  /// What to poll; negative ones are passed over.
  var descriptors: [Int32] { get }

  /// How long nothing happens here without the host and the chip; nil is for ever.
  func rest(at instant: Instant) -> Duration?

  /// Does what is due, and takes what came from the host.
  ///
  /// - Parameters:
  ///   - ready: Descriptors that have something to read; those of other chips are among them.
  ///   - instant: The present.
  /// - Returns: What is for the chip: octets of its serial line, or whole commands, as the field's `HostLink` has it.
  func receive(_ ready: [Int32], at instant: Instant) -> [[UInt8]]

  /// The chip has spoken: octets of its serial line, or a whole response.
  func send(_ octets: [UInt8])
}
