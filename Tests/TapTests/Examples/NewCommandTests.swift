import ArgumentParser
import Octets
import Testing

@testable import ProgramSupport
@testable import tap

private struct LengthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "length", abstract: "Count the bytes of a command.",
    help: CommandHelp(
      examples: ["tap length 00A4": "Count two bytes."], exits: [.done: "counted", .notRight: "not hexadecimal"]))

  @Argument(help: ArgumentHelp("Hexadecimal digits.", valueName: "hex")) var digits: String

  func run() throws {
    do throws(OctetsError) {
      print(try [UInt8](hex: digits).count)
    } catch {
      throw Console.fail(error)
    }
  }
}

/// The program with one command more.
private struct LongerTap: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap", subcommands: Tap.configuration.subcommands + [LengthCommand.self])
}

@Suite("A new command")
struct NewCommandTests {
  @Test func `a command needs one entry in the subcommands of the program`() throws {
    #expect(LongerTap.helpMessage().contains("length"))
    let command = try #require(try LongerTap.parseAsRoot(["length", "00 A4"]) as? LengthCommand)
    try command.run()
    #expect(throws: ExitCode.self) { try LengthCommand.parse(["0"]).run() }
    #expect(LongerTap.exitCode(for: CleanExit.helpRequest()) == .success)
  }
}
