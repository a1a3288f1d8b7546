internal import AccessMessages
internal import FIDOUAF

extension AccessService {
  static let cardRoutes: [Route] = [
    .returning("GET", CardPath.cards) { try $0.cards(of: $0.walletCaller($1.signed)) },
    .returning("POST", CardPath.cards, status: 201, reading: CardAddition.init) {
      try $0.addCard($2, for: $0.walletCaller($1.signed))
    },
    .changing("DELETE", CardPath.cards) { try $0.deleteLostCards($1.signed) },
    .returning("POST", CardPath.keys("*"), reading: KeyRequest.init) {
      try $0.deliverKeys($2, ofCard: $1.arguments[0], for: $0.walletCaller($1.signed))
    },
    .returning("GET", CardPath.payments("*")) {
      try $0.payments(ofCard: $1.arguments[0], for: $0.walletCaller($1.signed))
    },
  ]

  static let issuerRoutes: [Route] = [
    .returning("POST", IssuerPath.authorizations, reading: PaymentAuthorizationRequest.init) { rules, _, body in
      try rules.authorize(body)
    },
    .returning("GET", OperatorPath.cards, .read) {
      try $0.listCards(after: $1.parameter("after", 1...64), $1.credentials)
    },
    .changing("PATCH", OperatorPath.card("*"), reading: CardStateChange.init) {
      try $0.changeState(ofCard: $1.arguments[0], $2, $1.credentials)
    },
    .returning("GET", OperatorPath.scripts("*"), .read) { try $0.scripts(ofCard: $1.arguments[0], $1.credentials) },
    .returning("POST", OperatorPath.scripts("*"), status: 201, reading: CardScript.init) {
      try $0.order($2, forCard: $1.arguments[0], $1.credentials)
    },
    .changing("DELETE", OperatorPath.script("*", "*")) {
      try $0.cancelScript($1.arguments[1], ofCard: $1.arguments[0], $1.credentials)
    },
  ]
}
