/// A request that is caught on its way is of no use.
struct SignatureOnce: SimulationRule {
  static let name = "a server accepts a signature of a device once"

  private struct Use: Hashable {
    let server: Int
    let signature: [UInt8]
  }

  private var seen: Set<Use> = []

  mutating func add(_ fact: SimulatedFact) -> String? {
    guard case .exchanged(let exchange) = fact, exchange.isAccepted, let signature = exchange.signature else {
      return nil
    }
    return seen.insert(Use(server: exchange.server, signature: signature)).inserted
      ? nil : "\(exchange): the signature was accepted before"
  }
}

/// What is signed for one issuer is of no use at another one.
struct SignatureOfAudience: SimulationRule {
  static let name = "a server accepts a signature only when it names the server"

  mutating func add(_ fact: SimulatedFact) -> String? {
    guard case .exchanged(let exchange) = fact, exchange.isAccepted, let signature = exchange.signature else {
      return nil
    }
    let audience = SignedText(signature)?.text("audience")
    return audience == exchange.origin ? nil : "\(exchange): the signature is for \(audience ?? "no server")"
  }
}
