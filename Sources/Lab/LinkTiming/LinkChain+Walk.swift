extension LinkChain {
  /// From WUPA until the card has answered RATS, in its parts. Higher bit rates are selected by PPS.
  func activation() -> TapParts {
    var parts = TapParts()
    let slow = BitRate.kbit106
    parts.air = slow.wakeUp + slow.cardFrame(2)
    parts.card = LinkConstants.cardDelay.time
    for _ in 0..<card.levels {
      parts.answer(to: 2, with: 5, at: slow, after: LinkConstants.cardDelay.time)
      parts.answer(to: 9, with: 3, at: slow, after: LinkConstants.cardDelay.time)
    }
    let delay = LinkConstants.acknowledgementDelay.time
    parts.answer(to: 4, with: LinkConstants.atsFrame.number, at: slow, after: delay)
    if rate != slow { parts.answer(to: 5, with: 3, at: slow, after: delay) }
    return parts
  }

  /// One exchange in its parts.
  func parts(of exchange: ModelledExchange) -> TapParts {
    var parts = TapParts()
    send(exchange.commandCount, &parts)
    compute(exchange.work, &parts)
    receive(exchange.responseCount, &parts)
    // The wait before the command. Waits before further frames of the exchange are added with those frames.
    parts.reader += LinkConstants.readerTurn.time + reader.work
    parts.host = reader.line(exchange)
    parts.terminal = LinkConstants.terminalTurn.time
    return parts
  }

  /// The blocks of a command. The card acknowledges each but the last.
  private func send(_ count: Int, _ parts: inout TapParts) {
    let blocks = Self.blocks(count, largest: commandBlock)
    for (index, block) in blocks.enumerated() {
      parts.air += rate.readerFrame(block + LinkConstants.blockBytes.number)
      guard index + 1 < blocks.count else { continue }
      parts.card += LinkConstants.acknowledgementDelay.time
      parts.air += rate.cardFrame(LinkConstants.acknowledgementBytes.number)
      parts.reader += LinkConstants.readerTurn.time
    }
  }

  /// The card's work. A card that needs longer than its frame waiting time permits asks for more time by S(WTX), and works on
  /// after the reader's response.
  private func compute(_ work: ModelledExchange.Work, _ parts: inout TapParts) {
    let time = card.time(of: hasSignature ? work.withoutSignature : work)
    let (least, most) = (Self.extensions(time.least, share: 1), Self.extensions(time.most, share: 0))
    parts.card += time
    let (frames, turn) = (extensionFrames, LinkConstants.readerTurn.time)
    parts.air += TimeRange(frames.least * least, frames.most * most)
    parts.reader += TimeRange(turn.least * least, turn.most * most)
  }

  /// The request and the response of one S(WTX).
  private var extensionFrames: TimeRange {
    rate.cardFrame(LinkConstants.waitingBytes.number) + rate.readerFrame(LinkConstants.waitingBytes.number)
  }

  /// How often a card asks for more time.
  ///
  /// - Parameter share: 0 for the earliest request, 1 for the latest.
  static func extensions(_ time: Int64, share: Int) -> Int64 {
    let part = share == 0 ? LinkConstants.waitingShare.least : LinkConstants.waitingShare.most
    let wait = LinkConstants.frameWaitingTime.time.least * part / 1_000
    return max(0, (time - 1) / wait)
  }

  /// The blocks of a response. The reader acknowledges each but the last.
  private func receive(_ count: Int, _ parts: inout TapParts) {
    let blocks = Self.blocks(count, largest: responseBlock)
    for (index, block) in blocks.enumerated() {
      parts.air += rate.cardFrame(block + LinkConstants.blockBytes.number)
      guard index + 1 < blocks.count else { continue }
      parts.reader += LinkConstants.readerTurn.time
      parts.air += rate.readerFrame(LinkConstants.acknowledgementBytes.number)
      parts.card += LinkConstants.acknowledgementDelay.time
    }
  }

  /// The data of each block of a message.
  static func blocks(_ count: Int, largest: Int) -> [Int] {
    let size = max(largest, 1)
    return stride(from: 0, to: max(count, 1), by: size).map { min(size, count - $0) }
  }
}

extension TapParts {
  /// Adds a frame of the reader and the card's response to it.
  fileprivate mutating func answer(to bytes: Int, with response: Int, at rate: BitRate, after delay: TimeRange) {
    reader += LinkConstants.readerTurn.time
    air += rate.readerFrame(bytes) + rate.cardFrame(response)
    card += delay
  }
}

extension ModelledExchange.Work {
  /// The same work with a signature that was made before.
  fileprivate var withoutSignature: Self { if case .signature = self { .cryptogram } else { self } }
}
