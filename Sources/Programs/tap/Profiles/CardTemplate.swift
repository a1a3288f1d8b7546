import EMVCard
import EMVData
import JSON
import Octets

/// A new card profile: that of a shipped card, with a name and an account number of the user.
struct CardTemplate {
  /// The schemes of `tap card new`, by their names on the command line.
  static let schemes: [(name: String, profile: [UInt8])] = [
    ("visa", PackageResources.visa_cvn18_json), ("mastercard", PackageResources.mastercard_cvn16_json),
    ("amex", PackageResources.amex_mobile_json),
  ]

  private let profile: JSONValue
  private let number: String

  init(scheme: String) throws {
    guard let template = Self.schemes.first(where: { $0.name == scheme }) else {
      let names = Self.schemes.map(\.name)
      let guess = scheme.nearest(in: names).map { "did you mean \($0)? " } ?? ""
      throw FileError(description: "--scheme \(scheme): \(guess)The schemes are \(names.joined(separator: ", "))")
    }
    profile = try JSONValue(parsing: template.profile)
    guard let first = try CardImage(json: template.profile).applications.first else {
      throw FileError(description: "the shipped card of \(scheme) has no application")
    }
    number = first.accountNumber.exposedDigits
  }

  /// The profile with another name and account number.
  ///
  /// - Throws: `FileError` for an account number of another length or with a wrong check digit.
  func profile(named name: String?, number own: String?) throws -> JSONValue {
    let named = name.map { profile.setting("name", to: JSONValue($0)) } ?? profile
    guard let own else { return named }
    guard own.utf8.count == number.utf8.count, let account = PrimaryAccountNumber(digits: own) else {
      throw FileError(
        description: "--number: \(own.utf8.count) characters, but cards of this scheme have \(number.utf8.count) digits"
      )
    }
    guard account.hasValidCheckDigit else {
      throw FileError(description: "--number: the last digit is not the check digit (ISO/IEC 7812-1, annex B)")
    }
    return renumbered(named, own)
  }

  /// Replaces the account number in compressed numeric values, and in track 1, which is ASCII.
  private func renumbered(_ value: JSONValue, _ own: String) -> JSONValue {
    switch value.content {
    case .text(let text):
      return JSONValue(
        text.replacing(number, with: own).replacing(Array(number.utf8).hex, with: Array(own.utf8).hex))
    case .list(let values): return JSONValue(values.map { renumbered($0, own) })
    case .object(let members):
      return JSONValue(.object(members.map { JSONValue.Member($0.key, renumbered($0.value, own)) }))
    default: return value
    }
  }
}
