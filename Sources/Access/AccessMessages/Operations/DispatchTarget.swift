public import Documents
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
public struct DispatchTargetRegistration: JSONMessage, Hashable {
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

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(userName:deviceID:name:pushTarget:dispatcher:signatureKey:encryptionKey:clientVersion:replaces:),
    .text("username", \.userName, RequestContext.userNameRange),
    .text("deviceId", \.deviceID, DispatchTarget.deviceIDRange),
    .text("name", \.name, DispatchTarget.nameRange),
    .text("target", \.pushTarget, DispatchTarget.pushTargetRange),
    .text("dispatcher", \.dispatcher, 1...64),
    .value("signatureKey", \.signatureKey),
    .value("encryptionKey", \.encryptionKey),
    .text("clientVersion", \.clientVersion, 1...64),
    .text("replaces", \.replaces, DispatchTarget.deviceIDRange))

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
}

/// The response to the registration of a dispatch target, with HTTP status 201.
public struct DispatchTargetIdentifiers: JSONMessage, Hashable {
  /// The identifier of the target.
  public var id: String
  /// The identifier of the target for other systems.
  public var externalID: String

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(id:externalID:),
    .text("id", \.id, 1...128),
    .text("extId", \.externalID, 1...128))

  /// Creates a body.
  public init(id: String, externalID: String) { (self.id, self.externalID) = (id, externalID) }
}

/// The dispatch targets of a user.
public struct DispatchTargetList: JSONMessage, Hashable {
  /// A dispatch target.
  public struct Entry: JSONMessage, Hashable {
    /// The name.
    public var name: String
    /// The identifier.
    public var id: String
    /// The dispatcher of the push messages, or nil.
    public var dispatcher: String?

    /// The members of the object.
    public static let fields = MessageTable(
      Self.init(name:id:dispatcher:),
      .text("name", \.name, DispatchTarget.nameRange),
      .text("id", \.id, 1...128),
      .text("dispatcher", \.dispatcher, 1...64))

    /// Creates an entry.
    public init(name: String, id: String, dispatcher: String?) {
      (self.name, self.id, self.dispatcher) = (name, id, dispatcher)
    }
  }

  /// The dispatch targets, the oldest first.
  public var targets: [Entry]

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(_:),
    .list("dispatchTargets", \.targets))

  /// Creates a body.
  public init(_ targets: [Entry]) { self.targets = targets }
}

extension JSONWebKey: MessageValue {
  /// Reads a key in a message.
  public init(_ json: JSONValue, at path: String) throws(DocumentError) {
    do throws(JOSEError) {
      try self.init(json)
    } catch {
      throw DocumentError(path, at: json.position, "\(error)")
    }
  }
}
