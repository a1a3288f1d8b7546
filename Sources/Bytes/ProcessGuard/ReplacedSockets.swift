internal import CProcessGuard
internal import Glibc
package import POSIX

/// IPv4 sockets that a program gets in the place of those which it binds itself, in the order of its calls: a program that
/// listens at all addresses of the machine then listens where its parent decides. Needs Linux 5.9.
package final class ReplacedSockets: Sendable {
  private let watch: Descriptor
  private let sockets: [BoundSocket]

  /// Begins to replace sockets, for the programs that the calling thread starts later. They cannot gain privileges. Call it
  /// on a thread that ends after the start of a program.
  ///
  /// - Parameter places: An IPv4 address of this machine, in digits, and a port for each call of the program.
  /// - Throws: `SystemError`: `ENOSYS`, `EINVAL` or `EPERM` for a kernel that cannot do it, `EADDRINUSE` for a port in use,
  ///   `EADDRNOTAVAIL` for an address that this machine does not have.
  package init(at places: [(address: String, port: UInt16)]) throws(SystemError) {
    sockets = try places.map { (place) throws(SystemError) in try BoundSocket(at: place.address, place.port) }
    let number = cguard_watch_binds()
    guard number >= 0 else { throw SystemError(-number) }
    watch = Descriptor(owning: number)
  }

  /// Answers the calls that wait. Never blocks.
  ///
  /// - Parameter answered: How many calls were answered before.
  /// - Returns: How many calls are answered now.
  package func answer(after answered: Int) -> Int {
    var answered = answered
    while isWaiting,
      cguard_replace_bind(watch.number, answered < sockets.count ? sockets[answered].descriptor.number : -1) == 0
    {
      answered += 1
    }
    return answered
  }

  private var isWaiting: Bool {
    var entry = pollfd(fd: watch.number, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLIN) != 0
  }
}

/// A socket that is bound to an address and does not listen yet.
private final class BoundSocket: Sendable {
  let descriptor: Descriptor

  init(at address: String, _ port: UInt16) throws(SystemError) {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = Descriptor(owning: socket(AF_INET, kind, 0))
    guard descriptor.number >= 0 else { throw SystemError() }
    var on: Int32 = 1
    // A port whose last connection has just ended is free.
    _ = unsafe setsockopt(descriptor.number, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = port.bigEndian
    guard unsafe inet_pton(AF_INET, address, &place.sin_addr) == 1 else { throw SystemError(EINVAL) }
    guard binds(descriptor.number, to: place) else { throw SystemError() }
  }
}
