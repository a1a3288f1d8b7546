internal import AccessMessages
internal import Markup

/// A page of the operator: what it reads in one transaction, as HTML.
struct OperatorPage: Sendable {
  /// The most records of a page.
  static let recordCount = 50

  let path: String
  let title: String
  let content: @Sendable (Rules, PageRequest) throws -> HTML

  static let all: [OperatorPage] = [.users, .devices, .cards, .operations, .taps]
}

/// The request for a page of a session.
struct PageRequest: Sendable {
  let path: String
  let call: Call
  let session: OperatorSession

  /// Where a list begins: the parameter of the link to its next page.
  func start(_ name: String = "after") throws(AccessFailure) -> String? { try call.parameter(name, 1...512) }

  /// The link to the next page of a list; empty after the last record.
  func next(_ parameter: String = "after", _ value: String?) -> HTML {
    guard let value else { return .empty }
    return "<p><a href=\"\(PagePath.path(path, [(parameter, value)]))\">Next page</a></p>"
  }

  /// A form with one button. The response shows the same part of the list again.
  func button(_ title: String, _ action: String, _ fields: [(name: String, value: String)]) -> HTML {
    let places = ["after", "accountsAfter"].map { (name: $0, value: call.target.query[$0]) }
    return PageFrame.button(title, PagePath.path(action, places), fields, session)
  }
}

/// What a form of a page does.
struct OperatorAction: Sendable {
  let path: String
  /// The page that is shown afterwards.
  let page: String
  let perform: @Sendable (AccessService, Call) async throws -> PageNotice

  static let all: [OperatorAction] = [.deviceState, .walletDeviceState, .cardState, .resend]
}

/// What a page reports about the form that was sent before. The link of the page has the name, never a text.
enum PageNotice: String {
  case deviceActivated, deviceDeactivated, cardResumed, cardSuspended, sentAgain

  var text: String {
    switch self {
    case .deviceActivated: "The device is activated."
    case .deviceDeactivated: "The device is deactivated."
    case .cardResumed: "The card is resumed."
    case .cardSuspended: "The card is suspended."
    case .sentAgain: "The operation was sent again."
    }
  }

  var html: HTML { "<p class=\"notice\" role=\"status\">\(text)</p>" }
}
