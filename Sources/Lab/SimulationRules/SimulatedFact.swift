/// What was seen from outside a simulated product, in the order in which it happened. The rules know nothing else.
///
/// Phones, cards, tills, servers and verifications have numbers of the simulation. A card is that of the issuer: its copy is the
/// same card.
package enum SimulatedFact: Equatable, Sendable {
  /// The holder of a phone was verified.
  case verified(phone: Int, verification: Int)
  /// A response arrived at a till.
  case answered(card: Int, phone: Int, verification: Int?, till: Int, command: [UInt8], response: [UInt8])
  /// The issuer has approved a request.
  case approved(card: Int, counter: UInt16, amount: UInt64)
  /// A till has shown the outcome of a payment.
  case accepted(till: Int, card: Int, counter: UInt16, amount: UInt64, isOnline: Bool)
  /// A server has answered a request.
  case exchanged(SimulatedExchange)
  /// A wallet has acknowledged that it has a new card. A card of the test issuer has no server.
  case added(card: Int, phone: Int, server: Int?)
  /// A wallet has acknowledged what its holder wanted: a card is suspended or resumed.
  case suspended(card: Int, isSuspended: Bool)
  /// The operator of a server has got the acknowledgement that a card is stopped or may pay again.
  case stopped(card: Int, isStopped: Bool)
  /// The operator of a server has got the acknowledgement that the device of a phone is deactivated or active again.
  case deactivated(phone: Int, server: Int, isDeactivated: Bool)
  /// A wallet has acknowledged that it follows the issuer.
  case followed(phone: Int, server: Int)
  /// A wallet has acknowledged that the phone is not linked with a server any more.
  case unlinked(phone: Int, server: Int)
  /// The holder of a phone has removed its lock.
  case lockRemoved(phone: Int)
  /// Time has passed everywhere.
  case passed(seconds: Int)
  /// An older copy of the database of a server was put in its place. What its operator has ordered since is lost.
  case restored(server: Int)
  /// A card approves so many payments without its issuer.
  case limited(card: Int, approvals: Int)
  /// The state of a card of a server was changed while its phone had contact with a server.
  case changed(card: Int, of: Int?, by: Int)
}

/// A request that a server has answered, as bytes.
package struct SimulatedExchange: Equatable, Sendable, CustomStringConvertible {
  /// The server.
  package let server: Int
  /// Its origin, such as `https://example.org`.
  package let origin: String
  /// The phone that has sent it; nil for a till and for an operator.
  package let phone: Int?
  /// The number of the step in which it was sent.
  package let sent: Int
  /// The method.
  package let method: String
  /// The path.
  package let path: String
  /// The header `Device-Signature`.
  package let signature: [UInt8]?
  /// The header `Authorization`.
  package let token: [UInt8]?
  /// The body of the request.
  package let body: [UInt8]
  /// The status of the response.
  package let status: Int
  /// The body of the response.
  package let response: [UInt8]

  /// Creates an exchange.
  package init(
    server: Int, origin: String, phone: Int?, sent: Int, method: String, path: String, signature: [UInt8]? = nil,
    token: [UInt8]? = nil, body: [UInt8] = [], status: Int, response: [UInt8] = []
  ) {
    (self.server, self.origin, self.phone, self.sent) = (server, origin, phone, sent)
    (self.method, self.path, self.signature, self.token) = (method, path, signature, token)
    (self.body, self.status, self.response) = (body, status, response)
  }

  /// Whether the server has done what was requested. 412 is the question that follows a right password.
  package var isAccepted: Bool { (200..<300).contains(status) || status == 412 }

  /// The exchange without its random parts.
  package var description: String {
    "server \(server): \(phone.map { "phone \($0)" } ?? "other") \(method) \(path) -> \(status)"
  }
}
