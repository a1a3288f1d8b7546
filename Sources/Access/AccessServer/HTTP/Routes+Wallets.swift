internal import AccessMessages
internal import JSON

extension AccessService {
  static let walletRoutes: [Route] = [
    Route("GET", WalletPath.device) { service, call in
      AccessResponse(200, try await service.decide(call) { try $0.deviceStatus(call) }.json)
    },
    Route("DELETE", WalletPath.device, produces: []) { service, call in
      try await service.decide(call) { try $0.unlinkDevice(call) }
      return AccessResponse(204)
    },
    Route("GET", WalletPath.requirements) { service, call in
      AccessResponse(200, try await service.decide(call) { try $0.walletRequirements(call) }.json)
    },
    Route("POST", WalletPath.enrolments, body: .json(MediaType.json)) { service, call in
      AccessResponse(201, try await service.enrol(try call.body(UserProfile.init), call).json)
    },
    Route("POST", WalletPath.sessions, body: .json(MediaType.json)) { service, call in
      try await service.logIn(try call.body(SessionRequest.init), call)
    },
    Route("POST", WalletPath.questionAnswers, body: .json(MediaType.json)) { service, call in
      AccessResponse(200, try await service.answer(try call.body(QuestionAnswer.init), call).json)
    },
    Route("DELETE", WalletPath.currentSession, produces: []) { service, call in
      try await service.decide(call) { try $0.endSession(call) }
      return AccessResponse(204)
    },
    Route("POST", WalletPath.recoveries, body: .json(MediaType.json)) { service, call in
      try await service.recover(try call.body(RecoveryRequest.init), call)
    },
    Route("POST", WalletPath.biometricToken) { service, call in
      AccessResponse(201, try await service.decide(call) { try $0.enableBiometrics(call) }.json)
    },
    Route("DELETE", WalletPath.biometricToken, produces: []) { service, call in
      try await service.decide(call) { try $0.disableBiometrics(call) }
      return AccessResponse(204)
    },
    Route("GET", WalletPath.devices) { service, call in
      AccessResponse(200, try await service.decide(call) { try $0.walletDevices(call) }.json)
    },
    Route("DELETE", WalletPath.device("*"), produces: []) { service, call in
      try await service.decide(call) { try $0.unlinkDevice(call.arguments[0], call) }
      return AccessResponse(204)
    },
  ]

  static let walletOperatorRoutes: [Route] = [
    Route("GET", OperatorPath.wallets) { service, call in
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

  private func logIn(_ request: SessionRequest, _ call: Call) async throws -> AccessResponse {
    switch request {
    case .nonce(let nonce, let device):
      return AccessResponse(200, try await decide(call) { try $0.logIn(nonce: nonce, device, call) }.json)
    case .pin(let pin): return AccessResponse(200, try await logIn(pin: pin, call).json)
    case .biometricToken(let token):
      return AccessResponse(200, try await decide(call) { try $0.logIn(biometricToken: token, call) }.json)
    case .password(let userName, let password, let scope):
      switch try await logIn(userName: userName, password: password, scope, call) {
      case .session(let session): return AccessResponse(200, session.json)
      case .question(let prompt): return AccessResponse(412, prompt.json)
      }
    }
  }

  private func recover(_ request: RecoveryRequest, _ call: Call) async throws -> AccessResponse {
    switch request {
    case .begin(let userName, let secret):
      return AccessResponse(200, try await decide(call) { try $0.beginRecovery(userName, secret, call) }.json)
    case .answer(let token, let answer):
      return AccessResponse(200, try await recover(token: token, answer: answer, call).json)
    case .reset(let token, let secret):
      try await reset(token, newSecret: secret, call)
      return AccessResponse(204)
    }
  }
}
