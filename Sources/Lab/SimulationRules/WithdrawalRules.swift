/// The cards of each phone at each server.
private struct OwnedCards {
  private var owners: [Int: (phone: Int, server: Int?)] = [:]

  mutating func add(_ card: Int, phone: Int, server: Int?) { owners[card] = (phone, server) }

  /// The cards of a server.
  func cards(ofServer server: Int) -> Set<Int> { Set(owners.filter { $0.value.server == server }.keys) }

  /// The cards of a phone; those of one server, or all.
  func cards(of phone: Int, server: Int? = nil) -> [Int] {
    owners.filter { $0.value.phone == phone && (server == nil || $0.value.server == server) }.keys.sorted()
  }
}

/// A right that was taken stays taken, whatever is killed, copied or put back.
struct WithdrawnCards: SimulationRule {
  static let name = "a card gives no cryptogram after its wallet has acknowledged that it may not pay"

  private var owned = OwnedCards()
  /// What the issuer has stopped, and the wallet has perhaps not learnt.
  private var stopped: Set<Int> = []
  private var deactivated: Set<Int> = []
  /// The cards whose wallet has acknowledged it, with the reason.
  private var withdrawn: [Int: String] = [:]

  mutating func add(_ fact: SimulatedFact) -> String? {
    switch fact {
    case .answered(let card, let phone, _, _, _, let response):
      guard CryptogramResponse(response) != nil, let reason = withdrawn[card] else { return nil }
      return "card \(card) at phone \(phone): a cryptogram, and the card is \(reason)"
    case .added(let card, let phone, let server):
      owned.add(card, phone: phone, server: server)
      withdrawn[card] = nil
    case .suspended(let card, let isSuspended): withdrawn[card] = isSuspended ? "suspended by its holder" : nil
    case .stopped(let card, true): stopped.insert(card)
    case .stopped(let card, false): stopped.remove(card)
    // The holder may have a new wallet since, whose device is another one.
    case .deactivated(let phone, let server, true): deactivated.formUnion(owned.cards(of: phone, server: server))
    case .deactivated(let phone, let server, false): deactivated.subtract(owned.cards(of: phone, server: server))
    case .followed(let phone, let server): follow(phone, server)
    case .unlinked(let phone, let server):
      for card in owned.cards(of: phone, server: server) { withdrawn[card] = "removed: the phone is not linked" }
    case .restored(let server):
      stopped.subtract(owned.cards(ofServer: server))
      deactivated.subtract(owned.cards(ofServer: server))
    case .lockRemoved(let phone):
      for card in owned.cards(of: phone) { withdrawn[card] = "lost with the lock of the phone" }
    default: break
    }
    return nil
  }

  private mutating func follow(_ phone: Int, _ server: Int) {
    for card in owned.cards(of: phone, server: server) {
      let isStopped = stopped.contains(card) || deactivated.contains(card)
      switch withdrawn[card] {
      // What was removed stays removed.
      case let reason? where reason.hasPrefix("removed") || reason.hasPrefix("lost"): break
      default: withdrawn[card] = isStopped ? "stopped by its issuer" : nil
      }
    }
  }
}

/// The second refusal: a wallet that was offline does not know of it.
struct StoppedCards: SimulationRule {
  static let name = "the issuer approves no payment of a card that it has stopped"

  private var owned = OwnedCards()
  private var stopped: Set<Int> = []
  private var deactivated: Set<Int> = []
  private var unlinked: Set<Int> = []

  mutating func add(_ fact: SimulatedFact) -> String? {
    switch fact {
    case .approved(let card, let counter, _):
      guard let reason = reason(card) else { return nil }
      return "card \(card): counter \(counter) is approved, and the card is \(reason)"
    case .added(let card, let phone, let server): owned.add(card, phone: phone, server: server)
    case .stopped(let card, true): stopped.insert(card)
    case .stopped(let card, false): stopped.remove(card)
    // The holder may have a new wallet since, whose device is another one.
    case .deactivated(let phone, let server, true): deactivated.formUnion(owned.cards(of: phone, server: server))
    case .deactivated(let phone, let server, false): deactivated.subtract(owned.cards(of: phone, server: server))
    case .unlinked(let phone, let server): unlinked.formUnion(owned.cards(of: phone, server: server))
    case .restored(let server): restore(owned.cards(ofServer: server))
    default: break
    }
    return nil
  }

  private mutating func restore(_ cards: Set<Int>) {
    stopped.subtract(cards)
    deactivated.subtract(cards)
    unlinked.subtract(cards)
  }

  private func reason(_ card: Int) -> String? {
    if stopped.contains(card) { return "stopped" }
    if unlinked.contains(card) { return "of a phone that is not linked" }
    return deactivated.contains(card) ? "of a phone that is deactivated" : nil
  }
}

/// What was begun before a withdrawal gives nothing after it.
struct LateRequests: SimulationRule {
  static let name = "a request from before a withdrawal is not accepted after it"

  private struct Link: Hashable {
    let phone: Int
    let server: Int
  }

  private var withdrawals: [Link: Int] = [:]
  private var latest = 0

