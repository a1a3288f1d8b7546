/// The two authenticators that this library checks itself, by something that the person knows.
public enum SecretKind: String, Sendable, CaseIterable {
  /// Digits, under a `PinPolicy`.
  case pin
  /// A text, under an `EntryPolicy` of the application.
  case password

  /// Its name in a sentence.
  public var title: String { self == .pin ? "PIN" : "password" }

  /// Its name in the code of an error, and in the name of a prompt.
  public var codeName: String { self == .pin ? "Pin" : "Password" }
}
