public import EMVData
public import ISO7816
internal import Octets

extension DataElement {
  /// The parts of a value that has parts: names of bits that are set, entries of a list, rules. Empty for others,
  /// and for
  /// a value whose length is not the element's. Never fails.
  ///
  /// - Parameter kernel: The kernel whose definition of the tag applies; nil for the definition of the EMV books.
  public static func details(of tag: Tag, _ value: [UInt8], kernel: ContactlessKernel? = nil) -> [String] {
    if let own = kernel.flatMap({ kernelDetails[$0]?[tag] }) { return own(value) }
    // The general meaning does not apply to a tag that the kernel defines differently.
    if let kernel, kernelElements[kernel]?[tag] != nil { return [] }
    switch tag {
    case .applicationInterchangeProfile:
      return ApplicationInterchangeProfile(octets: value)?.words(kernel: kernel) ?? []
    case .issuerApplicationData: return IssuerApplicationDataText.words(value, kernel)
    default: break
    }
    if lists.contains(tag) { return list(value, kernel) }
    if let layout = commonBitLayouts[tag] { return layout.words(value) ?? [] }
    return commonDetails[tag]?(value) ?? []
  }

  typealias Words = @Sendable ([UInt8]) -> [String]

  private static func bits(_ layout: BitLayout) -> Words { { layout.words($0) ?? [] } }

  private static let lists: Set<Tag> = [.pdol, .cdol1, .cdol2, .ddol, .logFormat, 0x97]

  private static let commonDetails: [Tag: Words] = [
    .applicationFileLocator: locator,
    .cryptogramInformationData: ElementText.cryptogramInformation,
    .transactionType: { $0.count == 1 ? [TransactionType(rawValue: $0[0]).description] : [] },
    .cvmList: { CardholderVerificationMethodList($0)?.words ?? [] },
    .cvmResults: { CardholderVerificationMethodResults($0).map { [$0.description] } ?? [] },
    .terminalType: ElementText.terminalType,
    0x9F39: ElementText.entryMode,
    0x9F71: { MobileVerificationResults($0)?.words ?? [] },
    .cardAuthenticationRelatedData: ElementText.cardAuthenticationRelatedData,
    0x87: { $0.count == 1 ? priority($0[0]) : [] }, 0x4A: tags, 0x9F4A: tags, 0x9F810A: tags,
    0x91: IssuerAuthenticationDataText.words, 0x86: { DecodingContext().decoded(command: $0).lines },
    0x9F2A: CodeText.kernel, 0x9F0A: CodeText.registeredData, 0x9F62: positions, 0x9F63: positions, 0x9F65: positions,
    .transactionCurrencyCode: CodeText.currencies, 0x9F42: CodeText.currencies, 0x9F3B: CodeText.currencies,
    0x9F3C: CodeText.currencies, 0x9F51: CodeText.currencies, 0x9F76: CodeText.currencies,
    .terminalCountryCode: CodeText.country, .issuerCountryCode: CodeText.country, 0x9F57: CodeText.country,
    0x5F55: CodeText.countryLetters, .merchantCategoryCode: CodeText.merchantCategory, 0x8A: CodeText.response,
    .dfName: CodeText.provider, .adfName: CodeText.provider, .applicationIdentifier: CodeText.provider,
  ]

  private static let kernelDetails: [ContactlessKernel: [Tag: Words]] = [
    .mastercard: [
      0x9F5D: bits(.applicationCapabilitiesInformation), 0x9F66: positions, 0x9F69: { list($0, .mastercard) },
      0x9F5B: { list($0, .mastercard) }, 0x9F51: { list($0, .mastercard) },
      0x9F68: { CardholderVerificationMethodList($0)?.words ?? [] }, 0x9F6E: { ThirdPartyData($0)?.words ?? [] },
    ],
    .americanExpress: [
      0x9F6D: bits(.contactlessReaderCapabilities), 0x9F6E: bits(EnhancedContactlessReaderCapabilities.layout),
      0x9F70: bits(CardInterfaceCapabilities.layout),
    ],
    .jcb: [
      0x9F50: { $0.count == 1 ? CardholderVerificationStatus(octet: $0[0]).words : [] },
      0x9F52: bits(.terminalCompatibility), 0x9F53: bits(TerminalInterchangeProfile.layout),
      0x9F5C: { list($0, .jcb) }, 0x9F60: { $0.count == 1 ? [issuerUpdate($0[0])] : [] },
    ],
  ]

  // JCB: when the card is presented for the issuer's response.
  private static func issuerUpdate(_ octet: UInt8) -> String {
    ["no issuer update", "present and hold", "two presentments", "RFU"][Int(octet & 0x03)]
  }

  private static func list(_ value: [UInt8], _ kernel: ContactlessKernel?) -> [String] {
    guard let list = try? DataObjectList(parsing: value) else { return [] }
    return list.entries.map { "\($0.tag) \(named($0.tag, kernel: kernel)?.name ?? "unknown"), \($0.count.bytes)" }
  }

  @Sendable private static func locator(_ value: [UInt8]) -> [String] {
    guard let locator = try? ApplicationFileLocator(parsing: value) else { return [] }
    return locator.entries.map {
      "SFI \($0.sfi), records \($0.records.lowerBound) to \($0.records.upperBound), "
        + "\($0.authenticatedCount) for data authentication"
    }
  }

  /// The names of concatenated tags, which have no lengths.
  @Sendable private static func tags(_ value: [UInt8]) -> [String] {
    var found: [String] = []
    var rest = value[...]
    while !rest.isEmpty {
      guard let tag = Tag(prefixOf: rest) else { return found }
      found.append("\(tag) \(named(tag)?.name ?? "unknown")")
      rest = rest.dropFirst(tag.octetCount)
    }
    return found
  }

  /// EMV 4.4 Book 1, table 13.
  private static func priority(_ octet: UInt8) -> [String] {
    let place = octet & 0x0F == 0 ? "no priority" : "priority \(octet & 0x0F)"
    return [place + (octet & 0x80 == 0 ? "" : ", only with the cardholder's confirmation")]
  }

  /// The positions in a track that a bit map marks, counted from the right end of the discretionary data.
  @Sendable private static func positions(_ value: [UInt8]) -> [String] {
    var places: [String] = []
    for (index, octet) in value.reversed().enumerated() {
      for bit in 0..<8 where octet >> UInt8(bit) & 1 == 1 { places.append(String(index * 8 + bit + 1)) }
    }
    return places.isEmpty ? [] : ["digits \(places.joined(separator: ", ")) from the right"]
  }
}
