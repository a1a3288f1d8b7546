internal import AccessMessages
internal import ServerStore

/// The most records of each kind that clients can make, besides the limits of `ServerConfiguration`. The article of this module
/// names for every table what limits it.
enum RecordLimits {
  /// The records of one page of a list for the operator.
  static let page = 500
  /// The dispatch targets of an account.
  static let targets = 20
  /// The credentials of an account: all five authenticators on each dispatch target.
  static let credentials = 100
  /// The dispatched tokens of an account that are not expired, redeemed ones included.
  static let dispatches = 100
  /// The authorizations of an account. A further one ends the oldest one. Each authentication reads them: PostgreSQL locks the
  /// whole table for a transaction that has read more than 32 of its rows (`max_pred_locks_per_relation`), so that all other
  /// authentications would conflict with it.
  static let authorizations = 24
  /// The devices that are linked with a wallet.
  static let walletDevices = 20
  /// The sessions of a wallet on one device. A further one ends the oldest one.
  static let sessions = 10
  /// The single-use tokens of a user name. A further one ends the oldest one.
  static let walletTokens = 100
  /// The cards of a device, deleted ones included.
  static let cards = 32
  /// The payments of a card in a day that were not approved and are listed for the operator.
  static let attemptsPerCard = 100
  /// The payments with unknown account numbers from one address in a day that are listed for the operator.
  static let attemptsPerAddress = 1_000
  /// The payments of all cards that were not approved and are listed for the operator.
  static let cardAttempts = 100_000
  /// The sessions of the operator's page. A further one ends the oldest one.
  static let operatorSessions = 64
  /// The identifiers of signatures that a device has used and that are not expired.
  static let usedIdentifiers = 3_000
  /// The identifiers that devices without a wallet have used from one address and that are not expired.
  static let usedIdentifiersPerAddress = 10_000
}

extension RequestRules {
  /// Checks that there are fewer records than a limit.
  ///
  /// - Parameter count: How many there are; nil when they were not counted.
  /// - Throws: A refusal with code `tooManyFailures`, and how long to wait.
  func checkCount(of records: CountedRecords, limit: Int, _ count: Int? = nil) throws(AccessError) {
    guard !environment.allowances.use(records),
      let expiry = try environment.allowances.renew(records, limit: limit, count, in: transaction, at: now)
    else { return }
    throw .tooManyRequests(wait: expiry - now)
  }
}

extension AccessError {
  /// A client has made as many records as it may have.
  ///
  /// - Parameter milliseconds: After how long there is room for one.
  static func tooManyRequests(wait milliseconds: Int64) -> AccessError {
    let seconds = milliseconds / 1_000 + 1
    return .refused(
      .tooManyFailures, "too many requests of this client are stored: wait \(seconds) s", retryAfter: Int(seconds))
  }
}
