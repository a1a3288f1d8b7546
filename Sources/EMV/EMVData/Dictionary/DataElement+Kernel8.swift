internal import ISO7816

extension DataElement {
  // Data elements of kernel 8.
  static let kernel8Elements: [DataElement] = {
    let source = "EMV Contactless Book C-8, annex A"
    let elements: [DataElement] = [
      DataElement(0x9E, "Kernel Key Data", .binary, 0...132, .terminal, source),
      DataElement(0x9F2B, "Kernel Qualifier", .binary, 8...8, .terminal, source),
      DataElement(0x9F2C, "Card Qualifier", .binary, 7...7, .card, source),
      DataElement(0x9F8102, "Cardholder Verification Decision", .binary, 1...1, .card, source),
      DataElement(0x9F8103, "Card Key Data", .binary, 64...132, .card, source),
      DataElement(0x9F8104, "Card TVR", .binary, 5...5, .card, source),
      DataElement(0x9F8105, "Enhanced Data Authentication MAC", .binary, 8...8, .card, source),
      DataElement(0x9F8106, "Authenticated Application Data", .binary, 0...128, .card, source),
      DataElement(0x9F8107, "IAD MAC Offset", .binary, 1...1, .card, source),
      DataElement(0x9F8108, "Restart Indicator", .binary, 2...5, .card, source),
      DataElement(0x9F8109, "Issuer Application Data MAC", .binary, 8...8, .terminal, source),
      DataElement(0x9F810A, "Extended SDA Tag List", .binary, 0...255, .card, source),
      DataElement(0x9F810B, "ICC ECC Public Key (for RSA Certificates)", .binary, 32...66, .card, source),
      DataElement(0x9F810C, "Relay Resistance Time Excess", .binary, 2...2, .terminal, source),
      DataElement(0x9F810D, "Card Capabilities Information", .binary, 2...2, .card, source),
      DataElement(0x9F8201, "Data Needed", .binary, 0...255, .terminal, source),
      DataElement(0x9F8202, "Proceed To First Write Flag", .binary, 1...1, .terminal, source),
      DataElement(0x9F8203, "Tags To Read", .binary, 0...255, .terminal, source),
      DataElement(0x9F8204, "Error Indication", .binary, 6...6, .terminal, source),
      DataElement(0x9F8205, "User Interface Request Data 1", .binary, 13...13, .terminal, source),
      DataElement(0x9F8206, "Card Data Input Capability", .binary, 1...1, .terminal, source),
      DataElement(0x9F8207, "CVM Capability - CVM Required", .binary, 1...1, .terminal, source),
      DataElement(0x9F8208, "CVM Capability - No CVM Required", .binary, 1...1, .terminal, source),
      DataElement(0x9F8209, "Kernel Configuration", .binary, 2...2, .terminal, source),
      DataElement(0x9F820A, "Security Capability", .binary, 1...1, .terminal, source),
      DataElement(0x9F820B, "Terminal Action Code - Denial", .binary, 5...5, .terminal, source),
      DataElement(0x9F820C, "Terminal Action Code - Online", .binary, 5...5, .terminal, source),
      DataElement(0x9F820D, "Reader Contactless Floor Limit", .numeric, 6...6, .terminal, source),
      DataElement(0x9F820E, "Reader CVM Required Limit", .numeric, 6...6, .terminal, source),
      DataElement(0x9F820F, "Time Out Value", .binary, 2...2, .terminal, source),
      DataElement(0x9F8210, "Outcome Parameter Set", .binary, 8...8, .terminal, source),
      DataElement(0x9F8211, "Message Hold Time", .numeric, 3...3, .terminal, source),
      DataElement(0x9F8212, "Hold Time Value", .binary, 1...1, .terminal, source),
      DataElement(0x9F8213, "Minimum Relay Resistance Grace Period", .binary, 2...2, .terminal, source),
      DataElement(0x9F8214, "Maximum Relay Resistance Grace Period", .binary, 2...2, .terminal, source),
      DataElement(
        0x9F8215, "Terminal Expected Transmission Time For Relay Resistance C-APDU", .binary, 2...2, .terminal, source),
      DataElement(
        0x9F8216, "Terminal Expected Transmission Time For Relay Resistance R-APDU", .binary, 2...2, .terminal, source),
      DataElement(0x9F8217, "Relay Resistance Accuracy Threshold", .binary, 2...2, .terminal, source),
      DataElement(0x9F8218, "Relay Resistance Transmission Time Mismatch Threshold", .binary, 1...1, .terminal, source),
      DataElement(0x9F8219, "User Interface Request Data 2", .binary, 13...13, .terminal, source),
      DataElement(0x9F821A, "Kernel Reserved TVR Mask", .binary, 5...5, .terminal, source),
      DataElement(0x9F821B, "Write Data Status", .binary, 1...1, .terminal, source),
      DataElement(0x9F821C, "Read Data Status", .binary, 1...1, .terminal, source),
      DataElement(0x9F821D, "Message Identifiers On Restart", .binary, 0...32, .terminal, source),
      DataElement(0x9F821E, "Default IAD MAC Offset", .binary, 1...1, .terminal, source),
      DataElement(0x9F821F, "Discretionary Data Tag List", .binary, 0...255, .terminal, source),
      DataElement(0x9F8220, "Default CDOL1", .binary, 0...250, .terminal, source),
      DataElement(0x9F8221, "Tag Mapping List", .binary, 0...255, .terminal, source),
      DataElement(0xBF8101, "Data To Send", .template, 0...255, .terminal, source),
      DataElement(0xBF8102, "Data Record", .template, 0...255, .terminal, source),
      DataElement(0xBF8103, "Discretionary Data", .template, 0...255, .terminal, source),
      DataElement(0xBF8104, "Data Envelopes To Write", .template, 0...255, .terminal, source),
    ]
    return elements + envelopes(0x9F8111...0x9F811A, "Data Envelope", 0...243, source)
  }()
}
