import EMVData
import EMVTerminal
import Foundation
import PaymentAcceptance
import TapScenarios
import Transcripts

/// A scenario with all that it needs from other files, ready to be run.
struct ScenarioFile: Sendable {
  /// Where it was read from.
  let path: String
  let scenario: TapScenario
  /// The terminal's profile, as a recording keeps it; nil for the shipped one, or for a replay's own.
  let profile: [UInt8]?

  /// Reads a scenario and its terminal's profile.
  init(_ path: String) throws {
    self.path = path
    do {
      scenario = try TapScenario(parsing: Files.read(path))
      switch scenario.terminal {
      case .shipped: profile = nil
      case .inline(let json): profile = json
      case .file(let name): profile = try Files.read(Self.place(of: name, beside: path))
      }
    } catch let error as FileError {
      throw error
    } catch { throw FileError(description: "\(path): \(error)") }
    // An amount that the terminal cannot take is said before anybody is asked to tap.
    _ = try request(at: configuration(), moment: .now())
  }

  /// Every scenario of some files and directories, in the order of the arguments, then of the names.
  ///
  /// - Throws: One error with the problems of all files.
  static func all(_ paths: [String]) throws -> [ScenarioFile] {
    var files: [ScenarioFile] = []
    var problems: [String] = []
    for path in try paths.flatMap(names) {
      do {
        files.append(try ScenarioFile(path))
      } catch { problems.append("\(error)") }
    }
    guard problems.isEmpty else { throw FileError(description: problems.joined(separator: "\n")) }
    return files
  }

  private static func names(_ path: String) throws -> [String] {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard attributes?[.type] as? FileAttributeType == .typeDirectory else { return [path] }
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
      .filter { name in [".yaml", ".yml", ".json"].contains { name.lowercased().hasSuffix($0) } }.sorted()
    guard !names.isEmpty else { throw FileError(description: "\(path) has no scenario: no .yaml, .yml or .json file") }
    return names.map { URL(filePath: path).appending(path: $0).relativePath }
  }

  private static func place(of name: String, beside path: String) -> String {
    name.hasPrefix("/") ? name : URL(filePath: path).deletingLastPathComponent().appending(path: name).relativePath
  }

  /// The card of a loopback.
  ///
  /// - Throws: `FileError` when the scenario names none.
  func card() throws -> String {
    if let file = scenario.card.file { return Self.place(of: file, beside: path) }
    throw FileError(description: "\(path): $.card.file names no card: use --reader loopback:CARDFILE")
  }

  /// The terminal.
  ///
  /// - Parameter recorded: The profile of a recording, which counts when the scenario names none.
  func configuration(recorded: [UInt8]? = nil) throws -> TerminalConfiguration {
    do {
      return try TerminalConfiguration(json: profile ?? recorded ?? ShippedTerminal.profile)
    } catch { throw FileError(description: "\(path): $.terminal: \(error)") }
  }

  /// The payment, at the scenario's own date and time if it has them.
  func request(at configuration: TerminalConfiguration, moment: TransactionMoment) throws -> PaymentRequest {
    do {
      return try PaymentOrder(
        amount: scenario.amount, cashback: scenario.cashback, currency: scenario.currency, moment: self.moment(moment)
      ).request(at: configuration)
    } catch PaymentOrderError.cashback(let reason) {
      throw FileError(description: "\(path): $.cashback: \(reason)")
    } catch { throw FileError(description: "\(path): $.amount: \(error)") }
  }

  /// The amount for people: `12.34 EUR`, `30.00 EUR with 10.00 cashback`.
  var price: String {
    let cashback = scenario.cashback.map { " with \($0) cashback" } ?? ""
    return "\(scenario.amount) \(scenario.currency)\(cashback)"
  }

  /// The scenario's own date and time, where it has them.
  func moment(_ now: TransactionMoment) -> TransactionMoment {
    TransactionMoment(date: scenario.date ?? now.date, time: scenario.time ?? now.time)
  }

  /// The file's name without its ending, of letters, digits and hyphens only: a name for other files.
  var plainName: String {
    let name = URL(filePath: path).deletingPathExtension().lastPathComponent.lowercased()
    let letters = name.unicodeScalars.map {
      $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) ? Character($0) : "-"
    }
    return String(letters.prefix(60))
  }
}
