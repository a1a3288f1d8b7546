internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

extension CardScheme {
  /// Visa qVSDC (kernel 3, EMV Contactless Book C-3): the response to GET PROCESSING OPTIONS holds the cryptogram.
  ///
  /// An unarmed card answers 6986, upon which a terminal asks its user to look at the phone (Book C-3, 5.4). A terminal
  /// without qVSDC (tag 9F66 byte 1 bit 6) gets 6985 from every card: it selects the next application.
  public static let visa = CardScheme(
    "visa", kernelIdentifier: [0x03], keys: [ctq], personalisation: visaPersonalisation
  ) { application, image in
    let issuerData = VisaIssuerData(&application)
    image.cryptogramVersion = issuerData.version
    let qualifiers = application.octets(ctq) ?? [0, 0]
    application.checkUnverified(qualifiers, CardTransactionQualifiers.cdcvmPerformed, ctq.name)
    let requirement = requirement(image.pdol, &application)
    let isCovered = application.check(image.pdol, covers: issuerData.version, "pdol")
    let further = furtherObjects(&application, image)
    func answer(_ method: DeviceVerificationMethod) -> CommandProgram.Answer {
      let octets = issuerData.octets(after: method)
      let data = options(image, octets, qualifiers, further)
      // The counter and the cryptogram end the response.
      let cryptogram = data.count - 8
      let plan = CryptogramPlan(
        .arqc, issuerData.version, image.pdol, interchangeProfile: image.interchangeProfile, issuerData: octets)
      return .init(data, [.transactionCounter(at: cryptogram - 5), .cryptogram(plan, at: cryptogram)])
    }
    let plain = answer(.passcode)
    guard application.checkOptions(plain.data, "processingOptions"), isCovered, let requirement else { return }
    let methods = issuerData.namesMethod ? DeviceVerificationMethod.allCases : []
    image.add(
      CommandProgram(
        0x80A8, .processingOptions, in: .selected, next: .answered, values: image.pdol, requirement: requirement,
        refusal: .status(.commandNotAllowed), answer: plain,
        answersByMethod: Dictionary(uniqueKeysWithValues: methods.map { ($0, answer($0)) })))
  }

  /// Terminals state in tag 9F66 byte 1 bit 6 whether they take EMV mode, qVSDC (Book A, 5.7).
  private static func requirement(
    _ pdol: DataObjectList, _ application: inout ObjectReader
  ) -> CommandProgram.Requirement? {
    guard let range = pdol.range(of: .terminalTransactionQualifiers), range.count == 4 else {
      let found = pdol.range(of: .terminalTransactionQualifiers).map { "has length \($0.count)" } ?? "is missing"
      application.note(
        "pdol", "tag 9F66 \(found): the card pays only where it states qVSDC, add 9F6604 to the list")
      return nil
    }
    return .init(.init(offset: range.lowerBound, mask: 0x20), otherwise: .conditionsNotSatisfied)
  }

  private static let ctq = ProfileKey(
    "ctq", .octets, isRequired: true, range: 2...2,
    help:
      "Tag 9F6C before the cardholder is verified; the verification adds byte 2 bit 8 and clears byte 1 bits 8 and 7.",
    source: "EMV Contactless Book C-3, 5.3")

  /// The response in format 2, with a counter and a cryptogram of zeros.
  private static func options(
    _ image: ApplicationBuilder, _ issuerData: [UInt8], _ qualifiers: [UInt8], _ further: [TLVNode]
  ) -> [UInt8] {
    // Only an armed card gives this response, and its arming rests on a verification on the device. It takes the place of
    // an online PIN and of a signature, which a terminal would otherwise ask for first (Book C-3, 5.7.1.2).
    let unverified = CardTransactionQualifiers(octets: qualifiers) ?? []
    let verified = unverified.subtracting([.onlinePINRequired, .signatureRequired]).union(.cdcvmPerformed).octets
    let fixed = [
      TLVNode(.applicationInterchangeProfile, image.interchangeProfile),
      TLVNode(.applicationFileLocator, image.locator.encoded),
      TLVNode(.issuerApplicationData, issuerData),
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

  /// Tag 9F6C comes from the response to GET PROCESSING OPTIONS. Issuers leave the card verification results zero for the
  /// card to fill; this card always asks to go online (byte 2: A0).
  private static let visaPersonalisation = Personalisation(
    provider: PaymentScheme.visa.provider, label: "VISA", ownTags: [.cardTransactionQualifiers],
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

extension CardProfile.Application {
  /// Tag 9F6C before the cardholder is verified, 2 bytes; the verification adds byte 2 bit 8 and clears byte 1
  /// bits 8 and 7. For kernel 3 and only for it.
  public var ctq: String? {
    get { schemeKeys["ctq"]?.text }
    set { schemeKeys["ctq"] = newValue.map { JSONValue($0) } }
  }
}
