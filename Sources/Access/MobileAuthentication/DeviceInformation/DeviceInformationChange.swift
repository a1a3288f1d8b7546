internal import AccessMessages
internal import DeviceAuthentication
internal import FIDOUAF
internal import Octets

/// Why a change of the device information failed.
public enum DeviceInformationChangeError: Error, Equatable, Sendable {
  /// Another device of the user has the name.
  case nameAlreadyExists
  /// The device has no information, or the server does not have the device.
  case notFound
  /// The signature could not be made, or the server refused it.
  case signing(String)
  /// The clocks of device and server differ by too much.
  case clockSkewTooBig
  /// The client could not be used or the server not be reached.
  case operation(OperationError)

  /// The name of the error for programs.
  public var code: String {
    switch self {
    case .nameAlreadyExists: "NameAlreadyExists"
    case .notFound: "NotFound"
    case .signing: "Signing"
    case .clockSkewTooBig: "ClockSkewTooBig"
    case .operation(let error): error.code
    }
  }
}

extension DeviceInformationChangeError: CustomStringConvertible {
  /// A sentence that states what to do.
  public var description: String {
    switch self {
    case .nameAlreadyExists: "another device of the user has the name; choose another one"
    case .notFound: "the server does not have this device; register it first"
    case .signing(let reason): "the request of the device is not signed as the server requires: \(reason)"
    case .clockSkewTooBig:
      """
      the clocks of device and server differ by too much; set the clock of the device, that of a simulated one with \
      tap device simulate --set-date
      """
    case .operation(let error): "\(error)"
    }
  }
}

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
  public var retryPolicy: RetryPolicy

  /// Creates a change.
  public init(name: String? = nil, push: Push? = nil, retryPolicy: RetryPolicy = .none) {
    (self.name, self.push, self.retryPolicy) = (name, push, retryPolicy)
  }

  /// Makes the change at the servers of all accounts, then in the local data. A change of nothing succeeds without an
  /// exchange.
  ///
  /// - Throws: `DeviceInformationChangeError`. A change that an earlier server has made stays there.
  public func execute(on client: MobileAuthenticationClient) async throws(DeviceInformationChangeError) {
    try await converting(DeviceInformationChangeError.operation) { () async throws(OperationError) in
      try await client.checkDevice()
    }
    guard name != nil || push != nil else { return }
    let records = try await converting(DeviceInformationChangeError.operation) {
      () async throws(OperationError) -> LocalRecords in try await client.presentRecords()
    }
    let accounts = records.accounts.filter { $0.dispatchTarget != nil }
    guard let device = records.device, !accounts.isEmpty else {
      throw records.accounts.contains { $0.formerDeviceID != nil } ? .operation(.identityLost) : .notFound
    }
    for account in accounts { try await change(account, device, client) }
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
  ) async throws(DeviceInformationChangeError) {
    var delays = retryPolicy.delays[...]
    while true {
      do throws(DeviceInformationChangeError) {
        return try await send(account, device, client)
      } catch {
        guard case .operation(.network(let failure)) = error, failure.isTemporary, let delay = delays.popFirst() else {
          throw error
        }
        let clock = client.device.clocks.monotonic
        guard (try? await clock.sleep(until: clock.now + delay)) != nil else { throw .operation(.cancelled) }
      }
    }
  }

  private func send(
    _ account: AccountRecord, _ device: DeviceRecord, _ client: MobileAuthenticationClient
  ) async throws(DeviceInformationChangeError) {
    guard let target = account.dispatchTarget else { throw .notFound }
    let signature: String
    do throws(OperationError) {
      // A new signature for each repetition: a server accepts the identifier of a request once.
      signature = try await client.deviceSignature(.change, target, device, change)
    } catch {
      throw error == .identityLost ? .operation(error) : .signing("\(error)")
    }
    do throws(OperationError) {
      let connection = try client.connection(to: account.account.server)
      let request = HTTPRequest(
        .patch, connection.origin + AccessPath.dispatchTarget(target),
        fields: [HTTPField("Content-Type", MediaType.withCharacterSet(MediaType.jose))], body: Array(signature.utf8),
        limits: connection.limits)
      _ = try await connection.send(request)
    } catch {
      throw DeviceInformationChangeError(error)
    }
  }

  private func keep(_ client: MobileAuthenticationClient) async throws(DeviceInformationChangeError) {
    let (name, push) = (name, push)
    try await converting(DeviceInformationChangeError.operation) { () async throws(OperationError) in
      try await client.change { records in
        if let name { records.device?.information.name = name }
        switch push {
        case .enabled(let token)?: records.device?.information.pushToken = token
        case .disabled?: records.device?.information.pushToken = nil
        case nil: break
        }
      }
    }
  }
}

extension DeviceInformationChangeError {
  /// The meaning of an answer to a signed request.
  fileprivate init(_ error: OperationError) {
    guard case .refused(let refusal) = error else {
      self = .operation(error)
      return
    }
    self =
      switch (refusal.httpStatus, refusal.failure?.code) {
      case (_, .clockSkew?): .clockSkewTooBig
      case (401, _): .signing("\(refusal)")
      case (404, _): .notFound
      case (422, _): .nameAlreadyExists
      default: .operation(error)
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
