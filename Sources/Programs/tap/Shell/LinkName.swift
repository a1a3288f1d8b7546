import ArgumentParser

/// Where `tap present` puts the card.
enum LinkName: ExpressibleByArgument {
  case acr122(name: String)
  case loopback
  case nfc(connstring: String)
  case vpcd(host: String, port: UInt16)

  init?(argument: String) {
    if argument == "loopback" {
      self = .loopback
      return
    }
    if argument.hasPrefix("nfc:"), argument.count > 4 {
      self = .nfc(connstring: String(argument.dropFirst(4)))
      return
    }
    if argument.hasPrefix("acr122:"), argument.count > 7 {
      self = .acr122(name: String(argument.dropFirst(7)))
      return
    }
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    // The host may hold colons itself, in brackets: vpcd:[::1]:35963.
    guard parts.count >= 3, parts[0] == "vpcd", let port = UInt16(parts[parts.count - 1]), port > 0 else { return nil }
    var host = parts[1..<parts.count - 1].joined(separator: ":")
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.isEmpty else { return nil }
    self = .vpcd(host: host, port: port)
  }

  static var allValueStrings: [String] { ["acr122:NAME", "loopback", "nfc:CONNSTRING", "vpcd:HOST:PORT"] }
}

/// Where `tap accept` finds the card.
enum ReaderName: ExpressibleByArgument {
  case acr122(name: String)
  case loopback(cardFile: String)
  case nfc(connstring: String)
  case pcsc(name: String)
  case replay(file: String)

  init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty else { return nil }
    switch parts[0] {
    case "acr122": self = .acr122(name: String(parts[1]))
    case "loopback": self = .loopback(cardFile: String(parts[1]))
    case "nfc": self = .nfc(connstring: String(parts[1]))
    case "pcsc": self = .pcsc(name: String(parts[1]))
    case "replay": self = .replay(file: String(parts[1]))
    default: return nil
    }
  }

  static var allValueStrings: [String] {
    ["acr122:NAME", "loopback:CARDFILE", "nfc:CONNSTRING", "pcsc:NAME", "replay:FILE"]
  }
}
