internal import AccessMessages
internal import Documents
internal import FIDOUAF
internal import JSON
internal import ServerShell
internal import ServerStore

extension OperationRules {
  static let deviceRoutes: [Route<AccessService>] = [
    returning("POST", AccessPath.dispatchTargets, status: 201, reading: DispatchTargetRegistration.init) {
      try $0.addTarget($2, $1.credentials)
    },
    Route("GET", AccessPath.dispatchTargets, .read) { service, call in
      guard let account = try call.parameter("username", RequestContext.userNameRange) else {
        throw AccessError.refused(.malformed, "the parameter username is required")
      }
      return AccessResponse(
        200,
        try await service.decide(call, by: OperationRules.self) { try $0.targets(of: account, call.credentials) }.json)
    },
    changing("PATCH", AccessPath.dispatchTarget("*"), body: .jose) { try $0.changeTarget($1.arguments[0], $1.text) },
    changing("DELETE", AccessPath.dispatchTarget("*")) { try $0.removeTarget($1.arguments[0], $1.credentials) },
    Route("GET", AccessPath.deviceCredentials("*"), produces: [MediaType.jose, MediaType.json]) { service, call in
      let (device, list) = try await service.decide(call, by: OperationRules.self) {
        try $0.credentials(ofDevice: call.arguments[0], call.credentials.deviceSignature)
      }
      return try .protected(list.json, for: device, call)
    },
    Route("GET", AccessPath.deviceOperations("*"), produces: [MediaType.jose, MediaType.json]) { service, call in
      let (device, list) = try await service.decide(call, by: OperationRules.self) {
        try $0.pendingOperations(ofDevice: call.arguments[0], call.credentials.deviceSignature)
      }
      return try .protected(list.json, for: device, call)
    },
  ]

  static let selfServiceRoutes: [Route<AccessService>] = [
    returning("GET", SelfServicePath.devices, .read) { try $0.ownDevices($1.credentials) },
    changing("DELETE", SelfServicePath.device("*")) { try $0.removeOwnDevice($1.arguments[0], $1.credentials) },
    returning("GET", SelfServicePath.credentials, .read) { try $0.ownCredentials($1.credentials) },
    changing("DELETE", SelfServicePath.credential("*")) {
      try $0.removeOwnCredential($1.arguments[0], $1.credentials)
    },
  ]
}

extension AccessResponse {
  /// JSON for a device: a JWE for a client that asks for `application/jose`.
  fileprivate static func protected(_ json: JSONValue, for device: DispatchTargetRecord, _ call: Call)
    throws(AccessError)
    -> AccessResponse
  {
    guard call.asks(for: MediaType.jose) else { return AccessResponse(200, json) }
    let type = MediaType.withCharacterSet(MediaType.jose)
    return AccessResponse(
      200, headers: [(name: "content-type", value: type)], body: Array(try device.encrypt(json).utf8))
  }
}
