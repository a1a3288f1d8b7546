public import AccessMessages
internal import DeviceAuthentication
public import Octets

/// The client of mobile authentication on one device. Every operation needs one, so that none runs before initialisation.
///
/// It keeps accounts, registrations and the device's identity in the local data, and no authorization. An operation is one
/// asynchronous call: it asks the person through the interactions that it was given, and ends with one result or one error.
public struct MobileAuthenticationClient: Sendable {
  /// How the application uses the client.
  public let configuration: ClientConfiguration
  /// The local data.
  public let store: any LocalDataStore
  let device: AuthenticationDevice
  let http: any HTTPExchange
  let random: any RandomSource

  /// Initialises the client and removes what a registration left behind whose process ended. While another process
  /// registers nothing is removed.
  ///
  /// A device without a lock or without hardware keys is no error here: each operation ends with `noDeviceLock` or
  /// `hardware`, while the local data stays accessible.
  ///
  /// - Throws: `.localData` when the local data cannot be read or kept.
  public static func initialise(
    _ configuration: ClientConfiguration, device: AuthenticationDevice, http: any HTTPExchange,
    store: any LocalDataStore, random: any RandomSource = SystemRandomSource()
  ) async throws(OperationError) -> MobileAuthenticationClient {
    let client = MobileAuthenticationClient(
      configuration: configuration, store: store, device: device, http: http, random: random)
    try await client.removeUnfinished()
    return client
  }

  /// Checks what every operation needs, in the order in which its errors are reported.
  ///
  /// - Throws: `.hardware`, `.deviceProtection` or `.noDeviceLock`. The debug flavour accepts all three.
  func checkDevice() async throws(OperationError) {
    try await device.check()
  }
}

// What the operations share.
extension MobileAuthenticationClient {
  var keys: RegistrationKeys { RegistrationKeys(device: device) }
  var signer: DeviceSigner { DeviceSigner(store: store, keys: device.ports.keys, random: random) }
  var facets: FacetAuthorizer {
    FacetAuthorizer(http: http, facetID: configuration.facetID, limits: configuration.exchange)
  }

  func connection(to url: String) throws(OperationError) -> ServerConnection {
    ServerConnection(http: http, origin: try ServerConnection.origin(of: url), limits: configuration.exchange)
  }

  /// The authenticator for a PIN or a password.
  ///
  /// - Parameter limit: The limit of the operation; nil for an authenticator that is used alone.
  func secretAuthenticator(_ kind: SecretKind, within limit: InteractionLimit? = nil) -> SecretAuthenticator {
    SecretAuthenticator(
      kind: kind, keys: device.ports.keys, store: store, clocks: device.clocks, random: random,
      settings: configuration.secrets, operationLimit: limit)
  }

  /// The limit of an operation that begins now.
  func newLimit() -> InteractionLimit {
    InteractionLimit(configuration.secrets.interactionLimit, by: device.clocks.monotonic)
  }

  /// The accounts and registrations of this device, readable without the network.
  public var localData: LocalData { LocalData(store: store, device: device, profile: configuration.profile) }

  func presentRecords() async throws(OperationError) -> LocalRecords {
    try await converting(OperationError.localData) { () async throws(LocalDataError) in try await store.read() }
  }

  /// Changes the local data in one step.
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (inout LocalRecords) -> Value
  ) async throws(OperationError) -> Value {
    try await converting(OperationError.localData) { () async throws(LocalDataError) in try await store.change(body) }
  }

  /// Removes registrations with their keys, and with the last one the identity of the device.
  func remove(_ isRemoved: @escaping @Sendable (RegistrationRecord) -> Bool) async throws(OperationError) {
    do throws(OperationError) {
      try await localData.delete(where: isRemoved)
    } catch .keyNotDeleted(let error) {
      throw OperationError(error)
    }
  }

  /// Asks the person within the limit of an operation.
  func ask<Value: Sendable>(
    within limit: InteractionLimit, _ body: @escaping @Sendable () async throws(InteractionCancelled) -> Value
  ) async throws(OperationError) -> Value {
    try await converting(OperationError.init) { () async throws(AuthenticatorError) in try await limit.answer(body) }
  }

  private func removeUnfinished() async throws(OperationError) {
    guard try await presentRecords().registrations.contains(where: { $0.state != .registered }) else { return }
    let mark = try await converting(OperationError.localData) { () async throws(LocalDataError) in
      try await store.holdRegistrations()
    }
    guard let mark else { return }
    defer { withExtendedLifetime(mark) {} }
    try await remove { $0.state != .registered }
  }
}
