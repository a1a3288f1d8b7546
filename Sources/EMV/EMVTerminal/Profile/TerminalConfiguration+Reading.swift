internal import Documents
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

// The keys of a profile that are the same for all kernels.
extension TerminalConfiguration {
  init(reading profile: inout ObjectReader, _ kernels: [KernelDefinition]) {
    _ = profile.text(ProfileKey.schemaReference)
    let name = profile.text(TerminalKeys.name.name)
    if name.isEmpty { profile.note(TerminalKeys.name.name, "a name is needed") }
    let data = Self.terminalData(&profile)
    let authorities = CertificationAuthorities(reading: &profile)
    let currencies = Self.currencies(&profile)
    let languages = Self.languages(&profile)
    let isAutorun = profile.flag(TerminalKeys.autorun) ?? false
    self.init(
      name: name, currencies: currencies, combinations: Self.combinations(&profile, currencies, kernels),
      languages: languages, isAutorun: isAutorun,
      maximumKernelCommandCount: kernels.map(\.maximumCommandCount).max() ?? 1, terminalData: data,
      authorities: authorities)
  }

  private static func languages(_ profile: inout ObjectReader) -> [CardholderLanguage] {
    guard profile.has(TerminalKeys.languages.name) else { return [.english] }
    let known = CardholderLanguage.allCases.map(\.rawValue).joined(separator: ", ")
    return profile.filledList(
      TerminalKeys.languages.name, of: "language", otherwise: "is no language of the messages; they are in \(known)"
    ) { $0.text.flatMap(CardholderLanguage.init(rawValue:)) }
  }

  // The key `transactionTypes` of an application; nil without it.
  private static func types(_ application: inout ObjectReader) -> Set<TransactionType>? {
    guard application.has(TerminalKeys.transactionTypes.name) else { return nil }
    let found = application.filledList(
      TerminalKeys.transactionTypes.name, of: "type", otherwise: "is not one byte in hexadecimal"
    ) { element in
      let octets = element.text.flatMap { try? [UInt8](hex: $0) }
      return octets.flatMap { $0.count == 1 ? TransactionType(rawValue: $0[0]) : nil }
    }
    return Set(found)
  }

  // The terminal's own data elements, for the card and for the host.
  private static func terminalData(_ profile: inout ObjectReader) -> TerminalData {
    var data = TerminalData([
      .terminalCountryCode: profile.digits(TerminalKeys.countryCode),
      .terminalType: profile.digits(TerminalKeys.terminalType),
      .terminalCapabilities: profile.octets(TerminalKeys.capabilities) ?? [0, 0, 0],
      // 07: contactless, chip data (ISO 8583:1987, field 22, as Book C-3 sets it for EMV mode).
      .pointOfServiceEntryMode: [0x07],
    ])
    data[.additionalTerminalCapabilities] = profile.octets(TerminalKeys.additionalCapabilities)
    let merchant = profile.object(TerminalKeys.merchant.name) { merchant in
      var data = TerminalData([
        .merchantNameAndLocation: merchant.ascii(TerminalKeys.merchantName) ?? [],
        .merchantCategoryCode: merchant.digits(TerminalKeys.categoryCode),
      ])
      data[.merchantIdentifier] = merchant.ascii(TerminalKeys.merchantIdentifier)
      data[.terminalIdentification] = merchant.ascii(TerminalKeys.terminalIdentifier)
      return data
    }
    data.merge(merchant)
    return data
  }

