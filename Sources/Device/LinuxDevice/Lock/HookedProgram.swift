internal import Glibc
internal import POSIX

/// The program that changes a password and runs the password hook: a process of one start of the machine. Both runs of the
/// hook around one change have the same.
package struct HookedProgram: Equatable, Sendable {
  /// The identifier of the start of the machine, as the kernel writes it.
  private let boot: String
  private let process: Int32

  /// The parent of this process, as pam_exec starts the hook.
  package static var parent: HookedProgram { HookedProgram(boot: presentBoot, process: getppid()) }

  init(boot: String, process: Int32) { (self.boot, self.process) = (boot, process) }

  /// Whether the process still runs. Another one that has got its number since counts, too.
  var isRunning: Bool {
    guard boot == Self.presentBoot else { return false }
    // Signal 0 is not sent. A process that this one may not send a signal to exists.
    return kill(process, 0) == 0 || errno != ESRCH
  }

  /// Empty where the kernel does not say.
  private static var presentBoot: String {
    let file = try? WholeFile("/proc/sys/kernel/random/boot_id").read(atMost: 64)
    return String(decoding: file?.bytes ?? [], as: UTF8.self).filter { $0.isHexDigit }
  }
}

extension HookedProgram: CustomStringConvertible {
  /// One word.
  package var description: String { "\(boot)-\(process)" }

  /// Reads the word.
  init?(_ word: String) {
    let parts = word.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let process = Int32(parts[1]), process > 0 else { return nil }
    self.init(boot: String(parts[0]), process: process)
  }
}
