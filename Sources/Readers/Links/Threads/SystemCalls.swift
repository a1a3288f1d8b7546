package import Glibc
internal import Octets

/// The system's text for an error number, such as `No such file or directory`.
package func systemErrorText(_ number: Int32) -> String {
  // glibc keeps the text per thread; it is copied before the next call.
  guard let text = unsafe strerror(number) else { return "error \(number)" }
  return unsafe String(cString: text)
}

/// Blocks the thread for a duration of at most one hour.
package func pause(for duration: Duration) {
  usleep(useconds_t(clamping: min(max(duration.nanoseconds, 0), 3_600_000_000_000) / 1000))
}

/// Creates a Unix socket that listens at a path, and replaces a file that is there. The caller closes the descriptor.
///
/// - Parameters:
///   - path: 1 to 107 octets.
///   - code: The code of the error.
/// - Throws: `LinkError` with that code.
package func listeningSocket(at path: String, orFailWith code: LinkError.Code) throws(LinkError) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let octets = Array(path.utf8)
  let room = MemoryLayout.size(ofValue: address.sun_path)
  guard (1..<room).contains(octets.count) else {
    throw LinkError(code, "the path of a Unix socket has 1 to \(room - 1) octets, not \(octets.count): \(path)")
  }
  // The tuple is the C array; the octets and the zero behind them fit.
  unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: octets) }
  let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  // The call only reads the path.
  _ = unsafe unlink(path)
  guard listener >= 0, binds(listener, to: address), listen(listener, 16) == 0 else {
    let reason = systemErrorText(errno)
    if listener >= 0 { close(listener) }
    throw LinkError(code, "cannot listen at \(path): \(reason)")
  }
  return listener
}

/// Binds a socket to an address of any family.
///
/// - Returns: Whether the address was free and the socket is bound.
package func binds<Address>(_ socket: Int32, to address: Address) -> Bool {
  unsafe withUnsafePointer(to: address) { pointer in
    // The family in the first field says which address structure it is; the size is that structure's.
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe bind(socket, $0, socklen_t(MemoryLayout<Address>.size)) == 0
    }
  }
}

/// Lets a child close every descriptor from a number on, after the actions that were added before. A child that inherits a
/// connection, such as one of a C library that does not set `FD_CLOEXEC`, would keep it open.
package func addCloseFrom(_ first: Int32, to actions: inout posix_spawn_file_actions_t) {
  // It fails without memory only, as do the actions before it.
  _ = unsafe posixSpawnAddCloseFrom(&actions, first)
}

/// Of glibc 2.34; Swift does not import it.
@_silgen_name("posix_spawn_file_actions_addclosefrom_np")
private func posixSpawnAddCloseFrom(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: Int32)
  -> Int32
