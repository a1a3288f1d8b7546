internal import EMVTerminal
internal import ISO7816
public import Links
internal import Octets
public import PaymentAcceptance
public import Transcripts

/// What the steps of a tap left behind.
public struct CardTap: Sendable {
  /// The exchanges, in order.
  public internal(set) var exchanges: [Exchange] = []
  /// The index of the step that made each exchange.
  var steps: [Int] = []
  /// The step that could not be made, and the data that the card did not give for it; nil when all were made.
  var missing: (step: Int, name: String)?
  /// Whether the card has no application that the scenario judges, or only the other mode of kernel 2.
  public internal(set) var isNotApplicable = false
  /// Why the card was lost before the last step; nil when it was not.
  public internal(set) var lost: LinkError?
  /// The time that the link takes in an exchange; nil when it is not known. Times of the card are then warnings.
  public internal(set) var linkShare: Duration?
  /// The recording of the reader's side, unredacted; nil for none.
  public internal(set) var transcript: Transcript?
  /// The terminal's unpredictable number, tag 9F37: 4 bytes.
  var unpredictableNumber: [UInt8] = []

  /// Creates a tap without exchanges.
  public init() {}

  mutating func add(_ command: [UInt8], _ response: [UInt8], step: Int, begun: Instant, time: Duration) {
    let cryptograms = exchanges.count { $0.command.count > 1 && $0.command[1] == Instruction.generateAC }
    let name = TestedCommand.name(of: command, after: cryptograms)
    exchanges.append(
      Exchange(
        number: exchanges.count + 1, tap: 1, phase: TransactionPhase(rawValue: name), command: command,
        response: response, begun: begun, nanoseconds: time.nanoseconds))
    steps.append(step)
  }
}
