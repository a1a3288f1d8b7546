internal import Glibc
internal import Octets

extension AuthenticatorClocks {
  /// The machine's clocks. Each start of Linux has a random name (`/proc/sys/kernel/random/boot_id`).
  public static let system = AuthenticatorClocks(
    wall: SystemWallClock(), monotonic: SystemClock(), boot: currentBoot())

  /// The name of the present start of the machine; empty when the system has none, so that all starts count as one.
  public static func currentBoot() -> String {
    let descriptor = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var octets = [UInt8](repeating: 0, count: 36)
    let count = unsafe octets.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
    return count == octets.count ? String(decoding: octets, as: UTF8.self) : ""
  }
}
