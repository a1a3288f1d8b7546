public import EMVData
public import ISO7816

/// The state of decoding: the data object lists of earlier responses, which define the layout of later data.
///
/// Decode the exchanges of a session in order with one context:
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
  /// The PDOL of the selected application (tag 9F38): the data of GET PROCESSING OPTIONS.
  public private(set) var pdol: DataObjectList?
  /// Its CDOL1 (tag 8C): the data of the first GENERATE AC.
  public private(set) var cdol1: DataObjectList?
  /// Its CDOL2 (tag 8D): the data of the second GENERATE AC.
  public private(set) var cdol2: DataObjectList?
  /// Its DDOL (tag 9F49): the data of INTERNAL AUTHENTICATE.
  public private(set) var ddol: DataObjectList?
  /// Its UDOL (tag 9F69 of kernel 2): the data of COMPUTE CRYPTOGRAPHIC CHECKSUM.
  public private(set) var udol: DataObjectList?
  /// The layout of its log records (tag 9F4F).
  public private(set) var logFormat: DataObjectList?
  /// The file of its log records (tag 9F4D, first byte).
  public private(set) var logFile: UInt8?

  /// Whether a value of an unknown application is also named as other schemes define its tag.
  var namesOtherReadings = false
  private let hidden: HiddenData
  private var cryptogramCount = 0
  /// The command whose response GET RESPONSE fetches, and the part of the response received so far.
  private var awaited: Awaited?

  private struct Awaited: Equatable {
    let command: [UInt8]
    let data: [UInt8]
  }

  /// Creates a context without lists.
  ///
  /// - Parameter hidden: What is masked in every value, beside the account numbers and names of the same command or
  ///   response: those of all exchanges that are shown together.
  public init(hiding hidden: CardholderData = CardholderData()) { self.init(HiddenData(hidden)) }

  private init(_ hidden: HiddenData) { self.hidden = hidden }

  /// Creates a context for a command or a response alone, with what its exchanges would have shown.
  ///
  /// - Parameters:
  ///   - application: The selected application.
  ///   - pdol: The list of GET PROCESSING OPTIONS.
  ///   - cdol: The list of GENERATE AC.
  ///   - hidden: As for `init(hiding:)`.
  public init(
    application: AID?, pdol: DataObjectList? = nil, cdol: DataObjectList? = nil,
    hiding hidden: CardholderData = CardholderData()
  ) {
    self.init(hiding: hidden)
    (self.application, self.pdol, cdol1) = (application, pdol, cdol)
  }

  private func style(_ wording: DecodedStyle.Wording, _ application: AID?, hiding data: HiddenData = HiddenData())
    -> DecodedStyle
  {
    var style = DecodedStyle(wording, application: application, hiding: data)
    style.namesOtherReadings = namesOtherReadings
    return style
  }

  /// Whether a command fetches the rest of a response of which a part was received.
  private func isContinuation(_ command: [UInt8]) -> Bool {
    command.count >= 4 && command[1] == Instruction.getResponse && awaited?.data.isEmpty == false
  }

  /// Returns a command in words.
  ///
  /// - Parameter unmasked: Whether account numbers, track data and names are shown. A PIN is never shown.
  public func decoded(command: [UInt8], unmasked: Bool = false) -> DecodedNode {
    guard !unmasked else { return decoded(command, style(.unmasked, application)) }
    let data = CardholderData(
      in: command, as: structure(ofCommand: command), from: .init(ofCommand: command), kernel: kernel)
    return decoded(command, style(.masked, application, hiding: hidden.with(data)))
  }

  /// Returns the places of the data objects of a command, without words.
  public func structure(ofCommand command: [UInt8]) -> DecodedNode {
    decoded(command, DecodedStyle(.none, application: application))
  }

  private func decoded(_ command: [UInt8], _ style: DecodedStyle) -> DecodedNode {
    DecodedCommand(octets: command, context: self, style: style).node
  }

  /// Returns a response in words, decoded as the response to its command.
  ///
  /// - Parameters:
  ///   - command: The command as it was sent; nil when it is unknown.
  ///   - unmasked: Whether account numbers, track data and names are shown.
  public func decoded(response: [UInt8], to command: [UInt8]? = nil, unmasked: Bool = false) -> DecodedNode {
    // The response to SELECT uses the dictionary of the application that it names.
    var named = self
    if let command, effective(command).dropFirst().first == Instruction.select {
      named.learn(command: command, response: response)
    }
    let application = named.application ?? application ?? inferredApplication(response)
    guard !unmasked else { return decoded(response, to: command, style(.unmasked, application)) }
    let data = CardholderData(
      in: response, as: structure(ofResponse: response, to: command), from: .init(ofResponseTo: command ?? []),
      kernel: application.flatMap(ContactlessKernel.init))
    return decoded(response, to: command, style(.masked, application, hiding: hidden.with(data)))
  }

  private func inferredApplication(_ response: [UInt8]) -> AID? {
    let node = structure(ofResponse: response)
    return InferredApplication.of(node, in: response)
  }

  private var kernel: ContactlessKernel? { application.flatMap(ContactlessKernel.init) }

  /// Returns the places of the data objects of a response, decoded as the response to its command, without words.
  public func structure(ofResponse response: [UInt8], to command: [UInt8]? = nil) -> DecodedNode {
    decoded(response, to: command, DecodedStyle(.none, application: application))
  }

  private func decoded(_ response: [UInt8], to command: [UInt8]?, _ style: DecodedStyle) -> DecodedNode {
    DecodedResponse(
      octets: response, command: command.map(effective), isContinuation: command.map(isContinuation) ?? false,
      context: self, style: style
    ).node
  }

  /// Returns an exchange in words and keeps the lists of its response.
  public mutating func decode(
    command: [UInt8], response: [UInt8], unmasked: Bool = false
  ) -> (command: DecodedNode, response: DecodedNode) {
    let asked = decoded(command: command, unmasked: unmasked)
    let answered = decoded(response: response, to: command, unmasked: unmasked)
    learn(command: command, response: response)
    return (asked, answered)
  }

  /// Keeps the selected application and the lists of an exchange.
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

  /// The command whose response GET RESPONSE fetches, or the command itself.
  private func effective(_ command: [UInt8]) -> [UInt8] {
    guard command.count >= 4, command[1] == Instruction.getResponse, let awaited else { return command }
    return awaited.command
  }

  private mutating func learn(_ ins: UInt8, _ data: [UInt8]) {
    let objects = DecodedObjects(octets: data, style: DecodedStyle(.none, application: nil))
      .objects(in: 0..<data.count).flatMap(\.all)
    func value(_ tag: Tag) -> [UInt8]? { objects.first { $0.tag == tag }.map { Array(data[$0.content]) } }
    func list(_ tag: Tag) -> DataObjectList? { value(tag).flatMap { try? DataObjectList(parsing: $0) } }
    if ins == Instruction.select {
      self = DecodingContext(hidden)
      application = value(.dfName).flatMap(AID.init)
    }
    if ins == Instruction.generateAC { cryptogramCount += 1 }
    pdol = list(.pdol) ?? pdol
    cdol1 = list(.cdol1) ?? cdol1
    cdol2 = list(.cdol2) ?? cdol2
    ddol = list(.ddol) ?? ddol
    if application.flatMap(ContactlessKernel.init) == .mastercard {
      udol = list(.cardAuthenticationRelatedData) ?? udol
    }
    logFormat = list(.logFormat) ?? logFormat
    logFile = value(.logEntry)?.first ?? logFile
  }

  /// The list of the next GENERATE AC, or the other list when only that one has the length of the data.
  func cryptogramList(for count: Int) -> DataObjectList? {
    let (next, other) = cryptogramCount == 0 ? (cdol1, cdol2) : (cdol2, cdol1)
    if let next, next.valueCount == count { return next }
    if let other, other.valueCount == count { return other }
    return next ?? other
  }
}
