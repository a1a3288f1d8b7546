internal import Foundation
internal import Glibc

/// A terminal whose other end is a test: what a program writes to it, and what the test types.
public final class PseudoTerminal: Sendable {
  /// The end of the test.
  public let main: Int32
  /// The path of the terminal.
  public let path: String

  /// Opens a terminal (pty(7)).
  public init() throws {
    main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // The requests of ioctl_tty(2), whose names are not imported.
    let (unlock, number) = (UInt(0x4004_5431), UInt(0x8004_5430))
    var (isLocked, name): (Int32, Int32) = (0, 0)
    guard main >= 0, ioctl(main, unlock, &isLocked) == 0, ioctl(main, number, &name) == 0 else {
      throw POSIXError(.init(rawValue: errno) ?? .EIO)
    }
    path = "/dev/pts/\(name)"
  }

  deinit { close(main) }

  /// Opens the end of a program. The caller closes it.
  public func opened() throws -> Int32 {
    let first = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { close(first) }
    // Above the numbers that a child gets.
    let descriptor = fcntl(first, F_DUPFD_CLOEXEC, 10)
    guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    return descriptor
  }

  /// Types a text.
  public func type(_ text: String) { type(Array(text.utf8)) }

  /// Types bytes.
  public func type(_ octets: [UInt8]) { _ = write(main, octets, octets.count) }

  /// What programs have written since the last call, with the echo; empty when nothing was written.
  public func output() -> String {
    var octets: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 4096)
    while isReadable {
      let count = read(main, &room, room.count)
      guard count > 0 else { break }
      octets += room[..<count]
    }
    return String(decoding: octets, as: UTF8.self)
  }

  private var isReadable: Bool {
    var entry = pollfd(fd: main, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLIN) != 0
  }

  /// Whether the terminal shows what is typed.
  public var echoes: Bool {
    var settings = termios()
    return tcgetattr(main, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }
}
