public import AccessMessages
public import JSON
public import Octets

/// The port to the server of a wallet's issuer, with the session and the identity of the device.
public protocol ProvisioningConnection: Sendable {
  /// The origin of the issuer's server, such as `https://example.org:8443`.
  var issuer: String { get }

  /// Sends a request with the signature of the device and the session of the wallet.
  ///
  /// - Returns: The body of an answer with a status of 200 to 299.
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?
  ) async throws(ProvisioningError) -> JSONValue

  /// Sends a request as `send` does. There is a default implementation, whose answers have no date.
  func answer(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?
  ) async throws(ProvisioningError) -> ProvisioningAnswer

  /// Decrypts a JWE with the encryption key of the device.
  ///
  /// - Throws: `ProvisioningError.envelope` for an envelope of another device or one that was changed.
  func open(_ envelope: String) async throws(ProvisioningError) -> [UInt8]

  /// Returns whether the device keeps the wallet at the issuer. Sends nothing. A process that unlinks the device changes this
  /// before it removes the cards.
  func isLinked() async throws(ProvisioningError) -> Bool
}

extension ProvisioningConnection {
  /// Sends a request.
  public func answer(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?
  ) async throws(ProvisioningError) -> ProvisioningAnswer {
    ProvisioningAnswer(body: try await send(method, path, body), date: nil)
  }
}

/// The answer of an issuer.
public struct ProvisioningAnswer: Sendable {
  /// The body.
  public let body: JSONValue
  /// The date of the issuer; nil for an answer without one.
  public let date: WallTime?
}

/// Why the cards of a wallet were not provisioned.
public enum ProvisioningError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The server was not reached, or its answer did not arrive. A later request can succeed.
  case unreached(String)
  /// The server refused.
  ///
  /// - Parameters:
  ///   - code: The name of the refusal for programs.
  ///   - reason: A sentence.
  case refused(code: String, reason: String)
  /// The device was deactivated. The wallet's cards are suspended.
  case deviceInactive
  /// The device is not linked with a wallet any more. The wallet's cards are removed.
  case deviceUnlinked
  /// The answer of the server has the wrong form.
  case malformed(String)
  /// The envelope of a delivery cannot be opened by this device, or its content does not match the card.
  case envelope(String)
  /// The wallet refused cards or keys.
  case wallet(String)
  /// The identifiers of pending deliveries cannot be read or written.
  case storage(String)

  /// The name of the error for programs.
  public var code: String { words.code }

  /// A sentence.
  public var description: String { words.sentence }

  private var words: (code: String, sentence: String) {
    switch self {
    case .unreached(let reason): ("NetworkError", reason)
    case .refused(let code, let reason): (code, reason)
    case .deviceInactive:
      ("deviceInactive", "the device is deactivated: its cards are suspended until the issuer activates it again")
    case .deviceUnlinked:
      ("deviceUnlinked", "the device is not linked with a wallet any more: its cards are removed")
    case .malformed(let reason): ("ServerError", "the answer of the server has the wrong form: \(reason)")
    case .envelope(let reason): ("Envelope", "the delivery cannot be used: \(reason)")
    case .wallet(let reason): ("Wallet", reason)
    case .storage(let reason): ("LocalData", reason)
    }
  }
}
