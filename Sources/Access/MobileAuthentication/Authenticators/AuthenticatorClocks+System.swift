internal import Octets
internal import POSIX

extension AuthenticatorClocks {
  /// The machine's clocks. Each start of Linux has a random name (`/proc/sys/kernel/random/boot_id`).
  public static let system = AuthenticatorClocks(
    wall: SystemWallClock(), monotonic: SystemClock(), boot: currentBoot())

  /// The name of the present start of the machine; empty when the system has none, so that all starts count as one.
  public static func currentBoot() -> String {
    let content = try? WholeFile("/proc/sys/kernel/random/boot_id").read(atMost: 64)
    return String(decoding: content?.bytes.prefix(36) ?? [], as: UTF8.self)
  }
}
