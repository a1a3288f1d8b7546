public import EMVTerminal
public import Links
public import Transcripts

/// A place where payments are taken, one after the other: a reader, a card in this process, or a recording.
public protocol PaymentPlace: Sendable {
  /// Whether a person holds the card, and must take it away between two payments.
  var isAttended: Bool { get }
  /// The recording that is replayed here; nil at any other place.
  var recording: Transcript? { get }
  /// The executor that a caller of many payments prefers, so that they do not change threads; nil for the cooperative
  /// pool.
  var executor: (any TaskExecutor)? { get }
  /// The host that decides on a payment here, for callers that have none of their own.
  func host() -> any AuthorizationHost

  /// Checks that payments can be taken here, before the cardholder is asked to tap.
  ///
  /// - Throws: `LinkError` when the reader is not there.
  func check() async throws

  /// Waits for a card and takes a payment.
  ///
  /// - Parameter terminal: The terminal. Its restart limits are also the longest wait for a card.
  /// - Throws: `AcceptanceFailure` with the record of the payment until then, `LinkError` when there was no card, and
  ///   an error of the place itself, such as a recording that differs.
  func take(_ request: PaymentRequest, at terminal: PaymentAcceptance) async throws -> PaymentReceipt

  /// What the issuer has done to the card here; nil where that cannot be known, as at a reader.
  func cardCondition() async throws -> CardCondition?

  /// Waits until the card of the last payment has left, as far as the reader can detect it.
  ///
  /// - Throws: `LinkError`: `.timedOut` for a card that stays.
  func waitForRemoval(timeout: Duration) async throws
}

extension PaymentPlace {
  /// Nil.
  public var executor: (any TaskExecutor)? { nil }

  /// Succeeds.
  public func check() async throws {}

  /// Nil.
  public func cardCondition() async throws -> CardCondition? { nil }

  /// Returns at once.
  public func waitForRemoval(timeout: Duration) async throws {}

  /// The moment of a payment here: the recorded one, or nil for the present.
  public var moment: TransactionMoment? {
    recording.flatMap { $0.clock ?? RecordedTerminalData($0).clock }
  }
}

/// Payments at a real reader, whose links block: each on a thread of its own.
public struct ReaderPlace: PaymentPlace {
  private let reader: any CardReader
  private let makeHost: @Sendable () -> any AuthorizationHost

  /// Creates a place.
  ///
  /// - Parameter host: Creates the host of a payment.
  public init(_ reader: any CardReader, host: @escaping @Sendable () -> any AuthorizationHost) {
    (self.reader, makeHost) = (reader, host)
  }

  /// True: a person holds the card.
  public var isAttended: Bool { true }
  /// Nil.
  public var recording: Transcript? { nil }

  /// The host.
  public func host() -> any AuthorizationHost { makeHost() }

  /// Checks that the reader is there.
  public func check() async throws {
    let reader = reader
    try await DedicatedThread(named: "terminal") { () throws(LinkError) in try reader.check() }.value()
  }

  /// Opens the reader, waits for a card and takes a payment.
  public func take(_ request: PaymentRequest, at terminal: PaymentAcceptance) async throws -> PaymentReceipt {
    try await terminal.accept(request, at: reader)
  }

  /// Waits until the card has left.
  public func waitForRemoval(timeout: Duration) async throws {
    let reader = reader
    try await DedicatedThread(named: "terminal") { () throws(LinkError) in
      try reader.waitForRemoval(timeout: timeout)
    }.value()
  }
}
