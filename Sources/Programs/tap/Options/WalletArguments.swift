public import ArgumentParser
public import ContactlessPayment
public import DeviceAuthentication

/// What the simulated cardholder does when asked to verify.
enum UserScript: String, ExpressibleByArgument, CaseIterable {
  case approve
  case cancel
  case fail
  case noBiometrics = "no-biometrics"

  var user: SimulatedUser {
    switch self {
    case .approve: .approve
    case .cancel: .cancel
    case .fail: .fail
    case .noBiometrics: .noBiometrics
    }
  }
}

extension CardholderVerificationPolicy: ExpressibleByArgument {}

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
