/// A change to a tap, with the time that it saves.
public struct Improvement: Hashable, Sendable, Encodable {
  /// The change in words.
  public let change: String
  /// What it saves.
  public let saved: TimeRange
}

extension TapBudget {
  /// The changes that save time, the best first.
  public var improvements: [Improvement] {
    let now = whole.whole
    let changes = records + frames + rates + signature + line
    return changes.compactMap { change, budget in
      let then = budget.whole.whole
      let saved = TimeRange(now.least - then.least, now.most - then.most)
      return saved.most > 0 ? Improvement(change: change, saved: saved) : nil
    }.sorted { ($0.saved.most, $0.saved.least) > ($1.saved.most, $1.saved.least) }
  }

  private typealias Change = (change: String, budget: TapBudget)

  private func changed(_ change: (inout LinkChain) -> Void) -> TapBudget {
    var chain = chain
    change(&chain)
    return TapBudget(of: exchanges, over: chain)
  }

  /// The same data in as few records as possible.
  private var records: [Change] {
    let isRecord = { (exchange: ModelledExchange) in exchange.name == "READ RECORD" }
    let records = exchanges.filter(isRecord)
    guard let first = records.first, let index = exchanges.firstIndex(where: isRecord) else { return [] }
    // A short response has 256 bytes and a status word.
    let data = records.reduce(0) { $0 + max($1.responseCount - 2, 0) }
    let counts = LinkChain.blocks(data, largest: 256)
    guard counts.count < records.count else { return [] }
    var merged = exchanges.filter { !isRecord($0) }
    merged.insert(
      contentsOf: counts.map {
        ModelledExchange(name: first.name, commandCount: first.commandCount, responseCount: $0 + 2)
      }, at: index)
    return [("\(records.count(of: "record")) merged to \(counts.count)", TapBudget(of: merged, over: chain))]
  }

  private var frames: [Change] {
    let now = chain.frame ?? min(chain.card.frame, chain.reader.frame)
    guard now < 256 else { return [] }
    return [("blocks of 256 bytes in place of \(now)", changed { $0.frame = 256 })]
  }

  private var rates: [Change] {
    BitRate.allCases.drop { $0 != chain.rate }.dropFirst().map { rate in
      ("\(rate.rawValue.dropLast()) kbit/s in place of \(chain.rate.rawValue.dropLast())", changed { $0.rate = rate })
    }
  }

  private var signature: [Change] {
    [("a signature that was made before the tap", changed { $0.hasSignature = true })]
  }

  private var line: [Change] {
    guard case .pn532UART(let now) = chain.reader else { return [] }
    let rate = LinkConstants.fastSerialRate.number
    return [
      ("a serial line of \(rate) bit/s in place of \(now)", changed { $0.reader = .pn532UART(bitsPerSecond: rate) })
    ]
  }
}

extension [ModelledExchange] {
  fileprivate func count(of name: String) -> String { "\(count) \(name)\(count == 1 ? "" : "s")" }
}
