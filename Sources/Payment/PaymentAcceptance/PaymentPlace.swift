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
  /// - Throws: `LinkError` when there was no card, and an error of the place itself, such as a recording that differs.
  func take(_ request: PaymentRequest, at terminal: PaymentAcceptance) async throws -> PaymentResult

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

  /// Returns at once.
  public func waitForRemoval(timeout: Duration) async throws {}

  /// The moment of a payment here: the recorded one, or nil for the present.
  public var moment: TransactionMoment? {
    recording.flatMap { $0.clock ?? RecordedTerminalData($0).clock }
  }
}

/// Payments at a real reader, whose links block: each on a thread of its own.
public struct ReaderPlace: PaymentPlace {
  private let prepare: @Sendable (_ use: (inout any CardField) -> Void, _ timeout: Duration) throws(LinkError) -> Void
  private let checkReader: @Sendable () throws(LinkError) -> Void
  private let awaitRemoval: (@Sendable (_ timeout: Duration) throws(LinkError) -> Void)?
  private let makeHost: @Sendable () -> any AuthorizationHost

  /// Creates a place.
  ///
  /// - Parameters:
  ///   - host: Creates the host of a payment.
  ///   - check: Throws when the reader is not there. Blocks.
  ///   - awaitRemoval: Blocks until the card has left; nil for a reader that cannot detect it, which gives the person
  ///     2 s.
  ///   - prepare: Opens the reader's field, passes it to `use` once, and closes it. Blocks. Throws `LinkError` when the
  ///     reader cannot be opened.
  public init(
    host: @escaping @Sendable () -> any AuthorizationHost,
    check: @escaping @Sendable () throws(LinkError) -> Void,
    awaitRemoval: (@Sendable (_ timeout: Duration) throws(LinkError) -> Void)? = nil,
    prepare:
      @escaping @Sendable (
        _ use: (inout any CardField) -> Void, _ timeout: Duration
      ) throws(LinkError) -> Void
  ) {
    makeHost = host
    checkReader = check
    self.awaitRemoval = awaitRemoval
    self.prepare = prepare
  }

  /// True: a person holds the card.
  public var isAttended: Bool { true }
  /// Nil.
  public var recording: Transcript? { nil }

  /// The host.
  public func host() -> any AuthorizationHost { makeHost() }

  /// Checks that the reader is there.
  public func check() async throws {
    let checkReader = checkReader
    try await DedicatedThread(named: "terminal") { () throws(LinkError) in try checkReader() }.value()
  }

  /// Opens the reader, waits for a card and takes a payment.
  public func take(_ request: PaymentRequest, at terminal: PaymentAcceptance) async throws -> PaymentResult {
    let prepare = prepare
    let thread = DedicatedThread(named: "terminal") { () throws(LinkError) -> PaymentResult in
      var result: PaymentResult?
      try prepare({ field in result = terminal.result(of: request, at: &field) }, terminal.restarts.duration)
      guard let result else { preconditionFailure("a reader place passes its field on") }
      return result
    }
    let result = try await thread.value()
    // Without any card there is nothing to report but the link's error.
    if case .failure(let failure) = result, let error = failure.linkError, failure.record.cards.isEmpty { throw error }
    return result
  }

  /// Waits until the card has left.
  public func waitForRemoval(timeout: Duration) async throws {
    guard let awaitRemoval else { return try await Task.sleep(for: .seconds(2)) }
    try await DedicatedThread(named: "terminal") { () throws(LinkError) in try awaitRemoval(timeout) }.value()
  }
}
