internal import EMVData
internal import Octets

/// The codes of other standards in words: currencies, countries, response codes and application providers.
enum CodeText {
  /// `EUR (Euro)` for a currency of two bytes of decimal digits (ISO 4217); one entry for each pair of bytes.
  @Sendable static func currencies(_ value: [UInt8]) -> [String] {
    numbers(value).map { number in
      let name = CurrencyCode.name(numericCode: number).map { " (\($0))" }
      return name.map { CurrencyCode.letters(numericCode: number) + $0 } ?? "not a currency of ISO 4217"
    }
  }

  /// `DE (Germany)` for a country of two bytes of decimal digits (ISO 3166-1).
  @Sendable static func country(_ value: [UInt8]) -> [String] {
    guard value.count == 2 else { return [] }
    return numbers(value).map { number in
      guard let letters = CountryCode.letters(numericCode: number), let name = CountryCode.name(numericCode: number)
      else { return "not a country of ISO 3166-1" }
      return "\(letters) (\(name))"
    }
  }

  /// The country of two letters.
  @Sendable static func countryLetters(_ value: [UInt8]) -> [String] {
    CountryCode.name(letters: String(decoding: value, as: UTF8.self)).map { [$0] } ?? []
  }

  /// `Eating places and restaurants` for a merchant category of two bytes of decimal digits (ISO 18245).
  @Sendable static func merchantCategory(_ value: [UInt8]) -> [String] {
    guard value.count == 2 else { return [] }
    return numbers(value).map { MerchantCategory.name(code: $0) ?? "not a category of ISO 18245" }
  }

  /// The meaning of an authorisation response code.
  @Sendable static func response(_ value: [UInt8]) -> [String] {
    AuthorisationResponseCode.meaning(octets: value).map { [$0] } ?? []
  }

  /// The provider that the first bytes of an application identifier name.
  @Sendable static func provider(_ value: [UInt8]) -> [String] {
    PaymentScheme.of(value).map { [$0.name] } ?? []
  }

  /// Decimal digits, four in each pair of bytes; empty for other bytes.
  private static func numbers(_ value: [UInt8]) -> [Int] {
    guard !value.isEmpty, value.count.isMultiple(of: 2) else { return [] }
    var numbers: [Int] = []
    for start in stride(from: 0, to: value.count, by: 2) {
      guard let number = try? BinaryCodedDecimal.value(of: value[start..<start + 2].span) else { return [] }
      numbers.append(Int(number))
    }
    return numbers
  }
}
