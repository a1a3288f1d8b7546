/// What answers in the field.
public enum ModelledCard: String, Hashable, Sendable, CaseIterable {
  /// A card of plastic with a chip.
  case chip
  /// A phone.
  case phone

  /// The time of the card for a response.
  func time(of work: ModelledExchange.Work) -> TimeRange {
    switch (self, work) {
    case (.chip, .plain): LinkConstants.chipCommand.time
    case (.chip, .cryptogram): LinkConstants.chipCommand.time + LinkConstants.chipCryptogram.time
    case (.chip, .signature(let bits)):
      LinkConstants.chipCommand.time + LinkConstants.chipCryptogram.time + SignatureTime.range(bits: bits)
    case (.phone, .plain): LinkConstants.phoneCommand.time
    // The processor of a phone signs in less than the spread of its times.
    case (.phone, .cryptogram), (.phone, .signature): LinkConstants.phoneCryptogram.time
    }
  }

  /// The largest frame that it receives.
  var frame: Int { (self == .chip ? LinkConstants.chipFrame : LinkConstants.phoneFrame).number }

  /// The levels of anticollision: one for each four bytes of the identifier that a level carries.
  var levels: Int {
    let bytes = (self == .chip ? LinkConstants.chipIdentifier : LinkConstants.phoneIdentifier).number
    return (bytes + 1) / 4
  }
}
