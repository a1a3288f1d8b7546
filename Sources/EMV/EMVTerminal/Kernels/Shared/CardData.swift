internal import EMVCryptography
internal import EMVData
internal import ISO7816

// The data objects that the card sent: in the response to GET PROCESSING OPTIONS, in its records, with its cryptogram.
struct CardData {
  private(set) var values: [Tag: [UInt8]] = [:]
  // The records that take part in offline data authentication, in the order in which the AFL lists them.
  private(set) var signedRecords: [SignedRecord] = []
  // Tags that the data dictionary gives to the terminal, but this kernel to the card.
  var cardTags: Set<Tag> = []

  func value(_ tag: Tag) -> [UInt8]? { values[tag] }

  // Adds primitive data objects: a template that a terminal does not know has no meaning for it. Data elements of the
  // terminal are ignored, so that the card cannot replace them.
  mutating func add(_ nodes: [TLVNode], _ phase: TransactionPhase) throws(StepFailure) {
    for node in nodes where !node.tag.isConstructed && isFromCard(node.tag) {
      // The transaction ends when a primitive data object comes twice (EMV 4.4 Book 3, 10.2; Book C-3, 5.4.2.2).
      guard values.updateValue(node.value, forKey: node.tag) == nil else {
        throw StepFailure(phase, .duplicate(node.tag))
      }
    }
  }

  // Adds data objects in place of those of the same tags, such as those of a second cryptogram.
  mutating func replace(_ nodes: [TLVNode], _ phase: TransactionPhase) throws(StepFailure) {
    for node in nodes { values[node.tag] = nil }
    try add(nodes, phase)
  }

  private func isFromCard(_ tag: Tag) -> Bool {
    cardTags.contains(tag) || DataElement.named(tag)?.source != .terminal
  }

  // The response to READ RECORD: one template 70 (EMV 4.4 Book 3, 6.5.11.4 and 7.1). A file of the payment system or the
  // issuer, SFI 11 to 30, may hold another format, which only offline data authentication rejects (10.3).
  mutating func addRecord(_ response: ResponseAPDU, _ record: RecordReading.Record) throws(StepFailure) {
    guard response.status.isOK else { throw StepFailure(.readRecords, .status(response.status)) }
    if record.isSigned { signedRecords.append(SignedRecord(sfi: record.sfi, data: response.data)) }
    let objects: [TLVNode]
    do throws(StepFailure) {
      objects = try Self.record(response.data)
    } catch {
      if record.sfi > 10 { return }
      throw error
    }
    try add(objects, .readRecords)
  }

  private static func record(_ octets: [UInt8]) throws(StepFailure) -> [TLVNode] {
    let nodes: [TLVNode]
    do throws(TLVError) {
      nodes = try [TLVNode](parsing: octets.span)
    } catch { throw StepFailure(.readRecords, .malformed("the record is not BER-TLV: \(error)")) }
    guard nodes.count == 1, let template = nodes.first, template.tag == .recordTemplate else {
      throw StepFailure(.readRecords, .malformed("the record is not in one template 70"))
    }
    return template.children
  }
}
