public import EMVTerminal
public import PaymentAcceptance
internal import Synchronization
public import Transcripts

/// A place where the card of each payment is a recorded one: the first payment takes the first recording, the next one
/// the next. The last recording is taken again and again.
public final class ReplayedCards: PaymentPlace {
  private let first: Transcript
  private let further: [Transcript]
  private let makeHost: @Sendable (Transcript) -> any AuthorizationHost
  private let position = Mutex(0)

  /// Creates a place.
  ///
  /// - Parameters:
  ///   - first: The recording of the first payment.
  ///   - further: Those of the payments after it.
  ///   - host: Returns the host of a payment with a recording; `RecordedHost` decides as recorded.
  public init(
    _ first: Transcript, _ further: [Transcript] = [],
    host: @escaping @Sendable (Transcript) -> any AuthorizationHost
  ) {
    (self.first, self.further, makeHost) = (first, further, host)
  }

  /// False: no person holds the card.
  public var isAttended: Bool { false }

  /// The recording of the next payment.
  public var recording: Transcript? { next }

  private var next: Transcript { transcript(at: position.withLock { $0 }) }

  private func transcript(at index: Int) -> Transcript { index == 0 ? first : further[index - 1] }

  /// The host of the next payment.
  public func host() -> any AuthorizationHost { makeHost(next) }

  /// Takes a payment with the next recording.
  ///
  /// - Throws: `ReplayError` with the first difference, and `AcceptanceFailure` as recorded.
  public func take(_ request: PaymentRequest, at terminal: PaymentAcceptance) async throws -> PaymentReceipt {
    let index = position.withLock { position in
      defer { position = min(position + 1, further.count) }
      return position
    }
    return try TerminalReplay(transcript(at: index), configuration: terminal.configuration, host: terminal.host)
      .pay(request).get()
  }
}
