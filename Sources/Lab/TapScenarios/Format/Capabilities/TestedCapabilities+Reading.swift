internal import Documents
internal import EMVData
internal import EMVTerminal
internal import JSON
internal import Octets

extension TestedCapabilities {
  /// Reads a file of at most 256 KiB, in YAML or JSON.
  ///
  /// - Throws: `TestedCapabilitiesError` with every problem, its line, column and path.
  public init(parsing octets: some Sequence<UInt8>) throws(TestedCapabilitiesError) {
    let document: JSONValue
    do throws(ScenarioError) {
      document = try JSONValue(yaml: Array(octets))
    } catch { throw TestedCapabilitiesError(problems: error.problems) }
    var reader = ObjectReader(document)
    self.init(reading: &reader, document)
    let problems = reader.finish()
    guard problems.isEmpty else { throw TestedCapabilitiesError(problems: problems) }
  }

  private init(reading reader: inout ObjectReader, _ document: JSONValue) {
    typealias Keys = CapabilityKeys
    _ = reader.text(ProfileKey.schemaReference)
    (product, version) = (reader.text(Keys.product) ?? "", reader.text(Keys.version))
    let kernels = Self.filled(Keys.kernels, &reader) { kernel in
      Kernel(number: kernel.integer(Keys.kernelNumber) ?? 0, version: kernel.text(Keys.kernelVersion))
    }
    let currencies = Self.currencies(&reader)
    (self.kernels, self.currencies) = (kernels, currencies)
    applications = Self.filled(Keys.applications, &reader) { Self.application(&$0, kernels, currencies) }
    verifications =
      reader.optionalList(Keys.verifications.name) { element, place, reader in
        if let method = element.text.flatMap({ Verification(rawValue: $0) }) { return method }
        let known = Verification.allCases.map(\.rawValue).joined(separator: ", ")
        reader.refuse(place, "\(element.text.map { "\"\($0)\"" } ?? element.kind) is not one of \(known)")
        return nil
      } ?? []
    authorityKeys = reader.objects(Keys.authorityKeys) { key in
      AuthorityKey(
        provider: Self.octets(Keys.provider, &key) ?? [], index: Self.octets(Keys.index, &key)?.first ?? 0)
    }
    hasDisplay = reader.flag(Keys.display) ?? true
    json = document
  }

  /// A list that must not be empty.
  private static func filled<Value>(
    _ key: ProfileKey, _ reader: inout ObjectReader, _ read: (inout ObjectReader) -> Value
  ) -> [Value] {
    let found = reader.objects(key, read)
    if found?.isEmpty == true { reader.note(key.name, "at least one entry is needed") }
    return found ?? []
  }

  private static func currencies(_ reader: inout ObjectReader) -> [String] {
    reader.filledList(
      CapabilityKeys.currencies.name, of: "currency", otherwise: "is not three capital letters"
    ) { $0.text.flatMap { isCode($0) ? $0 : nil } }
  }

  private static func isCode(_ text: String) -> Bool {
    text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
  }

  private static func application(
    _ entry: inout ObjectReader, _ kernels: [Kernel], _ currencies: [String]
  ) -> Application {
    typealias Keys = CapabilityKeys
    let aids = entry.filledList(Keys.aids.name, of: "AID", otherwise: "is not 5 to 16 bytes in hexadecimal") {
      $0.text.flatMap { try? [UInt8](hex: $0) }.flatMap { (5...16).contains($0.count) ? $0 : nil }
    }
    let kernel = entry.integer(Keys.kernel) ?? 0
    if !kernels.contains(where: { $0.number == kernel }) {
      entry.note(Keys.kernel.name, "kernel \(kernel) is not among \"kernels\"")
    }
    let qualifiers = octets(Keys.qualifiers, &entry)
    var limits: [String: [TestAmount.Limit: String]] = [:]
    _ = entry.objects(Keys.limits) { limit in
      let currency = limit.text(Keys.currency) ?? ""
      if !currencies.contains(currency) {
        limit.note(Keys.currency.name, "\"\(currency)\" is not among \"currencies\"")
      }
      if limits[currency] != nil { limit.note(Keys.currency.name, "\(currency) comes twice") }
      limits[currency] = amounts(&limit)
    }
    return Application(aids: aids, kernel: kernel, qualifiers: qualifiers, limits: limits)
  }

  private static func amounts(_ limit: inout ObjectReader) -> [TestAmount.Limit: String] {
    let keys: [(ProfileKey, TestAmount.Limit)] = [
      (CapabilityKeys.contactless, .contactlessLimit), (CapabilityKeys.cvm, .cvmLimit),
      (CapabilityKeys.floor, .floorLimit),
    ]
    var found: [TestAmount.Limit: String] = [:]
    for (key, name) in keys {
      // 50 is a number in YAML, 50.00 a text.
      guard let value = limit.value(key.name) else { continue }
      if let text = value.text ?? value.integer.map(String.init),
        (try? Amount(text, exponent: Currency.exponents.upperBound)) != nil
      {
        found[name] = text
      } else {
        limit.note(key.name, "\(value.text.map { "\"\($0)\"" } ?? value.kind) is not an amount such as 50.00")
      }
    }
    return found
  }

  private static func octets(_ key: ProfileKey, _ reader: inout ObjectReader) -> [UInt8]? {
    guard let value = reader.value(key.name) else {
      if key.isRequired { reader.refuse(key.name, "text is missing") }
      return nil
    }
    // 31 is a number in YAML, 0A a text.
    let text = value.text ?? value.integer.map(String.init)
    if let octets = text.flatMap({ try? [UInt8](hex: $0) }), key.range?.contains(octets.count) ?? true {
      return octets
    }
    let count = key.range.map { "\($0.lowerBound.bytes) in hexadecimal" } ?? "hexadecimal"
    reader.refuse(key.name, "\(value.text.map { "\"\($0)\"" } ?? value.kind) is not \(count)")
    return nil
  }
}
