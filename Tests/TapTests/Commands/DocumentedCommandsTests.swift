import ArgumentParser
import Foundation
import ProgramSupport
import Testing

@testable import tap

/// The command lines of `tap` in the README and in the guides.
@Suite("Commands that the documentation shows")
struct DocumentedCommandsTests {
  static let files =
    ["README.md"]
    + ["FirstPayments", "TestingCardsAndTerminals", "TheProgramTap"].map { "Sources/Contactless.docc/\($0).md" }

  /// The command lines between fences that begin with `tap`, without comments, redirections and what follows a pipe.
  static func commands(in file: String) throws -> [String] {
    let text = try String(contentsOf: ExampleTests.root.appending(path: file), encoding: .utf8)
    var (language, found) = (Substring?.none, [String]())
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        language = language == nil ? line.dropFirst(3) : nil
      } else if language == "" {
        let command = line.components(separatedBy: " #")[0]
        found += command.components(separatedBy: " && ").map { $0.trimmingCharacters(in: .whitespaces) }
      }
    }
    return found.filter { $0.hasPrefix("tap ") }.map { $0.components(separatedBy: " | ")[0] }
  }

  /// The words of a command line, with quotation marks of both kinds.
  static func words(_ line: String) -> [String] {
    var (words, quote, isOpen) = ([String](), Character?.none, false)
    for character in line {
      switch character {
      case "'" where quote != "\"", "\"" where quote != "'":
        quote = quote == nil ? character : nil
        if !isOpen { words.append("") }
        isOpen = true
      case " " where quote == nil: isOpen = false
      default:
        if !isOpen { words.append("") }
        isOpen = true
        words[words.count - 1].append(character)
      }
    }
    return words
  }

  @Test(arguments: files)
  func `the program accepts every command line that the documentation shows`(_ file: String) throws {
    let commands = try Self.commands(in: file)
    #expect(commands.count > 3, "\(file)")
    for command in commands {
      #expect(throws: Never.self, "\(file): \(command)") {
        try Tap.parseAsRoot(NegativeValues.joined(Array(Self.words(command).dropFirst())))
      }
    }
  }

  @Test func `a line is split into words as a shell does`() {
    #expect(Self.words("tap accept --reader \"pcsc:A B\" 'c d'e") == ["tap", "accept", "--reader", "pcsc:A B", "c de"])
  }
}
