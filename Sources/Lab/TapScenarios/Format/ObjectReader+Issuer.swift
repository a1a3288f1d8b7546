internal import Documents
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets
internal import PaymentAcceptance

extension ObjectReader {
  /// The issuer of a scenario: `test`, `none`, or a map with what the test issuer responds.
  mutating func issuer(_ key: String) -> TapScenario.Issuer {
    guard value(key)?.members != nil else {
      return named(key, of: [("test", TapScenario.Issuer.test), ("none", TapScenario.Issuer.none)]) ?? .test
    }
    return optionalObject(key) { .ordered($0.issuerOrder()) } ?? .test
  }

  private mutating func issuerOrder() -> IssuerOrder {
    var order = IssuerOrder()
    order.declines = named("decision", of: [("approve", false), ("decline", true)]) ?? false
    order.authentication = value("authentication").flatMap { authentication($0, at: "authentication") } ?? .right
    if value("scripts").flatMap({ scalar($0) }) != nil {
      order.templates = octets("scripts", 1...IssuerOrder.maximumTemplateCount) ?? []
    } else {
      order.scripts = each("scripts") { value, place, reader in reader.object(value, at: place) { $0.script() } }
    }
    order.delayMilliseconds = optionalInteger("delay", in: 0...60_000) ?? 0
    refuseEmpty("nothing is ordered: at least one of")
    return order
  }

  private mutating func authentication(_ value: JSONValue, at place: String) -> IssuerOrder.Authentication? {
    if let text = scalar(value) {
      switch plain(text) {
      case "right": return .right
      case "wrong": return .wrong
      case "none": return IssuerOrder.Authentication.none
      default: if let octets = try? [UInt8](hex: text), !octets.isEmpty { return .octets(octets) }
      }
    }
    refuse(place, "right, wrong, none or bytes in hexadecimal are needed, not \(found(value))")
    return nil
  }

  private mutating func script() -> ScriptOrder? {
    let moments: [(String, ScriptOrder.Moment)] = [
      ("before", .beforeSecondCryptogram), ("after", .afterSecondCryptogram),
    ]
    let moment = named("when", of: moments)
    let identifier = octets("identifier", 4...4)
    let commands = each("commands", isRequired: true) { $2.command($0, at: $1) }
    if !has("when") { refuse("when", "text is missing") }
    guard let moment, !commands.isEmpty else { return nil }
    return ScriptOrder(moment, identifier: identifier.flatMap { UInt32(bigEndian: $0) }, commands)
  }

  /// `block application`, `unblock application`, `block card`, or `put data`, a tag and its value.
  private mutating func command(_ value: JSONValue, at place: String) -> ScriptCommand? {
    let plainCommands: [String: ScriptCommand] = [
      "blockapplication": .blockApplication, "unblockapplication": .unblockApplication, "blockcard": .blockCard,
    ]
    if let text = scalar(value) {
      if let command = plainCommands[plain(text)] { return command }
      let words = text.split(separator: " ").map(String.init)
      if words.count >= 4, words[0...1] == ["put", "data"], let tag = DataElement.tag(named: words[2]),
        tag.octetCount <= 2, let value = try? [UInt8](hex: words[3...].joined())
      {
        return .putData(tag, value)
      }
    }
    refuse(
      place,
      "\(found(value)) is no command: block application, unblock application, block card, or put data 9F58 07")
    return nil
  }
}

extension IssuerOrder {
  /// The most bytes of templates in a scenario. A terminal drops more than 128, which a scenario may show.
  static let maximumTemplateCount = 255
}
