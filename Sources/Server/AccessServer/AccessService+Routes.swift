extension AccessService {
  /// All routes: those of each feature.
  static let routes: [Route] =
    OperationRules.routes + WalletRules.routes + IssuerRules.routes
    + (OperatorRules.routes + IssuerRules.operatorRoutes).map(\.forOperator) + PageRules.routes
}
