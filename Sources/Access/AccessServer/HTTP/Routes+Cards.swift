internal import AccessMessages
internal import FIDOUAF
internal import JSON

extension AccessService {
  static let cardRoutes: [Route] = [
    Route("GET", CardPath.cards) { service, call in
      AccessResponse(200, try await service.decide(call) { try $0.cards(of: $0.walletCaller(call.signed)) }.json)
    },
    Route("POST", CardPath.cards, body: .json(MediaType.json)) { service, call in
      let body = try call.body(CardAddition.init)
      return AccessResponse(
        201, try await service.decide(call) { try $0.addCard(body, for: $0.walletCaller(call.signed)) }.json)
    },
    Route("DELETE", CardPath.cards, produces: []) { service, call in
      try await service.decide(call) { try $0.deleteLostCards(call.signed) }
      return AccessResponse(204)
    },
    Route("POST", CardPath.keys("*"), body: .json(MediaType.json)) { service, call in
      let body = try call.body(KeyRequest.init)
      return AccessResponse(
        200,
        try await service.decide(call) {
          try $0.deliverKeys(body, ofCard: call.arguments[0], for: $0.walletCaller(call.signed))
        }.json)
    },
    Route("GET", CardPath.payments("*")) { service, call in
      AccessResponse(
        200,
        try await service.decide(call) {
          try $0.payments(ofCard: call.arguments[0], for: $0.walletCaller(call.signed))
        }.json)
    },
  ]

  static let issuerRoutes: [Route] = [
    Route("POST", IssuerPath.authorizations, body: .json(MediaType.json)) { service, call in
      let body = try call.body(PaymentAuthorizationRequest.init)
      return AccessResponse(200, try await service.decide(call) { try $0.authorize(body) }.json)
    },
    Route("GET", OperatorPath.cards, .read) { service, call in
      let after = try call.parameter("after", 1...64)
      return AccessResponse(
        200, try await service.decide(call) { try $0.listCards(after: after, call.credentials) }.json)
    },
    Route("PATCH", OperatorPath.card("*"), body: .json(MediaType.json), produces: []) { service, call in
      let body = try call.body(CardStateChange.init)
      try await service.decide(call) { try $0.changeState(ofCard: call.arguments[0], body, call.credentials) }
      return AccessResponse(204)
    },
    Route("GET", OperatorPath.scripts("*"), .read) { service, call in
      AccessResponse(
        200, try await service.decide(call) { try $0.scripts(ofCard: call.arguments[0], call.credentials) }.json)
    },
    Route("POST", OperatorPath.scripts("*"), body: .json(MediaType.json)) { service, call in
      let body = try call.body(CardScript.init)
      return AccessResponse(
        201, try await service.decide(call) { try $0.order(body, forCard: call.arguments[0], call.credentials) }.json)
    },
    Route("DELETE", OperatorPath.script("*", "*"), produces: []) { service, call in
      try await service.decide(call) {
        try $0.cancelScript(call.arguments[1], ofCard: call.arguments[0], call.credentials)
      }
      return AccessResponse(204)
    },
  ]
}
