internal import AccessMessages
internal import ServerStore

extension RequestRules {
  /// The account that a client names: a stored one with the same bytes, or else the form that a new name has.
  ///
  /// - Throws: A refusal with code `malformed` for characters that a new name must not have, or `exists` for a new name that
  ///   equals another one after folding.
  func accountName(_ entered: String) throws(AccessError) -> String {
    if try transaction.user(named: entered) != nil { return entered }
    let name = try Self.newName(entered, else: .malformed)
    // The normalized name is that of a user, or it is new.
    if try transaction.user(named: name) != nil { return name }
    guard try !isTaken(name) else { throw .nameExists }
    return name
  }

  /// The name of a new user.
  ///
  /// - Throws: A refusal with code `malformed` for characters that a new name must not have, or `exists` for one that a user
  ///   has, or that equals the name of a user after folding.
  func newAccountName(_ entered: String) throws(AccessError) -> String {
    guard try transaction.user(named: entered) == nil else { throw .nameExists }
    let name = try Self.newName(entered, else: .malformed)
    guard try !isTaken(name) else { throw .nameExists }
    return name
  }

  /// Returns whether a user has a name, or one that equals it after folding. A name stays taken for good: no user is removed.
  func isTaken(_ name: String) throws(AccessError) -> Bool {
    if try transaction.user(named: name) != nil { return true }
    return try transaction.user(folded: NewAccountName.folded(name)) != nil
  }

  private static func newName(_ entered: String, else code: AccessFailure.Code) throws(AccessError) -> String {
    let name: String
    do throws(NewAccountName.Refusal) {
      name = try NewAccountName(entered).text
    } catch {
      throw .refused(code, "\(error)")
    }
    guard RequestContext.userNameRange.contains(name.utf16.count) else {
      throw .refused(
        code, "a name has 1 to \(RequestContext.userNameRange.upperBound) characters, not \(name.utf16.count)")
    }
    return name
  }

  /// The user name of a new wallet.
  ///
  /// - Throws: A refusal with code `requirementsNotMet` for characters that a new name must not have.
  func newUserName(_ entered: String) throws(AccessError) -> String {
    try Self.newName(EnteredForm.userName(entered), else: .requirementsNotMet)
  }

  /// The wallet of a record that refers to it.
  func wallet(_ id: String) throws(AccessError) -> EnrolledWalletRecord {
    guard let wallet = try transaction.wallet(id) else {
      throw .damaged("a record refers to a wallet that does not exist")
    }
    return wallet
  }

  /// The wallet that a user names: one whose user name has the same bytes in lower case, or else the normalized ones.
  func wallet(entered: String) throws(AccessError) -> EnrolledWalletRecord? {
    let userName = EnteredForm.userName(entered)
    if let wallet = try transaction.wallet(named: userName) { return wallet }
    guard let normalized = try? NewAccountName(userName).text, !normalized.hasSameOctets(as: userName) else {
      return nil
    }
    return try transaction.wallet(named: normalized)
  }
}

/// What a user entered, in the form in which it is hashed and compared.
enum EnteredForm {
  /// A user name: the case of letters does not count.
  static func userName(_ text: String) -> String { text.lowercased() }

  /// An answer: the case of letters does not count, nor spaces at the ends or more than one between words.
  static func answer(_ text: String) -> String {
    text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}

extension AccessError {
  static let nameExists = AccessError.refused(
    .exists,
    """
    a user has this name, or one that differs from it only in characters for compatibility: tap-server user token NAME makes a \
    further registration token for a user
    """)
}

extension AccessService {
  /// Folds the names of users that an older version has added. SQL cannot do it. Each transaction folds at most
  /// `AccessTransaction.cleaningSlice` names.
  func foldNames() async throws(AccessStoreError) {
    let limit = AccessTransaction.cleaningSlice
    while true {
      let isDone = try await store.maintain(.read) { transaction throws(AccessError) in
        try transaction.unfoldedUsers(limit: 1).isEmpty
      }
      if isDone { return }
      try await store.maintain { transaction throws(AccessError) in
        for user in try transaction.unfoldedUsers(limit: limit) {
          try transaction.save(UserRecord(name: user.name, createdAt: user.createdAt))
        }
      }
    }
  }
}
