public import Documents

/// The operations of the protocol.
public enum UAFOperation: String, Hashable, Sendable, CaseIterable {
  /// Registration of authenticators.
  case registration = "Reg"
  /// Authentication, and confirmation of transactions.
  case authentication = "Auth"
  /// Deregistration of authenticators.
  case deregistration = "Dereg"
}

/// The header of every message (FIDO UAF Protocol Specification 1.1, section 3.1.2).
public struct OperationHeader: JSONMessage, Hashable {
  /// The version of the protocol.
  public var version: UAFVersion
  /// The operation.
  public var operation: UAFOperation
  /// The application identifier, at most 512 characters. Nil or empty: the client takes its facet identifier.
  public var applicationID: String?
  /// Data of the server that the client returns unchanged, 1 to 1536 characters, or nil.
  public var serverData: String?
  /// The extensions.
  public var extensions: [UAFExtension]

  /// The members of the object.
  public static let fields = MessageTable(
    { Self($1, version: $0, applicationID: $2, serverData: $3, extensions: $4) },
    .value("upv", \.version),
    .choice("op", \.operation),
    .text("appID", \.applicationID, 0...512),
    .text("serverData", \.serverData, 1...1_536),
    .filledList("exts", \.extensions))

  /// Creates a header.
  public init(
    _ operation: UAFOperation, version: UAFVersion = .v1_1, applicationID: String? = nil, serverData: String? = nil,
    extensions: [UAFExtension] = []
  ) {
    (self.operation, self.version, self.applicationID) = (operation, version, applicationID)
    (self.serverData, self.extensions) = (serverData, extensions)
  }
}
