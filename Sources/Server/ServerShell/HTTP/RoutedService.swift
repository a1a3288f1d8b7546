package import AccessMessages
internal import Documents
internal import JSON
internal import ServerStore

/// A service that answers each request by one of its routes.
package protocol RoutedService: AccessResponding {
  /// The routes.
  static var routes: [Route<Self>] { get }
  /// The headers of every response.
  var commonHeaders: [(name: String, value: String)] { get }

  /// The refusal that a client gets for an error.
  func failure(of error: any Error) -> AccessFailure
}

extension RoutedService {
  /// Answers a request: the route, the media types, the body, then the route.
  package func answer(_ request: AccessRequest) async -> AccessResponse {
    var response = await response(to: request)
    response.headers += commonHeaders
    return response
  }

  private func response(to request: AccessRequest) async -> AccessResponse {
    do throws(RoutingRefusal) {
      let found = try Self.route(request)
      var response = await response(to: request, at: found)
      response.outcome.route = found.route.name
      return response
    } catch {
      var response = AccessResponse(error.failure)
      if let allowed = error.allowed {
        response.headers.append((name: "allow", value: allowed.joined(separator: ", ")))
      }
      return response
    }
  }

  private func response(to request: AccessRequest, at found: FoundRoute) async -> AccessResponse {
    do {
      return try await found.route.respond(self, try Self.call(request, found))
    } catch {
      return AccessResponse(failure(of: error))
    }
  }

  /// A route with what its path has in a request.
  private typealias FoundRoute = (route: Route<Self>, target: RequestTarget, arguments: [String])

  /// Finds the route of a request.
  private static func route(_ request: AccessRequest) throws(RoutingRefusal) -> FoundRoute {
    guard let target = RequestTarget(request.target) else {
      throw RoutingRefusal(failure: AccessFailure(.malformed, "the path or the query is not valid"))
    }
    let candidates = routes.compactMap { route in route.arguments(target.components).map { (route, $0) } }
    guard !candidates.isEmpty else {
      throw RoutingRefusal(failure: AccessFailure(.notFound, "there is no such path"))
    }
    guard let (route, arguments) = candidates.first(where: { $0.0.method == request.method }) else {
      throw RoutingRefusal(
        failure: AccessFailure(.methodNotAllowed, "the path does not have this method"),
        allowed: candidates.map(\.0.method))
    }
    return (route, target, arguments)
  }

  /// The name of the route of a request; nil for a path or a method that the server does not have.
  package static func nameOfRoute(_ request: AccessRequest) -> String? { try? route(request).route.name }

  /// Reads what all routes need of a request.
  private static func call(_ request: AccessRequest, _ found: FoundRoute) throws(AccessError) -> Call {
    let (route, target, arguments) = found
    if let accept = request.header("accept"), !route.produces.isEmpty,
      !route.produces.contains(where: { MediaType.header(accept, accepts: $0) })
    {
      throw .refused(.notAcceptable, "the response has the type \(route.produces.joined(separator: " or "))")
    }
    return Call(
      request: request, target: target, arguments: arguments, json: try json(of: request, route.body),
      access: route.access, isForOperator: route.isForOperator)
  }

  private static func json(of request: AccessRequest, _ kind: RequestBody) throws(AccessError) -> JSONValue {
    let type: String
    switch kind {
    case .none: return nil
    case .json(let name): type = name
    case .jose: type = MediaType.jose
    case .form: type = MediaType.form
    }
    guard MediaType.header(request.header("content-type") ?? "", states: type) else {
      throw .refused(.unsupportedMediaType, "the body must have the type \(type) in UTF-8")
    }
    guard let body = request.body else {
      throw .refused(.tooLarge, "the body has more than \(AccessRequest.maximumBodyCount) bytes")
    }
    if [MediaType.jose, MediaType.form].contains(type) { return nil }
    do throws(JSONError) {
      return try JSONValue(parsing: body)
    } catch {
      throw .refused(.malformed, "the body is not JSON: \(error)")
    }
  }
}

/// A request that no route answers.
private struct RoutingRefusal: Error {
  let failure: AccessFailure
  /// The methods that the path has; nil when the server does not have the path.
  var allowed: [String]?
}
