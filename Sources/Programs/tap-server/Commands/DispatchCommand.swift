import AccessMessages
import ArgumentParser
import Documents
import FIDOUAF
import Foundation
import JSON
import ProgramSupport
import QRCode
import POSIX

/// Operations that the server sends to devices.
struct DispatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dispatch", abstract: "Send an operation to a device of a user.",
    subcommands: [DispatchAuthenticationCommand.self, DispatchRegistrationCommand.self])
}

/// Dispatches an authentication.
struct DispatchAuthenticationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "authentication", abstract: "Ask a user to authenticate, or to confirm a transaction.",
    help: CommandHelp(
      DispatchOptions.help,
      examples: [
        "tap-server dispatch authentication --account alice --channel png-qr-code --text 'Pay 100 CHF' -o confirm.png \(OperatorOptions.example)":
          "Ask a user to confirm a text, by a QR code."
      ],
      exits: OperatorOptions.exits))

  @Option(help: "The text of a transaction to confirm: ASCII, at most 200 characters.")
  var text: String?
  @OptionGroup var dispatch: DispatchOptions

  func run() async throws { try await dispatch.run(.authentication, text: text) }
}

/// Dispatches a registration.
struct DispatchRegistrationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "registration", abstract: "Ask a user to register an authenticator, on a new device too.",
    help: CommandHelp(
      DispatchOptions.help + " The message authorises the registration.",
      examples: [
        "tap-server dispatch registration --account alice --channel link \(OperatorOptions.example)":
          "Print a link with which a user registers an authenticator."
      ],
      exits: OperatorOptions.exits))

  @OptionGroup var dispatch: DispatchOptions

  func run() async throws { try await dispatch.run(.registration, text: nil) }
}

/// The account, the device and the channel of an operation.
struct DispatchOptions: ParsableArguments {
  static let help = """
    With --channel link the link is printed, with png-qr-code the text of the QR code, with push that it was sent. A message for a \
    device is encrypted.
    """

  @Option(help: "The account.")
  var account: String
  @Option(
    help: "The channel: link, png-qr-code or push.", completion: .list(["link", "png-qr-code", "push"]),
    transform: Self.channel)
  var channel: DispatchChannel
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The device; for push, the only one that receives messages.", valueName: "id"))
  var device: String?
  @Option(
    name: .shortAndLong, help: ArgumentHelp("Where the QR code is written.", valueName: "png"), completion: .file())
  var output: String?
  @Flag(help: "Write over a file that exists.")
  var force = false
  @OptionGroup var options: OperatorOptions

  private static func channel(_ name: String) throws -> DispatchChannel {
    guard let channel = name == "push" ? .push : DispatchChannel(rawValue: name) else {
      throw ValidationError("--channel \(name): link, png-qr-code or push is needed.")
    }
    return channel
  }

  func validate() throws {
    guard output == nil || channel == .qrCode else { throw ValidationError("-o needs --channel png-qr-code.") }
    guard !force || output != nil else { throw ValidationError("--force needs -o.") }
  }

  /// Sends the operation.
  ///
  /// - Parameter text: The text of a transaction; nil without one.
  func run(_ operation: UAFOperation, text: String?) async throws {
    let report = options.report("dispatch \(operation == .registration ? "registration" : "authentication")")
    try await report.run { () throws(CommandFailure) in
      try writing { (file) throws(FileError) in try file.check() }
      let client = try OperatorClient(options)
      let context = RequestContext(userName: account, transaction: text)
      let request = DispatchRequest(
        GetUAFRequest(operation, context: context.json.compact), dispatcher: channel.rawValue,
        targetID: try await target(client))
      let answer = try await client.send(
        .post, AccessPath.dispatch(operation), request.json, DispatchResponse.init)
      guard answer.result == .dispatched else {
        throw CommandFailure(
          answer.result.rawValue, "the server did not dispatch: \(answer.result.rawValue)", .notRight)
      }
      try show(answer, report)
    }
  }

  /// The device of a push message: the one of the option, or the only one that can receive it.
  /// The content of a message, or where it went.
  private func words(_ content: String) -> String {
    if let output { return "wrote \(output)" }
    return channel == .push ? "sent to the device by push" : content
  }

  private func target(_ client: OperatorClient) async throws(CommandFailure) -> String? {
    guard device == nil, channel == .push else { return device }
    let path = OperatorPath.devices.query([("account", account)])
    let devices = try await client.send(.get, path, nil, DeviceList.init).devices
    let reachable = devices.filter { $0.receivesPush && $0.state == "active" }
    guard reachable.count == 1 else {
      throw CommandFailure(
        "dispatchTargetNotFound",
        "\(account) has \(reachable.count) devices that receive push messages: name one with --device", .notRight)
    }
    return reachable[0].id
  }

  private func show(_ answer: DispatchResponse, _ report: Report) throws(CommandFailure) {
    var content = answer.response ?? ""
    if channel == .qrCode {
      guard let png = Data(base64Encoded: content) else {
        throw CommandFailure("malformed", "the server sent a QR code that is not base64", .notRight)
      }
      try writing { (file) throws(FileError) in try file.write(png) }
      do throws(QRCodeError) {
        content = try QRCode.text(inPNG: [UInt8](png))
      } catch {
        throw CommandFailure("malformed", "the server sent a QR code that cannot be read: \(error)", .notRight)
      }
    }
    let members = [
      ("token", answer.token), ("sessionId", answer.sessionID), ("dispatcher", answer.dispatcher),
      ("content", channel == .push ? nil : content), ("file", output),
    ].map { ($0.0, $0.1.map { JSONValue($0) }) }
    report.result("dispatched", members, text: words(content))
  }

  /// Runs a step of writing the QR code; does nothing without `-o`.
  private func writing(_ step: (OutputFile) throws(FileError) -> Void) throws(CommandFailure) {
    guard let output else { return }
    do throws(FileError) {
      try step(OutputFile(path: output, isReplaced: force))
    } catch {
      throw CommandFailure(error.code == .exists ? "fileExists" : "inaccessible", of: error)
    }
  }
}
