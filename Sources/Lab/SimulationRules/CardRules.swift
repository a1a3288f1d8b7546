/// A payment key is used once.
struct CounterOfOneCryptogram: SimulationRule {
  static let name = "a transaction counter leaves a card with one cryptogram"

  private var seen: [Int: [UInt16: [UInt8]]] = [:]

  mutating func add(_ fact: SimulatedFact) -> String? {
    guard case .answered(let card, let phone, _, _, _, let response) = fact,
      let read = CryptogramResponse(response)
    else { return nil }
    if let earlier = seen[card]?[read.counter], earlier != read.cryptogram {
      return "card \(card) at phone \(phone): counter \(read.counter) has a second cryptogram"
    }
    seen[card, default: [:]][read.counter] = read.cryptogram
    return nil
  }
}

/// A counter that was given back after its cryptogram, or a copy that pays, shows a counter that is not new.
struct RisingCounters: SimulationRule {
  static let name = "the transaction counters of a card rise"

  private var latest: [Int: UInt16] = [:]

  mutating func add(_ fact: SimulatedFact) -> String? {
    guard case .answered(let card, let phone, _, _, _, let response) = fact,
      let read = CryptogramResponse(response)
    else { return nil }
    let last = latest[card]
    latest[card] = max(last ?? 0, read.counter)
    guard let last, read.counter <= last else { return nil }
    return "card \(card) at phone \(phone): counter \(read.counter) after \(last)"
  }
}

/// Two: the terminal may ask again for a payment that was interrupted.
struct CryptogramsOfVerification: SimulationRule {
  static let name = "a cryptogram leaves a card only after a verification of its holder, and at most two after each"

  private var holders: [Int: Int] = [:]
  private var counts: [Int: Int] = [:]

  mutating func add(_ fact: SimulatedFact) -> String? {
    switch fact {
    case .verified(let phone, let verification):
      holders[verification] = phone
      return nil
    case .answered(let card, let phone, let verification, _, _, let response):
      guard CryptogramResponse(response) != nil else { return nil }
      guard let verification, holders[verification] == phone else {
        return "card \(card) at phone \(phone): a cryptogram without a verification"
      }
      counts[verification, default: 0] += 1
      return counts[verification, default: 0] > 2
        ? "card \(card) at phone \(phone): \(counts[verification, default: 0]) cryptograms after one verification" : nil
    default: return nil
    }
  }
}
