internal import Octets

/// An application of the card that the payment left out, and why (EMV Contactless Book B v2.11, 3.3.3.5 and 3.3.3.6,
/// and a kernel's outcome Select Next).
public struct RejectedApplication: Hashable, Sendable, CustomStringConvertible {
  /// The name that was selected: tag 4F of the directory entry, with tag 9F29 where the profile says so.
  public let name: [UInt8]
  /// The step that failed.
  public let failure: StepFailure

  /// Name and reason: `A0000000031010: SELECT AID: the card answered 6A82, file not found`.
  public var description: String { "\(name.hex): \(failure)" }
}
