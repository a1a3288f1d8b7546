internal import AccessMessages
internal import Documents
internal import FIDOUAF
internal import JSON
internal import ServerShell
internal import ServerStore

/// The rules of devices and of the operations of their authenticators.
struct OperationRules: RequestRules { let scope: RequestScope }

extension OperationRules {
  /// The routes of the feature.
  static let routes: [Route<AccessService>] = operationRoutes + outOfBandRoutes + deviceRoutes + selfServiceRoutes

  private static let operationRoutes: [Route<AccessService>] = [
    uaf(AccessPath.registrationRequest) { service, call in
      let context = try call.context(.registration)
      return .uaf(try await service.challenge(call) { try $0.registrationRequest(context, call.credentials) })
    },
    uaf(AccessPath.registrationResponse) { service, call in
      let body = try call.body(SendUAFResponse.init)
      return .uaf(try await service.decide(call, by: OperationRules.self) { try $0.registrationResponse(body) })
    },
    uaf(AccessPath.authenticationRequest) { service, call in
      let context = try call.context(.authentication)
      return .uaf(try await service.challenge(call) { try $0.authenticationRequest(context) })
    },
    uaf(AccessPath.authenticationResponse) { service, call in
      let body = try call.body(SendUAFResponse.init)
      return .uaf(try await service.decide(call, by: OperationRules.self) { try $0.authenticationResponse(body) })
    },
    uaf(AccessPath.deregistrationRequest) { service, call in
      let context = try call.context(.deregistration)
      return .uaf(
        try await service.decide(call, by: OperationRules.self) { try $0.deregister(context, call.credentials) })
    },
    Route("GET", AccessPath.facets, .read, produces: [MediaType.facets, MediaType.json]) { service, _ in
      guard case .listed(let facets) = service.configuration.facets else {
        throw AccessError.refused(.notFound, "the server trusts all facets")
      }
      let list = TrustedFacetList([.v1_0: facets, .v1_1: facets])
      // The type has no parameter: clients compare it as it is.
      return AccessResponse(
        200, headers: [(name: "content-type", value: MediaType.facets)], body: Array(list.json.compact.utf8))
    },
    returning("POST", AccessPath.status, .read, reading: StatusRequest.init) { rules, _, body in
      try rules.status(of: body.sessionID)
    },
    Route("GET", AccessPath.linuxVersions, .read) { service, _ in
      let versions =
        service.configuration.clientVersions
        ?? ClientVersions(minimum: "0.0.0", latest: "0.0.0", url: service.environment.url)
      return AccessResponse(200, versions.json)
    },
  ]

  private static let outOfBandRoutes: [Route<AccessService>] = UAFOperation.allCases.flatMap { operation in
    [
      Route("POST", AccessPath.dispatch(operation), body: .json(MediaType.json)) { service, call in
        let body = try call.body(DispatchRequest.init)
        let decision = try await service.decide(call, by: OperationRules.self) {
          try $0.dispatch(body, operation, call.credentials)
        }
        return AccessResponse(200, await service.deliver(decision, body).json)
      },
      Route(
        "POST", AccessPath.redeem(operation), body: .json(MediaType.json), produces: [MediaType.uaf]
      ) { service, call in
        let body = try call.body(RedeemRequest.init)
        return .uaf(try await service.decide(call, by: OperationRules.self) { try $0.redeem(body.token, operation) })
      },
    ]
  }

  private static func uaf(
    _ path: String, _ respond: @escaping @Sendable (AccessService, Call) async throws -> AccessResponse
  ) -> Route<AccessService> {
    Route("POST", path, body: .json(MediaType.uaf), produces: [MediaType.uaf], respond)
  }
}

extension Call {
  /// The context of a `GetUAFRequest` for an operation.
  fileprivate func context(_ operation: UAFOperation) throws(AccessError) -> RequestContext {
    let request = try body(GetUAFRequest.init)
    guard request.operation == operation else {
      throw .refused(.malformed, "op must be \(operation.rawValue) at this path")
    }
    return try OperationRules.context(request.context)
  }
}

extension AccessResponse {
  fileprivate static func uaf(_ body: ReturnUAFRequest) -> AccessResponse {
    var response = AccessResponse(200, body.json, type: MediaType.uaf)
    response.outcome = RequestOutcome(of: body.status)
    return response
  }

  /// A response to an operation. Its authorization is a cookie too.
  fileprivate static func uaf(_ body: ServerResponse) -> AccessResponse {
    var response = AccessResponse(200, body.json, type: MediaType.uaf)
    response.outcome = RequestOutcome(of: body.status)
    for token in body.tokens {
      let attributes = "Path=/; Secure; HttpOnly; SameSite=Strict"
      response.headers.append(
        (name: "set-cookie", value: "\(PresentedCredentials.cookieName)=\(token.value); \(attributes)"))
    }
    return response
  }
}

extension RequestOutcome {
  /// The outcome of an operation of FIDO UAF.
  fileprivate init(of status: UAFStatusCode) { self.init(refusal: status == .ok ? nil : "\(status.rawValue)") }
}
