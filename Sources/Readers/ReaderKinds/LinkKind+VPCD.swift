internal import VirtualCard

extension LinkKind {
  /// A virtual reader (vpcd) that waits for a card at a TCP port.
  public static let vpcd = LinkKind(
    prefix: "vpcd", placeholder: "HOST:PORT", accepts: { address($0) != nil },
    open: { name, _ in
      guard let (host, port) = address(name) else { preconditionFailure("the address was checked when it was read") }
      var device = LinkDevice(link: { try VPCDLink(host: host, port: port, connected: $0) })
      device.losesPartOfResponse = true
      return device
    })

  // The host may contain colons itself, in brackets: [::1]:35963.
  private static func address(_ text: String) -> (host: String, port: UInt16)? {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
      return nil
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    return host.isEmpty ? nil : (String(host), port)
  }
}
