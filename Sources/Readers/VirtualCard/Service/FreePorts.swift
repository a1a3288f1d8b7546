internal import Glibc
internal import POSIX

/// Two neighbouring TCP ports that no program uses now: a vpcd reader takes one for each of its two slots.
func freePortPair() -> UInt16? {
  // Below the range from which the kernel takes ports for outgoing connections.
  for _ in 0..<200 {
    let port = UInt16.random(in: 10_000...15_999) * 2
    if isFree(port), isFree(port + 1) { return port }
  }
  return nil
}

/// Whether no program uses a TCP port of this machine now.
func isFree(_ port: UInt16) -> Bool {
  let probe = Descriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  return binds(probe.number, to: address)
}
