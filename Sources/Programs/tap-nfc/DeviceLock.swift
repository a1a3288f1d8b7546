import Glibc
import NFCReader

/// A claim on the port of a serial device: libnfc has none, and a second program would corrupt the first one's session.
struct DeviceLock: ~Copyable {
  private let descriptor: Int32

  /// Claims what a connection string names, when it names a file: `pn532_uart:/dev/ttyUSB0:115200`.
  ///
  /// - Throws: `NFCFailure` with `.busy` when another process holds it, `.noSuchDevice` when there is no such file.
  init?(_ connstring: String) throws(NFCFailure) {
    let parts = connstring.split(separator: ":")
    guard parts.count >= 2, parts[1].hasPrefix("/") else { return nil }
    let path = String(parts[1])
    descriptor = unsafe open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      let number = errno
      throw NFCFailure(.noSuchDevice, "cannot open \(path): \(Self.text(number))\(Self.remedy(number))")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let holder = LockHolder(of: descriptor).map { ": \($0)" } ?? ""
      close(descriptor)
      throw NFCFailure(.busy, "another program holds \(path)\(holder); end it first")
    }
  }

  deinit { close(descriptor) }

  private static func text(_ number: Int32) -> String {
    // glibc keeps the text per thread; it is copied before anything else is called.
    unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
  }

  private static func remedy(_ number: Int32) -> String {
    number == EACCES ? "; add your user to the group dialout, and log in again" : ""
  }
}
