import EMVData
import EMVTerminal
import ISO7816
import Octets

/// A card made of data objects. It returns the objects that the test gives it, valid or not.
struct CardDouble {
  struct Application {
    var name: [UInt8]
    var pdol: [UInt8]? = CardDouble.pdol
    var label = "VISA"
    var options: [TLVNode] = CardDouble.options()
    var records: [[UInt8]: [TLVNode]] = [:]
    /// Status words in place of a response.
    var selectStatus: StatusWord?
    var optionsStatus: StatusWord?
  }

  var directory: [TLVNode]
  var applications: [Application]
  /// Responses in place of the built ones, by the number of the command: 0 is the directory.
  var replacements: [Int: ResponseAPDU] = [:]
  private(set) var commands: [CommandAPDU] = []
  private var selected: Int?

  init(_ applications: [Application] = [Application(name: CardDouble.visa)], directory: [TLVNode]? = nil) {
    self.applications = applications
    self.directory =
      directory ?? applications.enumerated().map { Self.entry($1.name, priority: UInt8($0 + 1)) }
  }

  static let visa = octets("A0000000031010")
  static let electron = octets("A0000000032010")
  static let pdol = octets("9F66049F02069F03069F1A0295055F2A029A039C019F3704")
  static let track = octets("4761739001010010D27122011234567890")

  static func entry(
    _ name: [UInt8], priority: UInt8? = nil, kernel: [UInt8]? = [3], extended: [UInt8]? = nil
  ) -> TLVNode {
    var children = [TLVNode(.adfName, name)]
    if let priority { children.append(TLVNode(.applicationPriorityIndicator, [priority])) }
    if let kernel { children.append(TLVNode(.kernelIdentifier, kernel)) }
    if let extended { children.append(TLVNode(0x9F29, extended)) }
    return TLVNode(.applicationTemplate, children)
  }

  /// The data objects of a complete qVSDC response: CDCVM performed, ARQC.
  static func options(_ changes: [Tag: [UInt8]?] = [:]) -> [TLVNode] {
    let whole: [(Tag, [UInt8])] = [
      (0x82, octets("0040")), (0x9F36, octets("002D")), (0x9F26, octets("5B3617315A36DABD")),
      (0x9F10, octets("06011203A00000")), (0x57, track), (0x5F34, [0x01]), (0x9F6C, octets("0080")),
      (0x9F6E, octets("23880000")),
    ]
    let kept = whole.compactMap { tag, value -> TLVNode? in
      guard let change = changes[tag] else { return TLVNode(tag, value) }
      return change.map { TLVNode(tag, $0) }
    }
    let added = changes.filter { change in !whole.contains { $0.0 == change.key } }.sorted { $0.key < $1.key }
    return kept + added.compactMap { change in change.value.map { TLVNode(change.key, $0) } }
  }

  mutating func answer(_ command: CommandAPDU) -> ResponseAPDU {
    defer { commands.append(command) }
    let built = built(command)
    return replacements[commands.count] ?? built
  }

  private mutating func built(_ command: CommandAPDU) -> ResponseAPDU {
    switch command.ins {
    case Instruction.select: return select(command.data)
    case Instruction.getProcessingOptions:
      guard let selected else { return ResponseAPDU(status: .conditionsNotSatisfied) }
      if let status = applications[selected].optionsStatus { return ResponseAPDU(status: status) }
      return ResponseAPDU(data: TLVNode(.responseFormat2, applications[selected].options).encoded)
    case Instruction.readRecord:
      guard let selected, let record = applications[selected].records[[command.p2 >> 3, command.p1]] else {
        return ResponseAPDU(status: .recordNotFound)
      }
      return ResponseAPDU(data: TLVNode(.recordTemplate, record).encoded)
    default: return ResponseAPDU(status: .instructionNotSupported)
    }
  }

  private mutating func select(_ name: [UInt8]) -> ResponseAPDU {
    if name == FileControlInformation.ppseName {
      let discretionary = TLVNode(.fciIssuerDiscretionaryData, directory)
      return information(name, [discretionary])
    }
    guard let index = applications.firstIndex(where: { name.starts(with: $0.name) || $0.name.starts(with: name) })
    else { return ResponseAPDU(status: .notFound) }
    let application = applications[index]
    if let status = application.selectStatus { return ResponseAPDU(status: status) }
    selected = index
    let pdol = application.pdol.map { [TLVNode(.pdol, $0)] } ?? []
    return information(application.name, [TLVNode(.applicationLabel, Array(application.label.utf8))] + pdol)
  }

  func information(_ name: [UInt8], _ proprietary: [TLVNode]) -> ResponseAPDU {
    let children = [TLVNode(.dfName, name), TLVNode(.fciProprietaryTemplate, proprietary)]
    return ResponseAPDU(data: TLVNode(.fciTemplate, children).encoded)
  }
}

// swift-format-ignore: NeverUseForceTry
func octets(_ hex: String) -> [UInt8] { try! [UInt8](hex: hex) }
