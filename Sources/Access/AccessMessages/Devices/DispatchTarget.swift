public import FIDOUAF
public import JOSE
public import JSON

/// The limits of the members of a dispatch target: a device of an account, which operations are dispatched to.
public enum DispatchTarget {
  /// The lengths of a device identifier, in characters.
  public static let deviceIDRange = 1...128
  /// The lengths of a name, in characters.
  public static let nameRange = 1...128
  /// The lengths of a push token, in characters.
  public static let pushTargetRange = 1...4_096
}

/// Registers a dispatch target. It needs the authorization of a user: a registration token, or the authorization that a
/// successful registration or authentication returned, unless the server has open registration.
public struct DispatchTargetRegistration: Hashable, Sendable {
  /// The account.
  public var userName: String
  /// The identifier of the device, the same for all accounts of the device; nil: the server takes that of the target.
  public var deviceID: String?
  /// The name, unique in the account.
  public var name: String
  /// The push token, or nil.
  public var pushTarget: String?
  /// The dispatcher of the push messages, or nil.
  public var dispatcher: String?
  /// The public key of the device's signatures.
  public var signatureKey: JSONWebKey
  /// The public key for messages to the device.
  public var encryptionKey: JSONWebKey
  /// The version of the client, or nil. Ours.
  public var clientVersion: String?
  /// The identifier that the device had before it lost its keys; nil otherwise. The server removes the targets of that one
  /// from the account. Ours.
  public var replaces: String?

  /// Creates a body.
  public init(
    userName: String, deviceID: String?, name: String, pushTarget: String? = nil, dispatcher: String? = nil,
    signatureKey: JSONWebKey, encryptionKey: JSONWebKey, clientVersion: String? = nil, replaces: String? = nil
  ) {
    (self.userName, self.deviceID, self.name, self.replaces) = (userName, deviceID, name, replaces)
    (self.pushTarget, self.dispatcher) = (pushTarget, dispatcher)
    (self.signatureKey, self.encryptionKey) = (signatureKey, encryptionKey)
    self.clientVersion = clientVersion
  }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    let reader = try DictionaryReader(json)
    userName = try reader.text("username", RequestContext.userNameRange)
    deviceID = try reader.optionalText("deviceId", DispatchTarget.deviceIDRange)
    name = try reader.text("name", DispatchTarget.nameRange)
    pushTarget = try reader.optionalText("target", DispatchTarget.pushTargetRange)
    dispatcher = try reader.optionalText("dispatcher", 1...64)
    signatureKey = try reader.object("signatureKey", JSONWebKey.init(_:at:))
    encryptionKey = try reader.object("encryptionKey", JSONWebKey.init(_:at:))
    clientVersion = try reader.optionalText("clientVersion", 1...64)
    replaces = try reader.optionalText("replaces", DispatchTarget.deviceIDRange)
  }

  /// The body as JSON.
  public var json: JSONValue {
    JSONValue(members: [
      ("username", JSONValue(userName)), ("deviceId", deviceID.map { JSONValue($0) }), ("name", JSONValue(name)),
      ("target", pushTarget.map { JSONValue($0) }), ("dispatcher", dispatcher.map { JSONValue($0) }),
      ("signatureKey", signatureKey.json), ("encryptionKey", encryptionKey.json),
      ("clientVersion", clientVersion.map { JSONValue($0) }), ("replaces", replaces.map { JSONValue($0) }),
    ])
  }
}

/// The answer to the registration of a dispatch target, with HTTP status 201.
public struct DispatchTargetIdentifiers: Hashable, Sendable {
  /// The identifier of the target.
  public var id: String
  /// The identifier of the target for other systems.
  public var externalID: String

  /// Creates a body.
  public init(id: String, externalID: String) { (self.id, self.externalID) = (id, externalID) }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    let reader = try DictionaryReader(json)
    id = try reader.text("id", 1...128)
    externalID = try reader.text("extId", 1...128)
  }

  /// The body as JSON.
  public var json: JSONValue { ["id": JSONValue(id), "extId": JSONValue(externalID)] }
}

/// The dispatch targets of a user.
public struct DispatchTargetList: Hashable, Sendable {
  /// A dispatch target.
  public struct Entry: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The identifier.
    public var id: String
    /// The dispatcher of the push messages, or nil.
    public var dispatcher: String?

    /// Creates an entry.
    public init(name: String, id: String, dispatcher: String?) {
      (self.name, self.id, self.dispatcher) = (name, id, dispatcher)
    }
  }

  /// The dispatch targets, the oldest first.
  public var targets: [Entry]

  /// Creates a body.
  public init(_ targets: [Entry]) { self.targets = targets }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    targets = try DictionaryReader(json).list("dispatchTargets") { (json, path) throws(UAFMessageError) in
      let reader = try DictionaryReader(json, at: path)
      return Entry(
        name: try reader.text("name", DispatchTarget.nameRange), id: try reader.text("id", 1...128),
        dispatcher: try reader.optionalText("dispatcher", 1...64))
    }
  }

  /// The body as JSON.
  public var json: JSONValue {
    let entries = targets.map { target in
      JSONValue(members: [
        ("name", JSONValue(target.name)), ("id", JSONValue(target.id)),
        ("dispatcher", target.dispatcher.map { JSONValue($0) }),
      ])
    }
    return ["dispatchTargets": JSONValue(entries)]
  }
}

extension JSONWebKey {
  /// Reads a key in a message.
  init(_ json: JSONValue, at path: String) throws(UAFMessageError) {
    do throws(JOSEError) {
      try self.init(json)
    } catch {
      throw UAFMessageError(path, "\(error)")
    }
  }
}
