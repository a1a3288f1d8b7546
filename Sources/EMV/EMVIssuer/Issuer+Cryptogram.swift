internal import EMVCryptography
public import EMVData
public import ISO7816
internal import Octets

extension Issuer {
  /// The authorisation response code of an approval, "00" (ISO 8583).
  static let approvalCode: UInt16 = 0x3030
  /// The card status update of an approval: byte 2 bit 8 (EMV 4.3 Book 3, C10).
  static let approvalUpdate: UInt32 = 0x0080_0000

  /// Decides on a payment from the data that a terminal sends, and records the counter of an approval.
  ///
  /// - Parameters:
  ///   - accountNumber: From tag 5A or 57.
  ///   - sequenceNumber: Tag 5F34; nil is read as 00.
  ///   - ledger: The counters of the cards.
  ///   - data: Returns the terminal's value of a tag, or nil.
  /// - Throws: The error of the ledger.
  public func authorize<Ledger: IssuerLedger>(
    accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8?, in ledger: inout Ledger, data: (Tag) -> [UInt8]?
  ) throws(Ledger.Failure) -> Decision {
    guard let entry = try ledger.entry(accountNumber: accountNumber, sequenceNumber: sequenceNumber ?? 0) else {
      return .unknownCard
    }
    guard !entry.isRetired else { return .declined(.retired) }
    let (counter, answer): (UInt16, [UInt8]?)
    do throws(Refusal) {
      (counter, answer) = try genuinePayment(of: entry.account, data)
    } catch { return .declined(error.reason) }
    return try accept(counter, of: entry, in: &ledger, authenticationData: answer)
  }

  /// Checks the cryptogram of a payment.
  ///
  /// - Returns: The transaction counter, and tag 91 of an approval, nil without a rule for it.
  private func genuinePayment(
    of account: IssuerAccount, _ data: (Tag) -> [UInt8]?
  ) throws(Refusal) -> (UInt16, [UInt8]?) {
    let transaction = try Transaction(account.cryptogramVersion, data)
    let key = cardMasterKey(of: account)
    let expected = transaction.cryptogram(key)
    let octets = expected.bigEndianOctets
    guard let given = data(.applicationCryptogram), constantTimeEqual(given.span, octets.span) else {
      throw Refusal(reason: .wrongCryptogram)
    }
    guard transaction.asksForApproval else { throw Refusal(reason: .declinedByCard) }
    guard !Self.isExpired(data) else { throw Refusal(reason: .expired) }
    return (transaction.counter, transaction.authenticationData(for: expected, key))
  }
}

/// The data that the cryptogram of one payment covers.
private struct Transaction {
  let version: CryptogramVersion
  let counter: UInt16
  let unpredictableNumber: UInt32
  let covered: [UInt8]
  let asksForApproval: Bool

  init(_ version: CryptogramVersion, _ data: (Tag) -> [UInt8]?) throws(Issuer.Refusal) {
    self.version = version
    counter = UInt16(try Self.number(.applicationTransactionCounter, 2, data))
    var elements: [UInt8] = []
    for tag in version.elements {
      // With another length, its bytes could be taken for those of the next element.
      guard let value = data(tag), DataElement.named(tag)?.lengths.contains(value.count) == true else {
        throw Issuer.Refusal(reason: .missing(tag))
      }
      elements += value
    }
    unpredictableNumber =
      version.needsUnpredictableNumber ? UInt32(try Self.number(.unpredictableNumber, 4, data)) : 0
    guard let issuerData = data(.issuerApplicationData) else {
      throw Issuer.Refusal(reason: .missing(.issuerApplicationData))
    }
    guard CryptogramVersion.named(by: issuerData, of: version.paymentSystem) == version,
      let part = version.coveredIssuerData(of: issuerData)
    else { throw Issuer.Refusal(reason: .issuerDataUnknown) }
    covered = elements + part
    asksForApproval = Self.asksForApproval(version, issuerData)
  }

  // The cryptogram does not cover tag 9F27, but the card verification results hold the same type. For Interac, its
  // place is in no public document.
  private static func asksForApproval(_ version: CryptogramVersion, _ issuerData: [UInt8]) -> Bool {
    let index: Int
    switch version.paymentSystem {
    case .visa: index = 4
    case .commonCore: index = 3
    case .mastercard: index = 2
    case .interac: return true
    }
    guard index < issuerData.count, let type = CryptogramType(verificationResultsOctet: issuerData[index]) else {
      return false
    }
    return type != .aac
  }

  private static func number(
    _ tag: Tag, _ count: Int, _ data: (Tag) -> [UInt8]?
  ) throws(Issuer.Refusal) -> UInt64 {
    guard let value = data(tag), value.count == count else { throw Issuer.Refusal(reason: .missing(tag)) }
    return UInt64(bigEndian: value) ?? 0
  }

  func cryptogram(_ masterKey: borrowing Secret) -> UInt64 {
    let key = version.cryptogramKey(masterKey: masterKey, atc: counter, unpredictableNumber: unpredictableNumber)
    return version.cryptogram(over: covered, key: key)
  }

  /// Returns tag 91 of an approval by the method of the cryptogram version.
  func authenticationData(for cryptogram: UInt64, _ masterKey: borrowing Secret) -> [UInt8]? {
    guard let rule = version.response else { return nil }
    let response: IssuerResponse =
      switch rule.method {
      case .responseCode: .code(Issuer.approvalCode)
      case .cardStatusUpdate: .cardStatusUpdate(Issuer.approvalUpdate, proprietaryData: [])
      }
    return version.issuerAuthenticationData(
      for: cryptogram, response, masterKey: masterKey, atc: counter, unpredictableNumber: unpredictableNumber)
  }
}
