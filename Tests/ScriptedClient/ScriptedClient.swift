public import AccessMessages
import Documents
import FIDOUAF
import JSON

/// A client that goes through every operation of a server, one request a step, with keys in memory. It keeps what it needs
/// for the next step, so a server may be replaced between two steps. The server issues cards of at least one profile.
public struct ScriptedClient: Sendable {
  /// One request.
  public enum Step: String, CaseIterable, Sendable {
    case addUser, requestRegistration, register, addDevice, requestAuthentication, authenticate, dispatch, listPending
    case redeem, confirm, renameDevice, deactivate, activate, requestAnother, authenticateAgain, deregister
    case removeDevice
    case enrolWallet, linkDevice, logInByPin, addCard, suspendCard, resumeCard, replenish, enableBiometrics,
      logInByBiometrics
    case beginRecovery, answerRecovery, resetPin, logInByNewPin, logInByPassword, unlinkDevice, beginPasswordLogin,
      answerQuestion, logOut
  }

  /// A step that had another result than expected.
  public struct Failure: Error, CustomStringConvertible {
    /// The request and what was answered.
    public let description: String
  }

  /// How requests are sent.
  public var exchange: any HTTPExchange
  /// The URL of the server.
  public var base: String
  /// The origin of the server, which the signatures of the device name. A server in this process is `https://server.test`.
  public var audience: String { base.isEmpty ? "https://server.test" : base }
  let account: String
  let operatorToken: String
  let authenticator = ScriptedAuthenticator()
  let device: ScriptedDevice
  var registrationToken = ""
  var authorization = ""
  var target = ""
  /// The last request of the protocol.
  var message = ""
  var outOfBandToken = ""
  /// The session of the wallet.
  var session = ""
  /// The nonce, the biometric token or the reset token, whichever was received last.
  var walletToken = ""
  /// The identifier of the card.
  var card = ""
  var prompt = QuestionPrompt(token: "", questionID: "", text: "")
  var last: SentRequest?

  /// A request without the URL of the server.
  struct SentRequest {
    let method: HTTPRequest.Method
    let path: String
    let fields: [HTTPField]
    let body: [UInt8]
  }

  /// Creates a client of an account.
  public init(_ exchange: any HTTPExchange, base: String, account: String, operatorToken: String) throws {
    (self.exchange, self.base, self.account, self.operatorToken) = (exchange, base, account, operatorToken)
    device = try ScriptedDevice("device of \(account)")
  }

  /// Makes one step.
  ///
  /// - Throws: `HTTPExchangeError`, or `Failure` when the server refuses.
  public mutating func perform(_ step: Step) async throws {
    switch step {
    case .addUser: try await addUser()
    case .requestRegistration: try await ask(.registration, registrationToken)
    case .register: try await answer(AccessPath.registrationResponse)
    case .addDevice: try await addDevice()
    case .requestAuthentication: try await ask(.authentication, nil)
    case .authenticate, .confirm: try await answer(AccessPath.authenticationResponse)
    case .dispatch: try await dispatch()
    case .listPending: try await listPending()
    case .redeem: try await redeem()
    case .renameDevice: try await renameDevice()
    case .deactivate, .activate:
      let body = DeviceStateChange(isActive: step == .activate).json
      try await send(.patch, OperatorPath.device(target), body, token: operatorToken, expecting: 204)
    // The deactivation has withdrawn the authorization.
    case .requestAnother: try await ask(.authentication, nil)
    case .authenticateAgain: try await answer(AccessPath.authenticationResponse)
    case .deregister: try await ask(.deregistration, authorization)
    case .removeDevice: try await send(.delete, OperatorPath.device(target), token: operatorToken, expecting: 204)
    case .enrolWallet, .linkDevice, .logInByPin, .addCard, .suspendCard, .resumeCard, .replenish, .enableBiometrics,
      .logInByBiometrics, .beginRecovery, .answerRecovery, .resetPin, .logInByNewPin, .logInByPassword,
      .unlinkDevice, .beginPasswordLogin, .answerQuestion, .logOut:
      try await performWallet(step)
    }
  }

  /// Sends the request of the last step again. Returns the HTTP status and the status of the protocol.
  public func repeatLastRequest() async throws -> (http: Int, uaf: Int?) {
    guard let last else { throw Failure(description: "no request was sent") }
    let response = try await exchange.send(
      HTTPRequest(last.method, base + last.path, fields: last.fields, body: last.body))
    return (response.status, (try? JSONValue(parsing: response.body))?["statusCode"]?.integer)
  }
}
