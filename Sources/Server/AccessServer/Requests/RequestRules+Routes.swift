internal import AccessMessages
internal import Documents
internal import JSON
internal import ServerShell
internal import ServerStore

/// Routes of a feature that answer with what one rule decides.
extension RequestRules {
  /// Reads the body of a request.
  typealias Reading<Content> = @Sendable (JSONValue) throws(DocumentError) -> Content
  /// A rule, which gets the request and its body.
  typealias Rule<Content, Value> = @Sendable (Self, Call, Content) throws -> Value

  /// A route whose response is the message that a rule returns.
  static func returning<Message: JSONMessage>(
    _ method: String, _ path: String, _ access: StoreAccess = .write, status: Int = 200,
    _ rule: @escaping @Sendable (Self, Call) throws -> Message
  ) -> Route<AccessService> {
    Route(method, path, access) { service, call in
      AccessResponse(status, try await service.decide(call, by: Self.self) { try rule($0, call) }.json)
    }
  }

  /// A route that reads a body and whose response is the message that a rule returns.
  static func returning<Content: Sendable, Message: JSONMessage>(
    _ method: String, _ path: String, _ access: StoreAccess = .write, status: Int = 200,
    reading read: @escaping Reading<Content>, _ rule: @escaping Rule<Content, Message>
  ) -> Route<AccessService> {
    Route(method, path, access, body: .json(MediaType.json)) { service, call in
      let content = try call.body(read)
      return AccessResponse(status, try await service.decide(call, by: Self.self) { try rule($0, call, content) }.json)
    }
  }

  /// A route whose rule changes something and returns nothing.
  static func changing(
    _ method: String, _ path: String, body: RequestBody = .none, _ rule: @escaping @Sendable (Self, Call) throws -> Void
  ) -> Route<AccessService> {
    Route(method, path, body: body, produces: []) { service, call in
      try await service.decide(call, by: Self.self) { try rule($0, call) }
      return AccessResponse(204)
    }
  }

  /// A route that reads a body and whose rule changes something and returns nothing.
  static func changing<Content: Sendable>(
    _ method: String, _ path: String,
    reading read: @escaping Reading<Content>, _ rule: @escaping Rule<Content, Void>
  ) -> Route<AccessService> {
    Route(method, path, body: .json(MediaType.json), produces: []) { service, call in
      let content = try call.body(read)
      try await service.decide(call, by: Self.self) { try rule($0, call, content) }
      return AccessResponse(204)
    }
  }
}

extension AccessService {
  /// Runs the rules of a feature in one transaction. What they wrote is kept when they refuse the request, and dropped after any
  /// other error.
  ///
  /// - Parameters:
  ///   - address: The address of the client.
  ///   - access: Whether the rules change the store.
  ///   - feature: The feature.
  func decide<Rules: RequestRules, Value: Sendable>(
    from address: String, in access: StoreAccess = .write, by feature: Rules.Type,
    _ rule: @escaping @Sendable (Rules) throws -> Value
  ) async throws(AccessError) -> Value {
    let (environment, moment) = (environment, now)
    return try await store.run(access) { transaction throws(AccessError) in
      let scope = RequestScope(transaction: transaction, now: moment, environment: environment, address: address)
      return try AccessError.typed { try rule(Rules(scope: scope)) }
    }
  }

  /// Runs the rules of a request in one transaction, which only reads if the route does. For a route of the operator it checks
  /// the caller first.
  func decide<Rules: RequestRules, Value: Sendable>(
    _ call: Call, by feature: Rules.Type, _ rule: @escaping @Sendable (Rules) throws -> Value
  ) async throws(AccessError) -> Value {
    try await decide(from: call.request.address, in: call.access, by: feature) { rules in
      if call.isForOperator { try rules.requireOperator(call.credentials) }
      return try rule(rules)
    }
  }
}

extension Call {
  /// Reads the body.
  ///
  /// - Parameter body: What is read in place of the JSON of the request: the fields of a form.
  /// - Throws: A refusal with code `malformed`, or `unusableKey` when the encryption key of a device is the only problem.
  func body<Body>(
    _ read: (JSONValue) throws(DocumentError) -> Body, in body: JSONValue? = nil
  ) throws(AccessError) -> Body {
    do throws(DocumentError) {
      return try read(body ?? json)
    } catch {
      throw .refused(
        error.problems.allSatisfy { $0.path.hasSuffix("encryptionKey") } ? .unusableKey : .malformed, "\(error)")
    }
  }
}
