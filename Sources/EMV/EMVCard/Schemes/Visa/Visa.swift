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
    "visa", kernelIdentifier: [0x03], keys: [ctq, OfflineApproval.key, IssuerExchange.key],
    personalisation: visaPersonalisation
  ) { application, image in
    let issuerData = VisaIssuerData(&application)
    image.cryptogramVersion = issuerData.version
    let qualifiers = application.octets(ctq) ?? [0, 0]
    application.checkUnverified(qualifiers, CardTransactionQualifiers.cdcvmPerformed, ctq.name)
    let requirement = requirement(image.pdol, &application)
    let isCovered = application.check(image.pdol, covers: issuerData.version, "pdol")
    let further = furtherObjects(&application, image)
    let key = application.signingKey(of: image, with: .dda)
    let approval = OfflineApproval(&application, isSigning: key != nil)
    let startsAgain = CardTransactionQualifiers(octets: qualifiers)?.contains(.issuerUpdate) ?? false
    image.issuerExchange = IssuerExchange(&application, image, issuerData.version, startsAgain: startsAgain)
    let exception = requirement.map { CommandProgram.ValueBits(offset: $0.bits.offset + 1, mask: 0x80) }
    let rule = approval?.rule(image.pdol, unless: exception, &application)
    func answer(_ method: DeviceVerificationMethod, _ type: CryptogramType = .arqc) -> CommandProgram.Answer {
      let octets = issuerData.octets(after: method, type)
      let plan = CryptogramPlan(
        type, issuerData.version, image.pdol, interchangeProfile: image.interchangeProfile, issuerData: octets)
      return visaAnswer(plan, options(image, octets, qualifiers, further, type, key), image.pdol)
    }
    let plain = answer(.passcode)
    if key != nil, !plain.signs {
      application.note("pdol", "a signature covers tags 9F37, 9F02 and 5F2A: the card must ask for them")
      return
    }
    guard application.checkOptions(plain.data, "processingOptions", isSigned: plain.signs), isCovered, let requirement
    else { return }
    let methods = issuerData.namesMethod ? DeviceVerificationMethod.allCases : []
    image.add(
      CommandProgram(
        0x80A8, .processingOptions, in: .selected, next: .answered, values: image.pdol, requirement: requirement,
        refusal: .status(.commandNotAllowed), answer: plain,
        answersByMethod: Dictionary(uniqueKeysWithValues: methods.map { ($0, answer($0)) }),
        alternative: image.issuerExchange == nil ? nil : answer(.passcode, .aac),
        approval: rule.map { _ in answer(.passcode, .tc) },
        approvalsByMethod: rule == nil
          ? [:] : Dictionary(uniqueKeysWithValues: methods.map { ($0, answer($0, .tc)) }), approvalRule: rule))
  }

  /// The response with its fills. The counter, the cryptogram and, for a card that signs, tag 9F69 and the signature end it.
  private static func visaAnswer(
    _ plan: CryptogramPlan, _ node: TLVNode, _ pdol: DataObjectList
  ) -> CommandProgram.Answer {
    guard let counter = node.valueOffset(of: .applicationTransactionCounter),
      let cryptogram = node.valueOffset(of: .applicationCryptogram)
    else { preconditionFailure("the response has these data objects") }
    let fills: [CommandProgram.Fill] = [.transactionCounter(at: counter), .cryptogram(plan, at: cryptogram)]
    guard let related = node.valueOffset(of: .cardAuthenticationRelatedData), let value = node.valueOffset(of: 0x9F4B),
      let signature = FastSignature(plan.type, pdol, related: related)
    else { return .init(node.encoded, fills) }
    return .init(node.encoded, fills + [.cardNumber(at: related + 1), .fastSignature(signature, at: value)])
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
    _ image: ApplicationBuilder, _ issuerData: [UInt8], _ qualifiers: [UInt8], _ further: [TLVNode],
    _ type: CryptogramType, _ key: RSAPublicKey?
  ) -> TLVNode {
    // Only an armed card gives this response, and its arming rests on a verification on the device. It takes the place of
    // an online PIN and of a signature, which a terminal would otherwise ask for first (Book C-3, 5.7.1.2).
    let unverified = CardTransactionQualifiers(octets: qualifiers) ?? []
    let verified = unverified.subtracting([.onlinePINRequired, .signatureRequired]).union(.cdcvmPerformed).octets
    let fixed = [
      TLVNode(.applicationInterchangeProfile, image.interchangeProfile),
      TLVNode(.applicationFileLocator, image.locator.encoded),
      TLVNode(.issuerApplicationData, issuerData),
      TLVNode(.cryptogramInformationData, [type.cryptogramInformationData]),
    ]
    let filled = [
      TLVNode(.cardTransactionQualifiers, verified), TLVNode(.applicationTransactionCounter, [0, 0]),
      TLVNode(.applicationCryptogram, [UInt8](repeating: 0, count: 8)),
    ]
    guard let key else { return TLVNode(.responseFormat2, fixed + further + filled) }
    // Version 01, the number of the card, and a copy of tag 9F6C that the signature covers (Book C-3, annex A).
    let signed = [
      TLVNode(.cardAuthenticationRelatedData, [0x01, 0, 0, 0, 0] + verified),
      TLVNode(0x9F4B, [UInt8](repeating: 0, count: key.modulus.count)),
    ]
    return TLVNode(.responseFormat2, fixed + further + filled + signed)
  }

  /// Reads `processingOptions`. A terminal ends the application when a data object occurs twice (EMV 4.4 Book 3, 10.2;
  /// Book C-3, 5.4.2).
  private static func furtherObjects(_ application: inout ObjectReader, _ image: ApplicationBuilder) -> [TLVNode] {
    let own: [Tag] =
      [
        .applicationInterchangeProfile, .applicationFileLocator, .issuerApplicationData, .cryptogramInformationData,
        .applicationTransactionCounter, .applicationCryptogram, .cardTransactionQualifiers,
      ] + (image.signingKey == nil ? [] : [.cardAuthenticationRelatedData, 0x9F4B])
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
