internal import EMVData
internal import ISO7816
internal import Octets

// What kernel 2 makes of a card's data. EMV Contactless Book C-2 is in no public library: the flow is put together from
// EMV 4.4 Books 3 and 4, public recordings, and what open terminals agree on. Not built: offline data authentication,
// data storage, torn transactions, balance reading, PUT DATA.
enum Kernel2 {
  enum Mode {
    // GENERATE AC.
    case emv
    // COMPUTE CRYPTOGRAPHIC CHECKSUM.
    case magStripe
  }

  // AIP byte 2 bit 8, where the terminal has EMV mode; else mag-stripe mode, where it has that.
  static func mode(
    _ profile: ApplicationInterchangeProfile, _ options: Kernel2Configuration.Options
  ) throws(StepFailure) -> Mode {
    if profile.isSet(octet: 2, bit: 8), !options.contains(.noEMVMode) { return .emv }
    guard !options.contains(.noMagStripeMode) else { throw StepFailure(.processingOptions, .modeNotSupported) }
    return .magStripe
  }

  // Whether card and terminal leave the verification to the device: AIP byte 1 bit 2, tag DF811B bit 6.
  static func verifiesOnDevice(
    _ profile: ApplicationInterchangeProfile, _ options: Kernel2Configuration.Options
  ) -> Bool {
    profile.contains(.onDeviceVerification) && options.contains(.onDeviceVerification)
  }

  // Mastercard cards keep the data of mag-stripe mode in record 1 of file 1, first in the list: it is all that this mode
  // reads, and the one that EMV mode leaves out. Confirmed by public recordings of both modes.
  static func records(_ locator: ApplicationFileLocator, _ mode: Mode) -> [(sfi: UInt8, record: UInt8)] {
    let magStripe = ApplicationFileLocator.Entry(sfi: 1, records: 1...1)
    guard locator.entries.count > 1, locator.entries.first == magStripe else { return locator.records }
    switch mode {
    case .emv: return ApplicationFileLocator(entries: Array(locator.entries.dropFirst())).records
    case .magStripe: return ApplicationFileLocator(entries: [magStripe]).records
    }
  }

  // Tag 82 in the data of a card.
  static func profile(_ card: CardData) throws(StepFailure) -> ApplicationInterchangeProfile {
    let octets = try required(.applicationInterchangeProfile, 2...2, card, .processingOptions)
    return ApplicationInterchangeProfile(rawValue: UInt16(bigEndian: octets) ?? 0)
  }

  // A mandatory data object of the right length. An empty one counts as missing.
  static func required(
    _ tag: Tag, _ counts: ClosedRange<Int>, _ card: CardData, _ phase: TransactionPhase
  ) throws(StepFailure) -> [UInt8] {
    guard let value = try optional(tag, counts, card, phase) else { throw StepFailure(phase, .missing(tag)) }
    return value
  }

  // An optional data object of the right length; nil when it is missing or empty.
  static func optional(
    _ tag: Tag, _ counts: ClosedRange<Int>, _ card: CardData, _ phase: TransactionPhase
  ) throws(StepFailure) -> [UInt8]? {
    guard let value = card.value(tag), !value.isEmpty else { return nil }
    guard counts.contains(value.count) else { throw StepFailure(phase, .length(tag, count: value.count)) }
    return value
  }
}
