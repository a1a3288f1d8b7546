internal import ISO7816

extension DataElement {
  // Data elements that only kernel 2 has.
  static let kernel2Elements: [DataElement] = {
    let source = publicKernel2
    return [
      DataElement(0xDF8101, "DS Summary 2", .binary, 8...16, .card, source),
      DataElement(0xDF8102, "DS Summary 3", .binary, 8...16, .card, source),
      DataElement(0xDF8104, "Balance Read Before Gen AC", .numeric, 6...6, .terminal, source),
      DataElement(0xDF8105, "Balance Read After Gen AC", .numeric, 6...6, .terminal, source),
      DataElement(0xDF8106, "Data Needed", .binary, 0...255, .terminal, source),
      DataElement(0xDF8107, "CDOL1 Related Data", .binary, 0...252, .terminal, source),
      DataElement(0xDF8108, "DS AC Type", .binary, 1...1, .terminal, source),
      DataElement(0xDF8109, "DS Input (Term)", .binary, 8...8, .terminal, source),
      DataElement(0xDF810A, "DS ODS Info For Reader", .binary, 1...1, .terminal, source),
      DataElement(0xDF810B, "DS Summary Status", .binary, 1...1, .terminal, source),
      DataElement(0xDF810C, "Kernel ID", .binary, 1...1, .terminal, source),
      DataElement(0xDF810D, "DSVN Term", .binary, 0...252, .terminal, source),
      DataElement(0xDF810E, "Post-Gen AC Put Data Status", .binary, 1...1, .terminal, source),
      DataElement(0xDF810F, "Pre-Gen AC Put Data Status", .binary, 1...1, .terminal, source),
      DataElement(0xDF8110, "Proceed To First Write Flag", .binary, 1...1, .terminal, source),
      DataElement(0xDF8111, "PDOL Related Data", .binary, 0...255, .terminal, source),
      DataElement(0xDF8112, "Tags To Read", .binary, 0...255, .terminal, source),
      DataElement(0xDF8113, "DRDOL Related Data", .binary, 0...255, .terminal, source),
      DataElement(0xDF8114, "Reference Control Parameter", .binary, 1...1, .terminal, source),
      DataElement(0xDF8115, "Error Indication", .binary, 6...6, .terminal, source),
      DataElement(0xDF8116, "User Interface Request Data", .binary, 22...22, .terminal, source),
      DataElement(0xDF8117, "Card Data Input Capability", .binary, 1...1, .terminal, source),
      DataElement(0xDF8118, "CVM Capability - CVM Required", .binary, 1...1, .terminal, source),
      DataElement(0xDF8119, "CVM Capability - No CVM Required", .binary, 1...1, .terminal, source),
      DataElement(0xDF811A, "Default UDOL", .binary, 3...3, .terminal, source),
      DataElement(0xDF811B, "Kernel Configuration", .binary, 1...1, .terminal, source),
      DataElement(0xDF811C, "Max Lifetime of Torn Transaction Log Record", .binary, 2...2, .terminal, source),
      DataElement(0xDF811D, "Max Number of Torn Transaction Log Records", .binary, 1...1, .terminal, source),
      DataElement(0xDF811E, "Mag-stripe CVM Capability - CVM Required", .binary, 1...1, .terminal, source),
      DataElement(0xDF811F, "Security Capability", .binary, 1...1, .terminal, source),
      DataElement(0xDF8120, "Terminal Action Code - Default", .binary, 5...5, .terminal, source),
      DataElement(0xDF8121, "Terminal Action Code - Denial", .binary, 5...5, .terminal, source),
      DataElement(0xDF8122, "Terminal Action Code - Online", .binary, 5...5, .terminal, source),
      DataElement(0xDF8123, "Reader Contactless Floor Limit", .numeric, 6...6, .terminal, source),
      DataElement(
        0xDF8124, "Reader Contactless Transaction Limit (No On-device CVM)", .numeric, 6...6, .terminal, source),
      DataElement(0xDF8125, "Reader Contactless Transaction Limit (On-device CVM)", .numeric, 6...6, .terminal, source),
      DataElement(0xDF8126, "Reader CVM Required Limit", .numeric, 6...6, .terminal, source),
      DataElement(0xDF8127, "Time Out Value", .binary, 2...2, .terminal, source),
      DataElement(0xDF8128, "IDS Status", .binary, 1...1, .terminal, source),
      DataElement(0xDF8129, "Outcome Parameter Set", .binary, 8...8, .terminal, source),
      DataElement(0xDF812A, "DD Card (Track 1)", .special, 0...56, .terminal, source),
      DataElement(0xDF812B, "DD Card (Track 2)", .compressedNumeric, 0...11, .terminal, source),
      DataElement(0xDF812C, "Mag-stripe CVM Capability - No CVM Required", .binary, 1...1, .terminal, source),
      DataElement(0xDF812D, "Message Hold Time", .numeric, 3...3, .terminal, source),
      DataElement(0xDF8130, "Hold Time Value", .binary, 1...1, .terminal, source),
      DataElement(0xDF8131, "Phone Message Table", .binary, 0...255, .terminal, source),
      DataElement(0xDF8132, "Minimum Relay Resistance Grace Period", .binary, 2...2, .terminal, source),
      DataElement(0xDF8133, "Maximum Relay Resistance Grace Period", .binary, 2...2, .terminal, source),
      DataElement(
        0xDF8134, "Terminal Expected Transmission Time For Relay Resistance C-APDU", .binary, 2...2, .terminal, source),
      DataElement(
        0xDF8135, "Terminal Expected Transmission Time For Relay Resistance R-APDU", .binary, 2...2, .terminal, source),
      DataElement(0xDF8136, "Relay Resistance Accuracy Threshold", .binary, 2...2, .terminal, source),
      DataElement(0xDF8137, "Relay Resistance Transmission Time Mismatch Threshold", .binary, 1...1, .terminal, source),
      DataElement(0xDF8301, "Terminal Relay Resistance Entropy", .binary, 4...4, .terminal, source),
      DataElement(0xDF8302, "Device Relay Resistance Entropy", .binary, 4...4, .card, source),
      DataElement(0xDF8303, "Min Time For Processing Relay Resistance APDU", .binary, 2...2, .card, source),
      DataElement(0xDF8304, "Max Time For Processing Relay Resistance APDU", .binary, 2...2, .card, source),
      DataElement(
        0xDF8305, "Device Estimated Transmission Time For Relay Resistance R-APDU", .binary, 2...2, .card, source),
      DataElement(0xDF8306, "Measured Relay Resistance Processing Time", .binary, 2...2, .terminal, source),
      DataElement(0xDF8307, "RRP Counter", .binary, 1...1, .terminal, source),
      DataElement(0xFF8101, "Torn Record", .template, 0...255, .terminal, source),
      DataElement(0xFF8102, "Tags To Write Before Gen AC", .template, 0...255, .terminal, source),
      DataElement(0xFF8103, "Tags To Write After Gen AC", .template, 0...255, .terminal, source),
      DataElement(0xFF8104, "Data To Send", .template, 0...255, .terminal, source),
      DataElement(0xFF8105, "Data Record", .template, 0...255, .terminal, source),
      DataElement(0xFF8106, "Discretionary Data", .template, 0...255, .terminal, source),
    ]
  }()

