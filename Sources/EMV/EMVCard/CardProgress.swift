/// How far a payment has come, as the card sees it.
public enum CardPhase: UInt8, Comparable, Sendable {
  /// No command has come since the card was powered.
  case idle
  /// A terminal talks to the card.
  case engaged
  /// The cryptogram was handed out; its records are being read.
  case cryptogramDelivered
  /// The cryptogram was handed out and the last record of the AFL read.
  case completed

  /// Orders by progress.
  public static func < (left: CardPhase, right: CardPhase) -> Bool { left.rawValue < right.rawValue }
}

/// Why an armed card refused to compute.
public enum CardRefusal: Sendable {
  /// The verification was too old at the first GET PROCESSING OPTIONS.
  case verificationExpired
}

/// What happened on a card: copyable facts, nothing secret.
public struct TransactionRecord: Equatable, Sendable {
  /// Which application was used, by its place in the image.
  public let application: Int
  /// Its transaction counter in this payment, tag 9F36.
  public let transactionCounter: UInt16
  /// The cryptogram handed out, tag 9F26.
  public let cryptogram: UInt64
  /// The values that the terminal sent for the PDOL.
  public let terminalValues: [UInt8]
  /// Whether the last record of the AFL was read after the cryptogram.
  public let isComplete: Bool
}
