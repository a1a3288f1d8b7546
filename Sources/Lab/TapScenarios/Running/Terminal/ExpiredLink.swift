internal import ContactlessPayment
internal import ISO7816
internal import Links

extension SessionLimits {
  /// The limits of a session whose verification expires before its card is presented.
  static let expiring = SessionLimits(verificationValidity: .seconds(1))
}

/// A link that presents its card when the verification of the cardholder has expired.
final class ExpiredLink: EmulationLink {
  /// The validity of the verification, and a moment.
  static let delay = Duration.milliseconds(1050)

  private let base: any EmulationLink
  private let isStopped = WaitableState(false)

  init(_ base: any EmulationLink) { self.base = base }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    guard isStopped.wait(for: Self.delay, until: { $0 ? true : nil }) == nil else { return }
    try base.serve(&responder)
  }

  func stop() {
    isStopped.update { $0 = true }
    base.stop()
  }
}
