import Foundation
import Glibc
import NFCReader
import POSIX

/// A claim on the port of a serial device. libnfc does not lock the port, and a second program would corrupt the
/// session of the first one.
struct SerialPortLock: ~Copyable {
  private let port: Descriptor

  /// Claims the port in a connection string, such as `pn532_uart:/dev/ttyUSB0:115200`. Returns nil when the connection
  /// string has no file path.
  ///
  /// - Throws: `NFCFailure`: `.busy` when another process holds the lock, `.noSuchDevice` when the file cannot be
  ///   opened.
  init?(_ connstring: String) throws(NFCFailure) {
    let parts = connstring.split(separator: ":")
    guard parts.count >= 2, parts[1].hasPrefix("/") else { return nil }
    let path = String(parts[1])
    let port = try Self.opened(path)
    guard flock(port.number, LOCK_EX | LOCK_NB) == 0 else {
      let holder = LockHolder(of: port).map { ": \($0)" } ?? ""
      throw NFCFailure(.busy, "another program holds \(path)\(holder); end it first")
    }
    self.port = port
  }

  private static func opened(_ path: String) throws(NFCFailure) -> Descriptor {
    do throws(SystemError) {
      return try Descriptor(opening: path, O_RDWR | O_NOCTTY | O_NONBLOCK)
    } catch { throw NFCFailure(.noSuchDevice, "cannot open \(path): \(error)\(remedy(error.number))") }
  }

  private static func remedy(_ number: Int32) -> String {
    number == EACCES ? "; add your user to the group dialout, and log in again" : ""
  }
}

/// The process that holds the lock of a file, according to `/proc/locks`.
private struct LockHolder: CustomStringConvertible {
  private let identifier: pid_t

  /// Finds the process that holds the lock of an open file; nil when no visible process holds it.
  init?(of file: borrowing Descriptor) {
    guard let status = try? file.status(),
      let table = try? String(contentsOfFile: "/proc/locks", encoding: .utf8)
    else { return nil }
    // 1: FLOCK ADVISORY WRITE 1234 00:18:5 0 EOF (man 5 proc_locks).
    let lines = table.split(separator: "\n").map { $0.split(separator: " ") }
    let holders = lines.filter { $0.count > 5 && $0[1] == "FLOCK" && $0[5].hasSuffix(":\(status.identity.inode)") }
    guard let holder = holders.first(where: { Self.isDevice($0[5], status.identity.device) }),
      let number = pid_t(holder[4]),
      number > 0
    else { return nil }
    identifier = number
  }

  /// Compares major and minor number, which are hexadecimal in the table and each in two parts of a device number.
  private static func isDevice(_ file: Substring, _ device: UInt64) -> Bool {
    let numbers = file.split(separator: ":").prefix(2).map { UInt64($0, radix: 16) }
    return numbers == [device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000, device & 0xFF | device >> 12 & 0xFFF_FF00]
  }

  /// `process 1234 (tap-nfc) of process 1230 (tap)`.
  var description: String {
    let own = "process \(identifier) (\(Self.name(identifier)))"
    guard let parent = Self.parent(of: identifier), parent > 1 else { return own }
    return "\(own) of process \(parent) (\(Self.name(parent)))"
  }

  private static func name(_ process: pid_t) -> String {
    let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
    return name.map { String($0.prefix { $0 != "\n" }) } ?? "ended"
  }

  private static func parent(of process: pid_t) -> pid_t? {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("PPid:") }
    return line?.split(separator: "\t").last.flatMap { pid_t($0) }
  }
}
