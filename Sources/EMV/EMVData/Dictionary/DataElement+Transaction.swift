internal import ISO7816

extension DataElement {
  // Data elements of a transaction, from the terminal or the issuer.
  static let transactionElements: [DataElement] = {
    let book1 = "EMV 4.4 Book 1, annex B; Book 3, annex A"
    let book2 = "EMV 4.4 Book 3, annex A; EMV 4.3 Book 2, sections 5 to 7"
    let book3 = "EMV 4.4 Book 3, annex A"
    let book4 = "EMV 4.4 Book 3, annex A; Book 4, annex A and section 6"
    return [
      DataElement(0x5F2A, "Transaction Currency Code", .numeric, 2...2, .terminal, book3),
      DataElement(0x5F36, "Transaction Currency Exponent", .numeric, 1...1, .terminal, book3),
      DataElement(0x5F57, "Account Type", .numeric, 1...1, .terminal, book3),
      DataElement(0x81, "Amount, Authorised (Binary)", .binary, 4...4, .terminal, book3),
      DataElement(0x89, "Authorisation Code", .alphanumeric, 6...6, .issuer, book3),
      DataElement(0x8A, "Authorisation Response Code", .alphanumeric, 2...2, .issuer, book3),
      DataElement(0x91, "Issuer Authentication Data", .binary, 8...16, .issuer, book3),
      DataElement(0x95, "Terminal Verification Results (TVR)", .binary, 5...5, .terminal, book3),
      DataElement(0x98, "Transaction Certificate (TC) Hash Value", .binary, 20...20, .terminal, book3),
      DataElement(0x99, "Transaction Personal Identification Number (PIN) Data", .binary, 0...255, .terminal, book3),
      DataElement(0x9A, "Transaction Date", .numeric, 3...3, .terminal, book3),
      DataElement(0x9B, "Transaction Status Information (TSI)", .binary, 2...2, .terminal, book3),
      DataElement(0x9C, "Transaction Type", .numeric, 1...1, .terminal, book3),
      DataElement(0x9D, "Directory Definition File (DDF) Name", .binary, 5...16, .card, book1),
      DataElement(0x9F01, "Acquirer Identifier", .numeric, 6...6, .terminal, book4),
      DataElement(0x9F02, "Amount, Authorised (Numeric)", .numeric, 6...6, .terminal, book3),
      DataElement(0x9F03, "Amount, Other (Numeric)", .numeric, 6...6, .terminal, book3),
      DataElement(0x9F04, "Amount, Other (Binary)", .binary, 4...4, .terminal, book3),
      DataElement(0x9F06, "Application Identifier (AID), terminal", .binary, 5...16, .terminal, book3),
      DataElement(0x9F09, "Application Version Number, terminal", .binary, 2...2, .terminal, book3),
      DataElement(0x9F15, "Merchant Category Code", .numeric, 2...2, .terminal, book4),
      DataElement(0x9F16, "Merchant Identifier", .special, 15...15, .terminal, book4),
      DataElement(0x9F18, "Issuer Script Identifier", .binary, 4...4, .issuer, book3),
      DataElement(0x9F1A, "Terminal Country Code", .numeric, 2...2, .terminal, book3),
      DataElement(0x9F1B, "Terminal Floor Limit", .binary, 4...4, .terminal, book3),
      DataElement(0x9F1C, "Terminal Identification", .alphanumeric, 8...8, .terminal, book4),
      DataElement(0x9F1D, "Terminal Risk Management Data", .binary, 1...8, .terminal, book3),
      DataElement(0x9F1E, "Interface Device (IFD) Serial Number", .alphanumeric, 8...8, .terminal, book4),
      DataElement(0x9F21, "Transaction Time", .numeric, 3...3, .terminal, book3),
      DataElement(0x9F22, "Certification Authority Public Key Index, terminal", .binary, 1...1, .terminal, book2),
      DataElement(0x9F33, "Terminal Capabilities", .binary, 3...3, .terminal, book4),
      DataElement(0x9F34, "Cardholder Verification Method (CVM) Results", .binary, 3...3, .terminal, book4),
      DataElement(0x9F35, "Terminal Type", .numeric, 1...1, .terminal, book4),
      DataElement(0x9F37, "Unpredictable Number", .binary, 4...4, .terminal, book3),
      DataElement(0x9F39, "Point-of-Service (POS) Entry Mode", .numeric, 1...1, .terminal, book4),
      DataElement(0x9F3A, "Amount, Reference Currency", .binary, 4...4, .terminal, book3),
      DataElement(0x9F3C, "Transaction Reference Currency Code", .numeric, 2...2, .terminal, book3),
      DataElement(0x9F3D, "Transaction Reference Currency Exponent", .numeric, 1...1, .terminal, book3),
      DataElement(0x9F40, "Additional Terminal Capabilities", .binary, 5...5, .terminal, book4),
      DataElement(0x9F41, "Transaction Sequence Counter", .numeric, 2...4, .terminal, book4),
      DataElement(0x9F45, "Data Authentication Code", .binary, 2...2, .card, book2),
      DataElement(0x9F4E, "Merchant Name and Location", .special, 0...255, .terminal, book4),
    ]
  }()
}
