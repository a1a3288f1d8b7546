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

  /// For a store: the state that an action leads to.
  ///
  /// - Throws: `WalletStoreError.stateForbids` when the state does not allow it.
  package func applying(_ action: CardAction) throws(WalletStoreError) -> DigitalCard.State {
    guard let next = after(action) else { throw .stateForbids(action, self) }
    return next
  }

  /// Why an action is not allowed, and which ones are.
  func refusal(of action: CardAction) -> String {
    let allowed = CardAction.allCases.filter { after($0) != nil }.map(\.rawValue)
    let rest = allowed.isEmpty ? "nothing more can be done with it" : "possible: \(allowed.joined(separator: ", "))"
    return "the card is \(rawValue), which does not allow to \(action.rawValue) it; \(rest)"
  }
}
