internal import AccessMessages
internal import FIDOUAF
internal import JSON

extension AccessService {
  static let walletRoutes: [Route] = [
    Route("GET", WalletPath.device) { service, call in
      AccessResponse(200, try await service.decide(call) { try $0.deviceStatus(call.signed) }.json)
    },
    Route("DELETE", WalletPath.device, produces: []) { service, call in
      try await service.decide(call) { try $0.unlinkDevice(call.signed) }
      return AccessResponse(204)
    },
    Route("GET", WalletPath.requirements) { service, call in
      AccessResponse(200, try await service.decide(call) { try $0.walletRequirements(call.signed) }.json)
    },
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
    Route("PATCH", WalletPath.currentSession, body: .json(MediaType.json)) { service, call in
      let limit = try call.body(SessionLimit.init)
      return AccessResponse(200, try await service.decide(call) { try $0.renewSession(limit, call.signed) }.json)
    },
    Route("POST", WalletPath.pin, body: .json(MediaType.json), produces: []) { service, call in
      try await service.replacePIN(try call.body(PINReplacement.init), call.signed)
      return AccessResponse(204)
    },
    Route("GET", WalletPath.profile) { service, call in
      AccessResponse(200, try await service.decide(call) { try $0.profile(call.signed) }.json)
    },
    Route("PATCH", WalletPath.profile, body: .json(MediaType.json)) { service, call in
      let change = try call.body(ProfileChange.init)
      return AccessResponse(200, try await service.decide(call) { try $0.changeProfile(change, call.signed) }.json)
    },
    Route("DELETE", WalletPath.currentSession, produces: []) { service, call in
      try await service.decide(call) { try $0.endSession(call.signed) }
      return AccessResponse(204)
    },
    Route("POST", WalletPath.recoveries, body: .json(MediaType.json)) { service, call in
      try await service.recover(try call.body(RecoveryRequest.init), call.signed)
    },
    Route("POST", WalletPath.biometricToken) { service, call in
      AccessResponse(201, try await service.decide(call) { try $0.enableBiometrics(call.signed) }.json)
    },
    Route("DELETE", WalletPath.biometricToken, produces: []) { service, call in
      try await service.decide(call) { try $0.disableBiometrics(call.signed) }
      return AccessResponse(204)
    },
    Route("GET", WalletPath.devices) { service, call in
      AccessResponse(200, try await service.decide(call) { try $0.walletDevices(call.signed) }.json)
    },
    Route("DELETE", WalletPath.device("*"), produces: []) { service, call in
      try await service.decide(call) { try $0.unlinkDevice(call.arguments[0], call.signed) }
      return AccessResponse(204)
    },
  ]

  static let walletOperatorRoutes: [Route] = [
    Route("GET", OperatorPath.wallets, .read) { service, call in
      let userName = try call.parameter("userName", UserProfile.emailRange)
      let after = try call.parameter("after", 1...128)
      let list = try await service.decide(call) {
        try $0.listWallets(userName: userName, after: after, call.credentials)
      }
      return AccessResponse(200, list.json)
    },
    Route("PATCH", OperatorPath.walletDevice("*"), body: .json(MediaType.json), produces: []) { service, call in
      let body = try call.body(DeviceStateChange.init)
      try await service.decide(call) { try $0.changeWalletDevice(call.arguments[0], body, call.credentials) }
      return AccessResponse(204)
    },
    Route("DELETE", OperatorPath.walletDevice("*"), produces: []) { service, call in
      try await service.decide(call) { try $0.removeWalletDevice(call.arguments[0], call.credentials) }
      return AccessResponse(204)
    },
  ]

  private func recover(_ step: RecoveryRequest, _ request: SignedRequest) async throws -> AccessResponse {
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
