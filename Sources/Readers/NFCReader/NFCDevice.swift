internal import Foundation
public import Links

/// An NFC device that libnfc drives, opened and claimed. One role at a time.
///
/// libnfc runs in a process of its own, `tap-nfc`, which is ended with the device.
public final class NFCDevice: Sendable {
  /// libnfc's limit for a command to a card through a PN53x chip, in octets. Longer ones would end its process.
  public static let maximumCommandCount = 261
  /// libnfc's limit for a card's response with its status word through a PN53x chip, in octets.
  public static let maximumResponseCount = 258

  /// How long an answer may take beyond what the request itself is given.
  static let patience = Duration.seconds(3)

  /// The connection string, such as `pn532_uart:/dev/ttyUSB0`.
  public let connstring: String
  /// What libnfc calls the device.
  public let name: String
  let process: NFCProcess

  /// Opens a device.
  ///
  /// - Parameters:
  ///   - connstring: libnfc's name for the device, such as `pn532_uart:/dev/ttyUSB0:115200`.
  ///   - program: The path of `tap-nfc`; beside the running program when left out.
  /// - Throws: `LinkError`: `.readerUnavailable`, `.busy` when another process holds it, `.serviceUnavailable`.
  public init(_ connstring: String, program: String = NFCDevice.defaultProgram) throws(LinkError) {
    guard (1...1023).contains(connstring.utf8.count) else {
      throw LinkError(
        .readerUnavailable, "a connection string of libnfc has 1 to 1023 octets, not \(connstring.utf8.count)")
    }
    let process = try NFCProcess(program: program)
    guard case .opened(let name) = try process.asked(.open(connstring: connstring), timeout: .seconds(10)) else {
      throw LinkError(.protocolViolation, "tap-nfc did not open the device")
    }
    self.connstring = connstring
    self.name = name
    self.process = process
  }

  /// The devices that libnfc finds by itself. A serial device is found only when libnfc is told of it.
  public static func connstrings(program: String = NFCDevice.defaultProgram) throws(LinkError) -> [String] {
    let process = try NFCProcess(program: program)
    guard case .devices(let names) = try process.asked(.list, timeout: .seconds(30)) else { return [] }
    return names
  }

  /// Where `tap-nfc` lies when it was built together with the running program.
  public static var defaultProgram: String {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "tap-nfc")
      .path
  }
}

extension NFCProcess {
  /// Asks, and throws what failed.
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
