/// What a user found out about a reader with `tap readers --evidence`: an object of a `ReaderDocument`, which the simulator
/// ignores.
///
/// It holds no number, name or serial number that identifies the reader, its user or a card.
public struct ReaderEvidence: Equatable, Sendable {
  /// The value of `format` in the file.
  public static let format = "contactless-reader-evidence"
  /// The version of the format.
  public static let version = 1

  /// How a step ended.
  public enum Verdict: String, CaseIterable, Sendable {
    /// The reader behaves as programs expect it.
    case passed
    /// It does not, or the step could not be done.
    case failed
    /// The step was left out.
    case skipped
  }

  /// The result of a step.
  public struct StepResult: Equatable, Sendable {
    /// The step.
    public var step: EvidenceStep
    /// How it ended.
    public var verdict: Verdict
    /// What was found, or why the step failed or was left out: a sentence without its full stop.
    public var detail: String
    /// The name of the error of a step that failed, such as `cardRemoved`; nil for none.
    public var error: String?

    /// Creates a result.
    public init(_ step: EvidenceStep, _ verdict: Verdict, _ detail: String, error: String? = nil) {
      (self.step, self.verdict, self.detail, self.error) = (step, verdict, detail, error)
    }
  }

  /// What the reader reports about the card.
  public struct Card: Equatable, Sendable {
    /// The type of ISO/IEC 14443: `A` or `B`; nil when the reader does not report it.
    public var type: String?
    /// The answer to reset that the reader composes.
    public var answerToReset: [UInt8]
    /// The answer to select; nil when the reader does not report it.
    public var answerToSelect: [UInt8]?
    /// How many bytes the identifier of the card has; nil when the reader does not report it. The identifier itself is
    /// not kept.
    public var identifierCount: Int?

    /// Creates a description.
    public init(
      type: String? = nil, answerToReset: [UInt8], answerToSelect: [UInt8]? = nil, identifierCount: Int? = nil
    ) {
      (self.type, self.answerToReset) = (type, answerToReset)
      (self.answerToSelect, self.identifierCount) = (answerToSelect, identifierCount)
    }
  }

  /// The measured times of a command.
  public struct Command: Equatable, Sendable {
    /// The most samples of a command.
    public static let maximumSampleCount = 100

    /// Class, instruction and parameters: 4 bytes.
    public var header: [UInt8]
    /// The length of the command, in bytes.
    public var commandCount: Int
    /// The length of the response, in bytes.
    public var responseCount: Int
    /// From the command to its response as the program measures it, in microseconds: at least one.
    public var microseconds: [Int]

    /// Creates the times of a command.
    public init(header: [UInt8], commandCount: Int, responseCount: Int, microseconds: [Int]) {
      (self.header, self.commandCount) = (header, commandCount)
      (self.responseCount, self.microseconds) = (responseCount, microseconds)
    }
  }

  /// The day on which it was collected, such as `2026-11-30`.
  public var date: String
  /// The program and its version.
  public var program: String
  /// How the reader is addressed: `pcsc`, `nfc` or `acr122`.
  public var place: String
  /// The versions of the drivers, by the names of their packages.
  public var drivers: [String: String]
  /// The descriptors of the device as sysfs shows them; empty for a reader that is not at the USB bus.
  public var descriptors: [UInt8] = []
  /// What the reader reports about its firmware; nil for nothing.
  public var firmware: String?
  /// The card; nil without one.
  public var card: Card?
  /// The results in the order of the steps, each step at most once.
  public var results: [StepResult] = []
  /// The measured times, in the order of the commands.
  public var commands: [Command] = []
  /// The payment, redacted, as the lines of a transcript; empty without one.
  public var recording: [String] = []

  /// Creates evidence without results.
  public init(date: String, program: String, place: String, drivers: [String: String]) {
    (self.date, self.program, self.place, self.drivers) = (date, program, place, drivers)
  }

  /// The steps that ended in a way.
  public func steps(_ verdict: Verdict) -> [EvidenceStep] {
    results.filter { $0.verdict == verdict }.map(\.step)
  }
}
