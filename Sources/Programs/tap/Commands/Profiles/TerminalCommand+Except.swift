import ArgumentParser
import EMVData
import EMVTerminal
import Octets
import ProgramSupport
import WholeFiles

extension TerminalCommand {
  /// Puts a card on the exception list of a terminal.
  struct Except: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "except", abstract: "Put a card on the exception list of a terminal.",
      discussion: """
        The account number is read from the standard input, so that it is not in the list of processes; the file keeps a \
        keyed hash of it. Exit codes: 0 done; 1 an error.
        """)

    @Argument(
      help: ArgumentHelp("The log of the terminal, as for --terminal-log.", valueName: "file"), completion: .file())
    var file: String

    func run() throws {
      do {
        var octets = try InputFile.standardInput()
        defer { octets.wipe() }
        let digits = String(decoding: octets, as: UTF8.self).filter { !$0.isWhitespace }
        guard let number = PrimaryAccountNumber(digits: digits) else {
          throw InputError(description: "the standard input is no account number: 8 to 19 digits", code: .malformed)
        }
        try TerminalLogFile(path: file).update { $0.except(number) }
        Console.note("\(number.masked) is on the exception list of \(file).")
      } catch {
        throw Console.fail("\(error)")
      }
    }
  }
}
