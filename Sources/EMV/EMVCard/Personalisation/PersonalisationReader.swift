internal import EMVData
internal import ISO7816
internal import Octets

/// Maps the data groupings of a file and collects all problems, so that one run reports them together.
struct PersonalisationReader {
  /// The response to SELECT.
  struct Information {
    var name: [UInt8]?
    var proprietary: [TLVNode] = []
  }

  /// The response to GET PROCESSING OPTIONS.
  struct Options {
    var objects: [TLVNode] = []
    var locator: ApplicationFileLocator?
  }

  let file: PersonalisationFile
  let schemes: [CardScheme]
  private(set) var problems: [PersonalisationError.Problem] = []
  private var taken: [Int: String] = [:]

  init(_ file: PersonalisationFile, _ schemes: [CardScheme]) {
    self.file = file
    self.schemes = schemes
    var seen: Set<UInt16> = []
    for grouping in file.groupings where !seen.insert(grouping.identifier).inserted {
      report("occurs more than once: a file holds one application", grouping)
    }
  }

  mutating func report(_ message: String, _ grouping: DataGrouping? = nil) {
    problems.append(.init(grouping: grouping?.identifier, offset: grouping?.offset ?? 0, message: message))
  }

  func finish() throws(PersonalisationError) {
    if !problems.isEmpty { throw PersonalisationError(problems) }
  }

  /// A sentence for each grouping.
  var notices: [String] {
    file.groupings.map { grouping in
      let head = "DGI \(grouping.identifier.hex), \(grouping.count.bytes): "
      if let use = taken[grouping.offset] { return head + use }
      return head + (grouping.isSecret ? "skipped unread, keys come from the issuer" : "skipped")
    }
  }

  /// The grouping of the first identifier that the file has, marked as taken.
  mutating func take(_ identifiers: [UInt16], for use: String) -> DataGrouping? {
    for identifier in identifiers {
      guard let grouping = file.groupings.first(where: { $0.identifier == identifier }) else { continue }
      taken[grouping.offset] = use
      return grouping
    }
    return nil
  }

  /// The data objects of a grouping; empty when they are wrong.
  mutating func objects(_ grouping: DataGrouping) -> [TLVNode] {
    do throws(TLVError) {
      return try [TLVNode](parsing: grouping.data.span)
    } catch {
      report("not BER-TLV: \(error)", grouping)
      return []
    }
  }

  mutating func applicationInformation() -> Information {
    guard let grouping = take([0x9103, 0x9102], for: "the response to SELECT") else {
      report("no DGI 9103 or 9102: the response to SELECT is needed")
      return Information()
    }
    let nodes = objects(grouping)
    let outer = nodes.first.flatMap { $0.tag == .fciTemplate ? $0.children : nil } ?? nodes
    guard let template = outer.first(where: { $0.tag == .fciProprietaryTemplate }) else {
      if !nodes.isEmpty || grouping.count == 0 { report("template A5 is missing", grouping) }
      return Information()
    }
    return Information(name: outer.first { $0.tag == .dfName }?.value, proprietary: template.children)
  }

  mutating func options() -> Options {
    let identifiers: [UInt16] = [0x9115, 0x9116, 0x9117, 0xB104, 0x9104]
    guard let grouping = take(identifiers, for: "the response to GET PROCESSING OPTIONS") else {
      report("no DGI 9115, 9116, 9117, B104 or 9104: the response to GET PROCESSING OPTIONS is needed")
      return Options()
    }
    var nodes = objects(grouping)
    if let template = nodes.first, template.tag == .responseFormat2 { nodes = template.children }
    if nodes.isEmpty { return Options() }
    if !nodes.contains(where: { $0.tag == .applicationInterchangeProfile }) { report("tag 82 is missing", grouping) }
    guard let list = nodes.first(where: { $0.tag == .applicationFileLocator }) else {
      report("tag 94 is missing", grouping)
      return Options(objects: nodes)
    }
    do throws(ApplicationFileLocator.Fault) {
      return Options(objects: nodes, locator: try ApplicationFileLocator(parsing: list.value))
    } catch {
      report("\(error)", grouping)
      return Options(objects: nodes)
    }
  }

  /// The records that the AFL names, in its order.
  mutating func records(named locator: ApplicationFileLocator?) -> [CardProfile.Record] {
    var records: [CardProfile.Record] = []
    for (sfi, number) in locator?.records ?? [] {
      let identifier = UInt16(sfi) << 8 | UInt16(number)
      guard let grouping = take([identifier], for: "SFI \(sfi) record \(number)") else {
        report("no DGI \(identifier.hex): the AFL names SFI \(sfi) record \(number)")
        continue
      }
      let nodes = objects(grouping)
      guard nodes.count == 1, nodes[0].tag == .recordTemplate else {
        if !nodes.isEmpty || grouping.count == 0 { report("one template 70 and nothing else is needed", grouping) }
        continue
      }
      records.append(
        CardProfile.Record(sfi: Int(sfi), record: Int(number), data: nodes[0].children.map(\.profileText)))
    }
    return records
  }
}

extension TLVNode {
  /// As a profile writes it: tag and value in hexadecimal.
  var profileText: String { "\(tag) \(value.hex)" }
}
