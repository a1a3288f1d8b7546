internal import EMVDecoding
internal import ISO7816

/// An exchange as the model needs it: two lengths, and what the card computes.
public struct ModelledExchange: Hashable, Sendable {
  /// What a card does for a response.
  public enum Work: Hashable, Sendable {
    /// No cryptography.
    case plain
    /// A cryptogram or a dynamic number under a symmetric key.
    case cryptogram
    /// A cryptogram and a signature, by the size of its key in bits.
    case signature(bits: Int)
  }

  /// The command, such as `READ RECORD`.
  public let name: String
  /// The bytes of the command.
  public let commandCount: Int
  /// The bytes of the response with its status word.
  public let responseCount: Int
  /// What the card computes.
  public let work: Work

  /// Creates an exchange.
  ///
  /// - Parameters:
  ///   - commandCount: 1 or more.
  ///   - responseCount: 0 or more; 0 for a response that never came.
  public init(name: String, commandCount: Int, responseCount: Int, work: Work = .plain) {
    (self.name, self.commandCount, self.responseCount, self.work) = (name, commandCount, responseCount, work)
  }

  /// Creates an exchange from its bytes. What the card computes follows from the data objects of its response.
  ///
  /// - Parameter name: Nil for the name of the instruction.
  public init(_ command: [UInt8], _ response: [UInt8]?, name: String? = nil) {
    self.init(
      name: name ?? InstructionNames.name(of: command) ?? "another command", commandCount: command.count,
      responseCount: response?.count ?? 0, work: Self.work(command, response ?? []))
  }

  /// Creates the exchanges of a tap. Of EXCHANGE RELAY RESISTANCE DATA that is sent again at once, only the first is kept: a
  /// terminal repeats it when this machine was too busy to respond in time, which is no property of a link.
  public static func tap(_ exchanges: [(command: [UInt8], response: [UInt8]?, name: String?)]) -> [ModelledExchange] {
    var (tap, wasRelay): ([ModelledExchange], Bool) = ([], false)
    for (command, response, name) in exchanges {
      let isRelay = command.count > 1 && command[1] == 0xEA
      if !(isRelay && wasRelay) { tap.append(ModelledExchange(command, response, name: name)) }
      wasRelay = isRelay
    }
    return tap
  }

  private static func work(_ command: [UInt8], _ response: [UInt8]) -> Work {
    // A record holds what was computed before.
    guard command.count > 1, command[1] != Instruction.readRecord else { return .plain }
    let data = Array(response.dropLast(2))
    let nodes = (try? [TLVNode](parsing: data.span)) ?? []
    // Signed Dynamic Application Data is as long as the key.
    if let signature = nodes.first(0x9F4B)?.value { return .signature(bits: signature.count * 8) }
    // COMPUTE CRYPTOGRAPHIC CHECKSUM and INTERNAL AUTHENTICATE.
    if [0x2A, 0x88, Instruction.generateAC].contains(command[1]) { return .cryptogram }
    return nodes.first(0x9F26) == nil ? .plain : .cryptogram
  }
}
