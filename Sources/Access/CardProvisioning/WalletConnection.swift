public import AccessMessages
public import JSON
internal import Octets
public import WalletAccess

/// The connection of cards to their issuer: the session and the identity of a wallet.
public struct WalletConnection: ProvisioningConnection {
  private let access: WalletAccess

  /// Creates a connection.
  public init(_ access: WalletAccess) { self.access = access }

  /// The origin of the issuer's server.
  public var issuer: String { access.server }

  /// Sends a request under the session of the wallet. It counts as activity of the user.
  public func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?
  ) async throws(ProvisioningError) -> JSONValue { try await answer(method, path, body).body }

  /// Sends a request as `send` does. The date is that of the response's header.
  public func answer(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?
  ) async throws(ProvisioningError) -> ProvisioningAnswer {
    do throws(WalletAccessError) {
      let response = try await access.sendInSession(method, path, body)
      guard let json = try? JSONValue(parsing: response.body) else {
        throw WalletAccessError.malformed("it is not JSON")
      }
      return ProvisioningAnswer(
        body: json, date: response.fields.value("Date").flatMap { CalendarTime(httpDate: $0) }?.utc)
    } catch { throw ProvisioningError(error) }
  }

  /// Decrypts a JWE with the encryption key of the device.
  public func open(_ envelope: String) async throws(ProvisioningError) -> [UInt8] {
    do throws(WalletAccessError) {
      return try await access.decrypt(envelope)
    } catch {
      if case .malformed(let reason) = error { throw .envelope(reason) }
      throw ProvisioningError(error)
    }
  }

  /// Returns whether the local data have a user or a session of the wallet.
  public func isLinked() async throws(ProvisioningError) -> Bool {
    do throws(WalletAccessError) {
      return try await access.isLinked()
    } catch { throw ProvisioningError(error) }
  }
}

extension ProvisioningError {
  fileprivate init(_ error: WalletAccessError) {
    self =
      switch error {
      case .invocationFailed: .unreached("\(error)")
      case .inactive: .deviceInactive
      case .notLinked, .unlinked: .deviceUnlinked
      case .malformed(let reason): .malformed(reason)
      default: .refused(code: error.code, reason: "\(error)")
      }
  }
}
