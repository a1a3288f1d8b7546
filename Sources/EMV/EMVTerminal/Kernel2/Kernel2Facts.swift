internal import EMVData
internal import ISO7816

// What must be, and what may be, among the records of a card in kernel 2's EMV mode, in the form that decisions need.
struct Kernel2Facts {
  let profile: ApplicationInterchangeProfile
  let accountNumber: PrimaryAccountNumber
  let cdol1: DataObjectList
  let expiry: TransactionDate
  let effective: TransactionDate?
  let cvmList: [UInt8]?
  let currency: [UInt8]?
  let issuerCountry: [UInt8]?
  let usageControl: [UInt8]?
  let version: [UInt8]?
  let issuerDenial: TerminalVerificationResults?

  // Mandatory are tags 5A, 5F24 and 8C. No public document for the kernel; the same three as in EMV 4.4 Book 3, 7.2.
  init(_ card: CardData) throws(StepFailure) {
    profile = try Kernel2.profile(card)
    accountNumber = try Self.accountNumber(card)
    expiry = try Self.date(Kernel2.required(.applicationExpirationDate, 3...3, card, .decision), "5F24")
    let list = try Kernel2.required(.cdol1, 1...252, card, .decision)
    do throws(DataObjectList.Fault) {
      cdol1 = try DataObjectList(parsing: list)
    } catch { throw StepFailure(.decision, .malformed("tag 8C: \(error)")) }
    let start = try Kernel2.optional(.applicationEffectiveDate, 3...3, card, .decision)
    effective = if let start { try Self.date(start, "5F25") } else { nil }
    cvmList = try Kernel2.optional(.cvmList, 8...252, card, .decision)
    currency = try Kernel2.optional(.applicationCurrencyCode, 2...2, card, .decision)
    issuerCountry = try Kernel2.optional(.issuerCountryCode, 2...2, card, .decision)
    usageControl = try Kernel2.optional(.applicationUsageControl, 2...2, card, .decision)
    version = try Kernel2.optional(.cardApplicationVersion, 2...2, card, .decision)
    issuerDenial = try Kernel2.optional(.issuerActionDenial, 5...5, card, .decision)
      .map(TerminalVerificationResults.init(octets:))
  }

  // Track 2 equivalent data may be missing, but they must name the same account.
  private static func accountNumber(_ card: CardData) throws(StepFailure) -> PrimaryAccountNumber {
    let octets = try Kernel2.required(.primaryAccountNumber, 1...10, card, .decision)
    guard let number = PrimaryAccountNumber(compressedNumeric: octets) else {
      throw StepFailure(.decision, .malformed("tag 5A is no account number"))
    }
    if let track = try Kernel2.optional(.track2EquivalentData, 1...19, card, .decision) {
      guard let data = Track2EquivalentData(track) else {
        throw StepFailure(.decision, .malformed("tag 57 is no track 2"))
      }
      guard data.accountNumber == number else { throw StepFailure(.decision, .accountNumbersDiffer) }
    }
    return number
  }

  private static func date(_ octets: [UInt8], _ tag: String) throws(StepFailure) -> TransactionDate {
    guard let date = TransactionDate(numeric: octets) else {
      throw StepFailure(.decision, .malformed("tag \(tag) is no date"))
    }
    return date
  }
}

// Processing restrictions (EMV 4.4 Book 3, 10.4): they deny nothing by themselves, the action codes do.
enum Kernel2Restrictions {
  static func check(
    _ facts: Kernel2Facts, _ terminal: TerminalData, _ request: PaymentRequest
  ) -> TerminalVerificationResults {
    var results = TerminalVerificationResults()
    // 10.4.1.
    if let version = facts.version, version != terminal.value(.terminalApplicationVersion) {
      results.insert(.versionsDiffer)
    }
    // 10.4.3.
    if facts.expiry < request.date { results.insert(.expired) }
    if let effective = facts.effective, request.date < effective { results.insert(.notYetEffective) }
    if !isServiceAllowed(facts, terminal, request) { results.insert(.serviceNotAllowed) }
    return results
  }

  // 10.4.2. Octet 1: bits 8 and 7 cash, bits 6 and 5 goods, bits 4 and 3 services, at home and abroad; bit 1 other
  // terminals than cash dispensers, of which this is one. Octet 2: bits 8 and 7 cashback.
  private static func isServiceAllowed(
    _ facts: Kernel2Facts, _ terminal: TerminalData, _ request: PaymentRequest
  ) -> Bool {
    guard let control = facts.usageControl, control.count == 2 else { return true }
    guard control[0] & 0x01 != 0 else { return false }
    guard let country = facts.issuerCountry else { return true }
    let isHome = country == terminal.value(.terminalCountryCode)
    switch request.type.rawValue {
    case 0x01, 0x17: return control[0] & (isHome ? 0x80 : 0x40) != 0
    case 0x00, 0x09:
      guard control[0] & (isHome ? 0x20 | 0x08 : 0x10 | 0x04) != 0 else { return false }
      return request.amountOther?.minorUnits ?? 0 == 0 || control[1] & (isHome ? 0x80 : 0x40) != 0
    default: return true
    }
  }
}
