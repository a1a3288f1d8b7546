public import EMVData
public import ISO7816
internal import Octets

/// What earlier exchanges have taught: the lists that say how later data are laid out.
///
/// Decode an exchange with it, then let it learn from the exchange:
/// ```
/// var context = DecodingContext()
/// for (command, response) in exchanges {
///   let (asked, answered) = context.decode(command: command, response: response)
///   print(asked, answered, separator: "\n")
/// }
/// ```
public struct DecodingContext: Equatable, Sendable {
  /// The selected application, or nil.
  public private(set) var application: AID?
  /// What the selected application wants in GET PROCESSING OPTIONS (tag 9F38).
  public private(set) var pdol: DataObjectList?
  /// What it wants in the first GENERATE AC (tag 8C).
  public private(set) var cdol1: DataObjectList?
  /// What it wants in the second GENERATE AC (tag 8D).
  public private(set) var cdol2: DataObjectList?
  /// What it wants in INTERNAL AUTHENTICATE (tag 9F49).
  public private(set) var ddol: DataObjectList?
  /// What it wants in COMPUTE CRYPTOGRAPHIC CHECKSUM (kernel 2, tag 9F69).
  public private(set) var udol: DataObjectList?
  /// How its log records are laid out (tag 9F4F).
  public private(set) var logFormat: DataObjectList?
  /// The file of its log records (tag 9F4D, first octet).
  public private(set) var logFile: UInt8?

  private var cryptogramCount = 0
  /// The command whose answer is fetched by GET RESPONSE, and what has come of the answer.
  private var awaited: Awaited?

  private struct Awaited: Equatable {
    let command: [UInt8]
    let data: [UInt8]
  }

  /// Creates a context that knows nothing.
  public init() {}

  /// Whether a command goes on with an answer of which a part has come.
  private func isContinuation(_ command: [UInt8]) -> Bool {
    command.count >= 4 && command[1] == Instruction.getResponse && awaited?.data.isEmpty == false
  }

  /// A command in words.
  ///
  /// - Parameter unmasked: Whether account numbers, track data and names are shown. A PIN never is.
  public func decoded(command: [UInt8], unmasked: Bool = false) -> DecodedNode {
    let style = DecodedStyle(unmasked: unmasked, application: application)
    return DecodedCommand(octets: command, context: self, style: style).node
  }

  /// A response in words, in the light of the command that it answers.
  ///
  /// - Parameters:
  ///   - command: The command as it was sent; nil when it is unknown.
  ///   - unmasked: Whether account numbers, track data and names are shown.
  public func decoded(response: [UInt8], to command: [UInt8]? = nil, unmasked: Bool = false) -> DecodedNode {
    // The answer to SELECT is in the words of the application that it names.
    var named = self
    if let command, effective(command).dropFirst().first == Instruction.select {
      named.learn(command: command, response: response)
    }
    let style = DecodedStyle(unmasked: unmasked, application: named.application ?? application)
    return DecodedResponse(
      octets: response, command: command.map(effective), isContinuation: command.map(isContinuation) ?? false,
      context: self, style: style
    ).node
  }

  /// Puts an exchange into words and learns from it.
  public mutating func decode(
    command: [UInt8], response: [UInt8], unmasked: Bool = false
  ) -> (command: DecodedNode, response: DecodedNode) {
    let asked = decoded(command: command, unmasked: unmasked)
    let answered = decoded(response: response, to: command, unmasked: unmasked)
    learn(command: command, response: response)
    return (asked, answered)
  }

  /// Learns from an exchange: the application that was selected, the lists that came with the answer.
  public mutating func learn(command: [UInt8], response: [UInt8]) {
    let effective = effective(command)
    guard effective.count >= 4, let answer = try? ResponseAPDU(parsing: response.span) else { return }
    if case .wrongLength = answer.status.meaning { return }
    let data = (command[1] == Instruction.getResponse ? awaited?.data ?? [] : []) + answer.data
    awaited = nil
    switch answer.status.meaning {
    case .bytesRemaining: awaited = Awaited(command: effective, data: data)
    case .normal, .warning, .counter: learn(effective[1], data)
    default: break
    }
  }

  /// The command that GET RESPONSE stands for.
  private func effective(_ command: [UInt8]) -> [UInt8] {
    guard command.count >= 4, command[1] == Instruction.getResponse, let awaited else { return command }
    return awaited.command
  }

  private mutating func learn(_ ins: UInt8, _ data: [UInt8]) {
    let objects = DecodedObjects(octets: data, style: DecodedStyle(unmasked: false, application: nil))
      .objects(in: 0..<data.count).flatMap(\.all)
    func value(_ tag: Tag) -> [UInt8]? { objects.first { $0.tag == tag }.map { Array(data[$0.content]) } }
    func list(_ tag: Tag) -> DataObjectList? { value(tag).flatMap { try? DataObjectList(parsing: $0) } }
    if ins == Instruction.select {
      self = DecodingContext()
      application = value(.dfName).flatMap(AID.init)
    }
    if ins == Instruction.generateAC { cryptogramCount += 1 }
    pdol = list(.pdol) ?? pdol
    cdol1 = list(.cdol1) ?? cdol1
    cdol2 = list(.cdol2) ?? cdol2
    ddol = list(.ddol) ?? ddol
    if application?.rid == [0xA0, 0x00, 0x00, 0x00, 0x04] { udol = list(.cardAuthenticationRelatedData) ?? udol }
    logFormat = list(.logFormat) ?? logFormat
    logFile = value(.logEntry)?.first ?? logFile
  }

  /// The list of the GENERATE AC that is next; the other one when only that fits the length.
  func cryptogramList(for count: Int) -> DataObjectList? {
    let (next, other) = cryptogramCount == 0 ? (cdol1, cdol2) : (cdol2, cdol1)
    if let next, next.valueCount == count { return next }
    if let other, other.valueCount == count { return other }
    return next ?? other
  }
}