  mutating func add(_ fact: SimulatedFact) -> String? {
    switch fact {
    case .exchanged(let exchange):
      latest = max(latest, exchange.sent)
      if let phone = exchange.phone, exchange.unlinks {
        withdrawals[Link(phone: phone, server: exchange.server)] = latest
        return nil
      }
      // The question that follows a right password is no right yet.
      guard let phone = exchange.phone, exchange.isAccepted, exchange.status != 412, exchange.signature != nil,
        exchange.grants
      else { return nil }
      let link = Link(phone: phone, server: exchange.server)
      guard let withdrawal = withdrawals[link] else { return nil }
      guard exchange.sent < withdrawal else {
        // The device has the right again.
        withdrawals[link] = nil
        return nil
      }
      return "\(exchange): it was sent in step \(exchange.sent), before the withdrawal in step \(withdrawal)"
    case .deactivated(let phone, let server, true): withdrawals[Link(phone: phone, server: server)] = latest
    case .deactivated(let phone, let server, false): withdrawals[Link(phone: phone, server: server)] = nil
    default: break
    }
    return nil
  }
}

extension SimulatedExchange {
  /// Whether the server has unlinked the device.
  fileprivate var unlinks: Bool { method == "DELETE" && path.hasSuffix("/wallet/v1/device") && isAccepted }

  /// Whether the response gives a session, a card, keys or a token.
  fileprivate var grants: Bool {
    let isGranting = ["/sessions", "/cards", "/keys", "/biometric-token", "/mfa"].contains { path.hasSuffix($0) }
    return method == "POST" && isGranting
  }
}

/// A session ends with the right to it.
struct EndedSessions: SimulationRule {
  static let name = "a server accepts no session of a device that was deactivated or unlinked since"

  private var phones: [OpenedSession: Int] = [:]
  private var ended: Set<OpenedSession> = []

  mutating func add(_ fact: SimulatedFact) -> String? {
    switch fact {
    case .exchanged(let exchange):
      if let phone = exchange.phone, exchange.unlinks { end(phone, exchange.server) }
      guard let phone = exchange.phone, exchange.isAccepted else { return nil }
      if let opened = exchange.opened { phones[opened] = phone }
      guard let session = exchange.presented else { return nil }
      // The status of a device is given without a session too.
      if ended.contains(session), !exchange.path.hasSuffix("/device") { return "\(exchange): the session has ended" }
      phones[session] = phone
    case .deactivated(let phone, let server, true): end(phone, server)
    // A session from before the copy is in it.
    case .restored(let server): ended = ended.filter { $0.server != server }
    default: break
    }
    return nil
  }

  private mutating func end(_ phone: Int, _ server: Int) {
    for (session, owner) in phones where owner == phone && session.server == server { ended.insert(session) }
  }
}

/// A deactivation holds until the operator lifts it, also when the device is unlinked and linked again with the same wallet.
struct DeactivatedDevices: SimulationRule {
  static let name = "a server gives a device that it has deactivated no session, card or key"

  private struct Link: Hashable {
    let phone: Int
    let server: Int
  }

  /// The users of the wallets for which the operator has deactivated a device.
  private var deactivated: [Link: Set<String>] = [:]
  /// The user whose wallet a device has.
  private var users: [Link: String] = [:]
  /// The user to whom a nonce of a server, or the token of a question, belongs.
  private var tokens: [String: String] = [:]
  /// The user of the last order of an operator.
  private var ordered: [Int: String] = [:]
  /// The phones that are another device for the server since their lock was removed: they were not linked since.
  private var renewed: Set<Int> = []

  mutating func add(_ fact: SimulatedFact) -> String? {
    switch fact {
    case .exchanged(let exchange): return add(exchange)
    case .deactivated(let phone, let server, true) where !renewed.contains(phone):
      deactivated[Link(phone: phone, server: server), default: []].insert(ordered[server] ?? "")
    case .deactivated(let phone, let server, false):
      deactivated[Link(phone: phone, server: server)]?.remove(ordered[server] ?? "")
    case .lockRemoved(let phone):
      renewed.insert(phone)
      deactivated = deactivated.filter { $0.key.phone != phone }
    case .restored(let server): deactivated = deactivated.filter { $0.key.server != server }
    default: break
    }
    return nil
  }

  private mutating func add(_ exchange: SimulatedExchange) -> String? {
    guard exchange.isAccepted else { return nil }
    let (body, response) = (exchange.bodyText, exchange.responseText)
    guard let phone = exchange.phone else {
      if exchange.method == "PATCH", let user = body.member("userName") { ordered[exchange.server] = user }
      return nil
    }
    guard exchange.method == "POST" else { return nil }
    let named = body.member("userName") ?? body.member("email")
    let user = named ?? (body.member("nonce") ?? body.member("token")).flatMap { tokens[$0] }
    if let token = response.member("nonce") ?? response.member("token") { tokens[token] = user }
    // The question that follows a right password is asked of every device.
    guard exchange.grants, exchange.status != 412 else { return nil }
    renewed.remove(phone)
    let link = Link(phone: phone, server: exchange.server)
    if exchange.opened != nil, let user { users[link] = user }
    return deactivated[link]?.contains(users[link] ?? "") == true ? "\(exchange): the device is deactivated" : nil
  }
}
