import ArgumentParser
import Foundation
import POSIX
import ProgramSupport
import TapLatency

/// The options of a comparison.
struct BenchCompareOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Compare with a result of --save, or measure in turns with another build of this program, with a card profile, or \
      with the card at another reader.
      """, valueName: "what"), completion: .file())
  var compare: String?
  @Option(
    help: ArgumentHelp(
      """
      The slowdown that does not matter, in percent: 0 to 100. A whole tap that is slower ends the program with 2. When \
      left out, 5 for a comparison in turns, and none for a result of --save, which is compared without this verdict.
      """, valueName: "percent"))
  var tolerance: Double?
  @Option(help: "How many rounds of a comparison in turns: \(PairedComparison.leastRounds) to 1000; 30 when left out.")
  var rounds: Int?

  func validate() throws {
    try require("--rounds", rounds, in: PairedComparison.leastRounds...1_000)
    try require(tolerance.map { (0...100).contains($0) } ?? true, "--tolerance is 0 to 100 percent.")
    try require(
      compare != nil || tolerance == nil && rounds == nil, "--tolerance and --rounds need --compare.")
  }

  /// The tolerance as a part of 1.
  var part: Double { (tolerance ?? 5) / 100 }

  /// What is compared.
  enum Earlier {
    case saved(SavedBenchmark)
    case turns(BenchSubject)
  }

  /// The earlier subject; nil without `--compare`.
  ///
  /// - Parameter arguments: Those of a measurement by another build.
  func earlier(arguments: BenchArguments) throws -> Earlier? {
    guard let compare else { return nil }
    if let reader = ReaderName(argument: compare), reader.kind.isDevice {
      return .turns(try arguments.subject(reader: compare))
    }
    if FileManager.default.isExecutableFile(atPath: compare), !InputFile.isDirectory(compare) {
      return .turns(BenchSubject(program: compare, arguments: arguments.words))
    }
    let octets = try NamedFile.read(compare)
    if BenchFile.isCard(octets) { return .turns(try arguments.subject(card: compare)) }
    return .saved(try BenchFile.saved(Data(octets), named: compare))
  }
}

/// The arguments of one measurement, as another process of this program takes them.
struct BenchArguments {
  var link: String?
  var reader: String?
  var card: String?
  var taps: Int
  var warmUp: Int
  var timeout: Int

  /// The words of a command line.
  var words: [String] {
    let named = [("--link", link), ("--reader", reader), ("--card", card)].flatMap { name, value in
      value.map { [name, $0] } ?? []
    }
    return named + ["--taps", "\(taps)", "--warm-up", "\(warmUp)", "--timeout", "\(timeout)"]
  }

  /// This program with these arguments.
  func subject() throws -> BenchSubject {
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return BenchSubject(program: program, arguments: words)
  }

  /// This program with another card.
  func subject(card: String) throws -> BenchSubject {
    guard reader == nil else {
      throw ValidationError(
        "--compare \(card): a card profile is compared with a card of --card, not with one at --reader.")
    }
    var other = self
    other.card = card
    return try other.subject()
  }

  /// This program at another reader.
  func subject(reader: String) throws -> BenchSubject {
    var other = self
    (other.reader, other.link, other.card) = (reader, nil, nil)
    return try other.subject()
  }
}
