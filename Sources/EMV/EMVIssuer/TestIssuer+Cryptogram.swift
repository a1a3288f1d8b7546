internal import EMVCryptography
public import EMVData
public import ISO7816
internal import Octets
internal import Synchronization

extension TestIssuer {
  /// The authorisation response code of an approval, "00" (ISO 8583).
  static let approvalCode: UInt16 = 0x3030
  /// The card status update of an approval: byte 2 bit 8 (EMV 4.3 Book 3, C10).
  static let approvalUpdate: UInt32 = 0x0080_0000

  /// Decides on a payment from the data that a terminal sends.
  ///
  /// - Parameters:
  ///   - accountNumber: From tag 5A or 57.
  ///   - sequenceNumber: Tag 5F34; nil is read as 00.
  ///   - data: Returns the terminal's value of a tag, or nil.
  public func authorize(
    accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8?, data: (Tag) -> [UInt8]?
  ) -> Decision {
    let name = Name(accountNumber, sequenceNumber)
    guard let entry = entries.withLock({ $0[name] }) else { return .unknownCard }
    guard !entry.isRetired else { return .declined(.retired) }
    do throws(Refusal) {
      let transaction = try Transaction(entry.account.cryptogramVersion, data)
      let key = cardMasterKey(of: entry.account)
      let expected = transaction.cryptogram(key)
      let octets = expected.bigEndianOctets
      guard let given = data(.applicationCryptogram), constantTimeEqual(given.span, octets.span) else {
        return .declined(.wrongCryptogram)
      }
      guard transaction.asksForApproval else { return .declined(.declinedByCard) }
      return accept(
        transaction.counter, of: name, authenticationData: transaction.authenticationData(for: expected, key))
    } catch { return .declined(error.reason) }
  }
}

/// The data that the cryptogram of one payment covers.
private struct Transaction {
  let version: CryptogramVersion
  let counter: UInt16
  let unpredictableNumber: UInt32
  let covered: [UInt8]
  let asksForApproval: Bool

  init(_ version: CryptogramVersion, _ data: (Tag) -> [UInt8]?) throws(TestIssuer.Refusal) {
    self.version = version
    counter = UInt16(try Self.number(.applicationTransactionCounter, 2, data))
    var elements: [UInt8] = []
    for tag in version.elements {
      // With another length, its octets could be taken for those of the next element.
      guard let value = data(tag), DataElement.named(tag)?.lengths.contains(value.count) == true else {
        throw TestIssuer.Refusal(reason: .missing(tag))
      }
      elements += value
    }
    unpredictableNumber =
      version.needsUnpredictableNumber ? UInt32(try Self.number(.unpredictableNumber, 4, data)) : 0
    guard let issuerData = data(.issuerApplicationData) else {
      throw TestIssuer.Refusal(reason: .missing(.issuerApplicationData))
    }
    guard CryptogramVersion.named(by: issuerData, of: version.paymentSystem) == version,
      let part = version.coveredIssuerData(of: issuerData)
    else { throw TestIssuer.Refusal(reason: .issuerDataUnknown) }
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
  ) throws(TestIssuer.Refusal) -> UInt64 {
    guard let value = data(tag), value.count == count else { throw TestIssuer.Refusal(reason: .missing(tag)) }
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
      case .responseCode: .code(TestIssuer.approvalCode)
      case .cardStatusUpdate: .cardStatusUpdate(TestIssuer.approvalUpdate, proprietaryData: [])
      }
    return version.issuerAuthenticationData(
      for: cryptogram, response, masterKey: masterKey, atc: counter, unpredictableNumber: unpredictableNumber)
  }
}
