internal import AccessMessages
internal import Documents
internal import FIDOUAF
internal import ServerShell
internal import ServerStore

/// The rules of wallets: enrolment, login, recovery and devices.
struct WalletRules: RequestRules { let scope: RequestScope }

extension WalletRules {
  /// The routes of the feature.
  static let routes: [Route<AccessService>] = [
    returning("GET", WalletPath.device) { try $0.deviceStatus($1.signed) },
    changing("DELETE", WalletPath.device) { try $0.unlinkDevice($1.signed) },
    Route("POST", WalletPath.identity, body: .jose, produces: []) { service, call in
      try await service.decide(call.signed) { try $0.moveIdentity(call.signed) }
      return AccessResponse(204)
    },
    returning("GET", WalletPath.requirements) { try $0.walletRequirements($1.signed) },
    Route("POST", WalletPath.enrolments, body: .json(MediaType.json)) { service, call in
      AccessResponse(201, try await service.enrol(try call.body(UserProfile.init), call.signed).json)
    },
    Route("POST", WalletPath.sessions, body: .json(MediaType.json)) { service, call in
      switch try await service.logIn(try call.body(SessionOpening.init), call.signed) {
      case .session(let session): AccessResponse(200, session.json)
      case .question(let prompt): AccessResponse(412, prompt.json)
      }
    },
    Route("POST", WalletPath.questionAnswers, body: .json(MediaType.json)) { service, call in
      AccessResponse(200, try await service.answer(try call.body(QuestionAnswer.init), call.signed).json)
    },
    returning("PATCH", WalletPath.currentSession, reading: SessionLimit.init) { try $0.renewSession($2, $1.signed) },
    Route("POST", WalletPath.pin, body: .json(MediaType.json), produces: []) { service, call in
      try await service.replacePIN(try call.body(PINReplacement.init), call.signed)
      return AccessResponse(204)
    },
    returning("GET", WalletPath.profile) { try $0.profile($1.signed) },
    returning("PATCH", WalletPath.profile, reading: ProfileChange.init) { try $0.changeProfile($2, $1.signed) },
    changing("DELETE", WalletPath.currentSession) { try $0.endSession($1.signed) },
    Route("POST", WalletPath.recoveries, body: .json(MediaType.json)) { service, call in
      try await service.recover(try call.body(RecoveryRequest.init), call.signed)
    },
    returning("POST", WalletPath.biometricToken, status: 201) { try $0.enableBiometrics($1.signed) },
    changing("DELETE", WalletPath.biometricToken) { try $0.disableBiometrics($1.signed) },
    returning("GET", WalletPath.devices) { try $0.walletDevices($1.signed) },
    changing("DELETE", WalletPath.device("*")) { try $0.unlinkDevice($1.arguments[0], $1.signed) },
  ]
}

extension AccessService {
  fileprivate func recover(_ step: RecoveryRequest, _ request: SignedRequest) async throws(AccessError)
    -> AccessResponse
  {
    switch step {
    case .begin(let userName, let secret):
      return AccessResponse(200, try await decide(request) { try $0.beginRecovery(userName, secret, request) }.json)
    case .answer(let token, let answer):
      return AccessResponse(200, try await recover(token: token, answer: answer, request).json)
    case .reset(let token, let secret):
      try await reset(token, newSecret: secret, request)
      return AccessResponse(204)
    }
  }
}
