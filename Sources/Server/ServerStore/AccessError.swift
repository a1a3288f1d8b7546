public import AccessMessages

/// Why a rule of the server, or another body of a transaction, returns nothing.
public enum AccessError: Error, Hashable, Sendable {
  /// The request is refused. What the body wrote before is kept, so that a used challenge stays used.
  case refused(AccessFailure)
  /// The store or the server failed. Nothing is kept.
  case store(AccessStoreError)
}

extension AccessError {
  /// A refusal of the request.
  package static func refused(
    _ code: AccessFailure.Code, _ message: String, attemptsLeft: Int? = nil, retryAfter: Int? = nil,
    lockout: String? = nil
  ) -> AccessError {
    .refused(AccessFailure(code, message, attemptsLeft: attemptsLeft, retryAfter: retryAfter, lockout: lockout))
  }

  /// The content of the database has the wrong form.
  package static func damaged(_ reason: String) -> AccessError { .store(AccessStoreError(.damaged, reason)) }

  /// Gives an error its type, which the compiler does not infer in a closure. An error that no rule expects is a fault of the
  /// program.
  package init(of error: any Error) {
    self =
      switch error {
      case let error as AccessError: error
      case let error as AccessStoreError: .store(error)
      default: .store(AccessStoreError(.ruleFailed, "a rule failed: \(type(of: error))"))
      }
  }

  /// Runs a body and gives its error a type. No other code does.
  package static func typed<Value>(_ body: () throws -> Value) throws(AccessError) -> Value {
    do { return try body() } catch { throw AccessError(of: error) }
  }

  /// The failure of a store, for a body that is no rule and refuses nothing.
  package var storeFailure: AccessStoreError {
    switch self {
    case .store(let error): error
    case .refused: AccessStoreError(.ruleFailed, "the server refused what no client asked for")
    }
  }
}

extension Result where Failure == AccessError {
  /// Whether a transaction keeps what its body has written.
  var keepsChanges: Bool {
    switch self {
    case .success, .failure(.refused): true
    case .failure(.store): false
    }
  }
}
