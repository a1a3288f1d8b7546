internal import EMVData
internal import EMVDecoding
internal import ISO7816
internal import Octets

/// The octets of a command or of a whole response in a transcript.
///
/// The parts of a response that was fetched with GET RESPONSE make one unit, because a data object may begin in one
/// part and end in the next.
struct RedactionUnit {
  /// The place of a run of the octets in the transcript.
  struct Place {
    let exchange: Int
    let isResponse: Bool
    /// The octets of the command, or those of the response before its status word.
    let count: Int
  }

  let places: [Place]
  let octets: [UInt8]
  let node: DecodedNode
  /// The instruction of the command, or of the command of the response.
  let instruction: UInt8?
  /// Whether a PC/SC reader answered by itself, with a card's identifier or answer to select.
  var isOfReader = false

  private var isRecord: Bool { isAnswer && instruction == Instruction.readRecord }
  // The response to GET CHALLENGE is a random number.
  private var isChallenge: Bool { isAnswer && instruction == 0x84 }

  /// Returns all units of a transcript, in order.
  static func units(of transcript: Transcript) -> [RedactionUnit] {
    var units: [RedactionUnit] = []
    var context = DecodingContext()
    var parts = ResponseInParts()
    for (index, exchange) in transcript.exchanges.enumerated() {
      let place = Place(exchange: index, isResponse: false, count: exchange.command.count)
      units.append(
        RedactionUnit(
          places: [place], octets: exchange.command, node: context.decoded(command: exchange.command),
          instruction: exchange.command.dropFirst().first))
      guard let response = exchange.response else { continue }
      units += parts.add(response, to: exchange.command, at: index, context)
      context.learn(command: exchange.command, response: response)
    }
    return units + parts.flush(context)
  }

  /// The account numbers in the data elements.
  var accountNumbers: [PrimaryAccountNumber] {
    node.leaves.compactMap { leaf in
      leaf.tag.flatMap { ElementRedaction.accountNumber($0, Array(octets[leaf.content])) }
    }
  }

  /// The cardholder names in the data elements.
  var names: [[UInt8]] {
    node.leaves.compactMap { leaf in leaf.tag.flatMap { ElementRedaction.name($0, Array(octets[leaf.content])) } }
  }

  /// Writes the octets without cardholder data into the transcript.
  func redact(_ transcript: inout Transcript, with substitutes: Substitutes) {
    var octets = octets
    for leaf in node.leaves {
      let value = Array(octets[leaf.content])
      octets.replaceSubrange(leaf.content, with: redacted(leaf, value, substitutes))
    }
    if isRecord, !isWellFormedRecord { octets = [UInt8](repeating: 0, count: octets.count) }
    var offset = 0
    for place in places {
      let part = Array(octets[offset..<offset + place.count])
      transcript.exchanges[place.exchange].replace(part, isResponse: place.isResponse)
      offset += place.count
    }
  }

  private func redacted(_ leaf: DecodedNode, _ value: [UInt8], _ substitutes: Substitutes) -> [UInt8] {
    let zeros = [UInt8](repeating: 0, count: value.count)
    switch leaf.kind {
    case .field, .group: return value
    case .secret: return zeros
    case .object: return ElementRedaction(tag: leaf.tag, substitutes: substitutes).redacted(value)
    case .fault, .octets:
      if isAnswer { return isChallenge || isOfReader ? value : zeros }
      // Values for the card's data object lists stay, or the recording would not replay: they are amounts and dates.
      let isDoubtful = !DataObjectListCommand.recognises(octets) && AccountNumberSearch.mayHoldAccountNumber(value)
      return isDoubtful ? ElementRedaction.unknown(value, substitutes) : ElementRedaction.swept(value, substitutes)
    }
  }

  private var isAnswer: Bool { places.first?.isResponse ?? false }

  /// Whether the response is one template and nothing else (EMV 4.4 Book 3, 6.5.11.4).
  private var isWellFormedRecord: Bool {
    let nodes = node.children.filter { $0.kind != .field }
    return nodes.count == 1 && nodes[0].tag?.isConstructed == true && node.fault == nil
      && nodes[0].range.lowerBound == 0
  }
}
