internal import Ciphers
internal import Documents
internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

extension CommandProgram {
  /// The first GENERATE AC (EMV 4.4 Book 3, 6.5.5). This card asks to go online: it answers a request to approve or to go
  /// online with an ARQC and a decline with an AAC, and both spend its use. A card that signs also answers a request to approve
  /// with a TC, as `offlineApproval` of its profile allows. An unarmed card has no key, no counter and no verification, and
  /// answers an AAC whose cryptogram and counter are zeros.
  ///
  /// Reads `cryptogramFormat`, tag 8C of the records, and what follows the cryptogram: tag 8D, `scripts`, tag 9F51; nil when
  /// they are wrong.
  ///
  /// - Parameters:
  ///   - refusalObjects: Data objects at the end of the response of an unarmed card, in format 2.
  ///   - conflictObjects: Data objects at the end of the response to other payment terms. That answer always has format 2,
  ///     since format 1 has no room for them. Empty for the response of an unarmed card.
  static func generateAC(
    _ application: inout ObjectReader, _ image: inout ApplicationBuilder, _ issuerData: IssuerApplicationData,
    refusalObjects: [TLVNode] = [], conflictObjects: [TLVNode] = []
  ) -> CommandProgram? {
    let format = application.integer(cryptogramFormat) ?? 2
    let key = application.signingKey(of: image, with: .cda)
    let approval = OfflineApproval(&application, isSigning: key != nil)
    guard let octets = image.recordValue(of: .cdol1) else {
      application.note("records", "tag 8C is missing: it names the values that GENERATE AC brings")
      return nil
    }
    guard let list = application.list(octets, "records", name: "tag 8C"),
      application.check(list, covers: issuerData.version, "records", name: "tag 8C: ")
    else { return nil }
    let profile = image.interchangeProfile
    func plan(_ type: CryptogramType, _ octets: [UInt8]) -> CryptogramPlan {
      CryptogramPlan(type, issuerData.version, list, interchangeProfile: profile, issuerData: octets)
    }
    func answer(_ plan: CryptogramPlan, _ octets: [UInt8]) -> Answer {
      let node = response(plan.type, octets, format)
      guard format == 2 else {
        let wallet = issuerData.takesWalletData ? [Fill.walletData(lengthsAt: [1])] : []
        return Answer(node.encoded, [.transactionCounter(at: 3), .cryptogram(plan, at: 5)] + wallet)
      }
      guard let counter = node.valueOffset(of: .applicationTransactionCounter),
        let cryptogram = node.valueOffset(of: .applicationCryptogram),
        let data = node.valueOffset(of: .issuerApplicationData)
      else { preconditionFailure("the response has these data objects") }
      // Tag 9F10 is the last data object, so that bytes of the wallet change two lengths and move nothing.
      let wallet = issuerData.takesWalletData ? [Fill.walletData(lengthsAt: [1, data - 1])] : []
      return Answer(
        node.encoded, [.transactionCounter(at: counter), .cryptogram(plan, at: cryptogram)] + wallet)
    }
    let rule = approval?.rule(list, &application)
    func signed(_ type: CryptogramType, _ octets: [UInt8]) -> Answer? {
      guard let key else { return nil }
      return signedAnswer(
        plan(type, octets), octets, key, list, name: "tag 8C", takesWalletData: issuerData.takesWalletData, &application
      )
    }
    let (request, approved) = (signed(.arqc, issuerData.request), signed(.tc, issuerData.approval))
    if key != nil, request == nil { return nil }
    func refusal(_ format: Int, _ objects: [TLVNode]) -> Refusal {
      let node = response(.aac, issuerData.refusal, format)
      return .response(format == 2 ? TLVNode(.responseFormat2, node.children + objects).encoded : node.encoded)
    }
    let second = SecondProgram(&application, image, issuerData, after: list, key: key, answer: answer)
    image.issuerExchange = IssuerExchange(&application, image, issuerData.version, second: second)
    image.recovery = image.recovery(list, &application)
    image.internalAuthentication = image.internalAuthentication(&application, key)
    var program = CommandProgram(
      0x80AE, .generateCryptogram, in: .initiated, next: .answered, values: list,
      answer: answer(plan(.arqc, issuerData.request), issuerData.request))
    program.refusal = refusal(format, refusalObjects)
    program.conflict = conflictObjects.isEmpty ? nil : refusal(2, conflictObjects)
    program.alternative = answer(plan(.aac, issuerData.decline), issuerData.decline)
    program.signed = request
    program.completes = true
    if let rule {
      program.approvalRule = rule
      program.approval = answer(plan(.tc, issuerData.approval), issuerData.approval)
      program.signedApproval = approved
    }
    return program
  }

