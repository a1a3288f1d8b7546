internal import CProcessGuard

/// The system calls that a program gives up (seccomp(2)). They fail with EPERM.
public struct SystemCalls: OptionSet, Sendable {
  /// The groups, as `cguard_deny` numbers them.
  public let rawValue: Int32

  /// Creates a set.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Reading and changing other processes, the kernel, its time, its file systems, and namespaces.
  public static let administration = SystemCalls(rawValue: 1)
  /// Starting programs.
  public static let programs = SystemCalls(rawValue: 2)
  /// Files that exist in memory only, into which an attacker loads code.
  public static let memoryFiles = SystemCalls(rawValue: 4)

  /// Whether this kernel lacks the filter: one gap or none.
  public static var gaps: [ProtectionGap] {
    let number = cguard_can_deny()
    return number == 0 ? [] : [ProtectionGap(measure: measure, number: number, needs: "seccomp")]
  }

  private static let measure = "the system calls of an attacker"

  /// Gives the system calls up, for the calling thread and what it starts later. Call it before the program has a second
  /// thread, and after `ProcessProtection.begin`.
  public func giveUp() {
    ProcessProtection.add(Self.measure, cguard_deny(rawValue), needs: "seccomp")
  }
}
