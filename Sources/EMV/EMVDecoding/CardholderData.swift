public import EMVData
internal import ISO7816
internal import Octets

/// The account numbers and names in commands and responses, which decide together what of them may be shown: a number
/// that is masked anywhere in an output is masked everywhere in it.
public struct CardholderData: Equatable, Sendable {
  /// The account numbers that hardly occur by chance, in the order of their appearance.
  public private(set) var numbers: [PrimaryAccountNumber] = []
  /// The values of other data elements that look like account numbers, perhaps by chance.
  public private(set) var likelyNumbers: [PrimaryAccountNumber] = []
  /// Digits in bytes of unknown meaning that look like account numbers, perhaps by chance.
  public private(set) var suspectedNumbers: [PrimaryAccountNumber] = []
  /// The names of cardholders.
  public private(set) var names: [[UInt8]] = []

  /// Nothing.
  public init() {}

  /// Collects the data of a command or a response.
  ///
  /// - Parameters:
  ///   - octets: The command or the response.
  ///   - node: The same, decoded.
  ///   - source: The origin of the bytes.
  ///   - kernel: The kernel of the selected application; nil for the definitions of the EMV books.
  public init(in octets: [UInt8], as node: DecodedNode, from source: Source, kernel: ContactlessKernel? = nil) {
    guard source != .reader else { return }
    for leaf in node.leaves {
      let value = Array(octets[leaf.content])
      switch leaf.kind {
      case .object: add(leaf.tag, value, source, kernel)
      case .octets, .fault: add(unknown: value, source)
      case .field, .group, .secret: break
      }
    }
    if source != .command { numbers += AccountNumberSearch.swallowedNumbers(in: octets) }
  }

  /// The origin of bytes.
  public enum Source: Sendable {
    /// A command without a data object list, which may hold anything.
    case command
    /// A command with the values of a data object list: they are amounts and dates.
    case listCommand
    /// A response.
    case response
    /// A random number of a card.
    case challenge
    /// A PC/SC reader that returned a card's identifier or answer to select.
    case reader
  }

  /// All account numbers.
  public var knownNumbers: KnownNumbers { KnownNumbers(numbers + likelyNumbers + suspectedNumbers) }

  /// Adds the data of further bytes.
  public mutating func add(_ other: CardholderData) {
    numbers += other.numbers
    likelyNumbers += other.likelyNumbers
    suspectedNumbers += other.suspectedNumbers
    names += other.names
  }

  private mutating func add(_ tag: Tag?, _ value: [UInt8], _ source: Source, _ kernel: ContactlessKernel?) {
    guard let tag else { return add(unknown: value, source) }
    if source == .command || source == .listCommand, DataElement.named(tag, kernel: kernel)?.source == .terminal {
      return
    }
    numbers += AccountNumberSearch.accountNumbers(tag, value)
    likelyNumbers += [AccountNumberSearch.packedNumber(tag, value)].compactMap(\.self)
    if !AccountNumberSearch.isDefined(tag) || AccountNumberSearch.isBrokenText(tag, value) {
      suspectedNumbers += AccountNumberSearch.suspectedNumbers(in: value)
    }
    names += AccountNumberSearch.names(tag, value)
  }

  private mutating func add(unknown value: [UInt8], _ source: Source) {
    switch source {
    case .challenge: likelyNumbers += [AccountNumberSearch.packedNumber(value)].compactMap(\.self)
    case .command, .response: suspectedNumbers += AccountNumberSearch.suspectedNumbers(in: value)
    case .listCommand, .reader: break
    }
  }
}

extension CardholderData.Source {
  /// The origin of a command's bytes.
  public init(ofCommand command: [UInt8]) {
    self = DataObjectListCommand.recognises(command) ? .listCommand : .command
  }

  /// The origin of the bytes of the response to a command.
  public init(ofResponseTo command: [UInt8]) {
    if command.starts(with: [0xFF, Instruction.getData]) {
      self = .reader
    } else {
      self = command.dropFirst().first == 0x84 ? .challenge : .response
    }
  }
}

/// Commands whose data are the values of a data object list.
public enum DataObjectListCommand {
  /// Whether a command is one of them: GET PROCESSING OPTIONS, GENERATE AC or COMPUTE CRYPTOGRAPHIC CHECKSUM.
  public static func recognises(_ command: [UInt8]) -> Bool {
    guard command.count >= 4, command[0] & 0x80 != 0, command[0] != 0xFF else { return false }
    return [Instruction.getProcessingOptions, Instruction.generateAC, 0x2A].contains(command[1])
  }
}
