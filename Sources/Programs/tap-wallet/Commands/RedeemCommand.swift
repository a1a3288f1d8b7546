import AccessMessages
import ArgumentParser
import Foundation
import JSON
import MobileAuthentication
import QRCode

/// Does what an out-of-band message asks for.
struct RedeemCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redeem",
    abstract: "Do what a QR code, a link or a push message asks for: register, authenticate, or confirm a transaction.",
    discussion: "Prompts: those of register and authenticate. The message is decrypted when it is for this device.")

  @OptionGroup var state: ProtocolOptions
  @Option(help: "The authenticator; asked for when several can be used.")
  var authenticator: AuthenticatorChoice?
  @Option(help: "The name of the device, for a first registration.")
  var name: String?
  @Argument(
    help: "The file of a QR code as PNG, a link, a message as JSON, or - to read one of them from standard input.")
  var message: String

  func run() async throws {
    try await WalletRun.perform("redeem", state) { run in
      let client = try await run.client()
      let decode = try PayloadSource.read(message)
      let interactions = run.interactions(authenticator)
      var onRegistration = Registration.Options(interactions)
      onRegistration.deviceInformation = name.map { NewDeviceInformation(name: $0) }
      let operation = OutOfBandOperation(
        try await decode.execute(on: client), onRegistration: onRegistration,
        onAuthentication: Authentication.Options(interactions))
      return WalletRun.Success(try await operation.execute(on: client))
    }
  }
}

/// Where a message comes from.
enum PayloadSource {
  /// Reads a message: JSON, a link, the text of a QR code, or the file of an image.
  static func read(_ argument: String) throws -> OutOfBandPayloadDecode {
    if let decode = decode(text: argument) { return decode }
    let octets = try Files.read(argument)
    let isImage = octets.starts(with: [0x89, 0x50, 0x4E, 0x47])
    let text: String
    do throws(QRCodeError) {
      text = isImage ? try QRCode.text(inPNG: octets) : String(decoding: octets, as: UTF8.self)
    } catch { throw CommandFailure("MalformedPayload", "\(argument): \(error)") }
    let line = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    return decode(text: line) ?? OutOfBandPayloadDecode(base64URL: line)
  }

  private static func decode(text: String) -> OutOfBandPayloadDecode? {
    if text.hasPrefix("{") { return OutOfBandPayloadDecode(json: text) }
    guard text.contains("://"), let start = text.range(of: OutOfBandPayload.linkParameter + "=") else { return nil }
    return OutOfBandPayloadDecode(base64URL: String(text[start.upperBound...].prefix { $0 != "&" && $0 != "#" }))
  }
}
