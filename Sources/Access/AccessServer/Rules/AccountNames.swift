internal import AccessMessages

extension Rules {
  /// The account that a client names: a stored one with the same bytes, or else the form that a new name has.
  ///
  /// - Throws: A refusal with code `malformed` for characters that a new name must not have.
  func accountName(_ entered: String) throws(AccessError) -> String {
    if try transaction.user(named: entered) != nil { return entered }
    return try Self.newName(entered, else: .malformed)
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

  /// The wallet that a user names: one whose user name has the same bytes in lower case, or else the normalized ones.
  func wallet(entered: String) throws(AccessError) -> WalletRecord? {
    let userName = EnteredForm.userName(entered)
    if let wallet = try transaction.wallet(named: userName) { return wallet }
    guard let normalized = try? NewAccountName(userName).text, !normalized.hasSameOctets(as: userName) else {
      return nil
    }
    return try transaction.wallet(named: normalized)
  }
}
