public import EMVTerminal
internal import ISO7816
internal import PaymentAcceptance

/// Selects commands of a tap: by name, by name and occurrence, or by number.
///
/// Exchanges count as on the wire: GET RESPONSE and a command that is sent again are exchanges of their own.
public struct CommandSelector: Hashable, Sendable, CustomStringConvertible {
  /// The name.
  public enum Command: Hashable, Sendable {
    /// Every exchange.
    case every
    /// GET RESPONSE.
    case getResponse
    /// A command of a part of the payment.
    case phase(TransactionPhase)
  }

  /// The name.
  public let command: Command
  /// Which of them, from 1; nil for all of them.
  public let occurrence: Int?

  static let everyCommand = CommandSelector(command: .every, occurrence: nil)

  /// The phases that have commands: those of Entry Point and of all kernels, then those of each kernel.
  static func phases(of kernels: [KernelDefinition]) -> [TransactionPhase] {
    [.selectDirectory, .selectApplication, .processingOptions, .readRecords]
      + kernels.flatMap { $0.phases.map(\.phase) }
  }

  private static func shortNames(of kernels: [KernelDefinition]) -> [String: TransactionPhase] {
    let names = kernels.flatMap { $0.phases.map { ($0.shortName, $0.phase) } } + [("gpo", .processingOptions)]
    return Dictionary(names) { first, _ in first }
  }

  init(command: Command, occurrence: Int?) {
    self.command = command
    self.occurrence = occurrence
  }

  /// Reads `SELECT PPSE`, `READ RECORD 2`, `GPO`, `exchange 3` or `every command`; nil for anything else.
  ///
  /// - Parameter kernels: The kernels whose phases can be named.
  init?(_ text: String, kernels: [KernelDefinition] = TerminalConfiguration.kernels) {
    var words = text.split(separator: " ")
    var occurrence: Int?
    if words.count > 1, let number = words.last.flatMap({ Int($0) }) {
      guard number >= 1 else { return nil }
      occurrence = number
      words.removeLast()
    }
    let name = plain(words.joined(separator: " "))
    if name == "everycommand", occurrence == nil {
      self = .everyCommand
    } else if name == "exchange", occurrence != nil {
      self.init(command: .every, occurrence: occurrence)
    } else if name == "getresponse" {
      self.init(command: .getResponse, occurrence: occurrence)
    } else if let phase = Self.shortNames(of: kernels)[name]
      ?? Self.phases(of: kernels).first(where: { plain($0.rawValue) == name })
    {
      self.init(command: .phase(phase), occurrence: occurrence)
    } else {
      return nil
    }
  }

  /// The selected exchanges, in order.
  func selected(from exchanges: [Exchange]) -> [Exchange] {
    let named = exchanges.filter { exchange in
      switch command {
      case .every: true
      case .getResponse: exchange.isContinuation
      case .phase(let phase): exchange.phase == phase && !exchange.isContinuation
      }
    }
    guard let occurrence else { return named }
    return named.indices.contains(occurrence - 1) ? [named[occurrence - 1]] : []
  }

  /// The name and the occurrence, as they are read.
  public var description: String {
    let name =
      switch command {
      case .every: occurrence == nil ? "every command" : "exchange"
      case .getResponse: "GET RESPONSE"
      case .phase(let phase): phase.rawValue
      }
    return occurrence.map { "\(name) \($0)" } ?? name
  }
}

extension Exchange {
  /// Whether the command fetches the rest of a response.
  var isContinuation: Bool { command.count > 1 && command[1] == Instruction.getResponse }

  /// The command's name.
  var name: String { isContinuation ? "GET RESPONSE" : phase.rawValue }
}

/// The letters and digits of a text, in lower case: `seePhone`, `see phone` and `see-phone` are one name.
func plain(_ text: some StringProtocol) -> String {
  String(
    decoding: text.lowercased().utf8.filter { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }, as: UTF8.self)
}
