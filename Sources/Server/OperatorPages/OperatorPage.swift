package import AccessMessages
package import DisplayText
internal import Octets
internal import ServerShell
package import ServerStore

/// Facts about the records on the pages, from the features of a server.
package protocol PageFacts {
  /// The events of the audit trail.
  var auditEvents: [String] { get }
  /// How many payments that were not approved are listed in a day: of one card, and of unknown cards from one address.
  var attemptLimits: (perCard: Int, perAddress: Int) { get }

  /// The wallet of a record that refers to it.
  func wallet(_ id: String) throws(AccessError) -> EnrolledWalletRecord
  /// The device of a wallet, and the wallet.
  ///
  /// - Throws: A refusal with code `notFound`.
  func linkedDevice(_ id: String) throws(AccessError) -> (WalletDeviceRecord, EnrolledWalletRecord)
  /// The last digits of the account number of a card.
  func lastDigits(of card: IssuedCardRecord) throws(AccessError) -> String
  /// The tags that PUT DATA can write in a card, in hexadecimal.
  ///
  /// - Throws: A refusal with code `forbidden` and the reason for a card that takes no scripts.
  func writableTags(of card: IssuedCardRecord) throws(AccessError) -> [String]
  /// The deactivated devices of an account that were removed since.
  func removedDevices(_ deactivations: [DeactivationRecord]) throws(AccessError) -> [DeviceList.Entry]
  /// The deactivated devices of a wallet that were unlinked since.
  func unlinkedDevices(of wallet: EnrolledWalletRecord) throws(AccessError) -> [DeactivationRecord]
}

/// The source of a page, in one transaction.
package struct PageReader {
  package let transaction: AccessTransaction
  /// The moment of the request, in milliseconds since 1970.
  package let now: Int64
  package let facts: any PageFacts

  /// Creates a reader.
  package init(_ transaction: AccessTransaction, at now: Int64, _ facts: any PageFacts) {
    (self.transaction, self.now, self.facts) = (transaction, now, facts)
  }
}

/// A page of the operator, as HTML. It reads in one transaction.
package struct OperatorPage: Sendable {
  /// The most records of a list on a page.
  package static let recordCount = 50

  package let path: String
  package let title: String
  /// The path of the page of the navigation to which this page belongs.
  package let section: String
  /// The record that the page shows, for the title; nil for a page of several records.
  let subject: (@Sendable (PageReader, PageRequest) throws -> String)?
  package let content: @Sendable (PageReader, PageRequest) throws -> HTML

  /// Creates a page.
  ///
  /// - Parameter section: Nil for a page of the navigation itself.
  init(
    path: String, title: String, section: String? = nil,
    subject: (@Sendable (PageReader, PageRequest) throws -> String)? = nil,
    content: @escaping @Sendable (PageReader, PageRequest) throws -> HTML
  ) {
    (self.path, self.title, self.section, self.subject) = (path, title, section ?? path, subject)
    self.content = content
  }

  /// The title, with the record that the page shows.
  package func heading(_ page: PageReader, _ request: PageRequest) throws -> String {
    try subject.map { "\(title): \(try $0(page, request))" } ?? title
  }

  package static let all: [OperatorPage] = [
    .users, .devices, .cards, .operations, .taps, .audit, .search, .user, .scripts, .unlinking, .removal,
  ]
}

/// The result of the form that was sent before. The link of the page has the name, never a text.
package enum PageNotice: String {
  case deviceActivated, deviceDeactivated, deviceUnlinked, deviceRemoved, cardResumed, cardSuspended, sentAgain
  case scriptOrdered, scriptCancelled

  package var text: String {
    switch self {
    case .deviceActivated: "The device is activated."
    case .deviceDeactivated: "The device is deactivated."
    case .deviceUnlinked: "The device is unlinked, and its cards are deleted."
    case .deviceRemoved: "The device and its keys are removed."
    case .cardResumed: "The card is resumed."
    case .cardSuspended: "The card is suspended."
    case .sentAgain: "The operation was sent again."
    case .scriptOrdered: "The command is ordered. The server sends it with the next payment of the card."
    case .scriptCancelled: "The order is cancelled. A command that the card has executed stays in effect."
    }
  }

  package var html: HTML { "<p class=\"notice\" role=\"status\">\(text)</p>" }
}
