internal import ISO7816
internal import Octets
internal import Transcripts

/// A bulk transfer of a USB capture.
struct USBTransfer {
  let isOfReader: Bool
  let octets: ArraySlice<UInt8>

  /// Reads a packet of LINKTYPE_USB_LINUX (189), LINKTYPE_USB_LINUX_MMAPPED (220) or LINKTYPE_USBPCAP (249); nil for other
  /// packets. Transfers without data have no octets.
  init?(_ packet: CapturedPacket) {
    let header = Array(packet.octets.prefix(64))
    switch packet.linkType {
    case 189, 220:
      let headerCount = packet.linkType == 189 ? 48 : 64
      guard header.count >= headerCount else { return nil }
      let isIn = header[10] & 0x80 != 0
      // Bulk is type 3. Data to the device stand in the submission, data from it in the completion.
      let hasData = header[9] == 3 && header[8] == (isIn ? UInt8(ascii: "C") : UInt8(ascii: "S"))
      self.init(isOfReader: isIn, octets: hasData ? packet.octets.dropFirst(headerCount) : [])
    case 249:
      guard header.count >= 27 else { return nil }
      let headerCount = Int(header[0]) | Int(header[1]) << 8
      guard packet.octets.count >= headerCount else { return nil }
      let isIn = header[21] & 0x80 != 0
      self.init(isOfReader: isIn, octets: header[22] == 3 ? packet.octets.dropFirst(headerCount) : [])
    default: return nil
    }
  }

  private init(isOfReader: Bool, octets: ArraySlice<UInt8>) { (self.isOfReader, self.octets) = (isOfReader, octets) }
}

/// Reads the messages of CCID readers (CCID 1.1, 6.1 and 6.2), which may span transfers: commands in PC_to_RDR_XfrBlock,
/// responses in RDR_to_PC_DataBlock. Readers that exchange T=1 blocks are unwrapped. Readers that exchange extended APDUs
/// send them in parts, as wLevelParameter of the command and bChainParameter of the response state.
struct CCIDAssembly {
  private enum Message {
    static let powerOn: UInt8 = 0x62
    static let transfer: UInt8 = 0x6F
    static let data: UInt8 = 0x80
  }
  /// Where the data of a message stand in an APDU: the values of bChainParameter, and of wLevelParameter.
  private enum Level {
    static let whole: UInt8 = 0
    static let begins: UInt8 = 1
    static let ends: UInt8 = 2
    static let goesOn: UInt8 = 3
  }
  private static let headerCount = 10
  private static let maximumCount = Transcript.Exchange.responseCounts.upperBound

  /// The beginning of a message whose end comes in further transfers.
  private var partial: (isOfReader: Bool, octets: [UInt8])?
  /// The beginnings of APDUs whose ends come in further messages.
  private var apdus: [Bool: [UInt8]] = [:]
  private var chains: [Bool: [UInt8]] = [:]
  private var expectsAnswerToReset = false
  private var first: Int64?
  private var sent: Int64 = 0

  mutating func take(
    _ transfer: USBTransfer, _ packet: CapturedPacket, _ builder: inout TranscriptBuilder
  ) throws(TranscriptError) {
    guard !transfer.octets.isEmpty else { return }
    if beginsAnother(transfer) { endPartial(packet.number, &builder) }
    if partial == nil, !Self.hasKnownKind(transfer) { return }
    guard transfer.isOfReader == partial?.isOfReader ?? transfer.isOfReader else { return }
    let octets = (partial?.octets ?? []) + transfer.octets
    partial = (transfer.isOfReader, octets)
    guard octets.count >= Self.headerCount else { return }
    let count = Self.statedCount(octets[...])
    guard count <= Self.maximumCount else {
      partial = nil
      return
    }
    guard octets.count >= Self.headerCount + count else { return }
    partial = nil
    let data = Array(octets[Self.headerCount..<(Self.headerCount + count)])
    if !transfer.isOfReader, octets[0] == Message.powerOn {
      endAPDUs(packet.number, &builder)
      (expectsAnswerToReset, chains) = (true, [:])
      return
    }
    // A message of the other kind may have a level of two bytes, whose higher one is 0.
    let level = transfer.isOfReader ? octets[9] : octets[8]
    if !transfer.isOfReader, level <= Level.begins { endAPDUs(packet.number, &builder) }
    guard let whole = joined(data, level, isOfReader: transfer.isOfReader) else { return }
    if transfer.isOfReader {
      try respond(whole, packet, &builder)
    } else {
      try ask(whole, packet, &builder)
    }
  }

  /// Names what the capture does not have the end of, after the last packet.
  mutating func finish(_ number: Int, _ builder: inout TranscriptBuilder) {
    endPartial(number, &builder)
    endAPDUs(number, &builder)
  }

