internal import Ciphers
internal import Documents
internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

extension SecondProgram {
  static let issuerAuthenticationData: Tag = 0x91

  /// Compiles the second GENERATE AC from tag 8D of the records; nil without it, and when it is wrong. The card approves only
  /// for an issuer that it has authenticated, or by its own rule when the terminal could not go online.
  ///
  /// - Parameters:
  ///   - first: CDOL1. Values that the terminal does not send again count as it sent them first.
  ///   - key: The key with which the card signs a TC, or nil.
  ///   - answer: The response without a signature: type, list, tag 9F10.
  init?(
    _ application: inout ObjectReader, _ image: ApplicationBuilder, _ issuerData: IssuerApplicationData,
    after first: DataObjectList,
    key: RSAPublicKey?,
    answer: (CryptogramPlan, [UInt8]) -> CommandProgram.Answer
  ) {
    guard let octets = image.recordValue(of: .cdol2),
      let list = application.list(octets, "records", name: "tag 8D")
    else { return nil }
    let isExternal = image.interchangeBits.contains(.issuerAuthentication)
    let needed = issuerData.version.response?.method == .responseCode ? 10 : 8
    let range = list.range(of: Self.issuerAuthenticationData)
    guard isExternal || range.map({ $0.count >= needed && $0.count <= 16 }) ?? false else {
      application.note(
        "records",
        "tag 8D must ask for tag 91 with \(needed) to 16 bytes, or aip byte 1 bit 3 be 1: the card authenticates its issuer"
      )
      return nil
    }
    values = list
    authentication = range
    func plan(_ type: CryptogramType, _ octets: [UInt8]) -> CryptogramPlan {
      CryptogramPlan(
        type, issuerData.version, list, after: first, interchangeProfile: image.interchangeProfile, issuerData: octets)
    }
    answers = Case.allCases.map { value in
      let octets = issuerData.second(value.type, value.authentication)
      return answer(plan(value.type, octets), octets)
    }
    var signed: [CommandProgram.Answer] = []
    if let key {
      for value in Case.allCases where value.type == .tc {
        let octets = issuerData.second(.tc, value.authentication)
        let answer = CommandProgram.signedAnswer(
          plan(.tc, octets), octets, key, list, name: "tag 8D", takesWalletData: issuerData.takesWalletData,
          &application)
        guard let answer else { return nil }
        signed.append(answer)
      }
    }
    self.signed = signed
  }
}

extension ApplicationBuilder {
  /// INTERNAL AUTHENTICATE of an application that signs and has tag 9F49; notes a list without tag 9F37, which every signature
  /// covers.
  func internalAuthentication(_ application: inout ObjectReader, _ key: RSAPublicKey?) -> InternalAuthenticationPlan? {
    guard let key, let octets = recordValue(of: 0x9F49),
      let list = application.list(octets, "records", name: "tag 9F49")
    else { return nil }
    guard list.range(of: .unpredictableNumber)?.count == 4 else {
      application.note("records", "tag 9F49 does not ask for tag 9F37 with 4 bytes, which every signature covers")
      return nil
    }
    // A terminal would take such a signature for that of another payment: a card has one signing key.
    guard list.valueCount != FastSignature.coveredCount else {
      application.note(
        "records",
        "tag 9F49 asks for \(list.valueCount.bytes), as many as the signature of kernel 3 covers: add or remove a tag")
      return nil
    }
    return InternalAuthenticationPlan(list, signatureCount: key.modulus.count)
  }

  /// The positions of the values that RECOVER AC repeats: those that tag 9F51 names, among the values of CDOL1 and then of the
  /// PDOL. Nil without tag 9F51; notes a value that the card does not receive.
  func recovery(_ list: DataObjectList, _ application: inout ObjectReader) -> [Range<Int>]? {
    guard let octets = recordValue(of: 0x9F51), let drdol = application.list(octets, "records", name: "tag 9F51") else {
      return nil
    }
    let received = DataObjectList(entries: list.entries + pdol.entries)
    return drdol.entries.compactMap { entry in
      if let range = received.range(of: entry.tag), range.count == entry.count { return range }
      application.note(
        "records",
        "tag 9F51 names tag \(entry.tag) with \(entry.count.bytes): neither tag 8C nor the PDOL asks for that")
      return nil
    }
  }
}
