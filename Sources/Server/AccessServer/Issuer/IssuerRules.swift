internal import AccessMessages
internal import Documents
internal import FIDOUAF
internal import ServerShell
internal import ServerStore

/// The rules of the issuer: cards, keys, payments and scripts.
struct IssuerRules: RequestRules {
  let scope: RequestScope

  var wallets: WalletRules { WalletRules(scope: scope) }
}

extension IssuerRules {
  /// The routes of the feature.
  static let routes: [Route<AccessService>] = [
    returning("GET", CardPath.cards) { try $0.cards(of: $0.walletCaller($1.signed)) },
    returning("POST", CardPath.cards, status: 201, reading: CardAddition.init) {
      try $0.addCard($2, for: $0.walletCaller($1.signed))
    },
    changing("DELETE", CardPath.cards) { try $0.deleteLostCards($1.signed) },
    returning("POST", CardPath.keys("*"), reading: KeyRequest.init) {
      try $0.deliverKeys($2, ofCard: $1.arguments[0], for: $0.walletCaller($1.signed))
    },
    returning("GET", CardPath.payments("*")) {
      try $0.payments(ofCard: $1.arguments[0], for: $0.walletCaller($1.signed))
    },
    returning("POST", IssuerPath.authorizations, reading: PaymentAuthorizationRequest.init) { rules, _, body in
      try rules.authorize(body)
    },
  ]

  /// Routes for the operator only.
  static let operatorRoutes: [Route<AccessService>] = [
    Route("GET", OperatorPath.cards, .read) { service, call in
      let after = try call.parameter("after", 1...64)
      return AccessResponse(
        200, try await service.decide(call, by: IssuerRules.self) { try $0.listCards(after: after) }.json)
    },
    changing("PATCH", OperatorPath.card("*"), reading: CardSuspension.init) {
      try $0.changeState(ofCard: $1.arguments[0], $2)
    },
    returning("GET", OperatorPath.scripts("*"), .read) { try $0.scripts(ofCard: $1.arguments[0]) },
    returning("POST", OperatorPath.scripts("*"), status: 201, reading: CardScript.init) {
      try $0.order($2, forCard: $1.arguments[0])
    },
    changing("DELETE", OperatorPath.script("*", "*")) {
      try $0.cancelScript($1.arguments[1], ofCard: $1.arguments[0])
    },
  ]
}
