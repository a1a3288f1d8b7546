import EMVData
import EMVTerminal
import ISO7816
import JSON
import Testing

extension ChipDouble {
  /// Discover: the data objects of a public card profile, tag 9F71 among them.
  static func discover(_ changes: [Tag: [UInt8]?] = [:]) -> ChipDouble {
    let own: [Tag: [UInt8]?] = [
      0x5A: octets("6011000990139424"), 0x57: octets("6011000990139424D30122011143800000000F"),
      0x8E: octets("000000000000000002031E031F03"), 0x9F0D: octets("BC608C8800"), 0x9F0F: octets("BC689C9800"),
      0x9F71: octets("00CB"),
    ]
    var card = jcb(own.merging(changes) { $1 })
    card.name = octets("A0000001523010")
    card.kernel = 6
    card.pdol = octets("9F66049F02069F03069F1A025F2A029A039C019F3704")
    card.profile = octets("1800")
    card.options = []
    return card
  }
}

extension Terminals {
  /// The shipped terminal with kernels 6 and 7, the authority of `ChipDouble`, and other values.
  static func discover(_ changes: [(String, JSONValue)] = []) throws -> TerminalConfiguration {
    let profile = try allKernels(4..<8, in: ["EUR"]).setting(
      "certificationAuthorities", to: [SigningDouble.authority(octets("A000000152"))])
    return try TerminalConfiguration(changes.reduce(profile) { $0.setting($1.0, to: $1.1) })
  }

  /// Takes a payment from a card of kernel 6.
  static func tapDiscover(
    _ card: ChipDouble, _ amount: String = "12.34", _ changes: [(String, JSONValue)] = []
  ) throws -> Tap {
    var card = card
    return try tap(amount, "EUR", discover(changes)) { card.answer($0) }
  }
}
