internal import Glibc
internal import Links

/// A pair of neighbouring TCP ports that nobody uses at the moment: a vpcd reader takes one for each of its two slots.
func freePortPair() -> UInt16? {
  // Below the range from which the kernel picks ports for outgoing connections.
  for _ in 0..<200 {
    let port = UInt16.random(in: 10_000...15_999) * 2
    if isFree(port), isFree(port + 1) { return port }
  }
  return nil
}

private func isFree(_ port: UInt16) -> Bool {
  let probe = Descriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  return bound(probe, to: &address)
}

/// A listening socket at a path, in the place of one that is there.
///
/// - Throws: `LinkError.Code.serviceUnavailable`.
func listeningSocket(at path: String) throws(LinkError) -> Descriptor {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let octets = Array(path.utf8)
  let isShort = unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
    // Less than the room, which ends in zero then.
    guard octets.count < room.count else { return false }
    unsafe room.copyBytes(from: octets)
    return true
  }
  let made = Descriptor(owning: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
  // The string outlives the call.
  _ = unsafe unlink(path)
  guard isShort, bound(made, to: &address), listen(made.number, 16) == 0 else {
    throw LinkError(.serviceUnavailable, "cannot listen at \(path): \(systemErrorText(errno))")
  }
  return made
}

private func bound<Address>(_ socket: borrowing Descriptor, to address: inout Address) -> Bool {
  unsafe withUnsafePointer(to: &address) { pointer in
    // The family in front tells the kernel which of the address structures it is; the size is that structure's.
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe bind(socket.number, $0, socklen_t(MemoryLayout<Address>.size)) == 0
    }
  }
}
