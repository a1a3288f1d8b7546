internal import EMVData
internal import ISO7816
internal import Octets

// What the card gave in GET PROCESSING OPTIONS and in its records.
struct CardData {
  private var values: [Tag: [UInt8]] = [:]
  // Tags that are a terminal's for kernel 3 and a card's for this kernel.
  private let ownTags: Set<Tag>

  init(kernel: UInt8 = 3) {
    ownTags = kernel == 2 ? [.numberPositionsTrack2] : []
  }

  func value(_ tag: Tag) -> [UInt8]? { values[tag] }

  // Primitive data objects only: a template that a terminal does not know has no meaning for it. What a card says of
  // the terminal's own data elements is passed over, so that it can never replace them.
  mutating func add(_ nodes: [TLVNode], _ phase: TransactionPhase) throws(StepFailure) {
    for node in nodes where !node.tag.isConstructed && isCards(node.tag) {
      // The transaction ends when a primitive data object comes twice (EMV 4.4 Book 3, 10.2; Book C-3, 5.4.2.2).
      guard values.updateValue(node.value, forKey: node.tag) == nil else {
        throw StepFailure(phase, .duplicate(node.tag))
      }
    }
  }

  private func isCards(_ tag: Tag) -> Bool {
    ownTags.contains(tag) || DataElement.named(tag)?.source != .terminal
  }

  // The answer to READ RECORD: one template 70 (EMV 4.4 Book 3, 6.5.11.4 and 7.1). A file of the payment system or the
  // issuer, SFI 11 to 30, may hold something else, which only offline data authentication would mind (10.3).
  mutating func addRecord(_ response: ResponseAPDU, sfi: UInt8) throws(StepFailure) {
    guard response.status.isOK else { throw StepFailure(.readRecords, .status(response.status)) }
    do throws(StepFailure) {
      try add(Self.record(response.data), .readRecords)
    } catch {
      if case .malformed = error.code, sfi > 10 { return }
      throw error
    }
  }

  private static func record(_ octets: [UInt8]) throws(StepFailure) -> [TLVNode] {
    let nodes: [TLVNode]
    do throws(TLVError) {
      nodes = try [TLVNode](parsing: octets.span)
    } catch { throw StepFailure(.readRecords, .malformed("the record is no BER-TLV: \(error)")) }
    guard nodes.count == 1, let template = nodes.first, template.tag == .recordTemplate else {
      throw StepFailure(.readRecords, .malformed("the record is not in one template 70"))
    }
    return template.children
  }
}
