internal import Octets
internal import Synchronization

/// The rights of an armed card, which its thread checks around each command: nothing that concerns the card was withdrawn
/// since it was armed, and the store and the device were read a short time ago.
///
/// The checks make no system call and allocate nothing while the latest reading is recent.
final class ArmedRights: Sendable {
  private let page: WithdrawalPage?
  private let card: Int64
  private let countPlace: Int
  /// The count of withdrawals before the card was armed, with those of its own payment.
  private let count: Atomic<UInt64>
  private let announcement: CardAnnouncement?
  /// The readings of the store and of the device.
  let watch: PaymentWatch

  /// Begins to watch. The caller reads the store afterwards: a withdrawal is in what it reads, or raises the count.
  ///
  /// - Throws: The error of a page on which no card can be announced.
  init(
    _ subject: PaymentSubject, on clock: any MonotonicClock, report: @escaping @Sendable (PaymentFinding) -> Void
  ) throws(WalletStoreError) {
    (page, card, countPlace) = (subject.page, subject.card, WithdrawalPage.place(ofCard: subject.card))
    count = Atomic(subject.page?.count(ofCard: subject.card) ?? 0)
    announcement = try subject.page?.announcement()
    watch = PaymentWatch(subject, on: clock, report: report)
  }

  /// Whether something was withdrawn since the card was armed, also when the page is damaged.
  var isWithdrawn: Bool {
    guard let page else { return false }
    return page.count(at: countPlace) != count.load(ordering: .relaxed)
  }

  /// Ends the payments of all other processes with the card, whose issuer has blocked it in this one.
  func endOtherPayments() {
    guard let page else { return }
    page.raise(forCard: card)
    // A withdrawal of another process in between stays a difference.
    count.wrappingAdd(1, ordering: .relaxed)
  }

  /// Announces that the card answers a command.
  func announce() { announcement?.announce() }

  /// Takes the announcement back: the response has left, or the card has none.
  func takeBack() { announcement?.takeBack() }
}