  private static func currencies(_ profile: inout ObjectReader) -> [Currency] {
    var found: [Currency] = []
    let count = profile.objects(TerminalKeys.currencies.name) { money in
      let (code, name) = (money.text(TerminalKeys.currencyCode.name), money.text(TerminalKeys.currencyName.name))
      _ = money.digits(TerminalKeys.currencyCode)
      if name.utf8.count != 3 || !name.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) {
        money.note(TerminalKeys.currencyName.name, "\"\(name)\" is not three capital letters")
      }
      let exponent = money.integer(TerminalKeys.exponent) ?? 0
      let floor = floorLimit(&money, exponent)
      guard
        let currency = Currency(numericCode: code, alphabeticCode: name, exponent: exponent, floorLimit: floor)
      else { return }
      if found.contains(where: { $0.numericCode == code || $0.alphabeticCode == name }) {
        money.note("", "\(code) \(name) comes twice")
      } else {
        found.append(currency)
      }
    }.count
    if count == 0 { profile.note("currencies", "at least one currency is needed") }
    return found
  }

  private static func floorLimit(_ money: inout ObjectReader, _ exponent: Int) -> UInt64? {
    let key = TerminalKeys.floorLimit.name
    guard let text = money.optionalText(key) else { return nil }
    do throws(Amount.Fault) {
      return try Amount(text, exponent: exponent).minorUnits
    } catch {
      money.note(key, "\"\(text)\": \(error)")
      return nil
    }
  }

  private static func combinations(
    _ profile: inout ObjectReader, _ currencies: [Currency], _ kernels: [KernelDefinition]
  ) -> [Combination] {
    var found: [Combination] = []
    let count = profile.objects("applications") { application in
      let name = application.text(TerminalKeys.applicationName) ?? ""
      let aids = application.list(TerminalKeys.aids.name) { element, place, reader in aid(element, place, &reader) }
      if aids.isEmpty { application.note(TerminalKeys.aids.name, "at least one AID is needed") }
      let zeroAmountAllowed = application.flag(TerminalKeys.zeroAmountAllowed) ?? true
      let extendedSelection = application.flag(TerminalKeys.extendedSelection) ?? false
      let (types, outcomes) = (types(&application), OutcomeSettings(reading: &application))
      guard let definition = definition(&application, kernels) else { return }
      let kernel = definition.read(&application, currencies)
      for (place, aid) in aids {
        let isTaken = found.contains { other in
          other.aid == aid && other.identifier == definition.identifier && other.shares(types)
        }
        if isTaken {
          application.note(
            place,
            "\(aid) with kernel \(definition.identifier) comes twice for one type of transaction: set transactionTypes")
        }
        found.append(
          Combination(
            name: name, aid: aid, identifier: definition.identifier, kernel: kernel,
            zeroAmountAllowed: zeroAmountAllowed, extendedSelection: extendedSelection, transactionTypes: types,
            outcomes: outcomes))
      }
    }.count
    if count == 0 { profile.note("applications", "at least one application is needed") }
    return found
  }

  // The kernel that an application names. Which further keys an unknown kernel has is not known.
  private static func definition(
    _ application: inout ObjectReader, _ kernels: [KernelDefinition]
  ) -> KernelDefinition? {
    let number = application.integer(TerminalKeys.kernel) ?? 0
    if let definition = kernels.first(where: { $0.identifier.number == number }) { return definition }
    let names = kernels.map(\.identifier.number).sorted().map(String.init)
    let list = names.dropLast().joined(separator: ", ") + (names.count > 1 ? " and " : "") + (names.last ?? "none")
    let known = kernels.count == 1 ? "kernel \(list) is" : "kernels \(list) are"
    application.note("kernel", "kernel \(number) is not built; \(known)")
    application.acceptUnknownKeys()
    return nil
  }

  private static func aid(
    _ element: JSONValue, _ place: String, _ reader: inout ObjectReader
  ) -> (place: String, aid: AID)? {
    guard let text = element.text else {
      reader.refuse(place, "text is needed, not \(element.kind)")
      return nil
    }
    guard let octets = try? [UInt8](hex: text), let aid = AID(octets) else {
      reader.refuse(place, "\"\(text)\" is not 5 to 16 bytes in hexadecimal")
      return nil
    }
    return (place, aid)
  }
}

extension ObjectReader {
  // A text of decimal digits, as packed digits; empty when it is wrong.
  fileprivate mutating func digits(_ key: ProfileKey) -> [UInt8] {
    let text = text(key.name)
    let count = key.range?.lowerBound ?? 0
    guard text.utf8.count == count, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = UInt64(text)
    else {
      note(key.name, "\"\(text)\" is not \(count) decimal digits")
      return []
    }
    return BinaryCodedDecimal.octets(of: value, count: (count + 1) / 2) ?? []
  }

  // A text of printable ASCII characters; nil when it is absent or wrong.
  fileprivate mutating func ascii(_ key: ProfileKey) -> [UInt8]? {
    guard key.isRequired || has(key.name) else { return nil }
    let text = text(key.name)
    let octets = Array(text.utf8)
    let counts = key.range ?? 0...Int.max
    guard counts.contains(octets.count), octets.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      let range = counts.count == 1 ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
      note(key.name, "\"\(text)\" is not \(range) printable characters of ASCII")
      return nil
    }
    return octets
  }
}
