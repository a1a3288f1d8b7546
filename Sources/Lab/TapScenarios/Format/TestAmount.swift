internal import Documents
internal import EMVData
internal import EMVTerminal
internal import JSON
internal import PaymentAcceptance

/// The amount of a tap: a fixed one, or one beside a limit of the terminal.
public enum TestAmount: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// On which side of a limit an amount lies.
  public enum Relation: String, CaseIterable, Sendable {
    /// One minor unit of the currency more than the limit.
    case above
    /// One minor unit less.
    case below
    /// The limit itself.
    case at
  }

  /// A limit of an application of a terminal (EMV Contactless Book B v2.11, 3.1.1).
  public enum Limit: String, CaseIterable, Sendable {
    /// Reader contactless transaction limit.
    case contactlessLimit
    /// Reader CVM required limit.
    case cvmLimit
    /// Reader contactless floor limit.
    case floorLimit

    /// The limit for people.
    public var words: String {
      switch self {
      case .contactlessLimit: "contactless limit"
      case .cvmLimit: "CVM limit"
      case .floorLimit: "floor limit"
      }
    }
  }

  /// An amount in the main unit of the currency, such as `12.34`.
  case fixed(String)
  /// An amount beside a limit.
  case relative(Relation, Limit)

  /// Creates a fixed amount.
  public init(stringLiteral text: String) { self = .fixed(text) }

  /// `12.34`, or `above the CVM limit`.
  public var description: String {
    switch self {
    case .fixed(let text): text
    case .relative(let relation, let limit): "\(relation.rawValue) the \(limit.words)"
    }
  }
}

extension ObjectReader {
  /// `12.34`, or `{above: cvmLimit}`. Whether the currency has so many decimals is checked with the terminal.
  mutating func amount(_ value: JSONValue, at place: String) -> TestAmount? {
    guard let members = value.members else {
      guard let text = line(value, at: place, 1...20) else { return nil }
      do throws(Amount.Fault) {
        _ = try Amount(text, exponent: Currency.exponents.upperBound)
      } catch {
        refuse(place, "\(PaymentOrderError.amount(error))")
        return nil
      }
      return .fixed(text)
    }
    guard let member = members.first, members.count == 1, let relation = TestAmount.Relation(rawValue: member.key)
    else {
      let relations = TestAmount.Relation.allCases.map(\.rawValue).joined(separator: ", ")
      note(place, "one of \(relations) is needed, with a limit")
      return nil
    }
    return named(member.value, at: "\(place).\(member.key)").map { (limit: TestAmount.Limit) in
      .relative(relation, limit)
    }
  }
}
