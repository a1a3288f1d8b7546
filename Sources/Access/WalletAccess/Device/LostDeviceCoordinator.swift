public import AccessMessages
internal import Documents
internal import JSON
public import MobileAuthentication

/// Lists and unlinks the devices of a wallet, from any device: for a user who lost one.
///
/// User name, password and a security question open a session that is limited to this. It is never stored, and it ends with
/// each call.
public struct LostDeviceCoordinator: Sendable {
  private let wallet: WalletAccess
  private let userName: String
  private let password: EnteredSecret
  private let questions: any SecurityQuestionResponder

  /// Creates a coordinator for one user.
  public init(
    _ wallet: WalletAccess, userName: String, password: EnteredSecret,
    answering questions: any SecurityQuestionResponder
  ) {
    self.wallet = wallet
    (self.userName, self.password, self.questions) = (userName, password, questions)
  }

  /// Lists the devices of the wallet, the oldest first.
  public func devices() async throws(WalletAccessError) -> [WalletDeviceList.Entry] {
    try await inSession { (token) throws(WalletAccessError) in try await list(token) }
  }

  /// Unlinks a device. When it is this one, what it keeps of the wallet is removed.
  ///
  /// - Parameter deviceID: The identifier of a device that `devices` lists.
  public func remove(_ deviceID: String) async throws(WalletAccessError) {
    try await inSession { (token) throws(WalletAccessError) in
      let entry = try await list(token).first { $0.deviceID == deviceID }
      guard let entry else {
        throw .refused(
          ServerRefusal(
            httpStatus: 404, failure: AccessFailure(.notFound, "the wallet has no device \(deviceID): list the devices")
          ))
      }
      _ = try await wallet.send(.delete, WalletPath.device(entry.deviceID), token: token)
      if entry.isCurrent { try await wallet.wipe() }
    }
  }

  private func list(_ token: String) async throws(WalletAccessError) -> [WalletDeviceList.Entry] {
    try WalletAccess.body(
      try await wallet.send(.get, WalletPath.devices, token: token), WalletDeviceList.init
    ).devices
  }

  private func inSession<Value>(
    _ body: (String) async throws(WalletAccessError) -> Value
  ) async throws(WalletAccessError) -> Value {
    try await wallet.renewLostIdentity()
    let request = SessionRequest.password(userName: userName, password: try password.text, .lostDevice)
    let session: WalletSession
    switch try await wallet.logIn(request) {
    case .session(let opened): session = opened
    case .question(let prompt): session = try await wallet.answer(prompt, asking: questions, device: nil)
    }
    let result: Result<Value, WalletAccessError>
    do throws(WalletAccessError) {
      result = .success(try await body(session.session))
    } catch { result = .failure(error) }
    _ = await wallet.end(session.session)
    return try result.get()
  }
}
