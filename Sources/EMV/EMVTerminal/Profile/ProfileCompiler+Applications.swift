internal import EMVData
internal import ISO7816
internal import Octets

extension ProfileCompiler {
  // The kernels that this terminal has.
  private static let kernels = [2, 3]

  // What a reader may say it can do although this terminal cannot.
  private static let unsupported: [(bit: UInt32, name: String)] = [
    (0x8000_0000, "mag-stripe mode (byte 1 bit 8)"),
    (TerminalTransactionQualifiers.offlineOnly.rawValue, "offline-only (byte 1 bit 4)"),
    (TerminalTransactionQualifiers.odaForOnline.rawValue, "offline data authentication (byte 1 bit 1)"),
    (0x0000_8000, "issuer update processing (byte 3 bit 8)"),
  ]

  mutating func currencies(_ list: [TerminalProfile.Money]) -> [Currency] {
    if list.isEmpty { note("$.currencies", "at least one currency is needed") }
    var found: [Currency] = []
    for (index, money) in list.enumerated() {
      let path = "$.currencies[\(index)]"
      guard let currency = checked(money, path) else { continue }
      if found.contains(where: { $0.numericCode == money.code || $0.alphabeticCode == money.name }) {
        note(path, "\(money.code) \(money.name) comes twice")
      } else {
        found.append(currency)
      }
    }
    return found
  }

  private mutating func checked(_ money: TerminalProfile.Money, _ path: String) -> Currency? {
    let known = problems.count
    _ = digits(money.code, 3, "\(path).code")
    if money.name.utf8.count != 3 || !money.name.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) {
      note("\(path).name", "\"\(money.name)\" is not three capital letters")
    }
    if !Currency.exponents.contains(money.exponent) {
      note("\(path).exponent", "\(money.exponent) is not in the range 0 to 4")
    }
    guard problems.count == known else { return nil }
    return Currency(numericCode: money.code, alphabeticCode: money.name, exponent: money.exponent)
  }

  mutating func combinations(
    _ list: [TerminalProfile.Application], _ currencies: [Currency]
  ) -> [Combination] {
    if list.isEmpty { note("$.applications", "at least one application is needed") }
    var found: [Combination] = []
    for (index, application) in list.enumerated() {
      let path = "$.applications[\(index)]"
      let kernel = kernel(application.kernel, "\(path).kernel")
      let qualifiers = qualifiers(application, kernel, "\(path).qualifiers")
      let kernel2 = kernel2(application, kernel, "\(path).kernel2")
      let limits = limits(application.limits, kernel, currencies, "\(path).limits")
      if application.aids.isEmpty { note("\(path).aids", "at least one AID is needed") }
      for (position, text) in application.aids.enumerated() {
        guard let aid = aid(text, "\(path).aids[\(position)]") else { continue }
        if found.contains(where: { $0.aid == aid && $0.kernel == kernel }) {
          note("\(path).aids[\(position)]", "\(aid) with kernel \(kernel) comes twice")
        }
        found.append(
          Combination(
            name: application.name, aid: aid, kernel: kernel, qualifiers: qualifiers, kernel2: kernel2,
            zeroAmountAllowed: application.zeroAmountAllowed ?? false,
            statusCheck: application.statusCheck ?? false,
            extendedSelection: application.extendedSelection ?? false, limits: limits))
      }
    }
    return found
  }

  private mutating func kernel(_ number: Int, _ path: String) -> UInt8 {
    guard Self.kernels.contains(number), let kernel = UInt8(exactly: number) else {
      note(path, "kernel \(number) is not built; kernels 2 and 3 are")
      return 0
    }
    return kernel
  }

  private mutating func qualifiers(
    _ application: TerminalProfile.Application, _ kernel: UInt8, _ path: String
  ) -> TerminalTransactionQualifiers {
    if kernel == 2 {
      if application.qualifiers != nil { note(path, "kernel 2 has no qualifiers: tag 9F66 is a card's there") }
      return []
    }
    guard let text = application.qualifiers else {
      note(path, "text is missing: kernel 3 needs qualifiers")
      return []
    }
    let known = problems.count
    let value = UInt32(bigEndian: octets(text, 4, path)) ?? 0
    let qualifiers = TerminalTransactionQualifiers(rawValue: value)
    guard problems.count == known else { return qualifiers }
    if !qualifiers.contains(.emvMode) { note(path, "EMV mode (byte 1 bit 6) must be set: it is all this terminal has") }
    for feature in Self.unsupported where value & feature.bit != 0 {
      note(path, "\(feature.name) is set, but it is not built")
    }
    return qualifiers
  }

  private mutating func aid(_ text: String, _ path: String) -> AID? {
    guard let octets = try? [UInt8](hex: text), let aid = AID(octets) else {
      note(path, "\"\(text)\" is not 5 to 16 octets in hexadecimal")
      return nil
    }
    return aid
  }

  private mutating func limits(
    _ list: [TerminalProfile.Limits], _ kernel: UInt8, _ currencies: [Currency], _ path: String
  ) -> [String: Combination.Limits] {
    var found: [String: Combination.Limits] = [:]
    for (index, limits) in list.enumerated() {
      let place = "\(path)[\(index)]"
      guard let currency = currencies.first(where: { $0.alphabeticCode == limits.currency }) else {
        note("\(place).currency", "\"\(limits.currency)\" is not among the profile's currencies")
        continue
      }
      if found[currency.numericCode] != nil { note("\(place).currency", "\(limits.currency) comes twice") }
      if kernel == 3, limits.transactionOnDevice != nil {
        note("\(place).transactionOnDevice", "kernel 3 knows one transaction limit")
      }
      found[currency.numericCode] = Combination.Limits(
        transaction: amount(limits.transaction, currency, "\(place).transaction"),
        transactionOnDevice: amount(limits.transactionOnDevice, currency, "\(place).transactionOnDevice"),
        cvmRequired: amount(limits.cvmRequired, currency, "\(place).cvmRequired"),
        floor: amount(limits.floor, currency, "\(place).floor"))
    }
    for currency in currencies where found[currency.numericCode] == nil {
      note(path, "no limits for \(currency.alphabeticCode): each currency of the profile needs an entry")
    }
    return found
  }

  private mutating func amount(_ text: String?, _ currency: Currency, _ path: String) -> UInt64? {
    guard let text else { return nil }
    do throws(Amount.Fault) {
      return try Amount(text, exponent: currency.exponent).minorUnits
    } catch {
      note(path, "\"\(text)\" in \(currency.alphabeticCode): \(error)")
      return nil
    }
  }
}
