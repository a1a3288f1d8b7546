import CardFaults
import EMVCard
import EMVDecoding
import EMVTerminal
import Octets
import ProgramSupport
import POSIX

/// The cards and profiles in the files that options name.
enum CardFiles {
  /// The list that names cards by their answers to reset, from the package pcsc-tools; nil where it is not installed.
  static func cardNames() -> ATRNameList? {
    (try? InputFile.read("/usr/share/pcsc/smartcard_list.txt")).map(ATRNameList.init(parsing:))
  }

  /// A card from a profile or a personalisation file. Writes notes about the file's syntax and an unused fault plan.
  static func card(_ path: String) throws -> CardImage { try card(path, faults: false) }

  /// A card, with or without its faults asked for.
  static func card(_ path: String, faults: Bool) throws -> CardImage {
    let json = try profile(path, tellsAll: true)
    return try naming(path) {
      let image = try CardFaultPlan.checkedImage(json: json)
      if !faults, let count = try CardProfile(json: json).faults?.count, count > 0 {
        Console.note(
          "\(path) has a fault plan (\(count.counted("rule"))), which is off: --faults of tap present and tap accept asks for it."
        )
      }
      return image
    }
  }

  /// The JSON of a profile, or of the profile that a personalisation file makes.
  static func profile(_ path: String, tellsAll: Bool = false) throws -> [UInt8] {
    let octets = try NamedFile.text(path)
    guard PersonalisationFile.recognises(octets) else { return octets }
    return try naming("\(path), no JSON and so taken for data groupings") {
      let card = try PersonalisedCard(PersonalisationFile(parsing: octets))
      if tellsAll { card.notices.forEach { Console.note("\(path): \($0)") } }
      return card.profile.json
    }
  }

  /// The fault plan of a card.
  static func faultPlan(_ path: String) throws -> CardFaultPlan {
    let json = try profile(path)
    return try naming(path) {
      if let plan = try CardFaultPlan(of: CardProfile(json: json)) { return plan }
      throw InputError(
        description: "--faults needs a fault plan, \"faults\", in the card profile", code: .cardProfile)
    }
  }

  /// Runs a reading of a file, and names the file in its error.
  static func naming<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      throw InputError("\(path): ", error)
    }
  }
}
