public import EMVCryptography
internal import EMVData
internal import ISO7816

/// Offline data authentication of one card, for every kernel: the data objects and signed records that the card sent, and
/// the keys of the terminal. Each function has at most three exponentiations.
struct CardAuthentication {
  private let card: CardData
  private let objects: [Tag: [UInt8]]
  private let provider: [UInt8]
  private let terminal: KernelTerminal

  /// - Parameters:
  ///   - accountNumber: The number of tag 5A, or of tag 57 for a card without tag 5A.
  ///   - name: Tag 84 of the application, which begins with the RID.
  init(_ card: CardData, accountNumber: PrimaryAccountNumber, name: [UInt8], _ terminal: KernelTerminal) {
    self.card = card
    objects = card.values.merging([.primaryAccountNumber: accountNumber.compressedNumeric]) { own, _ in own }
    provider = Array(name.prefix(5))
    self.terminal = terminal
  }

  /// Recovers the issuer's key: one exponentiation.
  func issuer() throws(AuthenticationFailure) -> IssuerCertificate {
    try IssuerCertificate(
      in: objects, provider: provider, authorities: terminal.authorities.keys, revoked: terminal.authorities.revoked,
      at: terminal.request.date)
  }

  /// The bytes that signatures of the issuer cover.
  func staticData() throws(AuthenticationFailure) -> [UInt8] {
    try StaticData.joined(
      card.signedRecords, tagList: card.value(.staticDataTagList),
      interchangeProfile: card.value(.applicationInterchangeProfile) ?? [])
  }

  /// Recovers the card's key: two exponentiations.
  func certificate() throws(AuthenticationFailure) -> CardCertificate {
    let covered = try staticData()
    return try CardCertificate(in: objects, issuer: issuer(), staticData: covered, at: terminal.request.date)
  }

  /// Whether the data are those of a redacted recording: zeros in place of the card's certificate or of its signed static
  /// data, from which the account number could be recovered.
  var isRedacted: Bool { CardCertificate.isRedacted(objects) }

  /// A data object that authentication needs.
  func value(_ tag: Tag) throws(AuthenticationFailure) -> [UInt8] {
    guard let value = card.value(tag) else { throw .missing(tag) }
    return value
  }
}

extension KernelTerminal {
  /// Performs a check of offline data authentication and keeps its verdict.
  ///
  /// - Parameter isRedacted: Whether the check needs data that are zeros in a redacted recording. The verdict of the
  ///   recorded terminal then takes the place of the check, where there is one.
  /// - Returns: What the check recovers; nil after a recorded verdict.
  /// - Throws: The failure of the check, or of the recorded verdict.
  mutating func judge<Value>(
    isRedacted: Bool, _ check: (KernelTerminal) throws(AuthenticationFailure) -> Value
  ) throws(AuthenticationFailure) -> Value? {
    if isRedacted, let verdict = findings.authentication.take() {
      if case .failed(let failure) = verdict { throw failure }
      return nil
    }
    do throws(AuthenticationFailure) {
      let value = try check(self)
      findings.authentication.keep(.passed)
      return value
    } catch {
      findings.authentication.keep(.failed(error))
      throw error
    }
  }
}

// Data objects of a card for offline data authentication (EMV 4.4 Book 3, annex A).
extension Tag {
  /// 93: signed static application data.
  static let signedStaticData: Tag = 0x93
  /// 9F4A: static data authentication tag list.
  static let staticDataTagList: Tag = 0x9F4A
  /// 9F4B: signed dynamic application data.
  static let signedDynamicData: Tag = 0x9F4B
}

extension StepFailure.Code {
  /// Offline data authentication failed (EMV 4.4 Book 2, sections 5 and 6).
  public static func dataAuthentication(_ failure: AuthenticationFailure) -> Self {
    Self("dataAuthentication", "offline data authentication failed: \(failure)")
  }
}
