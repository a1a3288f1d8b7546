internal import Glibc
internal import Links
internal import Octets
internal import POSIX

/// A pseudo-terminal, which is a serial port to the program that opens its path. Its descriptors are closed with it.
final class PseudoTerminal: HostPort {
  let path: String
  private let master: Int32
  /// A descriptor of the port itself. While it is open, a host that closes the port and opens it again finds it
  /// working.
  private let slave: Int32
  /// Readable when a program has opened the port.
  private let openings: Int32

  /// TIOCSPTLCK and TIOCGPTN of Linux (asm-generic/ioctls.h), which Glibc does not import.
  private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
  /// As many bytes as a terminal holds.
  private static let bufferSize = 4096

  /// - Throws: `LinkError.Code.transmissionFailed` when the system has no pseudo-terminal or descriptor left.
  init() throws(LinkError) {
    // A constant path, which the call only reads.
    let master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    var (unlocked, number): (Int32, Int32) = (0, 0)
    // Each call reads or writes one C int. The port cannot be opened before the first one (man 4 pts).
    guard master >= 0, unsafe ioctl(master, Self.setLock, &unlocked) == 0,
      unsafe ioctl(master, Self.getNumber, &number) == 0
    else { throw Self.failure("cannot create a pseudo-terminal for a simulated reader", closing: [master]) }
    let path = "/dev/pts/\(number)"
    // The path is a local string, which the calls only read.
    let slave = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { throw Self.failure("cannot open the pseudo-terminal \(path)", closing: [master]) }
    let openings = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard openings >= 0, unsafe inotify_add_watch(openings, path, UInt32(IN_OPEN)) >= 0 else {
      throw Self.failure("cannot watch the pseudo-terminal \(path)", closing: [openings, slave, master])
    }
    self.path = path
    self.master = master
    self.slave = slave
    self.openings = openings
    setRaw()
  }

  deinit {
    for descriptor in [openings, slave, master] { Glibc.close(descriptor) }
  }

  private static func failure(_ text: String, closing descriptors: [Int32]) -> LinkError {
    let reason = SystemError()
    for descriptor in descriptors where descriptor >= 0 { Glibc.close(descriptor) }
    return LinkError(.transmissionFailed, "\(text): \(reason)")
  }

  /// Switches off echo, lines and signals, so that the port carries bytes unchanged.
  private func setRaw() {
    var settings = termios()
    // Both calls read or fill exactly the structure that they are given.
    guard unsafe tcgetattr(slave, &settings) == 0 else { return }
    unsafe cfmakeraw(&settings)
    _ = unsafe tcsetattr(slave, TCSANOW, &settings)
  }

  var descriptors: [Int32] { [openings, master] }

  func remainingTime(at instant: Instant) -> Duration? { nil }

  /// A program that has just opened the port has written nothing before its `opened`, so that comes first.
  func receive(_ ready: [Int32], at instant: Instant) -> [HostInput] {
    let isOpened = ready.contains(openings) && !read(openings).isEmpty
    let octets = ready.contains(master) ? read(master) : []
    return (isOpened ? [.opened] : []) + (octets.isEmpty ? [] : [.octets(octets)])
  }

  private func read(_ descriptor: Int32) -> [UInt8] {
    var room = [UInt8](repeating: 0, count: Self.bufferSize)
    // The kernel writes at most as many bytes as the array has.
    let count = unsafe Glibc.read(descriptor, &room, room.count)
    return Array(room.prefix(max(count, 0)))
  }

  /// Bytes that the terminal cannot hold are lost, as on a serial line that no host reads.
  func send(_ octets: [UInt8]) {
    _ = unsafe write(master, octets, octets.count)
  }
}
