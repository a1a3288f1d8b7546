public import ArgumentParser
public import ContactlessPayment

extension PaymentKeyKind: ExpressibleByArgument {
  /// Reads `limited-use` or `single-use`.
  public init?(argument: String) {
    guard let kind = Self.allCases.first(where: { $0.argument == argument }) else { return nil }
    self = kind
  }

  /// `limited-use` and `single-use`.
  public static var allValueStrings: [String] { allCases.map(\.argument) }

  var argument: String {
    switch self {
    case .limitedUse: "limited-use"
    case .singleUse: "single-use"
    }
  }
}
