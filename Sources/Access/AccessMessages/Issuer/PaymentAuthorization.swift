public import Documents
public import JSON
internal import Octets

/// The online request of a terminal.
public struct PaymentAuthorizationRequest: Sendable {
  /// The account number of the card: 8 to 19 digits.
  public var accountNumber: String
  /// The data elements of card and terminal by their tags in hexadecimal, such as `9F26`.
  public var elements: [String: [UInt8]]

  /// The most data elements of a request.
  public static let maximumElementCount = 128
  /// The most bytes of a data element.
  public static let maximumElementSize = 256

  /// Creates a body.
  public init(accountNumber: String, elements: [String: [UInt8]]) {
    (self.accountNumber, self.elements) = (accountNumber, elements)
  }

  /// Reads a body.
  public init(_ json: JSONValue) throws(DocumentError) {
    let reader = try StrictReader(json)
    accountNumber = try reader.text("accountNumber", 8...19)
    elements = try reader.value("elements") { (json, path) throws(DocumentError) in
      guard let members = json.members, members.count <= Self.maximumElementCount else {
        throw DocumentError(
          path, at: json.position, "must be an object with at most \(Self.maximumElementCount) members")
      }
      var elements: [String: [UInt8]] = [:]
      for member in members {
        guard let text = member.value.text, text.utf8.count <= 2 * Self.maximumElementSize,
          let octets = try? [UInt8](hex: text)
        else {
          throw DocumentError(
            "\(path).\(member.key)", "must be at most \(Self.maximumElementSize) bytes in hexadecimal")
        }
        elements[member.key.uppercased()] = octets
      }
      return elements
    }
  }

  /// The body as JSON.
  public var json: JSONValue {
    let members = elements.sorted { $0.key < $1.key }.map { ($0.key, Optional(JSONValue($0.value.hex))) }
    return ["accountNumber": JSONValue(accountNumber), "elements": JSONValue(members: members)]
  }
}

/// The response of the issuer to an online request.
public struct PaymentAuthorization: JSONMessage, Hashable {
  /// What the issuer decides.
  public enum Decision: String, Hashable, Sendable, CaseIterable {
    /// The payment is approved.
    case approved
    /// The payment is declined.
    case declined
    /// The card belongs to another issuer.
    case unknownCard
  }

  /// The decision.
  public var decision: Decision
  /// Tag 8A, the authorisation response code (ISO 8583): two characters.
  public var responseCode: String
  /// Tag 89, the authorisation code of an approval: six characters.
  public var authorizationCode: String?
  /// Tag 91 of an approval, or nil.
  public var authenticationData: [UInt8]?
  /// Templates 71 and 72, the issuer's commands for the card, one after the other; empty for none.
  public var scripts: [UInt8]
  /// A sentence for testers, without secrets; nil for an approval.
  public var reason: String?

  /// Creates a body.
  public init(
    _ decision: Decision, responseCode: String, authorizationCode: String? = nil, authenticationData: [UInt8]? = nil,
    scripts: [UInt8] = [], reason: String? = nil
  ) {
    (self.decision, self.responseCode, self.authorizationCode) = (decision, responseCode, authorizationCode)
    (self.authenticationData, self.scripts, self.reason) = (authenticationData, scripts, reason)
  }

  /// The members of the body.
  public static let fields = MessageTable(
    Self.init(_:responseCode:authorizationCode:authenticationData:scripts:reason:),
    .choice("decision", \.decision),
    .text("responseCode", \.responseCode, 2...2),
    .text("authorizationCode", \.authorizationCode, 6...6),
    .hexadecimal("authenticationData", \.authenticationData),
    .hexadecimal("scripts", \.scripts),
    .text("reason", \.reason, 0...512))
}

extension MessageField {
  fileprivate static func hexadecimal(_ name: String, _ path: Property) -> MessageField where Value == [UInt8]? {
    custom(name, path, read: { (reader) throws(DocumentError) in try reader.hexadecimal(name) }) {
      $0.map { JSONValue($0.hex) }
    }
  }

  /// Bytes as hexadecimal text; an empty value is left out.
  fileprivate static func hexadecimal(_ name: String, _ path: Property) -> MessageField where Value == [UInt8] {
    custom(name, path, read: { (reader) throws(DocumentError) in try reader.hexadecimal(name) ?? [] }) {
      $0.isEmpty ? JSONValue?.none : JSONValue($0.hex)
    }
  }
}

extension StrictReader {
  fileprivate func hexadecimal(_ name: String) throws(DocumentError) -> [UInt8]? {
    guard let text = try optionalText(name, 0...4096) else { return nil }
    guard let octets = try? [UInt8](hex: text) else { throw error(name, "is not hexadecimal") }
    return octets
  }
}
