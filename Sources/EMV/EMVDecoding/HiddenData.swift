internal import EMVData

/// The account numbers and names that masked values hide.
struct HiddenData: Equatable, Sendable {
  // Those of a whole recording are collected once, and shared by all its commands and responses.
  private var numbers: [KnownNumbers] = []
  private var names: [[UInt8]] = []

  init(_ data: CardholderData) { self = HiddenData().with(data) }

  init() {}

  /// Returns this and the data of one command or response.
  func with(_ data: CardholderData) -> HiddenData {
    var all = self
    let known = data.knownNumbers
    if !known.isEmpty { all.numbers.append(known) }
    all.names += HolderNames.spellings(of: data.names)
    return all
  }

  /// The half bytes of the account numbers and names in bytes.
  func places(in octets: [UInt8]) -> Set<Int> {
    var places = Set(numbers.flatMap { $0.places(in: octets) }.flatMap(\.digits))
    for name in names {
      for start in octets.indices.dropLast(name.count - 1) where octets[start...].starts(with: name) {
        places.formUnion(start * 2..<(start + name.count) * 2)
      }
    }
    return places
  }
}
