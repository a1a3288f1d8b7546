internal import Octets

/// One application of a card image: offsets and numbers only, so that the byte path copies it without a reference count.
struct ApplicationImage: Sendable {
  /// The AID.
  let aid: ArenaSlice
  /// The answer to SELECT, status word included.
  let selectResponse: ArenaSlice
  /// How many octets of PDOL values GET PROCESSING OPTIONS must bring.
  let pdolValueCount: Int
  /// The answer to GET PROCESSING OPTIONS, status word included, with holes for what each payment brings.
  let optionsResponse: ArenaSlice
  /// Where the transaction counter goes in that answer.
  let atcOffset: Int
  /// Where the cryptogram goes.
  let cryptogramOffset: Int
  /// Where the card transaction qualifiers go.
  let qualifiersOffset: Int
  /// What the cryptogram covers: steps of `CryptogramStep.count` octets.
  let cryptogramPlan: ArenaSlice
  /// Whether the last block of the cryptogram's data is padded with a leading 80.
  let hasMandatoryPadding: Bool
  /// The records: entries of `IndexEntry.count` octets.
  let records: ArenaSlice
  /// The data objects for GET DATA: entries of `IndexEntry.count` octets.
  let dataObjects: ArenaSlice
}

/// One step of a cryptogram plan: kind, offset (2 octets), count.
enum CryptogramStep {
  /// The octets of one step.
  static let count = 4
  /// From the values that the terminal sent.
  static let terminalValues: UInt8 = 0
  /// From the arena.
  static let constant: UInt8 = 1
  /// The transaction counter.
  static let transactionCounter: UInt8 = 2
}

/// One entry of a table in the arena: key (2 octets), offset (2), count (2).
enum IndexEntry {
  /// The octets of one entry.
  static let count = 6
}
