internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

extension CardScheme {
  /// Visa qVSDC (kernel 3, EMV Contactless Book C-3): the answer to GET PROCESSING OPTIONS holds the cryptogram.
  ///
  /// An unarmed card answers 6986, upon which a terminal asks its user to look at the phone (Book C-3, 5.4).
  public static let visa = CardScheme(
    "visa", kernelIdentifier: [0x03], keys: [ctq], personalisation: visaPersonalisation
  ) { application, image in
    let issuerData = VisaIssuerData(&application)
    image.cryptogramVersion = issuerData.version
    let qualifiers = application.octets(ctq) ?? [0, 0]
    let isCovered = application.check(image.pdol, covers: issuerData.version, "pdol")
    let further = furtherObjects(&application, image)
    let data = options(image, issuerData, qualifiers, further)
    guard application.checkOptions(data, "processingOptions"), isCovered else { return }
    let plan = CryptogramPlan(
      .arqc, issuerData.version, image.pdol, interchangeProfile: image.interchangeProfile,
      issuerData: issuerData.octets)
    // The counter and the cryptogram end the answer.
    let cryptogram = data.count - 8
    image.add(
      CommandProgram(
        0x80A8, .processingOptions, in: .selected, next: .answered, values: image.pdol,
        refusal: .status(.commandNotAllowed),
        answer: .init(data, [.transactionCounter(at: cryptogram - 5), .cryptogram(plan, at: cryptogram)])))
  }

  private static let ctq = ProfileKey(
    "ctq", .octets, isRequired: true, range: 2...2,
    help: "Tag 9F6C before the cardholder is verified; the verification adds byte 2 bit 8.",
    source: "EMV Contactless Book C-3, 5.3")

  /// The answer in format 2, with a counter and a cryptogram of zeros.
  private static func options(
    _ image: ApplicationBuilder, _ issuerData: VisaIssuerData, _ qualifiers: [UInt8], _ further: [TLVNode]
  ) -> [UInt8] {
    // Only an armed card gives this answer, and its arming rests on a verification on the device: CTQ byte 2 bit 8.
    let verified = [qualifiers[0], qualifiers[1] | UInt8(CardTransactionQualifiers.cdcvmPerformed.rawValue)]
    let fixed = [
      TLVNode(.applicationInterchangeProfile, image.interchangeProfile),
      TLVNode(.applicationFileLocator, image.locator.encoded),
      TLVNode(.issuerApplicationData, issuerData.octets),
      TLVNode(.cryptogramInformationData, [CryptogramType.arqc.cryptogramInformationData]),
    ]
    let filled = [
      TLVNode(.cardTransactionQualifiers, verified), TLVNode(.applicationTransactionCounter, [0, 0]),
      TLVNode(.applicationCryptogram, [UInt8](repeating: 0, count: 8)),
    ]
    return TLVNode(.responseFormat2, fixed + further + filled).encoded
  }

  /// Reads `processingOptions`. A terminal ends the application when a data object occurs twice (EMV 4.4 Book 3, 10.2;
  /// Book C-3, 5.4.2).
  private static func furtherObjects(_ application: inout ObjectReader, _ image: ApplicationBuilder) -> [TLVNode] {
    let own: [Tag] = [
      .applicationInterchangeProfile, .applicationFileLocator, .issuerApplicationData, .cryptogramInformationData,
      .applicationTransactionCounter, .applicationCryptogram, .cardTransactionQualifiers,
    ]
    let further =
      application.optionalList("processingOptions") { (value, place, reader) -> TLVNode? in
        guard let node = reader.dataObject(value, at: place) else { return nil }
        if own.contains(node.tag) { reader.refuse(place, "tag \(node.tag) is given by the card itself") }
        return node
      } ?? []
    let objects = further + image.objects
    for tag in Set(objects.map(\.tag)).sorted() where objects.count(where: { $0.tag == tag }) > 1 {
      application.note(
        "processingOptions", "tag \(tag) occurs more than once in these and the records: terminals refuse that")
    }
    return further
  }

  /// Tag 9F6C comes from the answer to GET PROCESSING OPTIONS. Issuers leave the card verification results zero for the
  /// card to fill; this card always asks to go online (byte 2: A0).
  private static let visaPersonalisation = Personalisation(
    provider: [0xA0, 0, 0, 0, 0x03], label: "VISA", ownTags: [.cardTransactionQualifiers],
    cryptogram: { octets in
      guard let data = VisaIssuerApplicationData(octets), data.layout == .standard else { return nil }
      var results = data.cardVerificationResults
      if results.count >= 2, results[1] & 0x30 != 0x20 { results[1] = 0xA0 | results[1] & 0x0F }
      return CardProfile.Cryptogram(
        version: Int(data.cryptogramVersionNumber), derivationKeyIndex: data.derivationKeyIndex.hex, cvr: results.hex)
    },
    keys: { options in
      let qualifiers = options.first { $0.tag == .cardTransactionQualifiers }?.value
      return [ctq.name: JSONValue(qualifiers?.hex ?? "0000")]
    })
}

/// Tag 9F10 of a Visa application, which is the same with every answer.
struct VisaIssuerData {
  let version: CryptogramVersion
  let octets: [UInt8]

  /// Reads `cryptogram` of an application.
  init(_ application: inout ObjectReader) {
    self = application.object("cryptogram") { VisaIssuerData(reading: &$0) }
  }

  private init(reading cryptogram: inout ObjectReader) {
    if cryptogram.has("system") { cryptogram.refuse("system", "kernel 3 takes Visa cryptograms only") }
    version = cryptogram.version(of: "Visa", [10: .visa10, 18: .visa18, 22: .visa22])
    let keyIndex = cryptogram.octets("derivationKeyIndex", count: 1)[0]
    let isLong = version == .visa22
    let results = cryptogram.octets("cvr", count: isLong ? 5 : 4)
    let count = isLong ? 24 : 0
    let further = cryptogram.optionalOctets("further", count: count) ?? [UInt8](repeating: 0, count: count)
    if !isLong, results[0] != 0x03 {
      cryptogram.note("cvr", "the first octet is \(results[0].hex): it states the length of the others, 03")
    } else if CryptogramType(visaCardVerificationResults: results) != .arqc {
      cryptogram.note("cvr", "byte 2 bits 6 and 5 must be 10, an ARQC: this card always asks to go online")
    }
    octets =
      isLong
      ? [0x1F, version.number, keyIndex] + results + further
      : VisaIssuerApplicationData.standard(
        derivationKeyIndex: keyIndex, cryptogramVersionNumber: version.number, cardVerificationResults: results)
  }
}

extension CardProfile.Application {
  /// Tag 9F6C before the cardholder is verified, 2 octets; the verification adds byte 2 bit 8. For kernel 3 and only
  /// for it.
  public var ctq: String? {
    get { schemeKeys["ctq"]?.text }
    set { schemeKeys["ctq"] = newValue.map { JSONValue($0) } }
  }
}
