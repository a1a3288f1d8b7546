public import EMVData
public import ISO7816

/// The certificates among the data objects of a card.
extension IssuerCertificate {
  /// Finds the authority of a card's issuer certificate, then recovers and checks the certificate.
  ///
  /// - Parameters:
  ///   - objects: The values of the card's data objects; tags 5A, 8F, 90 and 9F32 are needed, tag 92 is optional.
  ///   - provider: The RID of the application: the first five bytes of its AID.
  ///   - authorities: The keys of the terminal.
  ///   - revoked: The certificates that are not accepted any more.
  ///   - date: The date of the transaction.
  /// - Throws: `.missing`, `.unknownAuthority`, or the failure of the first check of the certificate.
  public init(
    in objects: [Tag: [UInt8]], provider: [UInt8], authorities: [CertificationAuthorityKey],
    revoked: Set<RevokedCertificate> = [], at date: TransactionDate
  ) throws(AuthenticationFailure) {
    guard let index = objects[0x8F], index.count == 1 else { throw .missing(0x8F) }
    guard let authority = authorities.first(where: { $0.provider == provider && $0.index == index[0] }) else {
      throw .unknownAuthority(index: index[0])
    }
    try self.init(
      objects.value(0x90), remainder: objects[0x92] ?? [], exponent: objects.value(0x9F32), authority: authority,
      revoked: revoked, accountNumber: objects.accountNumber(), at: date)
  }
}

extension CardCertificate {
  /// Recovers and checks the certificate of a card.
  ///
  /// - Parameters:
  ///   - objects: The values of the card's data objects; tags 5A, 9F46 and 9F47 are needed, tag 9F48 is optional.
  ///   - issuer: The certificate of the issuer.
  ///   - staticData: The static data to be authenticated.
  ///   - date: The date of the transaction.
  /// - Throws: `.missing`, or the failure of the first check of the certificate.
  public init(
    in objects: [Tag: [UInt8]], issuer: IssuerCertificate, staticData: [UInt8], at date: TransactionDate
  ) throws(AuthenticationFailure) {
    try self.init(
      objects.value(0x9F46), remainder: objects[0x9F48] ?? [], exponent: objects.value(0x9F47), issuer: issuer,
      staticData: staticData, accountNumber: objects.accountNumber(), at: date)
  }

  /// Returns whether zeros stand in place of the certificate (tag 9F46) or the signed static data (tag 93), as in a redacted
  /// recording.
  ///
  /// - Parameter objects: The data objects of the card.
  public static func isRedacted(_ objects: [Tag: [UInt8]]) -> Bool {
    [0x9F46, 0x93].contains { (tag: Tag) in
      objects[tag].map { value in !value.isEmpty && value.allSatisfy { $0 == 0 } } ?? false
    }
  }
}

extension [Tag: [UInt8]] {
  fileprivate func value(_ tag: Tag) throws(AuthenticationFailure) -> [UInt8] {
    guard let value = self[tag] else { throw .missing(tag) }
    return value
  }

  /// The account number; one that is malformed counts as missing.
  fileprivate func accountNumber() throws(AuthenticationFailure) -> PrimaryAccountNumber {
    guard let number = PrimaryAccountNumber(compressedNumeric: try value(.primaryAccountNumber)) else {
      throw .missing(.primaryAccountNumber)
    }
    return number
  }
}
