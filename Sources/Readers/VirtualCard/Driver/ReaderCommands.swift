package import ISO7816

/// The commands that a contactless PC/SC reader answers itself: class FF, which ISO/IEC 7816-4 leaves to the reader (PC/SC
/// part 3, 2.01.09, 3.2.2.1). No card sees them.
///
/// GET DATA (`FF CA`) returns the card's identifier (P1 00) and its answer to select (P1 01). For P1 01 the standard
/// asks for the historical bytes, and readers return the whole ATS; so does this one.
package struct ReaderCommands: Sendable {
  /// The class of the reader's commands.
  package static let commandClass: UInt8 = 0xFF
  /// The lengths of an identifier: single, double or triple size (ISO/IEC 14443-3:2018, 6.5.4).
  package static let identifierCounts = [4, 7, 10]

  /// 6282: all data were returned, and they are fewer than Le.
  private static let endOfData = StatusWord(rawValue: 0x6282)
  /// T0, TA1, TB1, TC1: frames of 256 bytes, 106 kbit/s in both directions, a frame waiting time of 39 ms, CID
  /// (ISO/IEC 14443-4:2018, 5.2).
  private static let interfaceBytes: [UInt8] = [0x78, 0x80, 0x70, 0x02]

  private let identifier: [UInt8]
  private let answerToSelect: [UInt8]

  /// Creates the commands of a reader with one card.
  ///
  /// - Parameters:
  ///   - identifier: The card's identifier (UID), 4, 7 or 10 bytes.
  ///   - answerToReset: The answer to reset that the reader composes; its historical bytes are those of the card.
  package init(identifier: [UInt8], answerToReset: [UInt8]) {
    self.identifier = identifier
    let history = (try? AnswerToReset(parsing: answerToReset))?.historicalBytes ?? []
    let body = Self.interfaceBytes + history
    answerToSelect = [UInt8(1 + body.count)] + body
  }

  /// The response to a command of class FF: `6700` for a command that is malformed, has data or lacks Le, `6D00` for
  /// another instruction, `6A81` for other parameters, `6Cxx` with the right Le for one that is too small, and `6282`
  /// after all data for one that is too large.
  package func response(to command: [UInt8]) -> ResponseAPDU {
    guard let command = try? CommandAPDU(parsing: command.span) else { return ResponseAPDU(status: .wrongLength) }
    guard command.ins == Instruction.getData else { return ResponseAPDU(status: .instructionNotSupported) }
    let data: [UInt8]
    switch (command.p1, command.p2) {
    case (0x00, 0x00): data = identifier
    case (0x01, 0x00): data = answerToSelect
    default: return ResponseAPDU(status: .functionNotSupported)
    }
    guard command.data.isEmpty, let expected = command.expectedLength else {
      return ResponseAPDU(status: .wrongLength)
    }
    // Le 00 asks for all that there is.
    if expected == data.count || expected == (command.form == .short ? 256 : 65536) { return ResponseAPDU(data: data) }
    if expected > data.count { return ResponseAPDU(data: data, status: Self.endOfData) }
    return ResponseAPDU(status: StatusWord(.wrongLength(available: data.count)) ?? .wrongLength)
  }
}
