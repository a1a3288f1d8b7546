import ArgumentParser

/// The time after which a command ends that would run until Ctrl-C.
struct RunLimit: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "End after this time, in seconds: 1 to 86400; only at Ctrl-C when left out.", valueName: "seconds"))
  var timeout: Int?

  func validate() throws {
    if let timeout, !(1...86_400).contains(timeout) {
      throw ValidationError("--timeout \(timeout): the range is 1...86400.")
    }
  }

  /// Calls a function when the time is over.
  ///
  /// - Returns: The task that waits, to be cancelled when the command ends before; nil without a limit.
  func start(_ end: @escaping @Sendable () -> Void) -> Task<Void, Never>? {
    timeout.map { seconds in
      Task {
        // Cancelled: the command has ended.
        guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
        end()
      }
    }
  }
}
