internal import AccessMessages
internal import FIDOUAF
internal import JSON

extension AccessService {
  static let deviceRoutes: [Route] = [
    Route("POST", AccessPath.dispatchTargets, body: .json(MediaType.json)) { service, call in
      let body = try call.body(DispatchTargetRegistration.init)
      return AccessResponse(201, try await service.decide(call) { try $0.addTarget(body, call.credentials) }.json)
    },
    Route("GET", AccessPath.dispatchTargets, .read) { service, call in
      guard let account = try call.parameter("username", RequestContext.userNameRange) else {
        throw AccessFailure(.malformed, "the parameter username is required")
      }
      return AccessResponse(200, try await service.decide(call) { try $0.targets(of: account, call.credentials) }.json)
    },
    Route("PATCH", AccessPath.dispatchTarget("*"), body: .jose, produces: []) { service, call in
      try await service.decide(call) { try $0.changeTarget(call.arguments[0], call.text) }
      return AccessResponse(204)
    },
    Route("DELETE", AccessPath.dispatchTarget("*"), produces: []) { service, call in
      try await service.decide(call) { try $0.removeTarget(call.arguments[0], call.credentials) }
      return AccessResponse(204)
    },
    Route("GET", AccessPath.deviceCredentials("*"), produces: [MediaType.jose, MediaType.json]) { service, call in
      let (device, list) = try await service.decide(call) {
        try $0.credentials(ofDevice: call.arguments[0], call.credentials.deviceSignature)
      }
      return try .protected(list.json, for: device, call)
    },
    Route("GET", AccessPath.deviceOperations("*"), produces: [MediaType.jose, MediaType.json]) { service, call in
      let (device, list) = try await service.decide(call) {
        try $0.pendingOperations(ofDevice: call.arguments[0], call.credentials.deviceSignature)
      }
      return try .protected(list.json, for: device, call)
    },
  ]

  static let operatorRoutes: [Route] = [
    Route("POST", OperatorPath.users, body: .json(MediaType.json)) { service, call in
      let body = try call.body(UserAddition.init)
      return AccessResponse(201, try await service.decide(call) { try $0.addUser(body, call.credentials) }.json)
    },
    Route("GET", OperatorPath.devices, .read) { service, call in
      let account = try call.parameter("account", RequestContext.userNameRange)
      let after = try call.parameter("after", 1...128)
      let list = try await service.decide(call) { try $0.listDevices(of: account, after: after, call.credentials) }
      return AccessResponse(200, list.json)
    },
    Route("PATCH", OperatorPath.device("*"), body: .json(MediaType.json), produces: []) { service, call in
      let body = try call.body(DeviceStateChange.init)
      try await service.decide(call) { try $0.changeState(of: call.arguments[0], body, call.credentials) }
      return AccessResponse(204)
    },
    Route("DELETE", OperatorPath.device("*"), produces: []) { service, call in
      try await service.decide(call) { try $0.removeDevice(call.arguments[0], call.credentials) }
      return AccessResponse(204)
    },
    Route("GET", OperatorPath.audit, .read) { service, call in
      let text = try call.parameter("limit", 1...4) ?? "100"
      guard let limit = Int(text), (1...1_000).contains(limit) else {
        throw AccessFailure(.malformed, "the parameter limit must be 1 to 1000")
      }
      return AccessResponse(200, try await service.decide(call) { try $0.auditTrail(limit: limit, call.credentials) })
    },
  ]

  static let selfServiceRoutes: [Route] = [
    Route("GET", SelfServicePath.devices, .read) { service, call in
      AccessResponse(200, try await service.decide(call) { try $0.ownDevices(call.credentials) }.json)
    },
    Route("DELETE", SelfServicePath.device("*"), produces: []) { service, call in
      try await service.decide(call) { try $0.removeOwnDevice(call.arguments[0], call.credentials) }
      return AccessResponse(204)
    },
    Route("GET", SelfServicePath.credentials, .read) { service, call in
      AccessResponse(200, try await service.decide(call) { try $0.ownCredentials(call.credentials) }.json)
    },
    Route("DELETE", SelfServicePath.credential("*"), produces: []) { service, call in
      try await service.decide(call) { try $0.removeOwnCredential(call.arguments[0], call.credentials) }
      return AccessResponse(204)
    },
  ]
}

extension AccessResponse {
  /// JSON for a device: a JWE for a client that asks for `application/jose`.
  fileprivate static func protected(_ json: JSONValue, for device: DeviceRecord, _ call: Call) throws -> AccessResponse
  {
    guard call.asks(for: MediaType.jose) else { return AccessResponse(200, json) }
    let type = MediaType.withCharacterSet(MediaType.jose)
    return AccessResponse(
      200, headers: [(name: "content-type", value: type)], body: Array(try device.encrypt(json).utf8))
  }
}