  // Tags that Mastercard applications define differently from others.
  static let mastercardElements: [DataElement] = {
    let source = publicKernel2
    let elements: [DataElement] = [
      DataElement(0x9F50, "Offline Accumulator Balance", .numeric, 6...6, .card, source),
      DataElement(0x9F51, "DRDOL", .binary, 0...250, .card, source),
      DataElement(0x9F53, "Transaction Category Code", .alphanumeric, 1...1, .terminal, source),
      DataElement(0x9F54, "DS ODS Card", .binary, 0...160, .card, source),
      DataElement(0x9F5B, "DSDOL", .binary, 0...250, .card, source),
      DataElement(0x9F5C, "DS Requested Operator ID", .binary, 8...8, .terminal, source),
      DataElement(0x9F5D, "Application Capabilities Information", .binary, 3...3, .card, source),
      DataElement(0x9F5E, "Data Storage Identifier", .numeric, 8...11, .card, source),
      DataElement(0x9F5F, "DS Slot Availability", .binary, 1...1, .card, source),
      DataElement(0x9F66, "PUNATC (Track 2)", .binary, 2...2, .card, source),
      DataElement(0x9F68, "Mag-stripe CVM List", .binary, 10...252, .card, source),
      DataElement(0x9F69, "Unpredictable Number Data Object List (UDOL)", .binary, 0...250, .card, source),
      DataElement(0x9F6C, "Mag-stripe Application Version Number, card", .binary, 2...2, .card, source),
      DataElement(0x9F6E, "Third Party Data", .binary, 5...32, .card, source),
      DataElement(0x9F6F, "DS Slot Management Control", .binary, 1...1, .card, source),
      DataElement(0x9F7C, "Merchant Custom Data", .binary, 20...20, .terminal, source),
      DataElement(0x9F7D, "DS Summary 1", .binary, 8...16, .card, source),
      DataElement(0x9F7F, "DS Unpredictable Number", .binary, 4...4, .card, source),
      DataElement(0xDF4F, "JIS 2 Equivalent Data", .binary, 0...252, .card, source),
      DataElement(0xDF60, "DS Input (Card)", .binary, 8...8, .terminal, source),
      DataElement(0xDF61, "DS Digest H", .binary, 8...8, .terminal, source),
      DataElement(0xDF62, "DS ODS Info", .binary, 1...1, .terminal, source),
      DataElement(0xDF63, "DS ODS Term", .binary, 0...160, .terminal, source),
    ]
    return elements + envelopes(0x9F70...0x9F74, "Protected Data Envelope", 0...192, source)
      + envelopes(0x9F75...0x9F79, "Unprotected Data Envelope", 0...192, source)
  }()

  // Data envelopes with consecutive tags, numbered from 1.
  static func envelopes(
    _ tags: ClosedRange<UInt32>, _ name: String, _ counts: ClosedRange<Int>, _ source: String
  ) -> [DataElement] {
    tags.map { tag in
      DataElement(Tag(rawValue: tag), "\(name) \(tag - tags.lowerBound + 1)", .binary, counts, .card, source)
    }
  }
}
