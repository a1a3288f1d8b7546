internal import ISO7816
internal import Octets

/// The commands of a card by class and instruction, so that one load finds a command.
///
/// There is a table for the time before a selection, with the commands of all applications, and one for each
/// application. A table has one byte for each instruction of the classes 00 and 80.
struct InstructionTable: Sendable {
  /// What a table says about a class and an instruction.
  struct Entry {
    /// No command has them.
    fileprivate static let absent = Entry(code: 0)
    /// The command is the same for all schemes and has no program.
    fileprivate static let common = Entry(code: 255)
    /// No command has them, but one has the instruction in the other class.
    fileprivate static let otherClass = Entry(code: 254)

    fileprivate let code: UInt8

    /// The position of the program, or nil.
    @inline(__always)
    var program: Int? { code == 0 || code >= 254 ? nil : Int(code) &- 1 }

    /// Whether the card has the instruction in its other class only, 00 or 80.
    var isOtherClass: Bool { code == 254 }
  }

  private static let commonCodes: [UInt16] = [
    UInt16(Instruction.select), UInt16(Instruction.readRecord), 0x8000 | UInt16(Instruction.getData),
  ]
  private static let tableCount = 512

  private let tables: Arena

  /// Creates the tables.
  ///
  /// - Parameters:
  ///   - commands: The commands of all applications, 253 at most.
  ///   - applications: The positions of the commands of each application.
  init(_ commands: [CommandImage], of applications: [Range<Int>]) {
    precondition(commands.count < Int(Entry.otherClass.code), "a card has 253 commands at most")
    tables = Arena(
      ([commands.indices] + applications).flatMap { positions in
        var table = [UInt8](repeating: Entry.absent.code, count: Self.tableCount)
        // Before a selection, the command of the first application counts.
        for position in positions.reversed() where commands[position].code & 0x7F00 == 0 {
          table[Self.offset(of: commands[position].code)] = UInt8(position + 1)
        }
        for code in Self.commonCodes { table[Self.offset(of: code)] = Entry.common.code }
        // 6E00 instead of 6D00 (ISO/IEC 7816-4:2013, table 6).
        let known = table.indices.filter { table[$0] != Entry.absent.code }
        for offset in known where table[offset ^ Self.classBit] == Entry.absent.code {
          table[offset ^ Self.classBit] = Entry.otherClass.code
        }
        return table
      })
  }

  /// The entry of a command.
  ///
  /// - Parameter code: CLA, which is 00 or 80, and INS.
  @inline(__always)
  func entry(_ code: UInt16, for state: CardState) -> Entry {
    Entry(code: tables.octets[state.tableIndex &* Self.tableCount &+ Self.offset(of: code)])
  }

  private static let classBit = 0x100

  @inline(__always)
  private static func offset(of code: UInt16) -> Int { Int(code >> 7 & 0x100 | code & 0xFF) }
}