  private static func hasKnownKind(_ transfer: USBTransfer) -> Bool {
    let kinds: [UInt8] = transfer.isOfReader ? [Message.data] : [Message.transfer, Message.powerOn]
    return transfer.octets.first.map(kinds.contains) ?? false
  }

  /// The number of bytes after a header of at least ten bytes.
  private static func statedCount(_ octets: ArraySlice<UInt8>) -> Int {
    octets.dropFirst().prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Whether a transfer begins a message although the one before it has not ended, as in captures with a limited length of
  /// packets: it has a header and is not what the message before it lacks.
  private func beginsAnother(_ transfer: USBTransfer) -> Bool {
    guard let partial, Self.hasKnownKind(transfer) else { return false }
    if partial.isOfReader != transfer.isOfReader { return true }
    guard transfer.octets.count >= Self.headerCount else { return false }
    let isRest =
      partial.octets.count < Self.headerCount
      || partial.octets.count + transfer.octets.count == Self.headerCount + Self.statedCount(partial.octets[...])
    let count = Self.statedCount(transfer.octets)
    return !isRest && count <= Self.maximumCount && Self.headerCount + count >= transfer.octets.count
  }

  private mutating func endPartial(_ number: Int, _ builder: inout TranscriptBuilder) {
    guard let (isOfReader, octets) = partial else { return }
    partial = nil
    apdus[isOfReader] = nil
    let count = max(octets.count - Self.headerCount, 0)
    let stated = octets.count < Self.headerCount ? "" : ", where the message states \(Self.statedCount(octets[...]))"
    if !isOfReader, octets[0] == Message.transfer {
      builder.unknownCommand()
      builder.note("cut off: \(count.bytes) of a command\(stated)", line: number)
    } else if isOfReader, expectsAnswerToReset {
      expectsAnswerToReset = false
    } else if isOfReader {
      builder.tear("cut off: \(count.bytes) of the response\(stated)", line: number)
    }
  }

  private mutating func endAPDUs(_ number: Int, _ builder: inout TranscriptBuilder) {
    if let octets = apdus[true] {
      builder.tear("cut off: \(octets.count.bytes) of the response, whose last part is missing", line: number)
    }
    if let octets = apdus[false] {
      builder.note("left out: \(octets.count.bytes) of a command, whose last part is missing", line: number)
    }
    apdus = [:]
  }

  /// Returns the APDU whose last part came; nil while parts are missing.
  private mutating func joined(_ data: [UInt8], _ level: UInt8, isOfReader: Bool) -> [UInt8]? {
    let before = apdus[isOfReader]
    switch level {
    case Level.begins where before == nil || !isOfReader:
      apdus[isOfReader] = data
      return nil
    case Level.begins, Level.goesOn:
      let octets = (before ?? []) + data
      apdus[isOfReader] = octets.count <= Self.maximumCount ? octets : before
      return nil
    case Level.ends:
      apdus[isOfReader] = nil
      return before.map { $0 + data }
    default:
      // Messages without data ask for the next part.
      if !data.isEmpty { apdus[isOfReader] = nil }
      return data
    }
  }

  private mutating func ask(
    _ data: [UInt8], _ packet: CapturedPacket, _ builder: inout TranscriptBuilder
  ) throws(TranscriptError) {
    guard let command = unwrapped(data, isOfReader: false), !command.isEmpty else { return }
    try builder.command(command, line: packet.number)
    sent = packet.time
    first = first ?? packet.time
    builder.commandDirective(.instant, String(max(0, sent.subtractingReportingOverflow(first ?? 0).partialValue)))
  }

  private mutating func respond(
    _ data: [UInt8], _ packet: CapturedPacket, _ builder: inout TranscriptBuilder
  ) throws(TranscriptError) {
    if expectsAnswerToReset {
      expectsAnswerToReset = false
      if (try? AnswerToReset(parsing: data)) != nil { builder.header("ATR", data.hex) }
      return
    }
    guard builder.isWaiting, let response = unwrapped(data, isOfReader: true), !response.isEmpty else { return }
    let time = packet.time.subtractingReportingOverflow(sent).partialValue
    try builder.loggedResponse(response, line: packet.number, after: time)
  }

  /// Returns the APDU inside a T=1 block (ISO/IEC 7816-3:2006, 11.3), or the data as they are; nil while a chain goes on and
  /// for blocks without an APDU.
  private mutating func unwrapped(_ data: [UInt8], isOfReader: Bool) -> [UInt8]? {
    guard data.count >= 4, Int(data[2]) == data.count - 4, data.reduce(0, ^) == 0 else { return data }
    guard data[1] & 0x80 == 0 else { return nil }
    let whole = (chains[isOfReader] ?? []) + data[3..<(data.count - 1)]
    let isMore = data[1] & 0x20 != 0 && whole.count <= Self.maximumCount
    chains[isOfReader] = isMore ? whole : nil
    return isMore ? nil : whole
  }
}
