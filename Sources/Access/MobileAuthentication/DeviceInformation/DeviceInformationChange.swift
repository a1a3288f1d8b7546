internal import AccessMessages
internal import DeviceAuthentication
internal import Octets

/// Changes how the servers call this device and where they send push messages.
public struct DeviceInformationChange: Sendable {
  /// A change of push messages.
  public enum Push: Equatable, Sendable {
    /// Push messages go to this address (`fcmRegistrationToken`).
    case enabled(token: String)
    /// The servers send no push messages (`disablePushNotifications`).
    case disabled
  }

  /// The new name; nil to keep it.
  public var name: String?
  /// The change of push messages; nil to keep them.
  public var push: Push?
  /// How the change is repeated after a failure of the network.
  public var retryPolicy: NetworkRetryPolicy

  /// Creates a change.
  public init(name: String? = nil, push: Push? = nil, retryPolicy: NetworkRetryPolicy = .none) {
    (self.name, self.push, self.retryPolicy) = (name, push, retryPolicy)
  }

  /// Makes the change at the servers of all accounts, then in the local data. A change of nothing succeeds without an
  /// exchange.
  ///
  /// - Throws: `OperationError`. A change that an earlier server has made stays there.
  public func execute(on client: MobileAuthenticationClient) async throws(OperationError) {
    try await client.checkDevice()
    guard name != nil || push != nil else { return }
    for server in try await client.presentRecords().servers { await client.moveSharedIdentity(at: server) }
    let records = try await client.presentRecords()
    let accounts = records.accounts.filter { $0.dispatchTarget != nil }
    guard !accounts.isEmpty else {
      throw records.accounts.contains { $0.formerDeviceID != nil } ? .identityLost : .deviceNotFound
    }
    for account in accounts {
      guard let device = records.device(at: account.account.server) else { throw .deviceNotFound }
      try await change(account, device, client)
    }
    try await keep(client)
  }

  private var change: DispatchTargetChange {
    switch push {
    case .enabled(let token)?:
      DispatchTargetChange(name: name, pushTarget: .enabled(token), dispatcher: DispatchTargets.pushDispatcher)
    case .disabled?: DispatchTargetChange(name: name, pushTarget: .disabled)
    case nil: DispatchTargetChange(name: name)
    }
  }

  private func change(
    _ account: AccountRecord, _ device: DeviceRecord, _ client: MobileAuthenticationClient
  ) async throws(OperationError) {
    var delays = retryPolicy.delays[...]
    while true {
      do throws(OperationError) {
        return try await send(account, device, client)
      } catch {
        guard case .network(let failure) = error, failure.isTemporary, let delay = delays.popFirst() else {
          throw error
        }
        let clock = client.device.clocks.monotonic
        guard (try? await clock.sleep(until: clock.now + delay)) != nil else { throw .cancelled }
      }
    }
  }

  private func send(
    _ account: AccountRecord, _ device: DeviceRecord, _ client: MobileAuthenticationClient
  ) async throws(OperationError) {
    guard let target = account.dispatchTarget else { throw .deviceNotFound }
    let signature: String
    do throws(OperationError) {
      // A new signature for each repetition: a server accepts the identifier of a request once.
      signature = try await client.deviceSignature(
        .change, target, device, for: account.account.server, change)
    } catch {
      throw error == .identityLost ? error : .signing("\(error)")
    }
    do throws(OperationError) {
      let connection = try client.connection(to: account.account.server)
      _ = try await connection.send(
        .patch, AccessPath.dispatchTarget(target),
        [HTTPField("Content-Type", MediaType.withCharacterSet(MediaType.jose))], Array(signature.utf8))
    } catch .refused(let refusal) {
      throw Self.meaning(of: refusal)
    }
  }

  private func keep(_ client: MobileAuthenticationClient) async throws(OperationError) {
    let (name, push) = (name, push)
    try await client.change { records in
      records.changeInformation { information in
        if let name { information.name = name }
        switch push {
        case .enabled(let token)?: information.pushToken = token
        case .disabled?: information.pushToken = nil
        case nil: break
        }
      }
    }
  }

  /// The meaning of the refusal of a signed request.
  private static func meaning(of refusal: ServerRefusal) -> OperationError {
    switch (refusal.httpStatus, refusal.failure?.code) {
    case (_, .clockSkew?): .clockSkewTooBig
    case (401, _): .signing("\(refusal)")
    case (404, _): .deviceNotFound
    case (422, _): .nameAlreadyExists
    default: .refused(refusal)
    }
  }
}

extension HTTPExchangeError {
  /// Whether a later exchange can succeed without a change at client or server.
  var isTemporary: Bool {
    switch self {
    case .unreachable, .timedOut: true
    case .insecureURL, .certificate, .tls, .tooLarge, .malformed, .outdated, .cancelled: false
    }
  }
}
