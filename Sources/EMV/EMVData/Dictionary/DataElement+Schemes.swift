package import ISO7816

extension DataElement {
  // Tags that the applications of one kernel define differently from others, or that others do not have.
  package static let kernelElements: [ContactlessKernel: [Tag: DataElement]] = [
    .mastercard: byTag(mastercardElements),
    .visa: byTag(visaElements),
    .americanExpress: byTag(americanExpressElements),
    .jcb: byTag(jcbElements),
    .discover: byTag(discoverElements),
    .unionPay: byTag(unionPayElements),
  ]

  private static func byTag(_ elements: [DataElement]) -> [Tag: DataElement] {
    Dictionary(uniqueKeysWithValues: elements.map { ($0.tag, $0) })
  }

  private static let publicLists = "public lists of data elements; the scheme's document is not public"

  // Data elements of Visa.
  static let visaElements: [DataElement] = {
    let source = publicLists
    return [
      DataElement(0x9F51, "Application Currency Code, Visa", .numeric, 2...2, .card, source),
      DataElement(0x9F52, "Application Default Action (ADA)", .binary, 2...6, .card, source),
      DataElement(0x9F53, "Consecutive Transaction Limit (International)", .binary, 1...1, .card, source),
      DataElement(0x9F54, "Cumulative Total Transaction Amount Limit", .numeric, 6...6, .card, source),
      DataElement(0x9F56, "Issuer Authentication Indicator", .binary, 1...1, .card, source),
      DataElement(0x9F57, "Issuer Country Code, Visa", .numeric, 2...2, .card, source),
      DataElement(0x9F58, "Consecutive Transaction Counter Limit", .binary, 1...1, .card, source),
      DataElement(0x9F59, "Consecutive Transaction Counter Upper Limit", .binary, 1...1, .card, source),
      DataElement(0x9F5C, "Cumulative Total Transaction Amount Upper Limit", .numeric, 6...6, .card, source),
      DataElement(0x9F68, "Card Additional Processes", .binary, 4...4, .card, source),
      DataElement(0x9F6B, "Card CVM Limit", .numeric, 6...6, .card, source),
      DataElement(0x9F6D, "VLP Reset Threshold", .numeric, 6...6, .card, source),
      DataElement(0x9F72, "Consecutive Transaction Limit (International - Country)", .binary, 1...1, .card, source),
      DataElement(0x9F73, "Currency Conversion Factor", .binary, 4...4, .card, source),
      DataElement(0x9F74, "VLP Issuer Authorisation Code", .alphanumeric, 6...6, .issuer, source),
      DataElement(0x9F75, "Cumulative Total Transaction Amount Limit - Dual Currency", .numeric, 6...6, .card, source),
      DataElement(0x9F76, "Secondary Application Currency Code", .numeric, 2...2, .card, source),
      DataElement(0x9F77, "VLP Funds Limit", .numeric, 6...6, .card, source),
      DataElement(0x9F78, "VLP Single Transaction Limit", .numeric, 6...6, .card, source),
      DataElement(0x9F79, "VLP Available Funds", .numeric, 6...6, .card, source),
    ]
  }()

  // American Express. The source of those with the terminal as source is Book C-4.
  static let americanExpressElements: [DataElement] = {
    let source = "EMV Contactless Book C-4; public lists of data elements"
    return [
      DataElement(0x9F5A, "Membership Product Identifier", .special, 1...8, .card, source),
      DataElement(0x9F5B, "Product Membership Number", .special, 1...32, .card, source),
      DataElement(0x9F6D, "Contactless Reader Capabilities", .binary, 1...1, .terminal, source),
      DataElement(0x9F6E, "Enhanced Contactless Reader Capabilities", .binary, 4...4, .terminal, source),
      DataElement(0x9F70, "Card Interface and Payment Capabilities", .binary, 2...2, .card, source),
    ]
  }()

  // JCB.
  static let jcbElements: [DataElement] = {
    let source = "EMV Contactless Book C-5; public lists of data elements"
    return [
      DataElement(0x9F50, "Cardholder Verification Status", .binary, 1...1, .card, source),
      DataElement(0x9F52, "Terminal Compatibility Indicator", .binary, 1...1, .terminal, source),
      DataElement(0x9F53, "Terminal Interchange Profile", .binary, 3...3, .terminal, source),
      DataElement(0x9F5C, "Data Object List for GET MAGSTRIPE DATA (MDOL)", .special, 1...252, .card, source),
      DataElement(0x9F5F, "Offline Balance", .numeric, 6...6, .card, source),
      DataElement(0x9F60, "Issuer Update Parameter", .binary, 1...1, .terminal, source),
    ]
  }()

  // Discover: the data of a public card profile. No public document has the bits of the values.
  static let discoverElements: [DataElement] = {
    let source = "a public card profile; the scheme's document is not public"
    return [
      DataElement(0x9F69, "Card Authentication Related Data", .binary, 5...16, .card, source),
      DataElement(0x9F71, "Card Processing Requirement (CPR)", .binary, 2...2, .card, source),
      DataElement(0xDF30, "Card Action Code - Switch Interface", .binary, 3...3, .card, source),
      DataElement(0xDF31, "Card Action Code - Denial", .binary, 3...3, .card, source),
      DataElement(0xDF32, "Card Action Code - Online", .binary, 3...3, .card, source),
      DataElement(0xDF33, "Card Action Code - Default", .binary, 3...3, .card, source),
      DataElement(0xDF34, "CVM Card Action Code - Online PIN", .binary, 2...2, .card, source),
      DataElement(0xDF35, "CVM Card Action Code - Signature", .binary, 2...2, .card, source),
    ]
  }()

  // UnionPay: electronic cash.
  static let unionPayElements: [DataElement] = {
    let source = publicLists
    return [
      DataElement(0x9F63, "Product Identification Information", .binary, 16...16, .card, source),
      DataElement(0x9F6D, "EC Reset Threshold", .numeric, 6...6, .card, source),
      DataElement(0x9F74, "EC Issuer Authorisation Code", .alphanumeric, 6...6, .issuer, source),
      DataElement(0x9F77, "EC Balance Limit", .numeric, 6...6, .card, source),
      DataElement(0x9F78, "EC Single Transaction Limit", .numeric, 6...6, .card, source),
      DataElement(0x9F79, "EC Balance", .numeric, 6...6, .card, source),
      DataElement(0x9F7A, "EC Terminal Support Indicator", .numeric, 1...1, .terminal, source),
      DataElement(0x9F7B, "EC Terminal Transaction Limit", .numeric, 6...6, .terminal, source),
    ]
  }()
}
