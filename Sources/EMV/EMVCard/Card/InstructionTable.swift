internal import ISO7816
internal import Octets

/// The commands of a card by class and instruction, so that one load finds a command.
///
/// There is a table for the time before a selection, with the commands of all applications, and one for each
/// application. A table has one octet for each instruction of the classes 00 and 80.
struct InstructionTable: Sendable {
  /// No command has the class and the instruction.
  private static let absent: UInt8 = 0
  /// The command is the same for all schemes and has no program.
  private static let common: UInt8 = 255
  private static let commonCodes: [UInt16] = [
    UInt16(Instruction.select), UInt16(Instruction.readRecord), 0x8000 | UInt16(Instruction.getData),
  ]
  private static let tableCount = 512

  private let tables: Arena

  /// Creates the tables.
  ///
  /// - Parameters:
  ///   - commands: The commands of all applications, fewer than 255.
  ///   - applications: The positions of the commands of each application.
  init(_ commands: [CommandImage], of applications: [Range<Int>]) {
    precondition(commands.count < Int(Self.common), "a card has fewer than 255 commands")
    tables = Arena(
      ([commands.indices] + applications).flatMap { positions in
        var table = [UInt8](repeating: Self.absent, count: Self.tableCount)
        // Before a selection, the command of the first application counts.
        for position in positions.reversed() where commands[position].code & 0x7F00 == 0 {
          table[Self.offset(of: commands[position].code)] = UInt8(position + 1)
        }
        for code in Self.commonCodes { table[Self.offset(of: code)] = Self.common }
        return table
      })
  }

  /// The position of the program of a command, or nil.
  ///
  /// - Parameter code: CLA, which is 00 or 80, and INS.
  func program(_ code: UInt16, for state: CardState) -> Int? {
    let entry = entry(code, state)
    return entry == Self.absent || entry == Self.common ? nil : Int(entry) &- 1
  }

  /// Whether the card has a command, with or without a program.
  func contains(_ code: UInt16, for state: CardState) -> Bool { entry(code, state) != Self.absent }

  private func entry(_ code: UInt16, _ state: CardState) -> UInt8 {
    tables.octets[state.tableIndex &* Self.tableCount &+ Self.offset(of: code)]
  }

  private static func offset(of code: UInt16) -> Int { Int(code >> 7 & 0x100 | code & 0xFF) }
}
