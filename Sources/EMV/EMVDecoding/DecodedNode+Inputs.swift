internal import EMVData
internal import ISO7816
internal import Octets

extension DecodedNode {
  /// Decodes data objects up to the first error.
  ///
  /// - Parameter unmasked: Whether account numbers, track data and names are shown.
  public init(dataObjects octets: [UInt8], unmasked: Bool = false) {
    self.init(dataObjects: octets, nil, isAlone: false, unmasked)
  }

  /// Decodes data objects of an application, or without one of that which the objects show.
  ///
  /// - Parameter isAlone: Whether values of an unknown application are named as each scheme defines them.
  init(dataObjects octets: [UInt8], _ application: AID?, isAlone: Bool, _ unmasked: Bool) {
    let plain = DecodedNode(octets, DecodedStyle(.none, application: application))
    let application = application ?? InferredApplication.of(plain, in: octets)
    let kernel = application.flatMap(ContactlessKernel.init)
    let data = unmasked ? CardholderData() : CardholderData(in: octets, as: plain, from: .response, kernel: kernel)
    var style = DecodedStyle(unmasked: unmasked, application: application, hiding: HiddenData(data))
    style.namesOtherReadings = isAlone
    self.init(octets, style)
  }

  private init(_ octets: [UInt8], _ style: DecodedStyle) {
    let nodes = DecodedObjects(octets: octets, style: style).objects(in: 0..<octets.count)
    self.init(.group, "data objects", range: 0..<octets.count, children: nodes)
  }

  /// Decodes a data object list: tags and lengths.
  public init(dataObjectList octets: [UInt8]) {
    let style = DecodedStyle(.masked, application: nil)
    var nodes: [DecodedNode] = []
    var offset = 0
    while offset < octets.count {
      guard let tag = Tag(prefixOf: octets[offset...]), offset + tag.octetCount < octets.count else {
        let reason = "the list is cut off or malformed at offset \(offset)"
        nodes.append(DecodedNode(.fault, "malformed", reason, range: offset..<octets.count))
        break
      }
      let end = offset + tag.octetCount + 1
      let text = Int(octets[end - 1]).bytes
      nodes.append(DecodedNode(.object, style.label(tag), text, tag: tag, range: offset..<end, content: end..<end))
      offset = end
    }
    self.init(.group, "data object list", range: 0..<octets.count, children: nodes)
  }

  /// Decodes an answer to reset; bytes that are not one give a single fault node.
  ///
  /// - Parameter cards: The list that names the card; nil for an answer without a name.
  public init(answerToReset octets: [UInt8], cards: ATRNameList? = nil) {
    let whole = 0..<octets.count
    do throws(AnswerToReset.Fault) {
      self.init(answer: try AnswerToReset(parsing: octets), cards?.names(of: octets) ?? [])
    } catch {
      let fault = DecodedNode(.fault, "malformed", error.description, range: whole)
      self.init(.group, "answer to reset", range: whole, children: [fault])
    }
  }

  private init(answer: AnswerToReset, _ names: [String]) {
    let octets = answer.octets
    var fields = [
      DecodedNode(
        .field, "TS", "\(octets[0].hex) \(octets[0] == 0x3B ? "direct" : "inverse") convention", range: 0..<1),
      DecodedNode(.field, "T0", "\(octets[1].hex) \(answer.historicalBytes.count) historical bytes", range: 1..<2),
    ]
    for (index, character) in answer.interfaceCharacters.enumerated() {
      fields.append(DecodedNode(.field, character.name, character.value.hex, range: index + 2..<index + 3))
    }
    let start = 2 + answer.interfaceCharacters.count
    let end = start + answer.historicalBytes.count
    if start < end {
      let words = answer.storageCard.map { ["\($0)"] } ?? []
      fields.append(
        DecodedNode(.octets, "historical bytes", answer.historicalBytes.hex, details: words, range: start..<end))
    }
    if end < octets.count {
      fields.append(DecodedNode(.field, "TCK", "\(octets[end].hex) right", range: end..<octets.count))
    }
    let protocols = answer.protocols.map { "T=\($0)" }.joined(separator: ", ")
    self.init(
      .group, "answer to reset", protocols, details: names, range: 0..<octets.count, children: fields)
  }
}
