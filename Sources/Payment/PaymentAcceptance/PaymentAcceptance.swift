public import EMVTerminal
public import Links
public import Octets

/// The driver of a terminal: waits for cards, carries commands between the payment machine and a card, times and
/// records
/// every exchange, and asks the host.
public struct PaymentAcceptance: Sendable {
  /// The terminal's configuration.
  public let configuration: TerminalConfiguration
  /// How often and for how long a payment is tried again.
  public let restarts: RestartLimits
  /// What the kernels kept after the last payment: `PaymentRecord.memories` of its record.
  public var memories: [KernelIdentifier: KernelMemory] = [:]
  /// What the terminal remembers of cards; nil for a terminal without a log. The caller keeps approved payments.
  public var log: TerminalLog?
  /// Those of a recorded terminal, for a replay; empty for any other payment.
  public var findings = TerminalFindings()
  /// Shows a message to the cardholder, on the thread that drives the card. Does nothing by default; the record of the
  /// payment has all messages.
  public var display: @Sendable (UserInterfaceRequest) -> Void = { _ in }
  /// The host that decides on online requests.
  public let host: any AuthorizationHost
  let clock: any MonotonicClock
  let random: any RandomSource

  /// Creates a terminal.
  ///
  /// - Parameters:
  ///   - configuration: The terminal's configuration.
  ///   - host: Decides on online requests.
  ///   - clock: Times the exchanges and the waits for cards.
  ///   - random: The source of the unpredictable numbers.
  ///   - restarts: How often and for how long a payment is tried again.
  public init(
    configuration: TerminalConfiguration, host: any AuthorizationHost, clock: any MonotonicClock = SystemClock(),
    random: any RandomSource = SystemRandomSource(), restarts: RestartLimits = RestartLimits()
  ) {
    self.configuration = configuration
    self.restarts = restarts
    self.host = host
    self.clock = clock
    self.random = random
  }

  /// Takes a payment with one tap of the card at a channel. Blocks. The channel stays open: the caller closes it.
  ///
  /// After the outcomes `seePhone` and `tryAgain` the caller may take the same request again, as `accept(_:at:)` does.
  ///
  /// - Throws: `AcceptanceFailure` with the record of the payment until then.
  public func accept<Channel: CardChannel & ~Copyable>(
    _ request: PaymentRequest, over channel: inout Channel
  ) throws(AcceptanceFailure) -> PaymentReceipt {
    var taps = try TapSequence(request, at: self)
    if let outcome = taps.beginTap() { return taps.receipt(outcome) }
    taps.visit(&channel)
    return taps.receipt(try taps.endOnlyTap())
  }

  /// Takes a payment at a field, with as many taps as the payment needs and the limits allow. Blocks.
  ///
  /// A card that leaves before its first response has only passed the reader: the next card is awaited. A tap that ends
  /// in "see phone", or whose card leaves later, is followed by another tap of the same payment with a new
  /// unpredictable number: start B of EMV Contactless Book A. So is a tap whose kernel needs the card again for the
  /// host's answer, at the same application. While two cards are in the field, the cardholder is asked to present one
  /// card only, and no command is sent.
  /// At a limit the outcome is that the application ends; with a limit of no restart it stays the outcome of
  /// the tap.
  ///
  /// - Throws: `AcceptanceFailure` with the record of the payment until then: when no card comes, when the link fails
  ///   in
  ///   any other way, and when the card leaves and no restart is left.
  public func accept<Field: CardField & ~Copyable>(
    _ request: PaymentRequest, at field: inout Field
  ) throws(AcceptanceFailure) -> PaymentReceipt {
    var taps = try TapSequence(request, at: self)
    while true {
      // An amount above every limit has an outcome without a card.
      if let outcome = taps.beginTap() { return taps.receipt(outcome) }
      do throws(LinkError) {
        try nextCard(at: &field, &taps)
      } catch { return taps.receipt(try taps.end(without: error)) }
      if taps.isFirstCardSilent, let lost = taps.lost, taps.remaining > .zero, field.hasCardLeft(after: lost) {
        try taps.forgetTap()
      } else if let outcome = try taps.endTap() {
        return taps.receipt(outcome)
      }
    }
  }

  // Waits until there is one card in the field.
  private func nextCard<Field: CardField & ~Copyable>(
    at field: inout Field, _ taps: inout TapSequence
  ) throws(LinkError) {
    var hold = taps.hold
    while true {
      do throws(LinkError) {
        return try field.nextCard(after: hold, timeout: taps.remaining, &taps)
      } catch {
        guard error.code == .severalCards, taps.remaining > .zero else { throw error }
        taps.showCollision()
        hold = Self.collisionPause
      }
    }
  }

  // The time between two searches while several cards are in the field. No public book sets it.
  private static let collisionPause = Duration.milliseconds(250)

  /// Opens a reader, waits for a card and takes a payment as `accept(_:at:)` does at its field, on a thread of its own.
  ///
  /// - Throws: `LinkError` when the reader cannot be opened or no card came, and `AcceptanceFailure` with the record of
  ///   the payment until then.
  public func accept(_ request: PaymentRequest, at reader: any CardReader) async throws -> PaymentReceipt {
    let thread = DedicatedThread(named: "terminal") { () throws(LinkError) -> PaymentResult in
      let opened = try reader.open(timeout: restarts.duration)
      defer { opened.restore?() }
      var field = opened.field
      return result(of: request, at: &field)
    }
    do {
      return try await thread.value().get()
    } catch let failure as AcceptanceFailure {
      // Without any card there is nothing to report but the link's error.
      guard failure.record.cards.isEmpty, let error = failure.linkError else { throw failure }
      throw error
    }
  }

  func transaction(
    for request: PaymentRequest, _ random: any RandomSource
  ) throws(AcceptanceFailure) -> TerminalTransaction {
    do throws(PaymentRequestError) {
      return try TerminalTransaction(
        request, configuration: configuration, memories: memories, log: log, findings: findings, random: random)
    } catch {
      throw AcceptanceFailure(
        cause: .request(error), outcome: nil, failures: [],
        record: PaymentRecord(request: request, restartLimit: restarts.count))
    }
  }
}

/// What a payment came to: a receipt, or a failure of the request or the link.
public typealias PaymentResult = Result<PaymentReceipt, AcceptanceFailure>

extension PaymentAcceptance {
  /// Takes a payment as `accept(_:over:)` does, and returns its failure.
  public func result<Channel: CardChannel & ~Copyable>(
    of request: PaymentRequest, over channel: inout Channel
  ) -> PaymentResult {
    Result { () throws(AcceptanceFailure) in try accept(request, over: &channel) }
  }

  /// Takes a payment as `accept(_:at:)` does, and returns its failure.
  public func result<Field: CardField & ~Copyable>(
    of request: PaymentRequest, at field: inout Field
  ) -> PaymentResult {
    Result { () throws(AcceptanceFailure) in try accept(request, at: &field) }
  }
}

extension Result where Success == PaymentReceipt, Failure == AcceptanceFailure {
  /// Keeps the receipt of a payment or its failure. Throws every other error.
  public init(_ payment: () async throws -> PaymentReceipt) async throws {
    do {
      self = .success(try await payment())
    } catch let failure as AcceptanceFailure {
      self = .failure(failure)
    }
  }
}
