import EMVCard
import EMVCryptography
import EMVData
import EMVIssuer
import Fixtures
import Foundation
import ISO7816
import JSON
import Octets
import PaymentSupport

/// A command for which a card computes with its keys, and what a terminal sends before and after it.
struct WalkedCommand: Sendable {
  /// The command in words.
  let name: String
  let image: CardImage
  /// What comes before it.
  let before: [Step]
  let command: [UInt8]
  /// A further command that asks for a cryptogram or a signature; nil for none.
  var next: [UInt8]?
  /// Whether the card approves the payment offline.
  var isApproval = false

  /// One act of the terminal. A command may need an earlier response.
  enum Step: Sendable {
    case command([UInt8])
    case following(@Sendable ([[UInt8]]) throws -> [UInt8])
    /// The field is lost before the response to the command has left.
    case torn([UInt8])
  }

  /// All commands.
  static func all() throws -> [WalkedCommand] {
    let (visa, mastercard) = (try image("visa-cvn18"), try onlineMastercard())
    let tap = try tap("visa-cvn18")
    return [
      WalkedCommand(name: "GET PROCESSING OPTIONS", image: visa, before: tap.first(2), command: tap[2]),
      try options(mastercard), try generate(), try second(mastercard), try recover(), try checksum(),
      try authenticate(),
    ]
  }
}

// The cards and their commands.
extension WalkedCommand {
  private static func image(_ name: String) throws -> CardImage {
    try CardImage(json: [UInt8](Fixtures.data("Cards/\(name).json")))
  }

  private static func tap(_ card: String, isMagStripe: Bool = false) throws -> [[UInt8]] {
    let taps = CardTap.shipped.filter { $0.card == card && $0.isMagStripe == isMagStripe }
    guard let tap = taps.first else { throw WalkFailure("\(card) has no such tap") }
    return try tap.commands.map { try [UInt8](hex: $0) }
  }

  private static func select(_ image: CardImage) -> Step {
    .command(CommandAPDU.select(name: image.applications[0].aid.octets).encoded)
  }

  /// A shipped Mastercard card with further data and keys.
  private static func mastercard(
    _ name: String, data: [String], aip: String? = nil, keys: [String: JSONValue] = [:]
  ) throws -> CardImage {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/\(name).json")))
    let place = profile.applications[0].records.firstIndex { $0.isSigned != true } ?? 0
    profile.applications[0].records[place].data += data
    profile.applications[0].schemeKeys.merge(keys) { $1 }
    if let aip { profile.applications[0].aip = aip }
    return try CardImage(json: profile.json)
  }

  /// A card that takes its issuer's response.
  private static func onlineMastercard() throws -> CardImage {
    try mastercard("mastercard-cvn21", data: [issuerData], aip: "1E81")
  }

  /// CDOL2: tags 91, 8A, 95 and 9F37.
  private static let issuerData = "8D 910A8A0295059F3704"

  private static let options: [UInt8] = [0x80, 0xA8, 0, 0, 2, 0x83, 0, 0]
  private static let number: [UInt8] = [1, 2, 3, 4]

  private static func generation(_ image: CardImage) throws -> [UInt8] {
    guard let list = image.applications[0].cdol1 else { throw WalkFailure("the card has no CDOL1") }
    let values = list.values { $0 == .unpredictableNumber ? Self.number : nil }
    return try CommandAPDU(cla: 0x80, ins: 0xAE, p1: 0x80, p2: 0, data: values, expectedLength: 256).encoded
  }

  private static func options(_ image: CardImage) throws -> WalkedCommand {
    WalkedCommand(
      name: "GET PROCESSING OPTIONS, then GENERATE AC", image: image, before: [select(image)], command: options,
      next: try generation(image))
  }

  private static func generate() throws -> WalkedCommand {
    let tap = try tap("mastercard-cvn16")
    return WalkedCommand(
      name: "GENERATE AC", image: try image("mastercard-cvn16"), before: tap.first(tap.count - 1),
      command: tap[tap.count - 1])
  }

  /// The second GENERATE AC, after the issuer was authenticated.
  private static func second(_ image: CardImage) throws -> WalkedCommand {
    let command: [UInt8] = [0x80, 0xAE, 0x40, 0, 21] + [UInt8](repeating: 0, count: 17) + number + [0]
    return WalkedCommand(
      name: "second GENERATE AC", image: image,
      before: [
        select(image), .command(options), .command(try generation(image)),
        .following { try externalAuthenticate($0[2], image) },
      ], command: command)
  }

