/// The store of the server: the port behind which a database lies.
///
/// A rule of a service is one transaction: it reads what it decides on and writes what follows from it, so that two
/// requests at a time cannot both use one challenge or one token. The body of a transaction is synchronous and runs on a
/// queue of the store, never on the cooperative thread pool. A transaction is durable when `write` returns.
///
/// A store may run a body again. A store that several servers share runs it again after a conflict with another transaction. A
/// store whose writes share a transaction runs each body once more in a transaction of its own after the shared one failed. Only
/// the last run counts, so a body changes nothing but the store.
public protocol AccessStore: Sendable {
  /// Runs a body on a consistent state of the store. It needs no writer.
  ///
  /// - Throws: `AccessError.store`, with code `changeInRead` when the body changes the store; or what the body throws.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value

  /// Runs a body that changes the store. All its changes become durable together, also when the body throws
  /// `AccessError.refused`, since a refusal is recorded too. After another error the store is unchanged.
  ///
  /// Writes of other callers may share the flush of the disk, but see each other's changes as if one ran after the other. The
  /// body may run again.
  ///
  /// - Throws: `AccessError.store`, or what the body throws.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value

  /// Called when the last request has its answer and the program ends. Blocks shortly; the store remains usable.
  func finish()
}

extension AccessStore {
  /// Does nothing.
  public func finish() {}
}

/// A failure of the store. The server answers 503 and changes nothing.
public struct AccessStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Hashable, Sendable {
    /// The database cannot be opened or does not answer.
    case unavailable
    /// There is no space left.
    case full
    /// The content of the database has the wrong form.
    case damaged
    /// A rule of the server failed with an error that it does not expect: a fault of the program. The server answers 500.
    case ruleFailed
    /// A body of `read` changes the store. Its changes are dropped.
    case changeInRead
    /// A newer program has written the database. Only found when it is opened.
    case newerVersion
  }

  /// The kind of failure.
  public let code: Code
  /// A sentence for the operator, without secrets.
  public let reason: String

  /// Creates an error.
  public init(_ code: Code, _ reason: String) {
    (self.code, self.reason) = (code, reason)
  }

  /// The reason.
  public var description: String { reason }
}

extension AccessStoreError {
  static let changeInRead = AccessStoreError(.changeInRead, "a transaction that only reads cannot change the database")
}

extension AccessStoreError {
  static func full(_ path: String) -> AccessStoreError {
    AccessStoreError(.full, "\(path): no space is left on its disk")
  }

  static func newer(_ path: String, version: Int, supported: Int) -> AccessStoreError {
    AccessStoreError(
      .newerVersion,
      "\(path) has version \(version), and this program supports at most \(supported): use a newer program")
  }
}

/// What a body does with the store.
package enum StoreAccess: Sendable {
  /// It neither counts, audits nor extends a session, so it needs no writer. When it refuses a request with an effect, such as the
  /// count of a wrong token, it runs again in a transaction that writes.
  case read
  /// It changes the store.
  case write
}

extension AccessStore {
  /// Runs a body. One that was to read only, and changes the store all the same, runs again in a transaction that writes.
  package func run<Value: Sendable>(
    _ access: StoreAccess, _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value {
    guard access == .read else { return try await write(body) }
    do throws(AccessError) {
      return try await read(body)
    } catch {
      guard case .store(let failure) = error, failure.code == .changeInRead else { throw error }
      return try await write(body)
    }
  }

  /// Runs a body that no request asks for: it refuses nothing, so only the store can fail.
  package func maintain<Value: Sendable>(
    _ access: StoreAccess = .write, _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessStoreError) -> Value {
    do throws(AccessError) {
      return switch access {
      case .read: try await read(body)
      case .write: try await write(body)
      }
    } catch {
      throw error.storeFailure
    }
  }
}
