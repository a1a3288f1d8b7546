/// A change of a card's state.
public enum CardAction: String, Sendable, CaseIterable {
  /// The issuer has identified the cardholder.
  case activate
  /// Stops the card until it is resumed.
  case suspend
  /// Ends a suspension.
  case resume
  /// Stops the card for good.
  case retire

  /// The state in which the action leaves a card that may no longer pay; nil for an action that permits payments.
  package var stopsPayments: DigitalCard.State? {
    switch self {
    case .suspend: .suspended
    case .retire: .retired
    case .activate, .resume: nil
    }
  }
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

  /// Whether a card in this state loses a right by another one.
  package func loses(by next: DigitalCard.State) -> Bool { next != .active && next != self }

  /// The state that an action leads to. For stores.
  ///
  /// - Throws: `WalletStoreError.stateForbids` when the state does not allow it.
  package func applying(_ action: CardAction) throws(WalletStoreError) -> DigitalCard.State {
    guard let next = after(action) else { throw .stateForbids(action, self) }
    return next
  }

  /// The sentence that refuses an action and names the possible ones.
  func refusal(of action: CardAction) -> String {
    let allowed = CardAction.allCases.filter { after($0) != nil }.map(\.rawValue)
    let rest = allowed.isEmpty ? "no action is possible" : "possible: \(allowed.joined(separator: ", "))"
    return "the card is \(rawValue), which does not allow to \(action.rawValue) it; \(rest)"
  }
}
