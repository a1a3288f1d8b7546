internal import ISO7816

extension DataElement {
  static let publicKernel2 = "public implementations of kernel 2; Book C-2 was not read"

  // Data elements of the contactless books.
  static let contactlessElements: [DataElement] = {
    let contactless = "EMV 4.4 Book 3, annex A"
    let bookC2 = DataElement.publicKernel2
    let bookC3 = "EMV Contactless Book C-3, annex A"
    let bookC4 = "EMV Contactless Book C-4, annex A"
    let bookA = "EMV Contactless Book A, table 5-4"
    let bookB = "EMV Contactless Book B, section 3.3"
    return [
      DataElement(0x56, "Track 1 Data", .special, 0...76, .card, bookC2),
      DataElement(0x9F24, "Payment Account Reference (PAR)", .alphanumeric, 29...29, .card, contactless),
      DataElement(0x9F29, "Extended Selection", .binary, 0...252, .card, bookB),
      DataElement(0x9F2A, "Kernel Identifier", .binary, 1...8, .card, bookB),
      DataElement(0x9F5A, "Application Program Identifier (Program ID)", .binary, 0...16, .card, bookC3),
      DataElement(0x9F5D, "Available Offline Spending Amount", .numeric, 6...6, .card, bookC3),
      DataElement(0x9F60, "CVC3 (Track 1)", .binary, 2...2, .card, bookC2),
      DataElement(0x9F61, "CVC3 (Track 2)", .binary, 2...2, .card, bookC2),
      DataElement(0x9F62, "PCVC3 (Track 1)", .binary, 6...6, .card, bookC2),
      DataElement(0x9F63, "PUNATC (Track 1)", .binary, 6...6, .card, bookC2),
      DataElement(0x9F64, "NATC (Track 1)", .binary, 1...1, .card, bookC2),
      DataElement(0x9F65, "PCVC3 (Track 2)", .binary, 2...2, .card, bookC2),
      DataElement(0x9F66, "Terminal Transaction Qualifiers (TTQ)", .binary, 4...4, .terminal, bookA),
      DataElement(0x9F67, "NATC (Track 2)", .binary, 1...1, .card, bookC2),
      DataElement(0x9F69, "Card Authentication Related Data", .binary, 5...16, .card, bookC3),
      DataElement(0x9F6A, "Unpredictable Number (Numeric)", .numeric, 4...4, .terminal, bookC2),
      DataElement(0x9F6B, "Track 2 Data", .binary, 0...19, .card, bookC2),
      DataElement(0x9F6C, "Card Transaction Qualifiers (CTQ)", .binary, 2...2, .card, bookC3),
      DataElement(0x9F6D, "Mag-stripe Application Version Number", .binary, 1...2, .terminal, bookC2),
      DataElement(0x9F6E, "Form Factor Indicator (FFI)", .binary, 4...32, .card, bookC3),
      DataElement(0x9F71, "Mobile CVM Results", .binary, 3...3, .card, bookC4),
      DataElement(0x9F7C, "Customer Exclusive Data (CED)", .binary, 0...32, .card, bookC3),
      DataElement(0x9F7E, "Mobile Support Indicator", .binary, 1...1, .terminal, bookC2),
      DataElement(
        0x9F7F, "Card Production Life Cycle Data (CPLC)", .binary, 42...42, .card,
        "GlobalPlatform Card Specification 2.1.1"),
      DataElement(0xBF0A, "Form Factor Template", .template, 0...252, .card, bookC3),
      DataElement(0xDF4B, "POS Cardholder Interaction Information", .binary, 3...3, .card, bookC2),
    ]
  }()
}
