import DisplayText
import Glibc
import ISO7816
import Links
import POSIX
import ProgramSupport

/// One tap at which a program of the user answers as the card. The program is started for the tap and ends with it.
struct ResponderTap: Sendable {
  /// How many commands the program has answered.
  let answeredCount: Int
  /// Why the tap ended early; nil without a reason.
  let failure: ResponderError?

  /// How long a program may take to end when its input has ended.
  private static let timeToEnd = Duration.seconds(1)

  /// Presents the program as a card until its link ends, or until a time is over.
  ///
  /// - Throws: `LinkError` of the link, `ResponderError` for a program that cannot be started.
  static func take(
    _ command: CommandWords, _ times: ResponderCard.Times, on link: any EmulationLink, within limit: Duration
  ) async throws -> ResponderTap {
    let signal = try WakeSignal.ofLink()
    let link = WakingLink(base: link, signal: signal)
    let thread = DedicatedThread(named: "card") { () throws -> ResponderTap in
      try run(command.words, times, on: link)
    }
    // Without a terminal nothing else ends the wait.
    return try await thread.value(stopping: link, after: limit)
  }

  private static func run(
    _ words: [String], _ times: ResponderCard.Times, on link: WakingLink
  ) throws -> ResponderTap {
    let (input, output) = (try sockets(for: words[0]), try sockets(for: words[0]))
    let ownInput = Descriptor(owning: input.own)
    let ownOutput = Descriptor(owning: output.own)
    let programsInput = Descriptor(owning: input.programs)
    let programsOutput = Descriptor(owning: output.programs)
    let process = try ResponderProcess(words, input: programsInput, output: programsOutput)
    // The program's copies are the only ones from here on, so that its end is seen.
    drop(programsInput)
    drop(programsOutput)
    let interrupt = Interrupt { interrupt, number in
      process.kill()
      interrupt.passOn(number)
    }
    defer {
      interrupt.end()
      process.end(within: timeToEnd)
    }
    return try serve(ResponderLines(input: ownInput, output: ownOutput, signal: link.signal), times, on: link)
  }

  /// Serves the card. The input of the program has ended when this returns.
  private static func serve(
    _ lines: consuming ResponderLines, _ times: ResponderCard.Times, on link: WakingLink
  ) throws(LinkError) -> ResponderTap {
    var card = ResponderCard(lines, signal: link.signal, times: times, link: link)
    try link.serve(&card)
    return ResponderTap(answeredCount: card.answeredCount, failure: card.failure)
  }

  private static func drop(_ descriptor: consuming Descriptor) {}

  /// Two connected sockets, which the caller closes.
  private static func sockets(for name: String) throws(ResponderError) -> (own: Int32, programs: Int32) {
    var ends: [Int32] = [-1, -1]
    // The kernel writes two descriptors into an array of two.
    guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw .notStarted(name, SystemError())
    }
    return (ends[0], ends[1])
  }
}

/// A link whose end also ends the wait of its card for a program.
struct WakingLink: EmulationLink {
  let base: any EmulationLink
  let signal: WakeSignal

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    try base.serve(&responder)
  }

  func stop() {
    base.stop()
    signal.raise()
  }
}
