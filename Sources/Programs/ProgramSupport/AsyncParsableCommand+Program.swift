package import ArgumentParser

extension AsyncParsableCommand {
  /// Parses the command line of the program, runs the command, and ends the program.
  ///
  /// - Parameter reportUsage: Receives the message for wrong usage before it is printed.
  package static func runProgram(reportUsage: (String) -> Void = { _ in }) async -> Never {
    let arguments = NegativeValues.joined(Array(CommandLine.arguments.dropFirst()))
    func refuse(_ message: String, in command: any ParsableCommand.Type) -> Never {
      reportUsage(message)
      fail(message, in: command)
    }
    do {
      if let unknown = UnknownWord.command(in: arguments, of: Self.self) {
        refuse(unknown.message, in: unknown.command)
      }
      var command = try await asyncParseAsRoot(arguments)
      do {
        if var waiting = command as? any AsyncParsableCommand { try await waiting.run() } else { try command.run() }
      } catch let error as ValidationError {
        refuse(error.message, in: type(of: command))
      }
    } catch {
      // The error of a command that has run was reported by it.
      if !(error is ExitCode), exitCode(for: error) == .validationFailure {
        // The parser may have found something else before, such as another option that is missing.
        if let unknown = UnknownWord.option(in: arguments, of: Self.self) {
          refuse(unknown.message, in: unknown.command)
        }
        reportUsage(message(for: error))
      }
      end(with: error)
    }
    Console.endProgram(0)
  }

  /// Prints the message of an error, or the help that was asked for, and ends the program.
  private static func end(with error: any Error) -> Never {
    let code = exitCode(for: error)
    let text = fullMessage(for: error)
    if !text.isEmpty { if code.isSuccess { Console.printLines(text) } else { Console.note(text) } }
    Console.endProgram(code.rawValue)
  }

  /// Ends the program for wrong usage, with the usage of the command that was meant.
  private static func fail(_ message: String, in command: any ParsableCommand.Type) -> Never {
    let usage = usageString(for: command)
    let name = usage.split(separator: " ").prefix { !"[<-".contains($0.first ?? "-") }.joined(separator: " ")
    Console.note("error: \(message)\nUsage: \(usage)\n  See '\(name) --help' for more information.")
    Console.endProgram(Exit.usage.rawValue)
  }
}
