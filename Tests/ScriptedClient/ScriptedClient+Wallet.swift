public import AccessMessages
import Documents
import FIDOUAF
import JOSE
public import JSON
import Octets

extension ScriptedClient {
  static let (firstPin, secondPin) = ("8203", "1379")

  var walletUser: String { account.replacing(" ", with: "-") + "@example.org" }
  private static let password = "analytical engine 1"

  /// Makes a step of wallet access.
  mutating func performWallet(_ step: Step) async throws {
    switch step {
    case .enrolWallet: try await enrolWallet()
    case .linkDevice: try await logIn(.nonce(walletToken, walletDevice))
    case .logInByPin: try await logIn(.pin(Self.firstPin))
    case .logInByNewPin: try await logIn(.pin(Self.secondPin))
    case .addCard, .replenish, .suspendCard, .resumeCard: try await performCard(step)
    case .enableBiometrics:
      walletToken = try BiometricToken(
        await signed(.post, WalletPath.biometricToken, token: session, expecting: 201)
      ).token
    case .logInByBiometrics: try await logIn(.biometricToken(walletToken))
    case .beginRecovery:
      prompt = try QuestionPrompt(await recover(.begin(userName: walletUser, .pin)))
    case .answerRecovery:
      walletToken = try ResetToken(
        await recover(.answer(token: prompt.token, answer: prompt.questionID))
      ).resetToken
    case .resetPin: _ = try await recover(.reset(resetToken: walletToken, newSecret: Self.secondPin), expecting: 204)
    case .unlinkDevice: _ = try await signed(.delete, WalletPath.device, expecting: 204)
    case .logInByPassword: try await logIn(passwordLogin)
    case .beginPasswordLogin:
      prompt = try QuestionPrompt(await signed(.post, WalletPath.sessions, passwordLogin.json, expecting: 412))
    case .answerQuestion:
      let body = QuestionAnswer(token: prompt.token, answer: prompt.questionID, device: walletDevice)
      session = try WalletSession(await signed(.post, WalletPath.questionAnswers, body.json)).session
    case .logOut: _ = try await signed(.delete, WalletPath.currentSession, token: session, expecting: 204)
    default: throw Failure(description: "\(step.rawValue) is no step of wallet access")
    }
  }

  private mutating func performCard(_ step: Step) async throws {
    let delivery = SystemRandomSource().octets(16).base64URL
    switch step {
    case .addCard:
      let body = CardAddition(delivery: delivery)
      card = try CardDelivery(
        await signed(.post, CardPath.cards, body.json, token: session, expecting: 201)
      ).card.id
    case .replenish:
      let body = KeyRequest(delivery: delivery, freeCounters: [1])
      _ = try await signed(.post, CardPath.keys(card), body.json, token: session)
    default:
      let body = CardSuspension(step == .suspendCard ? .suspended : .active)
      try await send(.patch, OperatorPath.card(card), body.json, token: operatorToken, expecting: 204)
    }
  }

  private var walletDevice: WalletDevice {
    WalletDevice(
      deviceID: device.id, name: "Phone", signatureKey: device.signatureKey.publicKey,
      encryptionKey: device.encryptionKey.publicKey)
  }

  private mutating func enrolWallet() async throws {
    // The identifiers of the questions have equal lengths, and so has what is stored, whichever of them is drawn.
    let answers = ["town", "book"].map { UserProfile.Answer(questionID: $0, text: $0) }
    let profile = UserProfile(
      firstName: "Ada", lastName: "Lovelace", email: walletUser, password: Self.password, passcode: Self.firstPin,
      phone: "123", answers: answers)
    walletToken = try EnrolmentResponse(
      await signed(.post, WalletPath.enrolments, profile.json, expecting: 201)
    ).nonce
  }

  private var passwordLogin: SessionRequest { .password(userName: walletUser, password: Self.password, .wallet) }

  private mutating func logIn(_ request: SessionRequest) async throws {
    session = try WalletSession(await signed(.post, WalletPath.sessions, request.json)).session
  }

  private mutating func recover(_ request: RecoveryRequest, expecting status: Int = 200) async throws -> JSONValue {
    try await signed(.post, WalletPath.recoveries, request.json, expecting: status)
  }

  /// Sends a request of the wallet in its session, signed by the device.
  ///
  /// - Throws: `HTTPExchangeError`, or `Failure` when the server answers with another status.
  public mutating func sendInSession(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, expecting status: Int = 200
  ) async throws -> JSONValue {
    try await signed(method, path, body, token: session, expecting: status)
  }

  private mutating func signed(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, token: String? = nil,
    expecting status: Int = 200
  ) async throws -> JSONValue {
    let signature = DeviceSignature(
      method: method.rawValue, path: path, body: Array((body?.compact ?? "").utf8),
      issuedAt: SystemWallClock().now.seconds * 1_000, id: SystemRandomSource().octets(16).base64URL,
      audience: audience)
    let text = try signature.compact(deviceID: device.id, key: device.signatureKey, statesKey: true)
    return try await send(
      method, path, body, token: token, fields: [HTTPField(DeviceSignature.headerName, text)], expecting: status)
  }
}

extension DeviceSignature {
  /// The header of a request, signed with a key in memory.
  fileprivate func compact(deviceID: String, key: some SigningKey, statesKey: Bool) throws -> String {
    let unsigned = try unsigned(deviceID: deviceID, publicKey: key.publicKey, statesKey: statesKey)
    return unsigned.compact(signature: try key.signature(of: unsigned.signedOctets))
  }
}
