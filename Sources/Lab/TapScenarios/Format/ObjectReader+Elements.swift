internal import Documents
internal import EMVData
internal import ISO7816
internal import JSON

extension ObjectReader {
  /// What is asked of data elements: `9F27: 80`, `CTQ: {bits: {CDCVM performed: true}}`, `TVR.expiredApplication:
  /// false`.
  mutating func elements(_ key: String) -> [ElementExpectation] {
    pairs(key, of: "data elements").flatMap { elements($0.key, $0.value, at: $0.place) }
  }

  mutating func elements(_ name: String, _ value: JSONValue, at place: String) -> [ElementExpectation] {
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    guard let tag = parts.first.flatMap({ DataElement.tag(named: $0) }) else {
      note(place, "no such data element: a tag such as 9F27, a short name such as TVR, or a name of the books")
      return []
    }
    let conditions =
      parts.count == 2
      ? bit(parts[1], of: tag, value, at: place).map { [$0] } ?? [] : conditions(on: tag, value, at: place)
    return conditions.map { ElementExpectation(tag: tag, condition: $0) }
  }

  private mutating func conditions(
    on tag: Tag, _ value: JSONValue, at place: String
  ) -> [ElementExpectation.Condition] {
    if let members = value.members {
      if members.isEmpty { note(place, "nothing is asked of \(tag): equals, mask, length or bits") }
      return object(value, at: place) { $0.conditions(on: tag) }
    }
    switch scalar(value) {
    case "present": return [.present]
    case "absent": return [.absent]
    case nil:
      refuse(value, at: place, needed: "hexadecimal, present, absent or a map")
      return []
    default: return octets(value, at: place).map { [.equals($0)] } ?? []
    }
  }

  private mutating func conditions(on tag: Tag) -> [ElementExpectation.Condition] {
    var conditions: [ElementExpectation.Condition] = []
    let value = octets("equals")
    if let mask = octets("mask") {
      if let value, value.count == mask.count {
        conditions.append(.masked(value, mask: mask))
      } else {
        note("", "\"mask\" needs \"equals\" with as many bytes")
      }
    } else if let value {
      conditions.append(.equals(value))
    }
    if let count = optionalInteger("length", in: 0...255) { conditions.append(.length(count...count)) }
    return conditions + pairs("bits", of: "bits").compactMap { bit($0.key, of: tag, $0.value, at: $0.place) }
  }

  private mutating func bit(
    _ name: String, of tag: Tag, _ value: JSONValue, at place: String
  ) -> ElementExpectation.Condition? {
    switch ElementName.part(name, of: tag) {
    case .bit(let bit):
      return flag(value, at: place).map { .bit(octet: bit.octet, bit: bit.bit, name: bit.name, isSet: $0) }
    case .field(let field):
      guard let number = number(of: field, value, at: place) else { return nil }
      return .field(octet: field.octet, bits: field.bits, name: field.name, value: number)
    case .place(let octet, let bit):
      return flag(value, at: place).map { .bit(octet: octet, bit: bit, name: "", isSet: $0) }
    case nil:
      let names = ElementName.parts(of: tag)
      let known = names.isEmpty ? "its bits have no names" : "there are \(names.joined(separator: "; "))"
      note(place, "\(tag) has no bit of this name: byte 1 bit 8 is always understood; \(known)")
      return nil
    }
  }

  /// A number, or what the number means.
  private mutating func number(of field: NamedField, _ value: JSONValue, at place: String) -> UInt8? {
    let most = UInt8(0xFF) >> UInt8(8 - field.bits.count)
    if let text = scalar(value) {
      if let number = UInt8(text), number <= most { return number }
      if let meant = field.values.first(where: { plain($0.value) == plain(text) }) { return meant.key }
    }
    let meanings = field.values.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")
    refuse(
      place, "0 to \(most)\(meanings.isEmpty ? "" : ", or one of \(meanings),") is needed, not \(found(value))")
    return nil
  }
}
