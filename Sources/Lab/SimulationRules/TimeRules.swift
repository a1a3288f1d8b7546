/// A session that its user has left is of no use to the next person.
struct IdleSessions: SimulationRule {
  static let name = "a server accepts no session that was unused for more than 600 seconds"

  private static let limit = 600
  private var now = 0
  private var used: [OpenedSession: Int] = [:]

  mutating func add(_ fact: SimulatedFact) -> String? {
    switch fact {
    case .passed(let seconds): now += seconds
    case .exchanged(let exchange):
      guard exchange.phone != nil, exchange.isAccepted else { return nil }
      if let opened = exchange.opened { used[opened] = now }
      // The status of a device is given without a session too, and a logout of an ended session is repeated.
      guard let session = exchange.presented, !exchange.path.hasSuffix("/device"), exchange.method != "DELETE" else {
        return nil
      }
      let idle = now - (used[session] ?? now)
      used[session] = now
      return idle > Self.limit ? "\(exchange): the session was unused for \(idle) s" : nil
    default: break
    }
    return nil
  }
}

/// A verified holder pays at once, or is verified again. The limit of a session is 60 seconds.
struct FreshVerifications: SimulationRule {
  static let name = "a cryptogram leaves a card within 60 seconds of the verification of its holder"

  private static let limit = 60
  private var now = 0
  private var moments: [Int: Int] = [:]

  mutating func add(_ fact: SimulatedFact) -> String? {
    switch fact {
    case .passed(let seconds): now += seconds
    case .verified(_, let verification): moments[verification] = now
    case .answered(let card, let phone, let verification?, _, _, let response):
      guard CryptogramResponse(response) != nil, let moment = moments[verification] else { return nil }
      let age = now - moment
      return age > Self.limit ? "card \(card) at phone \(phone): \(age) s after the verification" : nil
    default: break
    }
    return nil
  }
}

/// What a card approves alone is the risk that its issuer takes.
struct ApprovalsWithoutIssuer: SimulationRule {
  static let name = "a card approves no more payments without its issuer than its profile allows"

  private var limits: [Int: Int] = [:]
  private var counts: [Int: Int] = [:]

  mutating func add(_ fact: SimulatedFact) -> String? {
    switch fact {
    case .limited(let card, let approvals): limits[card] = approvals
    case .added(let card, _, _): counts[card] = 0
    case .accepted(let till, let card, let counter, _, isOnline: false):
      counts[card, default: 0] += 1
      guard let limit = limits[card], let count = counts[card], count > limit else { return nil }
      return "till \(till): counter \(counter) of card \(card) is approval \(count) of \(limit)"
    default: break
    }
    return nil
  }
}
