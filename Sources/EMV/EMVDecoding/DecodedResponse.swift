internal import EMVData
internal import ISO7816
internal import Octets

/// Decodes a response APDU as the response to its command.
struct DecodedResponse {
  let octets: [UInt8]
  /// The command, or the command whose response GET RESPONSE fetches; nil when it is unknown.
  let command: [UInt8]?
  /// Whether an earlier response holds the first part.
  let isContinuation: Bool
  let context: DecodingContext
  let style: DecodedStyle
  private let objects: DecodedObjects

  init(octets: [UInt8], command: [UInt8]?, isContinuation: Bool, context: DecodingContext, style: DecodedStyle) {
    (self.octets, self.command, self.isContinuation) = (octets, command, isContinuation)
    (self.context, self.style) = (context, style)
    objects = DecodedObjects(octets: octets, style: style)
  }

  /// The whole response: its data in parts, then its status word.
  var node: DecodedNode {
    let whole = 0..<octets.count
    guard let status else {
      let reason = octets.count < 2 ? "a response has at least two bytes" : "no status word (6xxx or 9xxx) at the end"
      let fault = DecodedNode(.fault, "cut off", reason, range: octets.count..<octets.count)
      return DecodedNode(.group, "response", range: whole, children: data(whole, false) + [fault])
    }
    let end = octets.count - 2
    let word = DecodedNode(.field, "SW", "\(status) \(status.text)", range: end..<octets.count)
    let isPart = status.rawValue >> 8 == 0x61 && end > 0
    return DecodedNode(.group, "response", "\(status)", range: whole, children: data(0..<end, isPart) + [word])
  }

  /// The status word, or nil when the last two bytes cannot be one: SW1 is 61 to 6F or 90 to 9F (ISO/IEC 7816-4:2013,
  /// 5.6).
  private var status: StatusWord? {
    guard let response = try? ResponseAPDU(parsing: octets.span) else { return nil }
    return [0x6, 0x9].contains(response.status.rawValue >> 12) ? response.status : nil
  }

  private func data(_ range: Range<Int>, _ isPart: Bool) -> [DecodedNode] {
    guard !range.isEmpty else { return [] }
    if isContinuation || isPart { return [DecodedNode(.octets, "part of a response", shown(range), range: range)] }
    let ins = command.flatMap { $0.count >= 4 ? $0[1] : nil }
    if let log = logRecord(range) { return log }
    if ins == 0x84 || ins == 0x20 { return [objects.unexplained("data", range)] }
    let nodes = objects.objects(in: range)
    if ins == Instruction.readRecord, !isStructured(nodes, range, byTemplate: true) {
      let octets = Array(octets[range])
      // The record of an unknown application may hold a number without a check digit, such as that of a bank account.
      let masked = MaskedOctets(octets, hiding: objects.hidden(in: range), runsFrom: AccountNumberSearch.minimumDigits)
      let text = style.unmasked ? octets.hex : masked.text
      return [DecodedNode(.octets, "record", text, range: range)]
    }
    return isStructured(nodes, range) ? formatted(nodes, ins) : [objects.unexplained("data", range)]
  }

  /// Whether bytes are data objects and do not only look like some: the first one is known, or all are well-formed and
  /// no account number extends over their tags and lengths.
  ///
  /// A record is a template (EMV 4.4 Book 3, 6.5.11.4); other bytes in a record are proprietary.
  private func isStructured(_ nodes: [DecodedNode], _ range: Range<Int>, byTemplate: Bool = false) -> Bool {
    guard let first = nodes.first, let tag = first.tag, first.range.lowerBound == range.lowerBound,
      tag.isConstructed || !byTemplate
    else { return false }
    let isKnown = DataElement.named(tag) != nil
    if isKnown, tag.isConstructed { return true }
    guard !nodes.contains(where: { $0.fault != nil }), nodes.count == 1 || !byTemplate else { return false }
    return isKnown || tag.isConstructed || !AccountNumberSearch.mayHoldAccountNumber(Array(octets[range]))
  }

  // An account number may begin in one part and end in the next.
  private func shown(_ range: Range<Int>) -> String {
    style.unmasked ? octets[range].hex : "(\(range.count.bytes))"
  }

  /// A record of the transaction log, which has no tags (EMV 4.4 Book 3, annex D4).
  private func logRecord(_ range: Range<Int>) -> [DecodedNode]? {
    guard let command, command.count >= 4, command[1] == Instruction.readRecord, let file = context.logFile,
      command[3] >> 3 == file, let format = context.logFormat, format.valueCount == range.count
    else { return nil }
    return [DecodedNode(.group, "log record", range: range, children: objects.values(of: format, in: range))]
  }

  /// Responses of format 1 hold their values without tags (EMV 4.4 Book 3, 6.5.5.4, 6.5.8.4 and 6.5.9.4).
  private func formatted(_ nodes: [DecodedNode], _ ins: UInt8?) -> [DecodedNode] {
    guard var node = nodes.first, node.tag == .responseFormat1, nodes.count == 1, node.children.isEmpty else {
      return nodes
    }
    let count = node.content.count
    let entries: [(Tag, Int)]
    switch ins {
    case Instruction.getProcessingOptions where count >= 2:
      entries = [(.applicationInterchangeProfile, 2), (.applicationFileLocator, count - 2)]
    case Instruction.generateAC where count >= 11:
      entries = [
        (.cryptogramInformationData, 1), (.applicationTransactionCounter, 2), (.applicationCryptogram, 8),
        (.issuerApplicationData, count - 11),
      ]
    case 0x88: entries = [(0x9F4B, count)]
    // Entropy, minimum and maximum processing time, estimated transmission time (kernels 2 and 8).
    case 0xEA where count == 10: entries = [(0xDF8302, 4), (0xDF8303, 2), (0xDF8304, 2), (0xDF8305, 2)]
    default: return nodes
    }
    let list = DataObjectList(entries: entries.filter { $0.1 > 0 }.map { DataObjectList.Entry(tag: $0.0, count: $0.1) })
    node.children = objects.values(of: list, in: node.content)
    return [node]
  }
}
