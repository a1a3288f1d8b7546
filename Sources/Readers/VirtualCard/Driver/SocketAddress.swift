internal import Glibc
internal import Links
internal import POSIX

/// The address of a TCP connection.
struct SocketAddress: Sendable {
  let family: Int32
  private let octets: [UInt8]

  /// Lends the address in the form that `connect` takes.
  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
    unsafe octets.withUnsafeBytes { bytes in
      // The bytes are a complete address from `getaddrinfo`; the kernel reads no more than the count.
      guard let base = unsafe bytes.bindMemory(to: sockaddr.self).baseAddress else { return nil }
      return unsafe body(base, socklen_t(bytes.count))
    }
  }

  /// The addresses of a host, in the order to try them.
  ///
  /// The resolver may need seconds for a name, and its call cannot be interrupted, so it runs on a thread of its own,
  /// which is abandoned when the signal is raised.
  ///
  /// - Returns: nil when the signal was raised first.
  /// - Throws: `LinkError.Code.readerUnavailable` for a host that does not exist.
  static func all(of host: String, port: UInt16, signal: WakeSignal) throws(LinkError) -> [SocketAddress]? {
    if case .success(let numeric) = resolve(host, port, AI_NUMERICHOST) { return numeric }
    let answered = try WakeSignal.ofLink()
    let lookup = DedicatedThread(named: "lookup") {
      defer { answered.raise() }
      return resolve(host, port, 0)
    }
    guard signal.wait(for: answered.descriptor, Int32(POLLIN), timeout: nil) == .ready else { return nil }
    switch lookup.join() {
    case .success(let addresses): return addresses
    case .failure(let failure):
      throw LinkError(.readerUnavailable, "the host \"\(host)\" is unknown: \(failure.text)")
    }
  }

  private struct Failure: Error {
    let text: String
  }

  private static func resolve(_ host: String, _ port: UInt16, _ flags: Int32) -> Result<[SocketAddress], Failure> {
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = flags | AI_NUMERICSERV
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, String(port), &hints, &list)
    guard code == 0 else {
      // A static text of the C library.
      return .failure(Failure(text: unsafe gai_strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"))
    }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = unsafe list
    // The list belongs to the resolver and is valid until it is freed above.
    while let entry = unsafe next?.pointee {
      if let address = unsafe entry.ai_addr {
        let octets = unsafe UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
        addresses.append(unsafe SocketAddress(family: entry.ai_family, octets: Array(octets)))
      }
      unsafe next = entry.ai_next
    }
    return .success(addresses)
  }
}
