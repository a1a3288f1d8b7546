/// What lies between a terminal and the computation of a card: card, air and reader.
public struct LinkChain: Hashable, Sendable, CustomStringConvertible {
  /// What answers.
  public var card = ModelledCard.chip
  /// The bit rate.
  public var rate = BitRate.kbit106
  /// The reader.
  public var reader = ModelledReader.builtIn
  /// The largest frame of both sides, 16...256; nil for what card and reader have.
  public var frame: Int?
  /// Whether the card has its signature before the tap begins.
  public var hasSignature = false

  /// Creates a chain of a chip card, 106 kbit/s and a reader inside the terminal.
  public init() {}

  private enum Choice {
    case card(ModelledCard), rate(BitRate), reader(ModelledReader)

    /// The kind of the link: a chain has one of each.
    var kind: Int {
      switch self {
      case .card: 0
      case .rate: 1
      case .reader: 2
      }
    }
  }

  private static let choices: [(name: String, choice: Choice)] =
    BitRate.allCases.map { ($0.rawValue, .rate($0)) } + [
      ("acr122u", .reader(.acr122u)), ("acr1252u", .reader(.acr1252u)),
      ("pn532-uart", .reader(.pn532UART(bitsPerSecond: LinkConstants.serialRate.number))),
      ("pn532-i2c", .reader(.pn532I2C)), ("phone", .card(.phone)),
    ]

  /// The names of links that can be chained.
  public static let names = choices.map(\.name)

  /// Creates a chain from names of links with commas between, such as `phone,106k,acr122u`. What is left out is as in
  /// `init()`.
  ///
  /// - Throws: `LinkChainError` for an unknown name, and for two links of one kind.
  public init(parsing text: String) throws(LinkChainError) {
    var kinds: [Int: String] = [:]
    for name in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      guard let choice = Self.choices.first(where: { $0.name == name })?.choice else { throw .unknown(name) }
      if let other = kinds[choice.kind] { throw .conflict(other, name) }
      kinds[choice.kind] = name
      switch choice {
      case .card(let card): self.card = card
      case .rate(let rate): self.rate = rate
      case .reader(let reader): self.reader = reader
      }
    }
  }

  /// Card, bit rate and reader in words.
  public var description: String {
    let place =
      switch reader {
      case .builtIn: "a reader inside the terminal"
      case .acr122u: "an ACR122U"
      case .acr1252u: "an ACR1252U"
      case .pn532UART(let rate): "a PN532 on a serial line of \(rate) bit/s"
      case .pn532I2C: "a PN532 on I2C"
      }
    return "\(card == .chip ? "a chip card" : "a phone") at \(rate.rawValue.dropLast()) kbit/s and \(place)"
  }

  /// The largest data of a block to the card.
  var commandBlock: Int { (frame ?? card.frame) - LinkConstants.blockBytes.number }

  /// The largest data of a block to the reader.
  var responseBlock: Int { (frame ?? reader.frame) - LinkConstants.blockBytes.number }
}

/// Names that are no chain of links.
public enum LinkChainError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No link has this name.
  case unknown(String)
  /// Two links of one kind.
  case conflict(String, String)

  /// What is wrong, with the names that exist.
  public var description: String {
    switch self {
    case .unknown(let name): "\"\(name)\" is no link: the links are \(LinkChain.names.joined(separator: ", "))"
    case .conflict(let first, let second): "\(first) and \(second) exclude each other: a chain has one link of a kind"
    }
  }
}
