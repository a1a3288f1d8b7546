/// What is done to a card in the course of its life.
public enum CardAction: String, Sendable, CaseIterable {
  /// The issuer has identified the holder.
  case activate
  /// Stops the card for a while.
  case suspend
  /// Ends a suspension.
  case resume
  /// Stops the card for good.
  case retire
}

extension DigitalCard.State {
  /// The state that an action leads to, or nil when the state does not allow it.
  public func after(_ action: CardAction) -> DigitalCard.State? {
    switch (self, action) {
    case (.inactive, .activate), (.suspended, .resume): .active
    case (.active, .suspend): .suspended
    case (.inactive, .retire), (.active, .retire), (.suspended, .retire): .retired
    case (.retired, _), (.inactive, _), (.active, _), (.suspended, _): nil
    }
  }
}
