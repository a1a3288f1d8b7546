public import Octets

/// Something that happened to a reader.
public struct ReaderEvent: Equatable, Sendable {
  /// What happened.
  public enum Change: Equatable, Sendable {
    /// The reader was plugged in, or was there when the monitor began.
    case readerAdded
    /// The reader was pulled out; a card in it went with it and is not reported on its own.
    case readerRemoved
    /// A card came into the reader, or was there when the monitor began.
    case cardInserted(answerToReset: [UInt8])
    /// The card left.
    case cardRemoved
  }

  /// What happened.
  public let change: Change
  /// The reader's name.
  public let reader: String
  /// When it was noticed, by the monitor's clock; it happened up to one poll period earlier.
  public let instant: Instant

  /// Creates an event.
  public init(_ change: Change, reader: String, at instant: Instant) {
    self.change = change
    self.reader = reader
    self.instant = instant
  }
}

/// The port through which presence of readers and cards is heard of. Blocks; give it a thread of its own.
public protocol ReaderMonitor: Sendable {
  /// Waits for the next event. One thread at a time.
  ///
  /// The first calls report what is there already: each reader, then the card in it.
  ///
  /// - Returns: nil when nothing happened in time.
  /// - Throws: `LinkError`: `.stopped` after `stop()`, `.serviceUnavailable` when the service behind the readers goes
  ///   away; a new monitor is needed then.
  func next(timeout: Duration) throws(LinkError) -> ReaderEvent?

  /// Ends a wait within 100 ms, and all later ones at once. From any thread, any number of times.
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
  /// - Throws: `LinkError`: `.timedOut` without a card, `.readerUnavailable` when the reader is pulled out, and what
  ///   `next(timeout:)` throws.
  public func waitForCard(
    in reader: String, timeout: Duration, clock: any MonotonicClock = SystemClock()
  ) throws(LinkError) -> [UInt8] {
    let deadline = clock.now + timeout
    while let event = try next(timeout: max(deadline - clock.now, .zero)) {
      guard event.reader == reader else { continue }
      if case .cardInserted(let answerToReset) = event.change { return answerToReset }
      if event.change == .readerRemoved {
        throw LinkError(.readerUnavailable, "the reader \"\(reader)\" was pulled out while waiting for a card")
      }
    }
    throw LinkError(.timedOut, "no card came into the reader \"\(reader)\" within \(timeout.text)")
  }
}
