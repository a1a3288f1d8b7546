internal import Ciphers
internal import Documents
internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import JSON

/// GET PROCESSING OPTIONS of the kernels that decide with tags 9F66 and 9F6C, kernels 3 and 7: the response holds the
/// cryptogram, and for a card that signs the signature (fDDA).
///
/// An unarmed card answers 6986, upon which such a terminal asks its user to look at the phone (EMV Contactless Book C-3, 5.4). A
/// terminal without EMV mode (tag 9F66 byte 1 bit 6) gets 6985 from every card: it selects the next application.
struct QualifiedOptions {
  /// How the card signs.
  enum Signature {
    /// Version 01; format 05 with a TC, 95 with an ARQC, as live cards of kernel 3 do.
    case kernel3
    /// Version 01 with format 05.
    case version1
    /// Version 00 with format 05: no tag 9F69, and tag 9F37 alone is covered.
    case version0

    func format(_ type: CryptogramType) -> UInt8 { self == .kernel3 && type != .tc ? 0x95 : 0x05 }
  }

  let version: CryptogramVersion
  /// The methods of verification that tag 9F10 names; empty when it is the same for all.
  let methods: [DeviceVerificationMethod]
  let signature: Signature
  /// Tag 9F10 after a verification on the device.
  let issuerData: (DeviceVerificationMethod, CryptogramType) -> [UInt8]

  /// Reads `ctq`, `processingOptions`, `offlineApproval` and `scripts`, and adds the program to the image. Notes every problem.
  func compile(_ application: inout ObjectReader, _ image: inout ApplicationBuilder) {
    image.cryptogramVersion = version
    let qualifiers = application.octets(Self.ctq) ?? [0, 0]
    application.checkUnverified(qualifiers, CardTransactionQualifiers.cdcvmPerformed, Self.ctq.name)
    let requirement = Self.requirement(image.pdol, &application)
    let isCovered = application.check(image.pdol, covers: version, "pdol")
    let further = furtherObjects(&application, image)
    let key = application.signingKey(of: image, with: .dda)
    let approval = OfflineApproval(&application, isSigning: key != nil)
    let startsAgain = CardTransactionQualifiers(octets: qualifiers)?.contains(.issuerUpdate) ?? false
    image.issuerExchange = IssuerExchange(&application, image, version, startsAgain: startsAgain)
    let exception = requirement.map { CommandProgram.ValueBits(offset: $0.bits.offset + 1, mask: 0x80) }
    let rule = approval?.rule(image.pdol, unless: exception, &application)
    func answer(_ method: DeviceVerificationMethod, _ type: CryptogramType = .arqc) -> CommandProgram.Answer {
      let octets = issuerData(method, type)
      let plan = CryptogramPlan(
        type, version, image.pdol, interchangeProfile: image.interchangeProfile, issuerData: octets)
      return filled(plan, options(image, octets, qualifiers, further, type, key), image.pdol)
    }
    let plain = answer(.passcode)
    if key != nil, !plain.signs {
      let tags =
        signature == .version0
        ? "tag 9F37: the card must ask for it" : "tags 9F37, 9F02 and 5F2A: the card must ask for them"
      application.note("pdol", "a signature covers \(tags)")
      return
    }
    guard application.checkOptions(plain.data, "processingOptions", isSigned: plain.signs), isCovered, let requirement
    else { return }
    func byMethod(_ type: CryptogramType) -> [DeviceVerificationMethod: CommandProgram.Answer] {
      Dictionary(uniqueKeysWithValues: methods.map { ($0, answer($0, type)) })
    }
    var program = CommandProgram(
      0x80A8, .processingOptions, in: .selected, next: .answered, values: image.pdol, answer: plain)
    program.requirement = requirement
    program.refusal = .status(.commandNotAllowed)
    program.answersByMethod = byMethod(.arqc)
    program.alternative = image.issuerExchange == nil ? nil : answer(.passcode, .aac)
    if let rule {
      program.approvalRule = rule
      program.approval = answer(.passcode, .tc)
      program.approvalsByMethod = byMethod(.tc)
    }
    image.add(program)
  }

  /// The response with its fills. The counter, the cryptogram and, for a card that signs, tag 9F69 and the signature end it.
  private func filled(_ plan: CryptogramPlan, _ node: TLVNode, _ pdol: DataObjectList) -> CommandProgram.Answer {
    guard let counter = node.valueOffset(of: .applicationTransactionCounter),
      let cryptogram = node.valueOffset(of: .applicationCryptogram)
    else { preconditionFailure("the response has these data objects") }
    let fills: [CommandProgram.Fill] = [.transactionCounter(at: counter), .cryptogram(plan, at: cryptogram)]
    let related = node.valueOffset(of: .cardAuthenticationRelatedData)
    guard let value = node.valueOffset(of: 0x9F4B),
      let signature = FastSignature(format: signature.format(plan.type), pdol, related: related)
    else { return .init(node.encoded, fills) }
    let number = related.map { [CommandProgram.Fill.cardNumber(at: $0 + 1)] } ?? []
    return .init(node.encoded, fills + number + [.fastSignature(signature, at: value)])
  }

  /// The response in format 2, with a counter and a cryptogram of zeros.
  private func options(
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
    let related = TLVNode(.cardAuthenticationRelatedData, [0x01, 0, 0, 0, 0] + verified)
    let signature = TLVNode(0x9F4B, [UInt8](repeating: 0, count: key.modulus.count))
    let signed = self.signature == .version0 ? [signature] : [related, signature]
    return TLVNode(.responseFormat2, fixed + further + filled + signed)
  }

  /// Reads `processingOptions`. A terminal ends the application when a data object occurs twice (EMV 4.4 Book 3, 10.2;
  /// Book C-3, 5.4.2).
  private func furtherObjects(_ application: inout ObjectReader, _ image: ApplicationBuilder) -> [TLVNode] {
    let ofSignature: [Tag] = image.signingKey == nil ? [] : [.cardAuthenticationRelatedData, 0x9F4B]
    let own = CommandProgram.ownTags.union([.cardTransactionQualifiers] + ofSignature)
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
}

extension QualifiedOptions {
  /// Terminals state in tag 9F66 byte 1 bit 6 whether they take EMV mode, qVSDC (Book A, 5.7).
  static func requirement(
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

  /// `ctq` of a profile.
  static let ctq = ProfileKey(
    "ctq", .octets, isRequired: true, range: 2...2,
    help:
      "Tag 9F6C before the cardholder is verified; the verification adds byte 2 bit 8 and clears byte 1 bits 8 and 7.",
    source: "EMV Contactless Book C-3, 5.3")
}

extension CardProfile.Application {
  /// Tag 9F6C before the cardholder is verified, 2 bytes; the verification adds byte 2 bit 8 and clears byte 1
  /// bits 8 and 7. For kernels 3 and 7 and only for them.
  public var ctq: String? {
    get { schemeKeys["ctq"]?.text }
    set { schemeKeys["ctq"] = newValue.map { JSONValue($0) } }
  }
}
