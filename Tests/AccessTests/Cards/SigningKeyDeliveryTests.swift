import AccessMessages
import CardProvisioning
import ContactlessPayment
import Documents
import JSON
import Octets
import Testing
import WalletAccess

/// The signing key of a card, from a server over TLS to a wallet.
@Suite("The delivery of a signing key", .timeLimit(.minutes(20)))
struct SigningKeyDeliveryTests {
  /// A change of the content of an envelope, after the device has decrypted it.
  enum Change: CaseIterable {
    case missing, ofAnotherCard, notPrime, tooShort

    /// The error with which the wallet refuses the card.
    var refusal: ProvisioningError {
      switch self {
      case .missing: .wallet("\(WalletError.store(.signingKeyMissing))")
      case .ofAnotherCard: .wallet("\(WalletError.store(.signingKeyDiffers))")
      case .notPrime: .envelope("its signing key is not an RSA key of a card")
      case .tooShort: .envelope("its content has the wrong form")
      }
    }

    func changed(_ content: [UInt8]) throws -> [UInt8] {
      var envelope = try CardEnvelope(JSONValue(parsing: content))
      switch self {
      case .missing: envelope.signingKey = nil
      // The same primes with another public exponent are another key.
      case .ofAnotherCard: envelope.signingKey?.exponent = [0x01, 0x00, 0x01]
      case .notPrime: envelope.signingKey?.p = [UInt8](repeating: 0, count: 55) + [1]
      case .tooShort: envelope.signingKey?.p = [1]
      }
      return Array(envelope.json.compact.utf8)
    }
  }

  /// The connection of a wallet whose envelopes have another content.
  private struct ChangingConnection: ProvisioningConnection {
    let inner: WalletConnection
    let change: Change
    var issuer: String { inner.issuer }

    func send(
      _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?
    ) async throws(ProvisioningError) -> JSONValue { try await inner.send(method, path, body) }

    func open(_ envelope: String) async throws(ProvisioningError) -> [UInt8] {
      let content = try await inner.open(envelope)
      do { return try change.changed(content) } catch { throw .envelope("\(error)") }
    }

    func isLinked() async throws(ProvisioningError) -> Bool { try await inner.isLinked() }
  }

  @Test func `a wallet gets a card that signs`() async throws {
    try await Cardholder.run(card: "mastercard-cda") { holder, _ in
      try await holder.send(.card)
      try await holder.send(.keys)
      try await holder.expect(deliveries: 2)
    }
  }

  @Test func `a card without its signing key, or with another one, is refused and not stored`() async throws {
    try await Cardholder.run(card: "visa-fdda") { holder, _ in
      for change in Change.allCases {
        let connection = ChangingConnection(inner: WalletConnection(holder.access), change: change)
        let service = CardService(connection, deliveries: holder.deliveries)
        await #expect(throws: change.refusal) { try await service.addCard(profile: nil, to: holder.wallet) }
        try await holder.expect(deliveries: 0)
      }
      try await holder.send(.card)
      try await holder.expect(deliveries: 1)
    }
  }
}
