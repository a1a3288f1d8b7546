package import AccessMessages
package import DisplayText
internal import Octets
internal import ServerShell
package import ServerStore

/// What the features of a server know of the records that pages show.
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
  /// The deactivated devices of an account that were removed since.
  func removedDevices(_ deactivations: [DeactivationRecord]) throws(AccessError) -> [DeviceList.Entry]
  /// The deactivated devices of a wallet that were unlinked since.
  func unlinkedDevices(of wallet: EnrolledWalletRecord) throws(AccessError) -> [DeactivationRecord]
}

/// What a page reads, in one transaction.
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

/// A page of the operator: what it reads in one transaction, as HTML.
package struct OperatorPage: Sendable {
  /// The most records of a list on a page.
  package static let recordCount = 50

  package let path: String
  package let title: String
  package let content: @Sendable (PageReader, PageRequest) throws -> HTML

  package static let all: [OperatorPage] = [
    .users, .devices, .cards, .operations, .taps, .audit, .search, .user, .unlinking, .removal,
  ]
}

/// What a page reports about the form that was sent before. The link of the page has the name, never a text.
package enum PageNotice: String {
  case deviceActivated, deviceDeactivated, deviceUnlinked, deviceRemoved, cardResumed, cardSuspended, sentAgain

  package var text: String {
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

  package var html: HTML { "<p class=\"notice\" role=\"status\">\(text)</p>" }
}
