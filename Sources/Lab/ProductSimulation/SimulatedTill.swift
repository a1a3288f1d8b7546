internal import EMVData
internal import EMVTerminal
internal import ISO7816
internal import Links
internal import Octets
internal import PaymentAcceptance
internal import PaymentSimulation
internal import SimulationRules
internal import Synchronization

/// What was seen so far. Cards, tills and issuer add to it.
final class FactLog: Sendable {
  private let facts = Mutex<[SimulatedFact]>([])

  func add(_ fact: SimulatedFact) { facts.withLock { $0.append(fact) } }

  /// The facts since the last call.
  func take() -> [SimulatedFact] {
    facts.withLock { facts in
      defer { facts = [] }
      return facts
    }
  }
}

/// The last request of a till, with its card.
final class LastRequest: Sendable {
  private let kept = Mutex<(request: AuthorizationRequest, host: ObservedHost)?>(nil)

  /// Nil before the first request.
  var value: (request: AuthorizationRequest, host: ObservedHost)? { kept.withLock(\.self) }

  func set(_ request: AuthorizationRequest, to host: ObservedHost) { kept.withLock { $0 = (request, host) } }
}

/// The issuer as a till reaches it. Its approvals are facts, and the last request of the till is kept.
struct ObservedHost: AuthorizationHost {
  let host: any AuthorizationHost
  let card: Int
  let facts: FactLog
  let last: LastRequest

  func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse {
    last.set(request, to: self)
    let response = host.authorize(request)
    if case .approved = response.decision {
      facts.add(
        .approved(
          card: card, counter: UInt16(request.transactionCounter), amount: request.payment.amount.minorUnits))
    }
    return response
  }
}

/// The visit of a card at a till: what the till receives is a fact. The card leaves after some exchanges, or when its process
/// was killed.
struct ObservedVisit: CardVisitor, Sendable {
  let request: PaymentRequest
  let terminal: PaymentAcceptance
  let card: Int
  let phone: Int
  let verification: Int?
  let till: Int
  let facts: FactLog
  /// The exchanges before the card leaves.
  let exchanges: Int
  let life: Mortality
  var result: PaymentResult?

  mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) {
    var observed = ObservedChannel(consume channel, self)
    result = terminal.result(of: request, over: &observed)
    channel = observed.release()
  }
}

/// The channel of such a visit.
private struct ObservedChannel<Base: CardChannel & ~Copyable>: ~Copyable, CardChannel {
  let identity: CardIdentity
  private var base: Base
  private let visit: ObservedVisit
  private var count = 0

  init(_ base: consuming Base, _ visit: ObservedVisit) {
    identity = base.identity
    self.base = base
    self.visit = visit
  }

  mutating func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) throws(LinkError) -> Int {
    guard count < visit.exchanges else { throw LinkError(.cardRemoved, "the card has left the field") }
    count += 1
    let length = try base.transmit(command, into: &response)
    guard !visit.life.isOver else { throw LinkError(.cardRemoved, "the process of the card was killed") }
    let received = response.bytes
    // Every pattern is a byte.
    let octets = (0..<length).map { unsafe received.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    visit.facts.add(
      .answered(
        card: visit.card, phone: visit.phone, verification: visit.verification, till: visit.till,
        command: command.array, response: octets))
    return length
  }

  mutating func close() { base.close() }

  consuming func release() -> Base { base }
}
