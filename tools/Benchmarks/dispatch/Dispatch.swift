import Foundation
import MeasuredSession

/// Compares the card with a card in plain C over six commands that need no cryptography: the times side by side, and the
/// instructions of each command. Fails when a command takes more instructions than its limit; times never fail.
@main
struct Dispatch {
  /// The argument with which the program runs itself under callgrind.
  static let countingArgument = "--count"

  // WORKAROUND: valgrind 3.19 ends a program whose main function is asynchronous. So this one waits on a semaphore.
  static func main() {
    let ended = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        try await run()
      } catch {
        print("FAILED: \(error)")
        exit(EXIT_FAILURE)
      }
      ended.signal()
    }
    ended.wait()
  }

  private static func run() async throws {
    let image = try MeasuredSession.image("mastercard-cvn16")
    let counts = CommandLine.arguments.contains(countingArgument)
    let link = ComparingLink(image, counts: counts)
    // The card leaves the link after the comparison, before it has paid.
    try await MeasuredSession.serve(image, on: link) { link.result != nil }
    guard let result = link.result else {
      print("FAILED: the session ended before the comparison")
      exit(EXIT_FAILURE)
    }
    if let command = result.difference {
      print("FAILED: the cards respond differently to \(command)")
      exit(EXIT_FAILURE)
    }
    guard !counts else { return }
    let commands = DispatchCommand.all(for: image)
    let table = DispatchTable(commands, result.times, try DispatchCounts.measure(commands))
    table.print()
    guard table.excesses.isEmpty else {
      for excess in table.excesses { print("FAILED: \(excess)") }
      exit(EXIT_FAILURE)
    }
  }
}
