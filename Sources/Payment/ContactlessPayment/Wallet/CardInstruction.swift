/// What the cardholder or the issuer wants of a card in a wallet.
public enum CardInstruction: Equatable, Sendable {
  /// The card is removed with its keys and counters.
  case delete(String)
  /// Its state changes, as `DigitalCard.State.after` defines it.
  case apply(CardAction, to: String)
  /// Its state becomes another one, whatever it was.
  case setState(DigitalCard.State, of: String)
  /// The blocks of its applications end.
  case unblockApplications(of: String)
  /// The issuer no longer accepts the keys below a counter of each application, 1...65536. A payment that has reserved one
  /// keeps it.
  case removeKeys(of: String, below: [Int])

  /// The card that must not pay any more when it follows the instruction; nil for none.
  fileprivate var stoppedCard: String? {
    switch self {
    case .delete(let id): id
    case .apply(let action, let id): action.stopsPayments == nil ? nil : id
    case .setState(let state, let id): state == .active ? nil : id
    case .unblockApplications, .removeKeys: nil
    }
  }
}

extension Wallet {
  /// Makes cards follow instructions in their order, as one command: the device counts them once. A payment in progress with
  /// a card that must not pay any more ends.
  ///
  /// - Returns: What could not be done besides the changes.
  /// - Throws: The error of an instruction. Those before it were followed.
  @discardableResult
  public func follow(_ instructions: [CardInstruction]) async throws(WalletError) -> [WithdrawalWarning] {
    guard !instructions.isEmpty else { return [] }
    try configured()
    let change = { (store: any WalletStore) throws(WalletStoreError) in
      for instruction in instructions { try self.follow(instruction, in: store) }
    }
    do throws(WalletError) {
      let stopped = instructions.compactMap(\.stoppedCard)
      return stopped.isEmpty ? try await counted(change) : try await withdraw(from: stopped, change)
    } catch .store(.stateForbids(let action, let state)) {
      throw .cardStateDoesNotAllowRequestedOperation(state, action)
    }
  }

  private func follow(_ instruction: CardInstruction, in store: any WalletStore) throws(WalletStoreError) {
    switch instruction {
    case .delete(let id):
      try store.delete(id)
      slot.revoke(id, because: .cardRemoved)
    case .apply(let action, let id):
      try store.apply(action, to: id)
      if let state = action.stopsPayments { slot.revoke(id, because: .cardChanged(state)) }
    case .setState(let state, let id):
      try store.setState(state, of: id)
      if state != .active { slot.revoke(id, because: .cardChanged(state)) }
    case .unblockApplications(let id): try store.unblockApplications(of: id)
    case .removeKeys(let id, let counters): try store.removeKeys(of: id, below: counters)
    }
  }
}
