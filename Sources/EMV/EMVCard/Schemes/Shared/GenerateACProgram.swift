internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

extension CommandProgram {
  /// GENERATE AC (EMV 4.4 Book 3, 6.5.5), the only one of a contactless payment. This card always asks to go online: it
  /// answers a request to approve or to go online with an ARQC and a decline with an AAC, and both spend its use. An
  /// unarmed card has no key, no counter and no verification, and answers an AAC whose cryptogram and counter are
  /// zeros.
  ///
  /// Reads `cryptogramFormat` and tag 8C of the records; nil when they are wrong.
  ///
  /// - Parameters:
  ///   - refusalObjects: Data objects at the end of the response of an unarmed card, in format 2.
  ///   - conflictObjects: Data objects at the end of the response to other payment terms. That answer always has format 2,
  ///     since format 1 has no room for them. Empty for the response of an unarmed card.
  static func generateAC(
    _ application: inout ObjectReader, _ image: ApplicationBuilder, _ issuerData: IssuerData,
    refusalObjects: [TLVNode] = [], conflictObjects: [TLVNode] = []
  ) -> CommandProgram? {
    let format = application.integer(cryptogramFormat) ?? 2
    guard let octets = image.recordValue(of: .cdol1) else {
      application.note("records", "tag 8C is missing: it names the values that GENERATE AC brings")
      return nil
    }
    guard let list = application.list(octets, "records", name: "tag 8C"),
      application.check(list, covers: issuerData.version, "records", name: "tag 8C: ")
    else { return nil }
    func answer(_ type: CryptogramType, _ octets: [UInt8]) -> Answer {
      let node = response(type, octets, format)
      let plan = CryptogramPlan(
        type, issuerData.version, list, interchangeProfile: image.interchangeProfile, issuerData: octets)
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
    func refusal(_ format: Int, _ objects: [TLVNode]) -> Refusal {
      let node = response(.aac, issuerData.refusal, format)
      return .response(format == 2 ? TLVNode(.responseFormat2, node.children + objects).encoded : node.encoded)
    }
    return CommandProgram(
      0x80AE, .generateCryptogram, in: .initiated, next: .answered, values: list,
      refusal: refusal(format, refusalObjects),
      conflict: conflictObjects.isEmpty ? nil : refusal(2, conflictObjects), answer: answer(.arqc, issuerData.request),
      alternative: answer(.aac, issuerData.decline), completes: true)
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

extension ObjectReader {
  /// Notes bits of tag 82 that promise signatures: offline data authentication, which this card does not have.
  mutating func checkSignatures(_ profile: ApplicationInterchangeProfile) {
    if profile.isSet(octet: 1, bit: 6) || profile.isSet(octet: 1, bit: 1) {
      note("aip", "byte 1 bits 6 and 1 must be 0: this card makes no signatures")
    }
  }
}

extension ApplicationBuilder {
  /// Tag 82 as bits.
  var interchangeBits: ApplicationInterchangeProfile {
    ApplicationInterchangeProfile(rawValue: UInt16(interchangeProfile[0]) << 8 | UInt16(interchangeProfile[1]))
  }
}

extension CardProfile.Application {
  /// The format of the response to GENERATE AC: 1 (template 80) or 2 (template 77); 2 when left out. Not for kernel 3.
  public var cryptogramFormat: Int? {
    get { schemeKeys[CommandProgram.cryptogramFormat.name]?.integer }
    set { schemeKeys[CommandProgram.cryptogramFormat.name] = newValue.map { JSONValue($0) } }
  }
}
