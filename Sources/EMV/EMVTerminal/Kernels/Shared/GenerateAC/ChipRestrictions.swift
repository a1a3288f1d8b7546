internal import EMVData

// Processing restrictions (EMV 4.4 Book 3, 10.4). They set bits of tag 95; the action codes decide what follows.
enum ChipRestrictions {
  static func check(
    _ facts: ChipCardData, _ terminal: KernelTerminal
  ) -> TerminalVerificationResults {
    let request = terminal.request
    var results = TerminalVerificationResults()
    // 10.4.1.
    if let version = facts.version, version != terminal.data[.terminalApplicationVersion] {
      results.insert(.versionsDiffer)
    }
    // 10.4.3.
    if facts.expiry < request.date { results.insert(.expired) }
    if let effective = facts.effective, request.date < effective { results.insert(.notYetEffective) }
    if !isServiceAllowed(facts, terminal) { results.insert(.serviceNotAllowed) }
    return results
  }

  // 10.4.2. Byte 1: bits 8 and 7 cash, bits 6 and 5 goods, bits 4 and 3 services, domestic and international; bit 2 ATMs,
  // bit 1 other terminals. Byte 2: bits 8 and 7 cashback.
  private static func isServiceAllowed(
    _ facts: ChipCardData, _ terminal: KernelTerminal
  ) -> Bool {
    let request = terminal.request
    guard let control = facts.usageControl, control.count == 2 else { return true }
    guard control[0] & (terminal.isATM ? 0x02 : 0x01) != 0 else { return false }
    guard let country = facts.issuerCountry else { return true }
    let isHome = country == terminal.data[.terminalCountryCode]
    switch request.type.rawValue {
    case 0x01, 0x17: return control[0] & (isHome ? 0x80 : 0x40) != 0
    case 0x00, 0x09:
      guard control[0] & (isHome ? 0x20 | 0x08 : 0x10 | 0x04) != 0 else { return false }
      return request.amountOther?.minorUnits ?? 0 == 0 || control[1] & (isHome ? 0x80 : 0x40) != 0
    default: return true
    }
  }
}
