public import Documents
public import JSON

/// The payload of a JWS with which a device proves that it makes a request: the header `Device-Signature`, or the body of a
/// change of its dispatch target.
///
/// The JWS has the algorithm ES256 and is signed with the signature key of the dispatch target. The server accepts each
/// request identifier once, and a creation time within `maximumClockSkew` of its own time. It accepts the audience only when
/// it is an origin of its own. The members besides `dispatchTargetId`, `requestId` and `creationTimeInEpochMillis` are ours.
public struct DeviceRequest: Hashable, Sendable {
  /// The name of the header.
  public static let headerName = "Device-Signature"
  /// The largest difference between the clocks of device and server, in milliseconds: 5 minutes.
  public static let maximumClockSkew: Int64 = 300_000
  /// The lengths of a request identifier, in characters.
  public static let requestIDRange = 1...64
  /// The lengths of an audience, in characters.
  public static let audienceRange = 9...1_024

  /// What a request is for, so that its signature cannot be used for another one.
  public enum Purpose: String, Hashable, Sendable, CaseIterable {
    /// The credentials of the device.
    case credentials
    /// The pending out-of-band operations of the device.
    case operations
    /// A change of the dispatch target.
    case change
    /// Removal of the dispatch target.
    case removal
    /// A deregistration request.
    case deregistration
  }

  /// The identifier of the dispatch target.
  public var targetID: String
  /// An identifier that the device never uses again.
  public var requestID: String
  /// When the request was made, in milliseconds since 1970.
  public var createdAt: Int64
  /// The origin that the client is connected to, such as `https://example.org:8443`. Nil in the requests of older clients, and
  /// of clients of other makers.
  public var audience: String?
  /// What the request is for. Clients of other makers have no such member: it may be nil for `credentials` and `change`.
  public var purpose: Purpose?
  /// The change; nil unless the purpose is `change`.
  public var change: DispatchTargetChange?

  /// Creates a payload.
  public init(
    targetID: String, requestID: String, createdAt: Int64, audience: String?, purpose: Purpose?,
    change: DispatchTargetChange? = nil
  ) {
    (self.targetID, self.requestID, self.createdAt) = (targetID, requestID, createdAt)
    self.audience = audience
    (self.purpose, self.change) = (purpose, change)
  }

  /// Reads a payload.
  public init(_ json: JSONValue) throws(DocumentError) {
    let reader = try StrictReader(json)
    targetID = try reader.text("dispatchTargetId", 1...128)
    requestID = try reader.text("requestId", Self.requestIDRange)
    createdAt = Int64(try reader.number("creationTimeInEpochMillis", 0...Int(Int64.max / 2)))
    audience = try reader.optionalText("audience", Self.audienceRange)
    purpose = try reader.optionalText("purpose", 1...64).map { (text) throws(DocumentError) in
      guard let purpose = Purpose(rawValue: text) else { throw reader.error("purpose", "is unknown") }
      return purpose
    }
    change = try DispatchTargetChange(json)
  }

  /// The payload as JSON.
  public var json: JSONValue {
    let members: [(String, JSONValue?)] = [
      ("dispatchTargetId", JSONValue(targetID)), ("requestId", JSONValue(requestID)),
      ("creationTimeInEpochMillis", JSONValue(createdAt)), ("audience", audience.map { JSONValue($0) }),
      ("purpose", purpose.map { JSONValue($0.rawValue) }),
    ]
    return JSONValue(members: members + (change?.members ?? []))
  }
}

/// A change of a dispatch target.
public struct DispatchTargetChange: Hashable, Sendable {
  /// A change of where push messages go.
  public enum PushTarget: Hashable, Sendable {
    /// Push messages go to this push token.
    case enabled(String)
    /// The server sends no push messages: `"target": null`.
    case disabled
  }

  /// The new name, or nil.
  public var name: String?
  /// The new push target, or nil.
  public var pushTarget: PushTarget?
  /// The new dispatcher of the push messages, or nil.
  public var dispatcher: String?

  /// Creates a change.
  public init(name: String? = nil, pushTarget: PushTarget? = nil, dispatcher: String? = nil) {
    (self.name, self.pushTarget, self.dispatcher) = (name, pushTarget, dispatcher)
  }

  /// Whether nothing is changed.
  public var isEmpty: Bool { name == nil && pushTarget == nil && dispatcher == nil }

  init?(_ json: JSONValue) throws(DocumentError) {
    let reader = try StrictReader(json)
    name = try reader.optionalText("name", DispatchTarget.nameRange)
    if json["target"]?.isNull == true {
      pushTarget = .disabled
    } else {
      pushTarget = try reader.optionalText("target", DispatchTarget.pushTargetRange).map { .enabled($0) }
    }
    dispatcher = try reader.optionalText("dispatcher", 1...64)
    if isEmpty { return nil }
  }

  var members: [(String, JSONValue?)] {
    let target: JSONValue? =
      switch pushTarget {
      case .enabled(let token)?: JSONValue(token)
      case .disabled?: JSONValue(.null)
      case nil: nil
      }
    return [
      ("name", name.map { JSONValue($0) }), ("target", target), ("dispatcher", dispatcher.map { JSONValue($0) }),
    ]
  }
}