  /// The response with a signature, always in format 2: the cryptogram is in tag 9F4B (EMV 4.4 Book 2, 6.6). Nil when it is too
  /// long, or the card does not ask for tag 9F37.
  static func signedAnswer(
    _ plan: CryptogramPlan, _ issuerData: [UInt8], _ key: RSAPublicKey, _ list: DataObjectList, name: String,
    takesWalletData: Bool, _ application: inout ObjectReader
  ) -> Answer? {
    let signature: Tag = 0x9F4B
    let node = TLVNode(
      .responseFormat2,
      [
        TLVNode(.cryptogramInformationData, [plan.type.cryptogramInformationData]),
        TLVNode(.applicationTransactionCounter, [0, 0]),
        TLVNode(signature, [UInt8](repeating: 0, count: key.modulus.count)),
        TLVNode(.issuerApplicationData, issuerData),
      ])
    let data = node.encoded
    let added = takesWalletData ? CardImage.maximumWalletDataCount : 0
    let needed =
      RSASigningKey.dynamicDataOverhead + CombinedSignature.dynamicDataCount + CombinedSignature.relayDataCount
    // Bytes of the wallet may change the last length byte only.
    let keepsLength = [127, 255].allSatisfy { node.value.count > $0 || node.value.count + added <= $0 }
    guard data.count + added <= maximumSignedCount, needed <= key.modulus.count, keepsLength else {
      application.note(
        "records", "the signing key has \(key.modulus.count.bytes): the response to GENERATE AC has no room for it")
      return nil
    }
    guard let number = list.range(of: .unpredictableNumber), number.count == 4 else {
      application.note("records", "\(name) does not ask for tag 9F37, which a signature covers")
      return nil
    }
    guard let counter = node.valueOffset(of: .applicationTransactionCounter),
      let value = node.valueOffset(of: signature), let last = node.valueOffset(of: .issuerApplicationData)
    else { preconditionFailure("the response has these data objects") }
    let object = counter + 2..<value + key.modulus.count
    let combined = CombinedSignature(
      type: plan.type, unpredictableNumber: number.lowerBound, firstObject: data.count - node.value.count,
      object: object)
    // The last byte of the length of the template, in one or two bytes.
    let wallet = takesWalletData ? [Fill.walletData(lengthsAt: [data.count - node.value.count - 1, last - 1])] : []
    return Answer(data, [.transactionCounter(at: counter)] + wallet + [.combinedSignature(combined, plan, at: value)])
  }

  /// `cryptogramFormat` of a profile.
  static let cryptogramFormat = ProfileKey(
    "cryptogramFormat", .integer, range: 1...2, default: 2,
    help: "The format of the response to GENERATE AC: 1 (template 80) or 2 (template 77).",
    source: "EMV 4.4 Book 3, 6.5.5.4")

  /// The answer with a counter and a cryptogram of zeros.
  private static func response(_ type: CryptogramType, _ issuerData: [UInt8], _ format: Int) -> TLVNode {
    let information = type.cryptogramInformationData
    let cryptogram = [UInt8](repeating: 0, count: 8)
    if format == 1 { return TLVNode(.responseFormat1, [information, 0, 0] + cryptogram + issuerData) }
    return TLVNode(
      .responseFormat2,
      [
        TLVNode(.cryptogramInformationData, [information]), TLVNode(.applicationTransactionCounter, [0, 0]),
        TLVNode(.applicationCryptogram, cryptogram), TLVNode(.issuerApplicationData, issuerData),
      ])
  }
}

extension ApplicationBuilder {
  /// Tag 82 as bits.
  var interchangeBits: ApplicationInterchangeProfile {
    ApplicationInterchangeProfile(rawValue: UInt16(interchangeProfile[0]) << 8 | UInt16(interchangeProfile[1]))
  }
}