  private static func externalAuthenticate(_ response: [UInt8], _ image: CardImage) throws -> [UInt8] {
    let application = image.applications[0]
    guard response.count > 13 else { throw WalkFailure("the first GENERATE AC returned \(response.hex)") }
    let cryptogram = response[5..<13].reduce(0) { $0 << 8 | UInt64($1) }
    let data = application.cryptogramVersion.issuerAuthenticationData(
      for: cryptogram, .code(0x3030), masterKey: TestIssuer().cardMasterKey(of: IssuerAccount(application)),
      atc: application.firstATC, unpredictableNumber: 0x0102_0304)
    return try CommandAPDU(cla: 0, ins: 0x82, p1: 0, p2: 0, data: data ?? []).encoded
  }

  /// RECOVER AC, after the field was lost during the response to GENERATE AC.
  private static func recover() throws -> WalkedCommand {
    let image = try mastercard("mastercard-cvn21", data: ["9F51 9F3704"])
    return WalkedCommand(
      name: "RECOVER AC", image: image,
      before: [
        select(image), .command(options), .torn(try generation(image)), select(image), .command(options),
      ], command: [0x80, 0xD0, 0, 0, 4] + number + [0])
  }

  private static func checksum() throws -> WalkedCommand {
    let tap = try tap("mastercard-cvn16", isMagStripe: true)
    guard let command = tap.last else { throw WalkFailure("the tap is empty") }
    return WalkedCommand(
      name: "COMPUTE CRYPTOGRAPHIC CHECKSUM", image: try image("mastercard-cvn16"), before: tap.first(3),
      command: command)
  }

  private static func authenticate() throws -> WalkedCommand {
    let image = try mastercard("mastercard-cda", data: ["9F49 9F3704"])
    return WalkedCommand(
      name: "INTERNAL AUTHENTICATE", image: image, before: [select(image), .command(options)],
      command: [0, 0x88, 0, 0, 4] + number + [0], next: [0, 0x88, 0, 0, 4, 9, 9, 9, 9, 0])
  }

  /// Whether a response has a cryptogram or a signature.
  static func isCryptogram(_ response: [UInt8]) -> Bool {
    !CardTap.cryptograms(in: [response.hex]).isEmpty || template(response)?.first(Tag(rawValue: 0x9F4B)) != nil
  }

  /// The transaction counter in a response with a cryptogram; nil without one.
  static func counter(in response: [UInt8]) -> UInt16? {
    guard isCryptogram(response), let node = template(response) else { return nil }
    let octets = node.first(Tag(rawValue: 0x9F36))?.value ?? Array(node.value.dropFirst().prefix(2))
    return octets.count == 2 ? UInt16(octets[0]) << 8 | UInt16(octets[1]) : nil
  }

  /// Whether a response is an offline approval (TC).
  static func isApproval(_ response: [UInt8]) -> Bool {
    guard isCryptogram(response), let node = template(response) else { return false }
    return (node.first(Tag(rawValue: 0x9F27))?.value.first ?? node.value.first ?? 0) & 0xC0 == 0x40
  }

  /// The template of a response; nil for another status than 9000.
  private static func template(_ response: [UInt8]) -> TLVNode? {
    guard response.suffix(2).elementsEqual([0x90, 0x00]) else { return nil }
    return (try? [TLVNode](parsing: response.span.extracting(0..<response.count - 2)))?.first
  }

  /// GENERATE AC that asks a card for an offline approval, of which it may give one.
  static func offlineApproval() throws -> WalkedCommand {
    let rule = JSONValue(members: [("limit", 5000), ("currency", "978"), ("count", 1)])
    let image = try mastercard("mastercard-cda", data: [issuerData], keys: ["offlineApproval": rule])
    guard let list = image.applications[0].cdol1 else { throw WalkFailure("the card has no CDOL1") }
    let values = list.values { tag in
      switch tag {
      case .unpredictableNumber: Self.number
      case .amountAuthorised: [0, 0, 0, 0, 0x12, 0x34]
      case Tag(rawValue: 0x5F2A): [0x09, 0x78]
      default: nil
      }
    }
    let command = try CommandAPDU(cla: 0x80, ins: 0xAE, p1: 0x40, p2: 0, data: values, expectedLength: 256)
    return WalkedCommand(
      name: "GENERATE AC, offline approval", image: image, before: [select(image), .command(options)],
      command: command.encoded, isApproval: true)
  }
}

extension [[UInt8]] {
  /// The first commands as steps.
  fileprivate func first(_ count: Int) -> [WalkedCommand.Step] { prefix(count).map { .command($0) } }
}
