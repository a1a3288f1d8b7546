import AccessDatabase
import AccessServer
import ArgumentParser

/// The database of the server: `sqlite:FILE`, or `memory` for one that ends with the server.
enum DatabaseLocation: ExpressibleByArgument {
  case file(String)
  case memory

  init?(argument: String) {
    if argument == "memory" {
      self = .memory
    } else if argument.hasPrefix("sqlite:"), argument.count > "sqlite:".count {
      self = .file(String(argument.dropFirst("sqlite:".count)))
    } else {
      return nil
    }
  }

  /// Opens the database. Blocks.
  func open() throws(AccessStoreError) -> any AccessStore {
    switch self {
    case .file(let path): try SQLiteAccessStore(path: path)
    case .memory: try SQLiteAccessStore()
    }
  }
}
