public import JSON

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
public struct OperationHeader: Hashable, Sendable {
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

  /// Creates a header.
  public init(
    _ operation: UAFOperation, version: UAFVersion = .v1_1, applicationID: String? = nil, serverData: String? = nil,
    extensions: [UAFExtension] = []
  ) {
    (self.operation, self.version, self.applicationID) = (operation, version, applicationID)
    (self.serverData, self.extensions) = (serverData, extensions)
  }

  init(_ json: JSONValue, at path: String) throws(UAFMessageError) {
    let reader = try DictionaryReader(json, at: path)
    version = try reader.object("upv", UAFVersion.init)
    operation = try reader.choice("op")
    applicationID = try reader.optionalText("appID", 0...512)
    serverData = try reader.optionalText("serverData", 1...1_536)
    extensions = try reader.optionalList("exts", UAFExtension.init) ?? []
  }

  /// The header as JSON.
  public var json: JSONValue {
    var members: [(String, JSONValue)] = [("upv", version.json), ("op", JSONValue(operation.rawValue))]
    if let applicationID { members.append(("appID", JSONValue(applicationID))) }
    if let serverData { members.append(("serverData", JSONValue(serverData))) }
    if !extensions.isEmpty { members.append(("exts", JSONValue(extensions.map(\.json)))) }
    return JSONValue(members: members)
  }
}
