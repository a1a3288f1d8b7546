public import EMVTerminal
public import PaymentAcceptance
public import Transcripts

/// A place where the card of each payment is a recorded one.
public struct ReplayedCard: PaymentPlace {
  private let transcript: Transcript
  private let makeHost: @Sendable () -> any AuthorizationHost

  /// Creates a place.
  ///
  /// - Parameters:
  ///   - transcript: The recording.
  ///   - host: Returns the host of a payment; `RecordedHost` decides as recorded.
  public init(_ transcript: Transcript, host: @escaping @Sendable () -> any AuthorizationHost) {
    (self.transcript, makeHost) = (transcript, host)
  }

  /// False: no person holds the card.
  public var isAttended: Bool { false }

  /// The recording.
  public var recording: Transcript? { transcript }

  /// The host of a payment.
  public func host() -> any AuthorizationHost { makeHost() }

  /// Takes a payment with the recording.
  ///
  /// - Throws: `ReplayError` with the first difference, and `AcceptanceFailure` as recorded.
  public func take(_ request: PaymentRequest, at terminal: PaymentAcceptance) async throws -> PaymentReceipt {
    try TerminalReplay(transcript, configuration: terminal.configuration, host: terminal.host).pay(request).get()
  }
}
