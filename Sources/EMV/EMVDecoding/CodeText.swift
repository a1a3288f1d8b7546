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
    if SecurityDomain.isNamed(by: value) { return ["issuer security domain"] }
    guard let scheme = PaymentScheme.of(value)?.name else { return [] }
    return [PaymentScheme.product(of: value).map { "\($0), \(scheme)" } ?? scheme]
  }

  /// The kernel that tag 9F2A of a directory entry asks for (EMV Contactless Book B, 3.3.2.5): one byte for a kernel of a
  /// payment system, or with bit 8 set three bytes or more for a domestic one.
  @Sendable static func kernel(_ value: [UInt8]) -> [String] {
    guard let first = value.first else { return [] }
    if first & 0x80 != 0 {
      return ["domestic kernel" + (value.count >= 3 ? " \(Array(value[1..<3]).hex)" : " without a number")]
    }
    if first == 0 { return ["the kernel of the application's scheme"] }
    let number = String(first, radix: 16, uppercase: true)
    let name = ContactlessKernel(rawValue: first)?.name ?? otherKernels[first]
    return ["kernel \(number)" + (name.map { ", \($0)" } ?? "")]
  }

  // Identifiers that cards of public reports have: devnied/EMV-NFC-Paycard-Enrollment #17 and #62. Kernel 8 is Book C-8.
  private static let otherKernels: [UInt8: String] = [
    0x08: "the common kernel of EMVCo", 0x2A: "girocard", 0x2B: "the kernel of TROY and other domestic schemes",
  ]

  /// The entries of tag 9F0A: an identifier that EMVCo registers, a length and a value each.
  @Sendable static func registeredData(_ value: [UInt8]) -> [String] {
    var (entries, rest) = ([String](), value[...])
    while rest.count >= 3 {
      let (identifier, count) = (Array(rest.prefix(2)), Int(rest[rest.startIndex + 2]))
      rest = rest.dropFirst(3)
      guard count <= rest.count else { return entries + ["\(identifier.hex): cut off"] }
      entries.append("\(identifier.hex): \(count == 0 ? "no value" : Array(rest.prefix(count)).hex)")
      rest = rest.dropFirst(count)
    }
    return rest.isEmpty ? entries : entries + ["\(rest.hex): left over"]
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
