public import AccessMessages
internal import FIDOUAF
internal import JSON
internal import MobileAuthentication

/// A wallet was enrolled and linked to this device, and the user is logged in.
public struct EnrolmentResult: Hashable, Sendable {
  /// The issuer's text for the user.
  public let message: String
  /// The session.
  public let login: LoginResult

  /// Creates a result.
  public init(message: String, login: LoginResult) { (self.message, self.login) = (message, login) }
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
  ///   profile is sent. An error of the login leaves the wallet without a device: the user logs in by user name and
  ///   password then.
  public func register(
    _ form: EnrolmentForm, requirements: WalletRequirements
  ) async throws(WalletAccessError) -> EnrolmentResult {
    if let refusal = form.refusal(by: requirements) { throw .profile(refusal) }
    guard try await !DeviceCoordinator(wallet).status().isRegistered else { throw .alreadyLinked }
    let response = try await wallet.send(.post, WalletPath.enrolments, form.profile.json)
    let enrolment = try WalletAccess.body(response, EnrolmentResponse.init)
    let session = try await wallet.session(.nonce(enrolment.nonce, try await wallet.description()))
    let login = try await wallet.open(session, by: .nonce, linkedDevice: true)
    let userName = form.profile.email
    try await wallet.change { $0.userName = userName }
    return EnrolmentResult(message: enrolment.message, login: login)
  }
}

extension WalletAccess {
  func requirements() async throws(WalletAccessError) -> WalletRequirements {
    try Self.body(try await send(.get, WalletPath.requirements), WalletRequirements.init)
  }
}
