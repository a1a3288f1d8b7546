internal import ISO7816
internal import Octets

/// Checks a directory and collects all problems.
struct DirectoryCheck {
  typealias Problem = ProximityPaymentSystemEnvironmentError.Problem

  /// The longest tag of a directory, in bytes: all that EMV defines have one or two.
  static let maximumTagCount = 2
  /// The longest label, in characters (EMV 4.4 Book 1, 12.2.4).
  static let labelCounts = 1...16

  private(set) var problems: [Problem] = []

  mutating func report(_ path: String, _ message: String) {
    problems.append(Problem(path: path, message: message))
  }

  mutating func count(_ count: Int) {
    let limit = ProximityPaymentSystemEnvironment.maximumCount
    if count > limit { report("", "\(count.bytes): the limit is \(limit)") }
  }

  /// Checks template 6F at all levels.
  mutating func template(_ nodes: [TLVNode]) {
    if nodes.count > 1 { report("", "\(nodes.count) data objects: one template 6F is needed") }
    guard let template = nodes.first, template.tag == .fciTemplate else {
      return report("", "template 6F is missing")
    }
    tags(template, "6F")
    if let name = one(.dfName, of: template, "6F"), name.value != FileControlInformation.ppseName {
      report("6F.84", "the name is not that of the directory, 2PAY.SYS.DDF01")
    }
    guard let proprietary = one(.fciProprietaryTemplate, of: template, "6F"),
      let list = one(.fciIssuerDiscretionaryData, of: proprietary, "6F.A5")
    else { return }
    entries(list.children.filter { $0.tag == .applicationTemplate })
  }

  private mutating func entries(_ entries: [TLVNode]) {
    if entries.isEmpty { report("6F.A5.BF0C", "no application, template 61, is listed") }
    for (index, entry) in entries.enumerated() {
      let path = "6F.A5.BF0C.61[\(index)]"
      length(one(.adfName, of: entry, path), path, AID.counts)
      length(single(.applicationLabel, of: entry, path), path, Self.labelCounts)
      length(single(.applicationPriorityIndicator, of: entry, path), path, 1...1)
      length(single(.kernelIdentifier, of: entry, path), path, ProximityPaymentSystemEnvironment.kernelIdentifierCounts)
    }
  }

  private mutating func length(_ node: TLVNode?, _ path: String, _ counts: ClosedRange<Int>) {
    guard let node, !counts.contains(node.value.count) else { return }
    let range = counts.lowerBound == counts.upperBound ? "\(counts.lowerBound)" : "\(counts)"
    report("\(path).\(node.tag)", "\(node.value.count.bytes): \(range) are needed")
  }

  /// Returns a data object that must occur once.
  private mutating func one(_ tag: Tag, of parent: TLVNode, _ path: String) -> TLVNode? {
    let found = single(tag, of: parent, path)
    if found == nil { report(path, "tag \(tag) is missing") }
    return found
  }

  /// Returns a data object that may occur at most once.
  private mutating func single(_ tag: Tag, of parent: TLVNode, _ path: String) -> TLVNode? {
    let found = parent.children.filter { $0.tag == tag }
    if found.count > 1 { report("\(path).\(tag)", "occurs \(found.count) times: once is allowed") }
    return found.first
  }

  private mutating func tags(_ node: TLVNode, _ path: String) {
    for child in node.children {
      let count = child.tag.encoded.count
      if count > Self.maximumTagCount {
        report(path, "tag \(child.tag) has \(count.bytes): the limit is \(Self.maximumTagCount)")
      }
      tags(child, "\(path).\(child.tag)")
    }
  }
}
