internal import Documents
internal import EMVCard
public import EMVTerminal
internal import Foundation
internal import JSON
internal import Octets
internal import Links
internal import PaymentAcceptance
public import Transcripts
internal import POSIX

/// A scenario file with everything that it needs from other files, checked and ready to run.
public struct ScenarioFile: Sendable {
  /// The path of the file.
  public let path: String
  /// The scenario.
  public let scenario: TapScenario
  let standardProfile: [UInt8]
  /// The card that judges a terminal; nil for a scenario that judges a card.
  public let testCard: TestCard?

  /// The terminal that the scenario names, or the standard one.
  let terminal: Terminal

  /// The terminal of a scenario, compiled.
  struct Terminal {
    /// The profile, as a recording keeps it.
    let profile: [UInt8]
    /// The configuration.
    let configuration: TerminalConfiguration
    /// What the profile says of the terminal.
    let capabilities: TestedCapabilities

    init(_ profile: [UInt8]) throws(TerminalProfileError) {
      self.profile = profile
      configuration = try TerminalConfiguration(json: profile)
      capabilities = TestedCapabilities(profile: profile)
    }
  }

  /// Reads a scenario and its terminal's profile.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - standardProfile: The profile of the terminal for scenarios that name none.
  ///   - testedProfile: The same for scenarios that judge a terminal; nil for `standardProfile`.
  /// - Throws: `ScenarioFileError` with all problems of the scenario, also that its terminal cannot be read or cannot
  ///   take the payment.
  public init(
    _ path: String, terminal standardProfile: [UInt8], tested testedProfile: [UInt8]? = nil
  ) throws(ScenarioFileError) {
    self.path = path
    let document: JSONValue
    let content = try Self.content(of: path)
    do throws(ScenarioError) {
      document = try JSONValue(yaml: content)
    } catch { throw ScenarioFileError("\(path): \(error)") }
    var reader = ObjectReader(document, in: .yaml)
    scenario = TapScenario(&reader)
    self.standardProfile = scenario.terminalTest == nil ? standardProfile : testedProfile ?? standardProfile
    testCard = scenario.terminalTest.flatMap { Self.testCard($0, beside: path, &reader) }
    if scenario.cardTest != nil { Self.checkCard(of: scenario, beside: path, &reader) }
    let ownProfile = Self.profile(of: scenario, beside: path, &reader)
    // Found before the cardholder is asked to tap.
    let compiled = Self.terminal(ownProfile ?? self.standardProfile, of: scenario, &reader)
    if let compiled { Self.check(scenario, at: compiled.configuration, &reader) }
    let problems = reader.finish()
    guard problems.isEmpty, let compiled else { throw ScenarioFileError("\(path): \(ScenarioError(problems))") }
    terminal = compiled
  }

  /// Reads every scenario of some files and directories, in the order of the arguments, then of the names.
  ///
  /// - Throws: One `ScenarioFileError` with the problems of all files.
  public static func all(
    _ paths: [String], terminal: [UInt8], tested: [UInt8]? = nil
  ) throws(ScenarioFileError) -> [ScenarioFile] {
    var files: [ScenarioFile] = []
    var problems: [ScenarioFileError] = []
    for path in paths {
      do throws(ScenarioFileError) {
        for name in try names(path) {
          do throws(ScenarioFileError) {
            files.append(try ScenarioFile(name, terminal: terminal, tested: tested))
          } catch { problems.append(error) }
        }
      } catch { problems.append(error) }
    }
    guard problems.isEmpty else {
      throw ScenarioFileError(
        problems.map(\.description).joined(separator: "\n"), isUnreadable: problems.contains(where: \.isUnreadable))
    }
    return files
  }

