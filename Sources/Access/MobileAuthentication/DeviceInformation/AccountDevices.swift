public import AccessMessages
internal import Documents
internal import FIDOUAF

/// The devices of an account at its server, for a user who lost one. This device authenticates the user first; the server
/// needs that authorization for each request. The client keeps none.
public struct AccountDevices: Sendable {
  /// A device of the account, as its server has it.
  public struct Device: Equatable, Sendable {
    /// What the server states of it.
    public let entry: DeviceList.Entry
    /// Whether it is the device that authenticates.
    public let isCurrent: Bool
  }

  private let account: Account
  private let authentication: Authentication

  /// Names an account of this device.
  ///
  /// - Parameter authentication: The authentication of its user.
  public init(_ account: Account, authentication: Authentication) {
    (self.account, self.authentication) = (account, authentication)
  }

  /// Lists the devices of the account, the oldest first.
  ///
  /// - Throws: The errors of the authentication and of the exchange.
  public func list(on client: MobileAuthenticationClient) async throws(OperationError) -> [Device] {
    try await list(client, try await authorization(client))
  }

  /// Removes another device of the account: its dispatch target, and the keys that it has registered for the account.
  ///
  /// - Parameter id: The identifier of the dispatch target, which `list` returns.
  /// - Throws: `.invalidArgument` for this device, which `Deregistration` removes; `.refused` with HTTP status 404 for a
  ///   device that the account does not have; the errors of the authentication and of the exchange.
  public func remove(_ id: String, on client: MobileAuthenticationClient) async throws(OperationError) {
    let authorization = try await authorization(client)
    let devices = try await list(client, authorization)
    guard let device = devices.first(where: { $0.entry.id == id }) else {
      let failure = AccessFailure(.notFound, "the account has no device \(id): list the devices")
      throw .refused(ServerRefusal(httpStatus: 404, failure: failure))
    }
    guard !device.isCurrent else {
      throw .invalidArgument("\(id) is this device: deregister its authenticators here")
    }
    let connection = try client.connection(to: account.server)
    _ = try await connection.send(.delete, SelfServicePath.device(id), authorization.fields)
  }

  private func authorization(_ client: MobileAuthenticationClient) async throws(OperationError) -> Authorization {
    try await authentication.execute(on: client).authorization
  }

  private func list(
    _ client: MobileAuthenticationClient, _ authorization: Authorization
  ) async throws(OperationError) -> [Device] {
    let connection = try client.connection(to: account.server)
    let fields = authorization.fields + [HTTPField("Accept", MediaType.json)]
    let response = try await connection.send(.get, SelfServicePath.devices, fields)
    let list = try ServerConnection.body(response, DeviceList.init)
    let own = try await client.presentRecords().account(of: account.username)?.dispatchTarget
    return list.devices.map { Device(entry: $0, isCurrent: $0.id == own) }
  }
}
