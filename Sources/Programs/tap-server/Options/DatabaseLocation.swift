import ArgumentParser
import ServerStore

/// The database of the server: `sqlite:FILE`, `postgresql://…`, or `memory` for one that ends with the server.
enum DatabaseLocation: ExpressibleByArgument {
  case file(String)
  /// A URL, which may contain a password.
  case postgreSQL(String)
  case memory
  /// Not one of these. It is refused by `validate()`: the parser would print the argument, which may contain a password.
  case unknown

  init(argument: String) {
    if argument == "memory" {
      self = .memory
    } else if argument.hasPrefix("sqlite:"), argument.count > "sqlite:".count {
      self = .file(String(argument.dropFirst("sqlite:".count)))
    } else if ["postgresql://", "postgres://"].contains(where: argument.hasPrefix) {
      self = .postgreSQL(argument)
    } else {
      self = .unknown
    }
  }

  static var defaultCompletionKind: CompletionKind { .list(["memory", "sqlite:", "postgresql://"]) }

  func validate() throws {
    guard case .unknown = self else { return }
    throw ValidationError("--database is sqlite:FILE, postgresql://USER@HOST/DATABASE, or memory.")
  }

  /// Opens the database, which reports its work to an observation. Blocks.
  func open(_ observation: StoreObservation = StoreObservation()) throws(AccessStoreError) -> any AccessStore {
    switch self {
    case .file(let path): try SQLiteAccessStore(path: path, observation: observation)
    case .postgreSQL(let url): try PostgreSQLAccessStore(url: url, observation: observation)
    case .memory: try SQLiteAccessStore(observation: observation)
    case .unknown: preconditionFailure("validate() refuses an unknown database")
    }
  }

  /// Checks the database, and changes nothing in it; nil for one in memory. Blocks.
  func check() -> DatabaseCheck? {
    switch self {
    case .file(let path): DatabaseCheck(file: path)
    case .postgreSQL(let url): DatabaseCheck(postgreSQL: url)
    case .memory: nil
    case .unknown: preconditionFailure("validate() refuses an unknown database")
    }
  }
}
