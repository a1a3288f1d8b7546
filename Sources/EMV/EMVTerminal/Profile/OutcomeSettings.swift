internal import Documents
internal import JSON

/// What a terminal profile sets for the outcomes of an application, whatever its kernel (EMV Contactless Book A, outcome
/// parameter set). Times are in milliseconds, and nil where the kernel decides.
public struct OutcomeSettings: Hashable, Sendable {
  /// The shortest time of a message that a kernel wants to stay.
  public var messageHold: Int?
  /// How long the field stays off before the card is presented again.
  public var fieldOff: Int?
  /// How long a card that is held for the host's response stays powered.
  public var removalTimeout: Int?

  // The unit of the books: 100 ms. FF is no request.
  private static let unit = 100
  private static let holdKey = ProfileKey(
    "messageHold", .integer, range: 0...255,
    help: "How long \"see phone\" stays on the display, in units of 100 ms; 13 when left out.",
    source: "EMV Contactless Book C-3 v2.11, 5.2.2.2")
  private static let fieldOffKey = ProfileKey(
    "fieldOff", .integer, range: 0...254,
    help: "Field-off request: how long the field stays off before the card is presented again, in units of 100 ms.",
    source: "EMV Contactless Book A")
  private static let removalKey = ProfileKey(
    "removalTimeout", .integer, range: 0...255,
    help: """
      Removal time-out, in units of 100 ms: how long a card that waits for the issuer's response stays powered. Then the \
      cardholder may remove it, and the response does not reach it. No limit when left out.
      """, source: "EMV Contactless Book A")

  static let keys = [holdKey, fieldOffKey, removalKey]
}

extension OutcomeSettings {
  init(reading application: inout ObjectReader) {
    messageHold = application.integer(Self.holdKey).map { $0 * Self.unit }
    fieldOff = application.integer(Self.fieldOffKey).map { $0 * Self.unit }
    removalTimeout = application.integer(Self.removalKey).map { $0 * Self.unit }
  }
}

extension PaymentOutcome {
  // Sets what the profile sets.
  mutating func apply(_ settings: OutcomeSettings) {
    if let hold = settings.messageHold, holdMilliseconds > 0 { holdMilliseconds = hold }
    if restart != nil { fieldOffMilliseconds = settings.fieldOff ?? fieldOffMilliseconds }
    if onlineResponse == .presentAndHold {
      removalTimeoutMilliseconds = settings.removalTimeout ?? removalTimeoutMilliseconds
    }
  }
}
