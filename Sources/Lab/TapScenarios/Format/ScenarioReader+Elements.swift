internal import EMVData
internal import ISO7816

extension ScenarioReader {
  /// What is asked of data elements: `9F27: 80`, `CTQ: {bits: {CDCVM performed: true}}`, `TVR.expiredApplication:
  /// false`.
  mutating func elements(_ node: ScenarioNode) -> [ElementExpectation] {
    pairs(of: node, "data elements").flatMap { key, value -> [ElementExpectation] in
      let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
      guard let tag = parts.first.flatMap({ DataElement.tag(named: $0) }) else {
        note(value, "no such data element: a tag such as 9F27, a short name such as TVR, or a name of the books")
        return []
      }
      let conditions = parts.count == 2 ? bit(parts[1], of: tag, value).map { [$0] } ?? [] : conditions(on: tag, value)
      return conditions.map { ElementExpectation(tag: tag, condition: $0) }
    }
  }

  private mutating func conditions(on tag: Tag, _ node: ScenarioNode) -> [ElementExpectation.Condition] {
    switch node.content {
    case .text(let text, _):
      if text == "present" { return [.present] }
      if text == "absent" { return [.absent] }
      return octets(node).map { [.equals($0)] } ?? []
    case .list:
      note(node, "a list stands where bytes, present, absent or a map are needed")
      return []
    case .map:
      return members(of: node, known: ["equals", "mask", "length", "bits"]).map { conditions(on: tag, node, $0) } ?? []
    }
  }

  private mutating func conditions(
    on tag: Tag, _ node: ScenarioNode, _ members: [String: ScenarioNode]
  ) -> [ElementExpectation.Condition] {
    var conditions: [ElementExpectation.Condition] = []
    let value = octets(members["equals"])
    if let mask = octets(members["mask"]) {
      if let value, value.count == mask.count {
        conditions.append(.masked(value, mask: mask))
      } else {
        note(node, "\"mask\" needs \"equals\" with as many bytes")
      }
    } else if let value {
      conditions.append(.equals(value))
    }
    if let count = integer(members["length"], in: 0...255) { conditions.append(.length(count...count)) }
    if let bits = members["bits"] { conditions += self.bits(of: tag, bits) }
    if case .map(let pairs) = node.content, pairs.isEmpty {
      note(node, "nothing is asked of \(tag): equals, mask, length or bits")
    }
    return conditions
  }

  private mutating func bits(of tag: Tag, _ node: ScenarioNode) -> [ElementExpectation.Condition] {
    pairs(of: node, "bits").compactMap { bit($0.key, of: tag, $0.value) }
  }

  private mutating func bit(
    _ name: String, of tag: Tag, _ node: ScenarioNode
  ) -> ElementExpectation.Condition? {
    switch ElementName.part(name, of: tag) {
    case .bit(let bit):
      return flag(node).map { .bit(octet: bit.octet, bit: bit.bit, name: bit.name, isSet: $0) }
    case .field(let field):
      guard let value = value(of: field, node) else { return nil }
      return .field(octet: field.octet, bits: field.bits, name: field.name, value: value)
    case .place(let octet, let bit):
      return flag(node).map { .bit(octet: octet, bit: bit, name: "", isSet: $0) }
    case nil:
      let names = ElementName.parts(of: tag)
      let known = names.isEmpty ? "its bits have no names" : "there are \(names.joined(separator: "; "))"
      note(node, "\(tag) has no bit of this name: byte 1 bit 8 is always understood; \(known)")
      return nil
    }
  }

  /// A number, or what the number means.
  private mutating func value(of field: NamedField, _ node: ScenarioNode) -> UInt8? {
    let most = UInt8(0xFF) >> UInt8(8 - field.bits.count)
    if case .text(let text, _) = node.content {
      if let number = UInt8(text), number <= most { return number }
      if let meant = field.values.first(where: { plain($0.value) == plain(text) }) { return meant.key }
    }
    let meanings = field.values.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")
    note(node, "\(node.kind) stands where 0 to \(most) is needed\(meanings.isEmpty ? "" : ", or one of \(meanings)")")
    return nil
  }
}
