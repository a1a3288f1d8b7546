internal import AccessMessages
internal import Documents
internal import JSON
internal import Octets
internal import ServerShell
internal import SimulationRules
internal import Synchronization

/// What happens to a message between a phone and a server.
package enum MessageFault: String, Equatable, Sendable, CaseIterable {
  /// The request does not arrive.
  case lostRequest
  /// The response does not arrive.
  case lostResponse
  /// The request arrives twice.
  case doubled
  /// The request arrives later, when the phone has given up.
  case late
  /// The request arrives at another issuer too, to which its receiver passes it on.
  case relayed
  /// The server is evil: its list of cards names all cards of all issuers as deleted.
  case forged
}

/// The way between phones, tills and servers. Messages are lost, doubled, delayed and passed on as steps plan it.
final class SimulatedNetwork: Sendable {
  /// What happens during a step.
  struct Plan: Sendable {
    /// The number of the step.
    var step = 0
    /// What happens to a message.
    var fault: MessageFault?
    /// The messages before that one, 0 or more.
    var messages = 0
    /// What happens to the process of the server.
    var server: Mortality.Plan?
    /// The process that answers.
    var process = 0
  }

  private struct Message: Sendable {
    let server: SimulatedServer
    let request: HTTPRequest
    let phone: Int?
    let step: Int
  }

  private struct State {
    var plan = Plan()
    var count = 0
    var late: [Message] = []
  }

  let servers: [SimulatedServer]
  private let facts: FactLog
  private let register: CardRegister
  private let state = Mutex(State())

  init(_ servers: [SimulatedServer], facts: FactLog, register: CardRegister) {
    (self.servers, self.facts, self.register) = (servers, facts, register)
  }

  /// Begins a step.
  func begin(_ plan: Plan) {
    state.withLock { state in
      state.plan = plan
      state.count = 0
    }
  }

  /// Sends a request.
  func send(_ request: HTTPRequest, from phone: Int?) async throws(HTTPExchangeError) -> HTTPResponse {
    guard let server = servers.first(where: { request.url.hasPrefix($0.origin + "/") }) else {
      throw .unreachable("there is no such server")
    }
    let (fault, step) = state.withLock { state in
      defer { state.count += 1 }
      // Only one kind of message can be forged, wherever it is in a step.
      let isHit = state.count == state.plan.messages || state.plan.fault == .forged
      return (isHit ? state.plan.fault : nil, state.plan.step)
    }
    let message = Message(server: server, request: request, phone: phone, step: step)
    switch fault {
    case nil: return try await deliver(message)
    case .lostRequest: throw .unreachable("the request was lost")
    case .lostResponse:
      _ = try await deliver(message)
      throw .unreachable("the response was lost")
    case .doubled:
      let response = try await deliver(message)
      _ = try? await deliver(message)
      return response
    case .late:
      state.withLock { $0.late.append(message) }
      throw .timedOut(limit: request.limits.time)
    case .relayed:
      for other in servers where other.number != server.number {
        _ = try? await deliver(Message(server: other, request: request, phone: phone, step: step))
      }
      return try await deliver(message)
    case .forged:
      let response = try await deliver(message)
      // The first issuer is honest.
      guard server.number > 0, request.url.hasSuffix(CardPath.cards), request.method == .get else { return response }
      return HTTPResponse(status: 200, body: Array(register.deletedCards.json.compact.utf8))
    }
  }

  /// Delivers the late messages, in the order in which they were sent.
  ///
  /// - Returns: Their number.
  func deliverLate() async -> Int {
    let late = state.withLock { state in
      defer { state.late = [] }
      return state.late
    }
    for message in late { _ = try? await deliver(message) }
    return late.count
  }

  private func deliver(_ message: Message) async throws(HTTPExchangeError) -> HTTPResponse {
    let plan = state.withLock { state in
      // One process ends in a step: the message that finds it running is the first one.
      defer { state.plan.server = nil }
      return state.plan
    }
    let request = message.request
    guard let origin = servers.map(\.origin).first(where: { request.url.hasPrefix($0) }) else {
      throw .unreachable("there is no such server")
    }
    let path = String(request.url.dropFirst(origin.count))
    let response = await message.server.answer(
      AccessRequest(
        request.method.rawValue, path,
        headers: request.fields.map { (name: $0.name.lowercased(), value: $0.value) }, body: request.body,
        address: "192.0.2.\(message.phone ?? 100)"), by: plan.process, plan: plan.server)
    guard let response else { throw .unreachable("the server has closed the connection") }
    facts.add(
      .exchanged(
        SimulatedExchange(
          server: message.server.number, origin: message.server.origin, phone: message.phone, sent: message.step,
          method: request.method.rawValue, path: path,
          signature: request.fields.value(DeviceSignature.headerName).map { Array($0.utf8) },
          token: request.fields.value("Authorization").map { Array($0.utf8) }, body: request.body,
          status: response.status, response: response.body)))
    return HTTPResponse(
      status: response.status, fields: response.headers.map { HTTPField($0.name, $0.value) }, body: response.body)
  }
}

extension CardRegister {
  /// A list of all cards, and of the card of the test issuer, as deleted.
  fileprivate var deletedCards: CardList {
    CardList(
      (all + [Self.testCard]).map {
        CardEntry(id: $0, name: "forged", state: .deleted, lastDigits: "0000", createdAt: 0)
      }, profiles: [])
  }
}

/// The network as a phone, a till or an operator reaches it.
struct NetworkPlace: HTTPExchange {
  let network: SimulatedNetwork
  /// The phone; nil for a till and for an operator.
  let phone: Int?

  func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    try await network.send(request, from: phone)
  }
}
