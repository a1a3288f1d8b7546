/// Why a statement failed. It has no text of the server, which could contain values.
enum PostgreSQLFailure: Error, Equatable {
  /// The connection does not exist any more.
  case lost
  /// The server refused the statement, with a code of five characters (PostgreSQL documentation, appendix A).
  case refused(state: String)

  init(state: String) {
    switch state {
    // Nothing came back, or the server is being stopped, has crashed, or has ended the connection for its idleness.
    case "", "57P01", "57P02", "57P03", "57P05", "25P03": self = .lost
    // A newer server has added columns since the statement was prepared: a new connection prepares it again.
    case "0A000": self = .lost
    case let state where state.hasPrefix("08"): self = .lost
    default: self = .refused(state: state)
    }
  }

  /// Whether the same transaction may succeed later.
  var remedy: Remedy {
    switch self {
    case .lost: .reconnect
    case .refused("40001"), .refused("40P01"): .repeat
    // Another transaction has committed the record in between. The rules decide again on what it left.
    case .refused("23505"), .refused("23503"): .repeatOnce
    case .refused: .none
    }
  }

  enum Remedy {
    case none, reconnect, `repeat`, repeatOnce
  }

  /// The failure in the words of the port.
  ///
  /// - Parameter name: The name of the database.
  func described(_ name: String) -> AccessStoreError {
    guard case .refused(let state) = self else {
      return AccessStoreError(.unavailable, "\(name): the connection was lost")
    }
    switch state {
    case "53100": return .full(name)
    case "53000", "53200", "53300", "53400":
      return AccessStoreError(.unavailable, "\(name) has too little memory or too few connections (SQLSTATE \(state))")
    case "40001", "40P01":
      return AccessStoreError(.unavailable, "\(name): other transactions got in the way of this one again and again")
    case "55P03":
      return AccessStoreError(
        .unavailable,
        "\(name): another transaction has locked a record for more than \(PostgreSQLConnection.lockTimeout) s")
    case "57014":
      return AccessStoreError(
        .unavailable, "\(name): a statement took more than \(PostgreSQLConnection.statementTimeout) s")
    case "25006":
      return AccessStoreError(
        .unavailable, "\(name) cannot be written: connect to the primary server, not to a standby")
    case "42501":
      return AccessStoreError(
        .unavailable,
        "\(name): the user may not do this: make it the owner of the database, or GRANT it CREATE and USAGE")
    case "42P01", "42703", "42804", "42P10":
      return AccessStoreError(.damaged, "\(name): its tables have another form than those of this program")
    default: break
    }
    return switch state.prefix(2) {
    case "22": AccessStoreError(.damaged, "\(name): a value cannot be stored (SQLSTATE \(state))")
    case "23": AccessStoreError(.damaged, "\(name): a record violates a rule of its table (SQLSTATE \(state))")
    case "XX": AccessStoreError(.damaged, "\(name): the server found damage (SQLSTATE \(state))")
    default: AccessStoreError(.unavailable, "\(name): SQLSTATE \(state)")
    }
  }
}
