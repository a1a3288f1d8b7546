internal import CardFaults
internal import EMVCard
internal import EMVData
public import JSON
internal import Octets

/// A new card profile: that of a known card, with a name and an account number of the user.
public struct ProfileTemplate: Sendable {
  /// Why there is no profile.
  public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The account number has another length than that of the known card.
    ///
    /// - Parameters:
    ///   - count: The number of characters found.
    ///   - expected: The number of digits needed.
    case numberLength(count: Int, expected: Int)
    /// The last digit of the account number is not its check digit (ISO/IEC 7812-1, annex B).
    case checkDigit
    /// The known card has no application.
    case noApplication

    /// A sentence without the account number.
    public var description: String {
      switch self {
      case .numberLength(let count, let expected):
        "\(count.counted("character")), but cards of this scheme have \(expected) digits"
      case .checkDigit: "the last digit is not the check digit (ISO/IEC 7812-1, annex B)"
      case .noApplication: "the known card has no application"
      }
    }
  }

  private let profile: JSONValue
  private let number: String

  /// Takes the profile of a known card.
  ///
  /// - Throws: `JSONError` and `CardProfileError` for a profile with problems, `Failure.noApplication`.
  public init(_ json: [UInt8]) throws {
    profile = try JSONValue(parsing: json)
    guard let first = try CardFaultPlan.checkedImage(json: json).applications.first else { throw Failure.noApplication }
    number = first.accountNumber.exposedDigits
  }

  /// The profile with another name and account number.
  ///
  /// - Parameters:
  ///   - name: The name; nil for that of the known card.
  ///   - own: The account number, of as many digits as that of the known card; nil for that one.
  public func profile(named name: String?, number own: String?) throws(Failure) -> JSONValue {
    let named = name.map { profile.setting("name", to: JSONValue($0)) } ?? profile
    guard let own else { return named }
    guard own.utf8.count == number.utf8.count, let account = PrimaryAccountNumber(digits: own) else {
      throw .numberLength(count: own.utf8.count, expected: number.utf8.count)
    }
    guard account.hasValidCheckDigit else { throw .checkDigit }
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
