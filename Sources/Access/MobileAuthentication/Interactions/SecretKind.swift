/// The two authenticators that this library checks itself, by something that the person knows.
public enum SecretKind: String, Sendable, CaseIterable {
  /// Digits, under a `PinPolicy`.
  case pin
  /// A text, under an `EntryPolicy` of the application.
  case password
}
