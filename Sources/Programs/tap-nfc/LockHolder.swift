import Foundation
import Glibc

/// The process that holds the lock of a file, as far as the system tells.
struct LockHolder: CustomStringConvertible {
  private let identifier: pid_t

  /// Looks for who holds the lock of an open file; nil when that is nobody, or nobody that can be seen from here.
  init?(of descriptor: Int32) {
    var status = stat()
    // The kernel fills one structure.
    guard unsafe fstat(descriptor, &status) == 0,
      let table = try? String(contentsOfFile: "/proc/locks", encoding: .utf8)
    else { return nil }
    // 1: FLOCK ADVISORY WRITE 1234 00:18:5 0 EOF (man 5 proc_locks).
    let lines = table.split(separator: "\n").map { $0.split(separator: " ") }
    let holders = lines.filter { $0.count > 5 && $0[1] == "FLOCK" && $0[5].hasSuffix(":\(status.st_ino)") }
    guard let holder = holders.first(where: { Self.isDevice($0[5], status.st_dev) }), let number = pid_t(holder[4]),
      number > 0
    else { return nil }
    identifier = number
  }

  /// Major and minor number, in hexadecimal; each in two places of a device's number.
  private static func isDevice(_ file: Substring, _ device: dev_t) -> Bool {
    let numbers = file.split(separator: ":").prefix(2).map { UInt64($0, radix: 16) }
    let (number, wide) = (UInt64(device), UInt64(device) >> 32)
    return numbers == [number >> 8 & 0xFFF | wide & 0xFFFF_F000, number & 0xFF | number >> 12 & 0xFFF_FF00]
  }

  /// `process 1234 (tap-nfc) of process 1230 (tap)`.
  var description: String {
    let own = "process \(identifier) (\(Self.name(identifier)))"
    guard let parent = Self.parent(of: identifier), parent > 1 else { return own }
    return "\(own) of process \(parent) (\(Self.name(parent)))"
  }

  private static func name(_ process: pid_t) -> String {
    let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
    return name.map { String($0.prefix { $0 != "\n" }) } ?? "gone"
  }

  private static func parent(of process: pid_t) -> pid_t? {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("PPid:") }
    return line?.split(separator: "\t").last.flatMap { pid_t($0) }
  }
}
