internal import Octets
internal import ServerShell

/// The rules of the operator's page.
struct PageRules: RequestRules {
  let scope: RequestScope

  var operations: OperationRules { OperationRules(scope: scope) }
  var wallets: WalletRules { WalletRules(scope: scope) }
  var issuer: IssuerRules { IssuerRules(scope: scope) }
  var administration: OperatorRules { OperatorRules(scope: scope) }
}

/// A page of the operator: what it reads in one transaction, as HTML.
struct OperatorPage: Sendable {
  /// The most records of a list on a page.
  static let recordCount = 50

  let path: String
  let title: String
  let content: @Sendable (PageRules, PageRequest) throws -> HTML

  static let all: [OperatorPage] = [
    .users, .devices, .cards, .operations, .taps, .audit, .search, .user, .unlinking, .removal,
  ]
}

/// What a form of a page does.
struct OperatorAction: Sendable {
  let path: String
  /// The page that is shown afterwards, unless the form names another one.
  let page: String
  let perform: @Sendable (AccessService, Call) async throws -> PageNotice

  static let all: [OperatorAction] = [.deviceState, .walletDeviceState, .cardState, .resend, .unlinking, .removal]
}

/// What a page reports about the form that was sent before. The link of the page has the name, never a text.
enum PageNotice: String {
  case deviceActivated, deviceDeactivated, deviceUnlinked, deviceRemoved, cardResumed, cardSuspended, sentAgain

  var text: String {
    switch self {
    case .deviceActivated: "The device is activated."
    case .deviceDeactivated: "The device is deactivated."
    case .deviceUnlinked: "The device is unlinked, and its cards are deleted."
    case .deviceRemoved: "The device and its keys are removed."
    case .cardResumed: "The card is resumed."
    case .cardSuspended: "The card is suspended."
    case .sentAgain: "The operation was sent again."
    }
  }

  var html: HTML { "<p class=\"notice\" role=\"status\">\(text)</p>" }
}
