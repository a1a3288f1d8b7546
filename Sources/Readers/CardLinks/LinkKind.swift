public import Links

/// A kind of link on which a program can put a card. A program lists the kinds that it offers.
public struct LinkKind: Sendable {
  /// The word before the colon.
  public let prefix: String
  /// What stands behind the colon, as the help shows it; nil for a kind without a name.
  public let placeholder: String?
  /// Whether a text behind the colon names such a link.
  public let accepts: @Sendable (_ name: String) -> Bool
  /// Opens the device of a link, once for several payments. Blocks.
  public let open: @Sendable (_ name: String) throws(LinkError) -> LinkDevice

  /// Creates a kind.
  public init(
    prefix: String, placeholder: String?, accepts: @escaping @Sendable (_ name: String) -> Bool = { !$0.isEmpty },
    open: @escaping @Sendable (_ name: String) throws(LinkError) -> LinkDevice
  ) {
    (self.prefix, self.placeholder) = (prefix, placeholder)
    (self.accepts, self.open) = (accepts, open)
  }

  /// The form of a link of the kind, such as `vpcd:HOST:PORT`.
  public var form: String { prefix + (placeholder.map { ":\($0)" } ?? "") }
}

/// A device on which cards are presented, one after the other.
public struct LinkDevice: Sendable {
  /// Creates a link for the next card. The closure is called when a terminal can reach the card.
  public let link: @Sendable (_ connected: @escaping @Sendable () -> Void) throws -> any EmulationLink
  /// Leaves the device as it was.
  public let close: @Sendable () -> Void

  /// Creates a device.
  public init(
    link: @escaping @Sendable (_ connected: @escaping @Sendable () -> Void) throws -> any EmulationLink,
    close: @escaping @Sendable () -> Void = {}
  ) { (self.link, self.close) = (link, close) }

  /// A device at which a terminal can reach every card at once.
  public static func ready(
    _ link: @escaping @Sendable () throws -> any EmulationLink, close: @escaping @Sendable () -> Void = {}
  ) -> LinkDevice {
    LinkDevice(
      link: { connected in
        connected()
        return try link()
      }, close: close)
  }
}

/// The name of a link: its kind, and what stands behind the colon.
public struct NamedLink: Sendable {
  private let kind: LinkKind
  private let name: String

  /// Reads a name. Nil for a kind that is not in the list, and for a name that the kind does not accept.
  public init?(_ text: String, among kinds: [LinkKind]) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let kind = kinds.first(where: { $0.prefix == parts[0] }), (kind.placeholder == nil) == (parts.count == 1)
    else { return nil }
    self.kind = kind
    name = parts.count > 1 ? parts[1] : ""
    guard parts.count == 1 || kind.accepts(name) else { return nil }
  }

  /// Opens the device on a thread of its own.
  public func open() async throws -> LinkDevice {
    let (kind, name) = (kind, name)
    return try await DedicatedThread(named: "device") { () throws(LinkError) in try kind.open(name) }.value()
  }
}
