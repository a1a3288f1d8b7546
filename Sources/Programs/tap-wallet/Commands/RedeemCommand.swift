import AccessMessages
import ArgumentParser
import Foundation
import MobileAuthentication
import Octets
import ProgramSupport
import QRCode

/// Does what an out-of-band message asks for.
struct RedeemCommand: ProtocolCommand {
  static let configuration = CommandConfiguration(
    commandName: "redeem",
    abstract: "Do what a QR code, a link or a push message asks for: register, authenticate, or confirm a transaction.",
    help: CommandHelp(
      """
      Prompts: those of register and authenticate. The message is decrypted when it is for this device. The \
      name, the authenticator and the account are checked before the message is used, so that it can be \
      redeemed after a mistake.
      """,
      examples: [
        "tap-wallet redeem --state mobile confirm.png": "Do what the QR code in a picture asks for.",
        "tap-wallet redeem --state mobile 1": "Do the first operation that tap-wallet pending lists.",
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: ProtocolOptions
  @Option(help: "The authenticator; asked for when several can be used.")
  var authenticator: AuthenticatorChoice?
  @OptionGroup var target: TargetOptions
  @OptionGroup var rules: EntryRuleOptions
  @Argument(
    help: """
      The file of a QR code as PNG, a link, a message as JSON, - to read one of them from standard input, or the number of \
      an operation that tap-wallet pending lists.
      """)
  var message: String

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let client = try await run.client()
    let redeemable = try await redeemable(client, at: run.servers.named?.origin)
    let interactions = run.interactions(authenticator, try rules.stored(in: run))
    var onRegistration = Registration.Options(interactions)
    onRegistration.deviceInformation = target.information
    let operation = OutOfBandOperation(
      redeemable, onRegistration: onRegistration,
      onAuthentication: Authentication.Options(interactions))
    let success = WalletRun.Success(try await operation.execute(on: client))
    try await target.change(run, client)
    return success
  }

  /// The operation of a message, or of a number of the list. A file whose name is a number is ./NUMBER.
  private func redeemable(
    _ client: MobileAuthenticationClient, at server: String?
  ) async throws -> RedeemableOperation {
    guard let number = Int(message) else { return try await PayloadSource.read(message).execute(on: client) }
    let pending = try await PendingOutOfBandOperations(server: server).execute(on: client)
    guard pending.operations.indices.contains(number - 1) else {
      if let error = pending.errors.values.first { throw CommandFailure(error) }
      let count = pending.operations.count
      throw CommandFailure(
        "InvalidArgument",
        "\(number) is not in the list: \(count.counted("operation")) pending; see tap-wallet pending",
        .notRight)
    }
    return pending.operations[number - 1].operation
  }
}

/// Where a message comes from.
enum PayloadSource {
  /// Reads a message: JSON, a link, the text of a QR code, or the file of an image.
  static func read(_ argument: String) throws -> OutOfBandPayloadDecode {
    if let decode = decode(text: argument) { return decode }
    let octets = try OptionFiles.read(argument)
    let isImage = octets.starts(with: [0x89, 0x50, 0x4E, 0x47])
    let text: String
    do throws(QRCodeError) {
      text = isImage ? try QRCode.text(inPNG: octets) : String(decoding: octets, as: UTF8.self)
    } catch { throw CommandFailure("MalformedPayload", "\(argument): \(error)", .notRight) }
    let line = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    return decode(text: line) ?? OutOfBandPayloadDecode(base64URL: line)
  }

  private static func decode(text: String) -> OutOfBandPayloadDecode? {
    if text.hasPrefix("{") { return OutOfBandPayloadDecode(json: text) }
    guard text.contains("://"), let start = text.range(of: OutOfBandPayload.linkParameter + "=") else { return nil }
    return OutOfBandPayloadDecode(base64URL: String(text[start.upperBound...].prefix { $0 != "&" && $0 != "#" }))
  }
}
