internal import EMVData
internal import ISO7816
internal import Octets
internal import PaymentAcceptance

extension ScenarioReader {
  /// The issuer of a scenario: `test`, `none`, or a map with what the test issuer responds.
  mutating func issuer(_ node: ScenarioNode?) -> TapScenario.Issuer {
    guard let node else { return .test }
    guard case .map = node.content else {
      return choice(node, of: [("test", TapScenario.Issuer.test), ("none", TapScenario.Issuer.none)]) ?? .test
    }
    var order = IssuerOrder()
    guard let members = members(of: node, known: ["decision", "authentication", "scripts", "delay"]) else {
      return .test
    }
    if members.isEmpty { note(node, "nothing is ordered: decision, authentication, scripts or delay") }
    order.declines = choice(members["decision"], of: [("approve", false), ("decline", true)]) ?? false
    order.delayMilliseconds = integer(members["delay"], in: 0...60_000) ?? 0
    order.authentication = members["authentication"].flatMap { authentication($0) } ?? .right
    if case .text? = members["scripts"]?.content {
      order.templates = octets(members["scripts"], 1...IssuerOrder.maximumTemplateCount) ?? []
    } else {
      order.scripts = each(members["scripts"]) { $0.script($1) }
    }
    return .ordered(order)
  }

  private mutating func authentication(_ node: ScenarioNode) -> IssuerOrder.Authentication? {
    if case .text(let text, _) = node.content {
      switch plain(text) {
      case "right": return .right
      case "wrong": return .wrong
      case "none": return IssuerOrder.Authentication.none
      default: if let octets = try? [UInt8](hex: text), !octets.isEmpty { return .octets(octets) }
      }
    }
    note(node, "\(node.kind) stands where right, wrong, none or bytes in hexadecimal are needed")
    return nil
  }

  private mutating func script(_ node: ScenarioNode) -> ScriptOrder? {
    guard let members = members(of: node, known: ["when", "identifier", "commands"], needed: ["when", "commands"])
    else { return nil }
    let moment: ScriptOrder.Moment? = choice(
      members["when"], of: [("before", .beforeSecondCryptogram), ("after", .afterSecondCryptogram)])
    let identifier = octets(members["identifier"], 4...4)
    let commands = each(members["commands"]) { $0.command($1) }
    guard let moment, !commands.isEmpty else { return nil }
    return ScriptOrder(moment, identifier: identifier.flatMap { UInt32(bigEndian: $0) }, commands)
  }

  /// `block application`, `unblock application`, `block card`, or `put data`, a tag and its value.
  private mutating func command(_ node: ScenarioNode) -> ScriptCommand? {
    let plainCommands: [String: ScriptCommand] = [
      "blockapplication": .blockApplication, "unblockapplication": .unblockApplication, "blockcard": .blockCard,
    ]
    if case .text(let text, _) = node.content {
      if let command = plainCommands[plain(text)] { return command }
      let words = text.split(separator: " ").map(String.init)
      if words.count >= 4, words[0...1] == ["put", "data"], let tag = DataElement.tag(named: words[2]),
        tag.octetCount <= 2, let value = try? [UInt8](hex: words[3...].joined())
      {
        return .putData(tag, value)
      }
    }
    note(
      node, "\(node.kind) is no command: block application, unblock application, block card, or put data 9F58 07")
    return nil
  }
}

extension IssuerOrder {
  /// The most bytes of templates in a scenario. A terminal drops more than 128, which a scenario may show.
  static let maximumTemplateCount = 255
}
