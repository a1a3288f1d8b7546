import AccessMessages
import CardProvisioning
import ContactlessPayment
import JSON
import MobileAuthentication
import Synchronization
import TestSupport
import Testing

/// Answers of an issuer that a process follows after another process on the same folder has followed a later one.
@Suite("Answers that are followed late", .timeLimit(.minutes(1)))
struct OvertakenAnswerTests {
  /// What the issuer says of the device's only card, as a state; nil for a deactivated device.
  private typealias Word = String?

  /// A connection whose issuer says one thing after the other of the device's card, and that is held back by another process.
  private final class LateConnection: ProvisioningConnection {
    private let inner: WalletConnection
    private let words: Mutex<[Word]>
    private let other: @Sendable () async throws -> Void

    /// - Parameter other: What another process does after the first word was said, or a delivery was opened.
    init(_ holder: Cardholder, _ words: [Word], other: @escaping @Sendable () async throws -> Void = {}) {
      (inner, self.other) = (WalletConnection(holder.access), other)
      self.words = Mutex(words)
    }

    var issuer: String { inner.issuer }
    /// Whether everything was said.
    var isSilent: Bool { words.withLock { $0.isEmpty } }

    func send(
      _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?
    ) async throws(ProvisioningError) -> JSONValue {
      guard method == .get, path == CardPath.cards else { return try await inner.send(method, path, body) }
      guard let word = words.withLock({ $0.isEmpty ? nil : .some($0.removeFirst()) }) else {
        throw .unreached("the issuer has said everything")
      }
      guard let word else { throw .deviceInactive }
      let list = try await inner.send(method, path, body)
      await overtake()
      let text = list.compact.replacing("\"active\"", with: "\"\(word)\"")
      do { return try JSONValue(parsing: Array(text.utf8)) } catch { throw .malformed("\(error)") }
    }

    func open(_ envelope: String) async throws(ProvisioningError) -> [UInt8] {
      let content = try await inner.open(envelope)
      await overtake()
      return content
    }

    func isLinked() async throws(ProvisioningError) -> Bool { try await inner.isLinked() }

    private func overtake() async { _ = try? await other() }
  }

  @Test func `a list that is older than a suspension that another process followed resumes no card`() async throws {
    try await Cardholder.run { holder, _ in
      _ = try await holder.service.addCard(profile: nil, to: holder.wallet)
      let other = LateConnection(holder, ["suspended", "suspended"])
      let service = CardService(other, deliveries: holder.deliveries)
      try await service.follow(holder.wallet)
      #expect(try await holder.wallet.cards().map(\.state) == [.suspended])
      let late = LateConnection(holder, ["active", "suspended"]) { try await service.follow(holder.wallet) }
      try await CardService(late, deliveries: holder.deliveries).follow(holder.wallet)
      #expect(try await holder.wallet.cards().map(\.state) == [.suspended])
      #expect(late.isSilent && other.isSilent)
    }
  }

  @Test func `a card that arrives after another process followed a deactivation is suspended`() async throws {
    try await Cardholder.run { holder, _ in
      let other = CardService(LateConnection(holder, [nil]), deliveries: holder.deliveries)
      let late = LateConnection(holder, [nil]) { try await other.follow(holder.wallet) }
      await #expect(throws: ProvisioningError.deviceInactive) {
        try await CardService(late, deliveries: holder.deliveries).addCard(profile: nil, to: holder.wallet)
      }
      #expect(try await holder.wallet.cards().map(\.state) == [.suspended])
      try await holder.expect(deliveries: 1)
    }
  }

  @Test func `a card stays active when the issuer is not reached once more, and a resumed one too`() async throws {
    try await Cardholder.run { holder, _ in
      let silent = CardService(LateConnection(holder, []), deliveries: holder.deliveries)
      _ = try await silent.addCard(profile: nil, to: holder.wallet)
      #expect(try await holder.wallet.cards().map(\.state) == [.active])
      let told = LateConnection(holder, ["suspended", "active"])
      for state in [DigitalCard.State.suspended, .active] {
        try await CardService(told, deliveries: holder.deliveries).follow(holder.wallet)
        #expect(try await holder.wallet.cards().map(\.state) == [state])
      }
    }
  }
}
