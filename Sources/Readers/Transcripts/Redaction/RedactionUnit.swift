internal import EMVData
internal import EMVDecoding
internal import ISO7816
internal import Octets

/// The bytes of a command or of a whole response in a transcript.
///
/// The parts of a response that was fetched with GET RESPONSE make one unit, because a data object may begin in one
/// part and end in the next.
struct RedactionUnit {
  /// The place of a run of the bytes in the transcript.
  struct Place {
    let exchange: Int
    let isResponse: Bool
    /// The bytes of the command, or those of the response before its status word.
    let count: Int
  }

  let places: [Place]
  let octets: [UInt8]
  let node: DecodedNode
  /// The instruction of the command, or of the command of the response.
  let instruction: UInt8?
  /// The selected application.
  var application: AID?
  /// The kernel of the selected application.
  var kernel: ContactlessKernel? { application.flatMap(ContactlessKernel.init) }
  /// Whether a PC/SC reader answered by itself, with a card's identifier or answer to select.
  var isOfReader = false

  private var isRecord: Bool { isAnswer && instruction == Instruction.readRecord }
  // The response to GET CHALLENGE is a random number.
  private var isChallenge: Bool { isAnswer && instruction == 0x84 }

  /// Returns all units of a transcript, in order.
  static func units(of transcript: Transcript) -> [RedactionUnit] {
    var context = DecodingContext()
    return units(of: transcript.exchanges, &context)
  }

  /// Returns the units of exchanges, in order. The context is that before the first one, and becomes that after the last one.
  static func units(of exchanges: [Transcript.Exchange], _ context: inout DecodingContext) -> [RedactionUnit] {
    var units: [RedactionUnit] = []
    var parts = ResponseInParts()
    for (index, exchange) in exchanges.enumerated() {
      let place = Place(exchange: index, isResponse: false, count: exchange.command.count)
      units.append(
        RedactionUnit(
          places: [place], octets: exchange.command, node: context.structure(ofCommand: exchange.command),
          instruction: exchange.command.dropFirst().first, application: context.application))
      guard let response = exchange.response else { continue }
      units += parts.add(response, to: exchange.command, at: index, context)
      context.learn(command: exchange.command, response: response)
    }
    return units + parts.flush(context)
  }

  /// The account numbers and names in the bytes.
  var data: CardholderData { CardholderData(in: octets, as: node, from: source, kernel: kernel) }

  private var source: CardholderData.Source {
    guard isAnswer else { return .init(ofCommand: octets) }
    return isOfReader ? .reader : isChallenge ? .challenge : .response
  }

  /// Writes the bytes without cardholder data into the transcript.
  func redact(_ transcript: inout Transcript, with substitutes: Substitutes) {
    var redacted = octets
    for (leaf, cutOff) in Self.leaves(of: node) {
      if let cutOff, isAnswer, !isOfReader {
        redacted.replaceSubrange(cutOff, with: [UInt8](repeating: 0, count: cutOff.count))
      } else {
        redacted.replaceSubrange(leaf.content, with: self.redacted(leaf, Array(octets[leaf.content]), substitutes))
      }
    }
    if isRecord, !isWellFormedRecord { redacted = [UInt8](repeating: 0, count: octets.count) }
    redacted = withoutHiddenNumbers(Array(redacted.prefix(count)), substitutes)
    var offset = 0
    for place in places {
      let part = Array(redacted[offset..<offset + place.count])
      transcript.exchanges[place.exchange].replace(part, isResponse: place.isResponse)
      offset += place.count
    }
  }

  /// The number of bytes without the status word.
  private var count: Int { places.reduce(0) { $0 + $1.count } }

  /// Removes account numbers that extend over tags and lengths. The structure of such a response is wrong, so all of it
  /// becomes zeros.
  private func withoutHiddenNumbers(_ octets: [UInt8], _ substitutes: Substitutes) -> [UInt8] {
    guard !isOfReader else { return octets }
    let swept = isAnswer ? substitutes.sweptOfCertain(octets) : substitutes.swept(octets)
    return isAnswer && swept != octets ? [UInt8](repeating: 0, count: octets.count) : swept
  }

  /// Returns the nodes without children, and in place of a data object whose value is cut off its range.
  private static func leaves(of node: DecodedNode, depth: Int = 0) -> [(DecodedNode, cutOff: Range<Int>?)] {
    guard !node.children.isEmpty else { return [(node, nil)] }
    return node.children.indices.flatMap { index in
      let child = node.children[index]
      // A fault without bytes follows the data object whose value it cuts off.
      let isCut = node.children.dropFirst(index + 1).first.map { $0.kind == .fault && $0.range.isEmpty } ?? false
      // The template of a whole response is read as far as it was received.
      let isWholeResponse =
        depth == 0 && child.tag.map { $0.isConstructed && DataElement.named($0) != nil } ?? false
      return isCut && !isWholeResponse ? [(child, child.range)] : leaves(of: child, depth: depth + 1)
    }
  }

  private func redacted(_ leaf: DecodedNode, _ value: [UInt8], _ substitutes: Substitutes) -> [UInt8] {
    let zeros = [UInt8](repeating: 0, count: value.count)
    switch leaf.kind {
    case .field, .group: return value
    case .secret: return zeros
    case .object:
      return ElementRedaction(tag: leaf.tag, application: application, isAnswer: isAnswer, substitutes: substitutes)
        .redacted(value)
    case .fault, .octets:
      if isAnswer { return isOfReader ? value : isChallenge ? substitutes.swept(value) : zeros }
      // Values for the card's data object lists stay, or the recording would not replay: they are amounts and dates.
      let isDoubtful = source == .command && !AccountNumberSearch.suspectedNumbers(in: value).isEmpty
      return isDoubtful ? ElementRedaction.unknown(value, substitutes) : substitutes.swept(value)
    }
  }

  private var isAnswer: Bool { places.first?.isResponse ?? false }

  /// Whether the response is one template and nothing else (EMV 4.4 Book 3, 6.5.11.4), or a record of the transaction log
  /// whose parts the log format names (EMV 4.4 Book 3, annex D).
  private var isWellFormedRecord: Bool {
    let nodes = node.children.filter { $0.kind != .field }
    guard nodes.count == 1, node.fault == nil, nodes[0].range.lowerBound == 0 else { return false }
    let isLogRecord =
      nodes[0].kind == .group && !nodes[0].children.isEmpty && nodes[0].children.allSatisfy { $0.tag != nil }
    return nodes[0].tag?.isConstructed == true || isLogRecord
  }
}
