import JSON

/// A change of a delivery on its way from the server.
enum DeliveryChange: CaseIterable, Sendable {
  case header, encryptedKey, vector, ciphertext, tag
  case cutEnvelope, furtherPart, longEnvelope
  case otherCard, otherForm
  case withoutCard, withoutIdentifier, withoutEnvelope
  case cutBody, emptyBody

  /// The changed body.
  func body(_ body: [UInt8]) -> [UInt8] {
    switch self {
    case .cutBody: return Array(body.dropLast(10))
    case .emptyBody: return []
    default: break
    }
    guard let json = try? JSONValue(parsing: body), let members = json.members,
      let envelope = json["envelope"]?.text, let card = json["card"]?.members
    else { preconditionFailure("a delivery has a card and an envelope") }
    let other: [(String, JSONValue)] =
      switch self {
      case .withoutCard: members.filter { $0.key != "card" }.map { ($0.key, $0.value) }
      case .withoutEnvelope: members.filter { $0.key != "envelope" }.map { ($0.key, $0.value) }
      case .withoutIdentifier:
        [("card", JSONValue(members: card.filter { $0.key != "id" }.map { ($0.key, Optional($0.value)) }))]
          + members.filter { $0.key != "card" }.map { ($0.key, $0.value) }
      case .otherCard:
        [("card", JSONValue(members: card.map { ($0.key, $0.key == "id" ? "another-card" : $0.value) }))]
          + members.filter { $0.key != "card" }.map { ($0.key, $0.value) }
      case .otherForm: members.map { ($0.key, $0.key == "envelope" ? JSONValue(7) : $0.value) }
      default: members.map { ($0.key, $0.key == "envelope" ? JSONValue(changed(envelope)) : $0.value) }
      }
    return Array(JSONValue(members: other.map { ($0.0, Optional($0.1)) }).compact.utf8)
  }

  private func changed(_ envelope: String) -> String {
    switch self {
    case .cutEnvelope: String(envelope.dropLast(10))
    case .furtherPart: envelope + ".AAAA"
    case .longEnvelope: envelope + String(repeating: "A", count: 4_000_000)
    default: envelopeWithChangedPart(envelope)
    }
  }

  /// Changes a character in the middle of one of the five parts of a compact JWE.
  private func envelopeWithChangedPart(_ envelope: String) -> String {
    guard let place = [Self.header, .encryptedKey, .vector, .ciphertext, .tag].firstIndex(of: self) else {
      preconditionFailure("\(self) does not change a part")
    }
    var parts = envelope.split(separator: ".").map { Array($0.utf8) }
    let middle = parts[place].count / 2
    parts[place][middle] = parts[place][middle] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
  }
}
