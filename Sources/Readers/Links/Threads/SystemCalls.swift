package import Glibc
internal import Octets
package import POSIX

/// Blocks the thread for a duration of at most one hour.
package func pause(for duration: Duration) {
  usleep(useconds_t(clamping: min(max(duration.nanoseconds, 0), 3_600_000_000_000) / 1000))
}

/// Creates a Unix socket that listens at a path, and replaces a file that is there. It is closed with its owner.
///
/// - Parameters:
///   - path: 1 to 107 bytes.
///   - code: The code of the error.
/// - Throws: `LinkError` with that code.
package func listeningSocket(at path: String, orFailWith code: LinkError.Code) throws(LinkError) -> Descriptor {
  guard let address = UnixSocketAddress(path) else {
    let limit = UnixSocketAddress.maximumPathCount
    throw LinkError(code, "the path of a Unix socket has 1 to \(limit) bytes, not \(path.utf8.count): \(path)")
  }
  do throws(SystemError) {
    let listener = try UnixSocketAddress.socket()
    // The call only reads the path.
    _ = unsafe unlink(path)
    try address.bind(listener)
    guard listen(listener.number, 16) == 0 else { throw SystemError() }
    return listener
  } catch { throw LinkError(code, "cannot listen at \(path): \(error)") }
}

extension WakeSignal {
  /// Creates the signal of a link.
  ///
  /// - Throws: `LinkError.Code.transmissionFailed` when the process has no descriptors left.
  package static func ofLink() throws(LinkError) -> WakeSignal {
    do throws(SystemError) {
      return try WakeSignal()
    } catch { throw LinkError(.transmissionFailed, "cannot create the wake-up signal of a link: \(error)") }
  }
}

/// Lets a child close every descriptor from a number on, after the actions that were added before. A child that inherits a
/// connection, such as one of a C library that does not set `FD_CLOEXEC`, would keep it open.
package func addCloseFrom(_ first: Int32, to actions: inout posix_spawn_file_actions_t) {
  // It fails without memory only, as do the actions before it.
  _ = unsafe posixSpawnAddCloseFrom(&actions, first)
}

/// Attributes of a child with the default signals: a thread of this process may block signals and the process may ignore
/// some, and a child that inherits this cannot be ended by a signal.
///
/// - Parameter isInNewSession: Whether the child gets a session of its own, so that an interrupt from the terminal does not
///   reach it.
/// - Returns: The attributes, which the caller destroys.
package func spawnAttributes(isInNewSession: Bool = false) -> posix_spawnattr_t {
  var attributes = posix_spawnattr_t()
  var (none, all) = (sigset_t(), sigset_t())
  // Local variables of this frame; the attributes hold copies.
  unsafe sigemptyset(&none)
  unsafe sigfillset(&all)
  unsafe posix_spawnattr_init(&attributes)
  unsafe posix_spawnattr_setsigmask(&attributes, &none)
  unsafe posix_spawnattr_setsigdefault(&attributes, &all)
  let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (isInNewSession ? newSession : 0)
  unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
  return attributes
}

/// POSIX_SPAWN_SETSID of glibc's spawn.h, which Swift does not import.
private let newSession: Int32 = 0x80

/// Of glibc 2.34; Swift does not import it.
@_silgen_name("posix_spawn_file_actions_addclosefrom_np")
private func posixSpawnAddCloseFrom(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: Int32)
  -> Int32
