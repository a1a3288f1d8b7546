package import AccessMessages
internal import Documents
internal import JSON
public import ServerShell
internal import ServerStore

extension AccessService: RoutedService {
  /// All routes: those of each feature.
  package static let routes: [Route<AccessService>] =
    OperationRules.routes + WalletRules.routes + IssuerRules.routes
    + (OperatorRules.routes + IssuerRules.operatorRoutes).map(\.forOperator) + PageRules.routes

  /// Where the configuration has versions of the client, each response states them.
  package var commonHeaders: [(name: String, value: String)] {
    configuration.clientVersions.map { [(name: ClientVersions.headerName, value: $0.json.compact)] } ?? []
  }

  /// Answers a request by one of the routes. Every failure is a response.
  public func respond(to request: AccessRequest) async -> AccessResponse { await answer(request) }

  /// The name of the route of a request; nil for a path or a method that the server does not have.
  public func routeName(of request: AccessRequest) -> String? { Self.nameOfRoute(request) }

  /// The refusal that a client gets for an error. The failure of a store is reported too.
  package func failure(of error: any Error) -> AccessFailure {
    let error = AccessError(of: error)
    if case .store(let error) = error { onStoreFailure(error) }
    return error.failure
  }
}
