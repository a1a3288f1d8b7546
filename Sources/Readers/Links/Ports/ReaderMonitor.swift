public import Octets

/// A change of the connected readers or of the cards in them.
public struct ReaderEvent: Equatable, Sendable {
  /// The kinds of changes.
  public enum Change: Equatable, Sendable {
    /// The reader was plugged in, or was connected when the monitor began.
    case readerAdded
    /// The reader was unplugged. A card in it is not reported as removed.
    case readerRemoved
    /// A card was inserted, or was in the reader when the monitor began.
    case cardInserted(answerToReset: [UInt8])
    /// The card was removed.
    case cardRemoved
  }

  /// The change.
  public let change: Change
  /// The reader's name.
  public let reader: String
  /// When the change was detected, by the monitor's clock. It happened up to one poll period earlier.
  public let instant: Instant

  /// Creates an event.
  public init(_ change: Change, reader: String, at instant: Instant) {
    self.change = change
    self.reader = reader
    self.instant = instant
  }
}

/// The port that reports readers and cards that come and go. Blocks; use it on its own thread.
public protocol ReaderMonitor: Sendable {
  /// Waits for the next event. Only one thread may wait at a time.
  ///
  /// The first calls report what is connected already: each reader, then the card in it.
  ///
  /// - Returns: nil when no event occurred within the timeout.
  /// - Throws: `LinkError`: `.stopped` after `stop()`, `.serviceUnavailable` when the service behind the readers ends;
  ///   create a new monitor then.
  func next(timeout: Duration) throws(LinkError) -> ReaderEvent?

  /// Ends a wait within 100 ms, and all later waits at once. May be called from any thread, any number of times.
  func stop()
}

extension ReaderMonitor {
  /// Waits until a card is in a reader.
  ///
  /// - Parameters:
  ///   - reader: The reader's full name.
  ///   - timeout: How long to wait in all.
  ///   - clock: Measures the wait.
  /// - Returns: The card's answer to reset.
  /// - Throws: `LinkError`: `.timedOut` without a card, `.readerUnavailable` when the reader is unplugged, and the
  ///   errors of `next(timeout:)`.
  public func waitForCard(
    in reader: String, timeout: Duration, clock: any MonotonicClock = SystemClock()
  ) throws(LinkError) -> [UInt8] {
    try waitForCard(inOneOf: [reader], timeout: timeout, clock: clock).answerToReset
  }

  /// Waits until a card is in one of several readers, such as the slots of one device.
  ///
  /// - Parameters:
  ///   - readers: The full names of the readers.
  ///   - timeout: How long to wait in all.
  ///   - clock: Measures the wait.
  /// - Returns: The reader with the card, and the card's answer to reset.
  /// - Throws: `LinkError`: `.timedOut` without a card, `.readerUnavailable` when all readers are unplugged, and the
  ///   errors of `next(timeout:)`.
  public func waitForCard(
    inOneOf readers: [String], timeout: Duration, clock: any MonotonicClock = SystemClock()
  ) throws(LinkError) -> (reader: String, answerToReset: [UInt8]) {
    let deadline = clock.now + timeout
    var remaining = readers
    while let event = try next(timeout: max(deadline - clock.now, .zero)) {
      guard readers.contains(event.reader) else { continue }
      switch event.change {
      case .cardInserted(let answerToReset): return (event.reader, answerToReset)
      case .readerAdded: if !remaining.contains(event.reader) { remaining.append(event.reader) }
      case .cardRemoved: break
      case .readerRemoved:
        remaining.removeAll { $0 == event.reader }
        guard remaining.isEmpty else { continue }
        throw LinkError(
          .readerUnavailable,
          "the reader \(readers.quoted) was unplugged during the wait for a card, or does not answer any more")
      }
    }
    throw LinkError(.timedOut, "no card came into the reader \(readers.quoted) within \(timeout.text)")
  }
}

extension [String] {
  /// `"A" or "B"`.
  fileprivate var quoted: String { map { "\"\($0)\"" }.joined(separator: " or ") }
}

extension LinkError {
  /// The error that `ReaderMonitor.next(timeout:)` throws after `stop()`.
  public static var monitorStopped: LinkError { LinkError(.stopped, "the wait for readers and cards was stopped") }
}
