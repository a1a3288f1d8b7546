internal import Glibc
internal import Links
internal import Octets

/// A pseudo-terminal that looks like a serial port to whoever opens its path. Closed when its owner lets go of it.
final class PseudoTerminal: HostPort {
  let path: String
  private let master: Int32
  /// Our own copy of the other side: with it, a peer that closes the port and comes back finds it as it was.
  private let slave: Int32

  /// TIOCSPTLCK and TIOCGPTN of Linux (asm-generic/ioctls.h), which the C library keeps from Swift.
  private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  /// - Throws: `LinkError.Code.transmissionFailed` when the system has no pseudo-terminal left.
  init() throws(LinkError) {
    // A constant path, which the call only reads.
    let master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    var (unlocked, number): (Int32, Int32) = (0, 0)
    // Each call reads or writes one C int. The other side is locked until the first one (man 4 pts).
    guard master >= 0, unsafe ioctl(master, Self.setLock, &unlocked) == 0,
      unsafe ioctl(master, Self.getNumber, &number) == 0
    else {
      let reason = systemErrorText(errno)
      if master >= 0 { Glibc.close(master) }
      throw LinkError(.transmissionFailed, "no pseudo-terminal for a simulated reader: \(reason)")
    }
    let path = "/dev/pts/\(number)"
    // A path of this process's own making, which the call only reads.
    let slave = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else {
      let reason = systemErrorText(errno)
      Glibc.close(master)
      throw LinkError(.transmissionFailed, "the pseudo-terminal \(path) cannot be opened: \(reason)")
    }
    self.path = path
    self.master = master
    self.slave = slave
    setRaw()
  }

  deinit {
    Glibc.close(slave)
    Glibc.close(master)
  }

  /// No echo, no lines, no signals: octets.
  private func setRaw() {
    var settings = termios()
    // Both calls read or fill exactly the structure they are given.
    guard unsafe tcgetattr(slave, &settings) == 0 else { return }
    unsafe cfmakeraw(&settings)
    _ = unsafe tcsetattr(slave, TCSANOW, &settings)
  }

  var descriptors: [Int32] { [master] }

  func rest(at instant: Instant) -> Duration? { nil }

  func receive(_ ready: [Int32], at instant: Instant) -> [[UInt8]] {
    guard ready.contains(master) else { return [] }
    // As many as a terminal holds.
    var room = [UInt8](repeating: 0, count: 4096)
    // The kernel writes at most as many octets as the array has.
    let count = unsafe read(master, &room, room.count)
    return count > 0 ? [Array(room.prefix(count))] : []
  }

  /// What the terminal cannot hold is lost, as it is on a line to which nobody listens.
  func send(_ octets: [UInt8]) {
    _ = unsafe write(master, octets, octets.count)
  }
}
