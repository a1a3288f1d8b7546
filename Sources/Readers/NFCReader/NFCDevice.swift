internal import Foundation
internal import ISO7816
public import Links
internal import Octets

/// A card in the field of an NFC device.
public typealias NFCChannel = ChipChannel<NFCDevice>

/// A card that an NFC device presents to a terminal. The device must support the target role.
public typealias NFCLink = ChipLink<NFCDevice>

/// An NFC device that libnfc drives, opened and claimed for this program. It has one role at a time.
///
/// libnfc runs in a separate process, `tap-nfc`. Releasing the device ends that process, which first switches the field
/// off and puts the chip to sleep.
public final class NFCDevice: Sendable {
  /// libnfc's limit for a command to a card through a PN53x chip, in bytes. A longer command would end its process.
  public static let maximumCommandCount = 261
  /// libnfc's limit for a card's response with its status word through a PN53x chip, in bytes.
  public static let maximumResponseCount = 258

  /// How long a response may take in addition to the time limit of the request itself.
  static let patience = Duration.seconds(3)

  /// The connection string, such as `pn532_uart:/dev/ttyUSB0`.
  public let connstring: String
  /// The device's name in libnfc.
  public let name: String
  let process: NFCProcess

  /// Opens a device.
  ///
  /// - Parameters:
  ///   - connstring: libnfc's name for the device, such as `pn532_uart:/dev/ttyUSB0:115200`.
  ///   - program: The path of `tap-nfc`; by default in the directory of the running program.
  /// - Throws: `LinkError`: `.readerUnavailable`, `.busy` when another process holds it, `.serviceUnavailable`.
  public init(_ connstring: String, program: String = NFCDevice.defaultProgram) throws(LinkError) {
    guard (1...1023).contains(connstring.utf8.count) else {
      throw LinkError(
        .readerUnavailable, "a connection string of libnfc has 1 to 1023 bytes, not \(connstring.utf8.count)")
    }
    let process = try NFCProcess(program: program)
    guard case .opened(let name) = try process.asked(.open(connstring: connstring), timeout: .seconds(10)) else {
      throw LinkError(.protocolViolation, "tap-nfc sent an unexpected response to the request to open \(connstring)")
    }
    self.connstring = connstring
    self.name = name
    self.process = process
  }

  /// The connection strings of the devices that libnfc finds. It finds a serial device only when its settings name it.
  /// Blocks.
  public static func connstrings(program: String = NFCDevice.defaultProgram) throws(LinkError) -> [String] {
    let process = try NFCProcess(program: program)
    guard case .devices(let names) = try process.asked(.list, timeout: .seconds(30)) else { return [] }
    return names
  }

  /// The path of `tap-nfc` in the directory of the running program, where the build puts both.
  public static var defaultProgram: String {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "tap-nfc")
      .path
  }
}

extension NFCDevice: ChipHost {
  /// Does nothing: libnfc configures the chip with the first call of a role.
  public func prepare(for role: ChipRole) {}

  // MARK: Terminal

  /// Searches once for a card.
  public func findCard() throws(LinkError) -> FoundCard? {
    switch try process.asked(.select, timeout: Self.patience) {
    case .card(let identifier, let answer):
      FoundCard(identifier: identifier, answerToSelect: [UInt8(truncatingIfNeeded: answer.count + 1)] + answer)
    case .cardOfTypeB(let identifier, let history): FoundCard(identifier: identifier, historicalBytes: history)
    case .severalCards:
      throw LinkError(
        .severalCards, "\(name): a card of type A and one of type B are in the field. Present one card only")
    default: nil
    }
  }

  /// Sends a command to the card and receives its response.
  public func exchange(_ command: [UInt8], within limit: Duration) throws(LinkError) -> [UInt8] {
    let milliseconds = UInt32(clamping: limit.nanoseconds / 1_000_000)
    let reply = try process.asked(
      .transceive(milliseconds: milliseconds, command: command), timeout: limit + Self.patience)
    guard case .octets(let octets) = reply else { return [] }
    return octets
  }

  // MARK: Card

  /// Presents a card until a terminal has selected it, without a time limit.
  public func awaitTerminal(identifier: [UInt8], historicalBytes: [UInt8]) throws(LinkError) -> Bool {
    try process.asked(.await(identifier: identifier, historicalBytes: historicalBytes), timeout: nil) == .done
  }

  /// Answers the terminal, and waits for its next command without a time limit.
  public func nextEvent(after response: [UInt8]?) throws(LinkError) -> TerminalEvent {
    var reply = NFCReply.done
    if let response { reply = try process.asked(.respond(response), timeout: Self.patience) }
    if reply == .done { reply = try process.asked(.receive, timeout: nil) }
    if case .octets(let command) = reply { return .command(command) }
    return .left(reply == .released(isDeselected: true) ? .deselected : .lost)
  }

  /// Ends the call that blocks in another thread. Between two calls it has no effect, and a late one may end the next
  /// call.
  public func interrupt() { process.abort() }

  /// Releases the card, switches the field off and puts the chip to sleep.
  public func release() { _ = try? process.asked(.release, timeout: Self.patience) }
}

extension NFCProcess {
  /// Sends a request and waits for the response.
  ///
  /// - Throws: `LinkError`, also for a request that `tap-nfc` reports as failed.
  func asked(_ request: NFCRequest, timeout: Duration?) throws(LinkError) -> NFCReply {
    let reply = try ask(request, timeout: timeout)
    guard case .failed(let failure) = reply else { return reply }
    throw LinkError(failure)
  }
}

extension LinkError {
  init(_ failure: NFCFailure) {
    let code: Code =
      switch failure.code {
      case .builtWithoutLibNFC: .serviceUnavailable
      case .noSuchDevice, .device: .readerUnavailable
      case .busy: .busy
      case .timedOut: .timedOut
      case .radio: .cardRemoved
      case .aborted: .stopped
      case .tooLong, .other: .transmissionFailed
      case .misuse: .protocolViolation
      }
    self.init(code, failure.text)
  }
}
