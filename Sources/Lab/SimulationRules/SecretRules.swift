/// A PIN of few digits is protected by the number of guesses alone.
struct WrongPINs: SimulationRule {
  static let name = "a server answers at most four wrong PINs of a device in a row before it unlinks the device"

  private struct Link: Hashable {
    let phone: Int
    let server: Int
  }

  private var wrong: [Link: Int] = [:]

  mutating func add(_ fact: SimulatedFact) -> String? {
    guard case .exchanged(let exchange) = fact, let phone = exchange.phone, exchange.method == "POST",
      exchange.path.hasSuffix("/sessions"), exchange.body.isPIN
    else { return nil }
    let link = Link(phone: phone, server: exchange.server)
    let code = String(decoding: exchange.response, as: UTF8.self).member("code")
    if exchange.isAccepted {
      wrong[link] = 0
    } else if code == "deviceUnlinked" || code == "notRegistered" {
      wrong[link] = 0
    } else if code == "wrongCredentials" {
      wrong[link, default: 0] += 1
      let count = wrong[link, default: 0]
      return count > 4 ? "\(exchange): wrong PIN number \(count) in a row" : nil
    }
    return nil
  }
}

extension [UInt8] {
  /// Whether a body in JSON has a PIN.
  fileprivate var isPIN: Bool { String(decoding: self, as: UTF8.self).member("pin") != nil }
}

/// An answer of one issuer's server is of no effect on what another issuer has given.
struct ForeignIssuers: SimulationRule {
  static let name = "contact with a server changes the cards of its issuer only"

  mutating func add(_ fact: SimulatedFact) -> String? {
    guard case .changed(let card, let owner, let server) = fact, owner != server else { return nil }
    return "card \(card) of \(owner.map { "server \($0)" } ?? "the test issuer") was changed by server \(server)"
  }
}
