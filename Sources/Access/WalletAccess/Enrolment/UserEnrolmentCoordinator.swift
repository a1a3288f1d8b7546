public import AccessMessages
internal import DeviceAuthentication
internal import Documents
internal import MobileAuthentication

/// A wallet was enrolled and linked to this device, and the user is logged in.
public struct EnrolmentResult: Hashable, Sendable {
  /// The issuer's text for the user.
  public let message: String
  /// The session.
  public let login: LoginResult
}

/// Enrols a new wallet.
public struct UserEnrolmentCoordinator: Sendable {
  private let wallet: WalletAccess

  /// Creates a coordinator.
  public init(_ wallet: WalletAccess) { self.wallet = wallet }

  /// Reads the questions of the issuer and its requirements of passwords and PINs. They are not kept.
  public func requirements() async throws(WalletAccessError) -> WalletRequirements {
    try await wallet.renewLostIdentity()
    return try await wallet.requirements()
  }

  /// Checks the form, sends the profile, and logs in with the nonce of the answer, which links the device.
  ///
  /// - Parameter requirements: What `requirements` returned before the form was shown.
  /// - Throws: `.alreadyLinked` for a linked device and `.profile` for a form that the issuer would refuse, before the
  ///   profile is sent. After an error of the login, `resume` goes on.
  public func register(
    _ form: EnrolmentForm, requirements: WalletRequirements
  ) async throws(WalletAccessError) -> EnrolmentResult {
    if let refusal = form.refusal(by: requirements) { throw .profile(refusal) }
    try await requireUnlinked()
    let response = try await wallet.send(.post, WalletPath.enrolments, form.profile.json)
    let enrolment = try WalletAccess.body(response, EnrolmentResponse.init)
    let nonce = try await wallet.seal(enrolment.nonce, for: .enrolmentNonce)
    let pending = PendingEnrolmentRecord(userName: form.profile.email, message: enrolment.message, nonce: nonce)
    try await wallet.change { $0.pendingEnrolment = pending }
    return try await finish(pending, enrolment.nonce)
  }

  /// Checks that the device is not linked to a wallet of the issuer.
  ///
  /// - Throws: `.alreadyLinked`.
  public func requireUnlinked() async throws(WalletAccessError) {
    guard try await !DeviceCoordinator(wallet).status().isRegistered else { throw .alreadyLinked }
  }

  /// Goes on with an enrolment whose login has not succeeded.
  ///
  /// - Returns: Nil without one.
  /// - Throws: `.wrongCredentials` after the nonce has expired and was removed: the user logs in by user name and password;
  ///   an error of the exchange, after which it can be repeated.
  public func resume() async throws(WalletAccessError) -> EnrolmentResult? {
    guard let pending = try await wallet.record().pendingEnrolment else { return nil }
    guard let nonce = try await nonce(of: pending) else { return nil }
    return try await finish(pending, nonce)
  }

  /// The nonce of an enrolment; nil for that of an older copy of the record, which this forgets.
  private func nonce(of pending: PendingEnrolmentRecord) async throws(WalletAccessError) -> String? {
    let failure: DeviceAuthenticationError
    do throws(DeviceAuthenticationError) {
      return try await pending.nonce.open(for: .enrolmentNonce, in: wallet.device.ports.keys).exposedText
    } catch { failure = error }
    guard try await wallet.isOutdated(after: failure) else { throw WalletAccessError(failure) }
    try await forget(pending)
    return nil
  }

  private func finish(
    _ pending: PendingEnrolmentRecord, _ nonce: String
  ) async throws(WalletAccessError) -> EnrolmentResult {
    let session: WalletSession
    do throws(WalletAccessError) {
      session = try await wallet.session(.nonce(nonce, try await wallet.description()))
    } catch {
      // The nonce has expired or was used.
      if error == .wrongCredentials || error == .alreadyLinked { try await forget(pending) }
      throw error
    }
    let login = try await wallet.open(session, by: .nonce, linkedDevice: true)
    try await wallet.change { $0.userName = pending.userName }
    try await forget(pending)
    return EnrolmentResult(message: pending.message, login: login)
  }

  private func forget(_ pending: PendingEnrolmentRecord) async throws(WalletAccessError) {
    try await wallet.change { if $0.pendingEnrolment == pending { $0.pendingEnrolment = nil } }
  }
}

extension WalletAccess {
  func requirements() async throws(WalletAccessError) -> WalletRequirements {
    try Self.body(try await send(.get, WalletPath.requirements), WalletRequirements.init)
  }
}

extension WalletAccess {
  /// Names this device, before the issuer learns of it.
  ///
  /// - Parameter name: 1 to 128 characters.
  public func setDeviceName(_ name: String) async throws(WalletAccessError) {
    try await renewLostIdentity()
    _ = try await withIdentity { (_, record) throws(OperationError) in record }
    try await converting({ (error: LocalDataError) in WalletAccessError.device(.localData(error)) }) {
      () async throws(LocalDataError) in
      try await store.change { $0.nameDevice(name, at: server) }
    }
  }
}
