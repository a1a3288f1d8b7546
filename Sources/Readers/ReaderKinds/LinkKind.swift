public import Links

/// A kind of link on which a program can put a card, that a text such as `vpcd:localhost:35963` names.
public struct LinkKind: Sendable {
  /// Opens the device of a link, once for several payments. Blocks. `note` receives a line for the person who waits for
  /// the device.
  public typealias Opener =
    @Sendable (_ name: String, _ note: @escaping @Sendable (String) -> Void) throws(LinkError) -> LinkDevice

  /// The word before the colon.
  public let prefix: String
  /// What stands behind the colon, as the help shows it; nil for a kind without a name.
  public let placeholder: String?
  let accepts: @Sendable (_ name: String) -> Bool
  let open: Opener

  /// Creates a kind.
  ///
  /// - Parameter accepts: Whether a text behind the colon names such a link.
  public init(
    prefix: String, placeholder: String?, accepts: @escaping @Sendable (_ name: String) -> Bool = { !$0.isEmpty },
    open: @escaping Opener
  ) {
    (self.prefix, self.placeholder) = (prefix, placeholder)
    (self.accepts, self.open) = (accepts, open)
  }

  /// All kinds, in the order of the help.
  public static let all: [LinkKind] = [.acr122, .nfc, .vpcd]

  /// The form of a link of the kind, such as `vpcd:HOST:PORT`.
  public var form: String { prefix + (placeholder.map { ":\($0)" } ?? "") }

  /// Opens the device of the link that a text such as `vpcd:localhost:35963` names, on a thread of its own.
  ///
  /// - Throws: `LinkError`: `.readerUnavailable` for a text that names no link.
  public static func open(_ text: String) async throws -> LinkDevice {
    guard let link = NamedLink(text) else {
      let forms = all.map(\.form).joined(separator: ", ")
      throw LinkError(.readerUnavailable, "\"\(text)\" names no link: use one of \(forms)")
    }
    return try await link.open()
  }
}

/// A device on which cards are presented, one after the other.
public struct LinkDevice: Sendable {
  /// Creates a link for the next card. The closure is called when a terminal can reach the card.
  public let link: @Sendable (_ connected: @escaping @Sendable () -> Void) throws -> any EmulationLink
  /// Leaves the device as it was before; nil for a device that was not changed. May be called on any thread, and more
  /// than once.
  public var restore: (@Sendable () -> Void)?
  /// Whether every link is a `PartialResponseLink`: a card can leave in the middle of a response.
  public var losesPartOfResponse = false

  /// Creates a device.
  public init(
    link: @escaping @Sendable (_ connected: @escaping @Sendable () -> Void) throws -> any EmulationLink,
    restore: (@Sendable () -> Void)? = nil
  ) { (self.link, self.restore) = (link, restore) }

  /// A device at which a terminal can reach every card at once.
  public static func ready(
    _ link: @escaping @Sendable () throws -> any EmulationLink, restore: (@Sendable () -> Void)? = nil
  ) -> LinkDevice {
    LinkDevice(
      link: { connected in
        connected()
        return try link()
      }, restore: restore)
  }

  /// Leaves the device as it was before.
  public func close() { restore?() }
}

/// The name of a link: its kind, and what stands behind the colon.
public struct NamedLink: Sendable {
  private let kind: LinkKind
  private let name: String

  /// Reads a name. Nil for a kind that is not in the list, and for a name that the kind does not accept.
  public init?(_ text: String, among kinds: [LinkKind] = LinkKind.all) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let kind = kinds.first(where: { $0.prefix == parts[0] }), (kind.placeholder == nil) == (parts.count == 1)
    else { return nil }
    self.kind = kind
    name = parts.count > 1 ? parts[1] : ""
    guard parts.count == 1 || kind.accepts(name) else { return nil }
  }

  /// Opens the device on a thread of its own.
  ///
  /// - Parameter note: Receives a line for the person who waits for the device.
  public func open(note: @escaping @Sendable (String) -> Void = { _ in }) async throws -> LinkDevice {
    let (kind, name) = (kind, name)
    return try await DedicatedThread(named: "device") { () throws(LinkError) in try kind.open(name, note) }.value()
  }
}
