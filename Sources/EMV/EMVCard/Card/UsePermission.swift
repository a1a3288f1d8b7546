internal import Octets

/// The permission of one command to compute with the use of its card: the instant at which the command was received, or
/// none.
///
/// One register, where an optional instant has two. All parameters of the functions for a command are then in registers,
/// so that they can be called last.
struct UsePermission {
  // The smallest number stands for no permission. A clock has no such instant: it counts from the start of the system.
  private let nanoseconds: Int64

  /// No permission.
  static let none = UsePermission(nanoseconds: .min)

  private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Creates the permission of a command.
  init(at instant: Instant) { nanoseconds = max(instant.nanoseconds, .min + 1) }

  /// The instant at which the command was received; nil without a permission.
  var instant: Instant? { nanoseconds == .min ? nil : Instant(nanoseconds: nanoseconds) }
}

/// A command that its program answers: the position of the program and P1, in one register.
struct ProgramCall {
  private let packed: UInt32

  init(_ index: Int, p1: UInt8) { packed = UInt32(truncatingIfNeeded: index) << 8 | UInt32(p1) }

  /// The position of the program in `Card.commands`.
  var index: Int { Int(packed >> 8) }
  /// P1 of the command.
  var p1: UInt8 { UInt8(truncatingIfNeeded: packed) }
}
