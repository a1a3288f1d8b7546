extension CardScheme {
  /// The schemes that this engine ships: the one place where a scheme is registered.
  public static let shipped: [CardScheme] = [
    .mastercard, .visa, .americanExpress, .jcb, .discover, .unionPay,
  ]
}

extension CardImage {
  /// Checks and compiles a profile whose applications belong to shipped schemes.
  ///
  /// - Throws: `CardProfileError` with all problems.
  public convenience init(compiling profile: CardProfile) throws(CardProfileError) {
    try self.init(compiling: profile, schemes: CardScheme.shipped)
  }

  /// Reads, checks and compiles a profile whose applications belong to shipped schemes.
  ///
  /// - Throws: `CardProfileError` with all problems, each with its line and column.
  public convenience init(json: [UInt8]) throws(CardProfileError) {
    try self.init(json: json, schemes: CardScheme.shipped)
  }
}

extension PersonalisedCard {
  /// Maps a file of a shipped scheme to a profile.
  ///
  /// - Throws: `PersonalisationError` with everything that keeps the file from being a card.
  public init(_ file: PersonalisationFile) throws(PersonalisationError) {
    try self.init(file, schemes: CardScheme.shipped)
  }
}
