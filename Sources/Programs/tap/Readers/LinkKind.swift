import ArgumentParser
import Links
import VirtualCard

/// A kind of link on which `tap present` can put a card. Each kind is one value in `all`.
struct LinkKind: Sendable {
  /// The word before the colon.
  let prefix: String
  /// What stands behind the colon, as the help shows it; nil for a kind without a name.
  let placeholder: String?
  /// Whether a text behind the colon names such a link.
  var accepts: @Sendable (_ name: String) -> Bool = { !$0.isEmpty }
  /// Opens the device of a link, once for several payments. Blocks.
  let open: @Sendable (_ name: String) throws(LinkError) -> LinkDevice

  /// All kinds, in the order of the help.
  static let all: [LinkKind] = [.acr122, .loopback, .nfc, .vpcd]
}

/// A device on which cards are presented, one after the other.
struct LinkDevice: Sendable {
  /// Creates a link for the next card. The closure is called when a terminal can reach the card.
  let link: @Sendable (_ connected: @escaping @Sendable () -> Void) throws -> any EmulationLink
  /// Leaves the device as it was.
  var close: @Sendable () -> Void = {}

  /// A device at which a terminal can reach every card at once.
  static func ready(
    _ link: @escaping @Sendable () throws -> any EmulationLink, close: @escaping @Sendable () -> Void = {}
  ) -> LinkDevice {
    LinkDevice(
      link: { connected in
        connected()
        return try link()
      }, close: close)
  }
}

/// LINK: where a card is presented.
struct LinkName: ExpressibleByArgument, Sendable {
  let kind: LinkKind
  let name: String

  init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let kind = LinkKind.all.first(where: { $0.prefix == parts[0] }),
      (kind.placeholder == nil) == (parts.count == 1)
    else { return nil }
    self.kind = kind
    name = parts.count > 1 ? parts[1] : ""
    guard parts.count == 1 || kind.accepts(name) else { return nil }
  }

  static var allValueStrings: [String] { LinkKind.all.map { $0.prefix + ($0.placeholder.map { ":\($0)" } ?? "") } }

  /// Opens the device on a thread of its own.
  func open() async throws -> LinkDevice {
    let (kind, name) = (kind, name)
    return try await DedicatedThread(named: "device") { () throws(LinkError) in try kind.open(name) }.value()
  }
}

extension LinkKind {
  /// A virtual reader (vpcd) that waits for a card at a TCP port.
  static let vpcd = LinkKind(
    prefix: "vpcd", placeholder: "HOST:PORT", accepts: { address($0) != nil },
    open: { name in
      guard let (host, port) = address(name) else { preconditionFailure("the address was checked when it was read") }
      return LinkDevice(link: { try VPCDLink(host: host, port: port, connected: $0) })
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
