internal import AccessMessages
internal import Documents
internal import FIDOUAF
internal import JSON
internal import ServerShell
internal import ServerStore

extension OperatorRules {
  /// Routes for the operator only.
  static let routes: [Route<AccessService>] = [
    returning("POST", OperatorPath.users, status: 201, reading: UserAddition.init) { rules, _, body in
      try rules.addUser(body)
    },
    returning("POST", OperatorPath.userTokens, status: 201, reading: UserAddition.init) { rules, _, body in
      try rules.addUserToken(body)
    },
    Route("GET", OperatorPath.devices, .read) { service, call in
      let account = try call.parameter("account", RequestContext.userNameRange)
      let after = try call.parameter("after", 1...128)
      return AccessResponse(
        200,
        try await service.decide(call, by: OperatorRules.self) { try $0.listDevices(of: account, after: after) }.json)
    },
    changing("PATCH", OperatorPath.device("*"), reading: DeviceStateChange.init) {
      try $0.changeState(of: $1.arguments[0], $2)
    },
    changing("DELETE", OperatorPath.device("*")) {
      try $0.operations.removeDeviceAndCredentials($1.arguments[0], of: nil, caller: nil)
    },
    Route("GET", OperatorPath.audit, .read) { service, call in
      let text = try call.parameter("limit", 1...4) ?? "100"
      guard let limit = Int(text), (1...1_000).contains(limit) else {
        throw AccessError.refused(.malformed, "the parameter limit must be 1 to 1000")
      }
      return AccessResponse(
        200, try await service.decide(call, by: OperatorRules.self) { try $0.auditTrail(limit: limit) })
    },
    Route("GET", OperatorPath.wallets, .read) { service, call in
      let userName = try call.parameter("userName", UserProfile.emailRange)
      let after = try call.parameter("after", 1...128)
      return AccessResponse(
        200,
        try await service.decide(call, by: OperatorRules.self) { try $0.listWallets(userName: userName, after: after) }
          .json)
    },
    changing("PATCH", OperatorPath.walletDevice("*"), reading: DeviceStateChange.init) {
      try $0.changeWalletDevice($1.arguments[0], $2)
    },
    changing("DELETE", OperatorPath.walletDevice("*")) { try $0.removeWalletDevice($1.arguments[0]) },
  ]
}
