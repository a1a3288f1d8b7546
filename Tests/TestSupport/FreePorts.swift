import Glibc

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
  let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  defer { close(probe) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(probe, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}

/// A listening socket at a path, with a descriptor above 9.
func listeningSocket(at path: String) -> Int32? {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let octets = Array(path.utf8)
  guard octets.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
  let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  defer { close(made) }
  unlink(path)
  let isBound = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
    }
  }
  guard isBound, listen(made, 16) == 0 else { return nil }
  return fcntl(made, F_DUPFD_CLOEXEC, 10)
}
