import ArgumentParser

/// Where the server listens: `HOST:PORT`, with an IPv6 address in brackets.
struct ListenAddress: ExpressibleByArgument {
  let host: String
  let port: Int

  init?(argument: String) {
    guard let colon = argument.lastIndex(of: ":"), let port = UInt16(argument[argument.index(after: colon)...]) else {
      return nil
    }
    var host = argument[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.host = String(host)
    self.port = Int(port)
  }

  /// The URL for clients on a port. For an address that stands for all addresses it has the name localhost.
  func url(port: Int, scheme: String = "https") -> String {
    let name = ["0.0.0.0", "::"].contains(host) ? "localhost" : host
    return "\(scheme)://\(name.contains(":") ? "[\(name)]" : name):\(port)"
  }
}