  private static func names(_ path: String) throws(ScenarioFileError) -> [String] {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard attributes?[.type] as? FileAttributeType == .typeDirectory else { return [path] }
    let all: [String]
    do {
      all = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch { throw ScenarioFileError("\(path) cannot be read: \(FileError.reason(error))", isUnreadable: true) }
    let names = all.filter { name in [".yaml", ".yml", ".json"].contains { name.lowercased().hasSuffix($0) } }.sorted()
      .map { URL(filePath: path).appending(path: $0).relativePath }.filter { !isCardProfile($0) }
    if !names.isEmpty { return names }
    // A directory without scenarios stands for its directories.
    let inner = all.sorted().map { URL(filePath: path).appending(path: $0).relativePath }.flatMap {
      scenarios(below: $0)
    }
    guard !inner.isEmpty else {
      throw ScenarioFileError("\(path) has no scenario: no .yaml, .yml or .json file", isUnreadable: true)
    }
    return inner
  }

  /// The directories with scenarios that are neither named nor run, since a directory around them has scenarios of its own.
  public static func directoriesLeftOut(of paths: [String]) -> [String] {
    let named = Set(paths.map { URL(filePath: $0).standardized.path })
    return paths.flatMap { path -> [String] in
      let directory = URL(filePath: path)
      guard let all = try? FileManager.default.contentsOfDirectory(atPath: path), let names = try? names(path),
        names.contains(where: {
          URL(filePath: $0).deletingLastPathComponent().standardized.path == directory.standardized.path
        })
      else { return [] }
      return all.sorted().map { directory.appending(path: $0).relativePath }.filter {
        !named.contains(URL(filePath: $0).standardized.path) && !scenarios(below: $0).isEmpty
      }
    }
  }

  /// Whether a file is the profile of a card, which may lie beside the scenarios that name it.
  private static func isCardProfile(_ path: String) -> Bool {
    guard path.lowercased().hasSuffix(".json"), let octets = try? content(of: path),
      let document = try? JSONValue(parsing: octets)
    else { return false }
    return document["format"]?.text == CardProfile.format
  }

  /// The scenarios of a directory within another one; none for a file and for a directory without any.
  private static func scenarios(below path: String) -> [String] {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      attributes[.type] as? FileAttributeType == .typeDirectory
    else { return [] }
    return (try? names(path)) ?? []
  }

  static func content(of path: String) throws(ScenarioFileError) -> [UInt8] {
    do {
      let file = try FileHandle(forReadingFrom: URL(filePath: path))
      return [UInt8](try file.read(upToCount: maximumCount) ?? Data())
    } catch { throw ScenarioFileError("\(path) cannot be read: \(FileError.reason(error))", isUnreadable: true) }
  }

  // More than any scenario or profile may have; parsers report what is too long.
  private static let maximumCount = 67_108_864

  static func place(of name: String, beside path: String) -> String {
    name.hasPrefix("/") ? name : URL(filePath: path).deletingLastPathComponent().appending(path: name).relativePath
  }

  /// The path of the card for a loopback.
  ///
  /// - Throws: `ScenarioFileError` when the scenario names none.
  public func card() throws(ScenarioFileError) -> String {
    if let file = scenario.card.file { return Self.place(of: file, beside: path) }
    throw ScenarioFileError("\(path): $.card.file names no card: use --reader loopback:CARDFILE")
  }

  /// The terminal of a payment: that of the scenario, or, when it names none, that of a recording.
  ///
  /// - Parameter recorded: The profile of the recording; nil without one.
  /// - Throws: `ScenarioFileError` when the profile of the recording cannot be compiled.
  func terminal(recorded: [UInt8]?) throws(ScenarioFileError) -> Terminal {
    guard case .shipped = scenario.terminal, let recorded else { return terminal }
    do throws(TerminalProfileError) {
      return try Terminal(recorded)
    } catch { throw ScenarioFileError("\(path): $.terminal: \(error)") }
  }

  /// The payment, at the scenario's own date and time when it has them.
  ///
  /// - Parameter amount: The amount in place of that of the scenario; nil for that.
  /// - Throws: `ScenarioFileError` when the terminal cannot take the amount.
  public func request(
    at configuration: TerminalConfiguration, moment: TransactionMoment?, amount: String? = nil
  ) throws(ScenarioFileError) -> PaymentRequest {
    do throws(PaymentOrderError) {
      return try scenario.order(moment: moment, amount: amount).request(at: configuration)
    } catch { throw ScenarioFileError("\(path): $.\(error.key): \(error.reason)") }
  }

  /// The amount as text: `12.34 EUR`, `30.00 EUR with 10.00 cashback`; the number of steps of a scenario with `steps`.
  public var price: String {
    if let test = scenario.cardTest { return test.steps.count.counted("step") }
    let cashback = scenario.cashback.map { " with \($0) cashback" } ?? ""
    return "\(scenario.amount) \(scenario.currency)\(cashback)"
  }

  /// The file's name without its ending, in letters, digits and hyphens, 60 characters at most: a name for other files.
  public var plainName: String { Self.plain(URL(filePath: path).deletingPathExtension().lastPathComponent) }

  /// A text in small letters, digits and hyphens, 60 characters at most.
  static func plain(_ text: String) -> String {
    let letters = text.lowercased().unicodeScalars.map {
      $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) ? Character($0) : "-"
    }
    return String(letters.prefix(60))
  }
}

/// Why a scenario cannot be run: a file that cannot be read, or that does not fit its terminal.
public struct ScenarioFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file and the reason; a line for each problem.
  public let description: String
  /// Whether a file or directory cannot be read, or a directory has no scenario.
  public let isUnreadable: Bool

  init(_ description: String, isUnreadable: Bool = false) {
    (self.description, self.isUnreadable) = (description, isUnreadable)
  }
}
