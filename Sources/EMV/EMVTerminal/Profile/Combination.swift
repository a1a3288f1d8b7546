public import EMVData
public import ISO7816

/// A combination of one AID and one kernel (EMV Contactless Book B v2.11, 3.1).
public struct Combination: Sendable {
  /// The name of the application in the terminal profile.
  public let name: String
  /// The whole AID, or the beginning of the AIDs, that the combination takes.
  public let aid: AID
  /// The kernel's identifier.
  public let identifier: KernelIdentifier
  /// The kernel with its settings.
  public let kernel: any ConfiguredKernel
  /// Whether an amount of zero is taken (3.1.1.4).
  public let zeroAmountAllowed: Bool
  /// Whether tag 9F29 of the directory entry is appended to the selected name (3.3.2.5, step E).
  public let extendedSelection: Bool
  /// The types of transactions that the combination is for; nil for all.
  public let transactionTypes: Set<TransactionType>?
  /// What the profile sets for the outcomes.
  public let outcomes: OutcomeSettings

  // Whether one of these types, or of all when nil, is a type of the combination.
  func shares(_ types: Set<TransactionType>?) -> Bool {
    guard let transactionTypes, let types else { return true }
    return !transactionTypes.isDisjoint(with: types)
  }

  // Whether the combination belongs to the set of a transaction type.
  func takes(_ type: TransactionType) -> Bool { transactionTypes?.contains(type) ?? true }
}
