import EMVCard
import EMVCryptography
import EMVData
import Fixtures
import Foundation
import ISO7816
import JSON
import Octets
import Testing

/// No text that Swift makes of a value shows an account number, a track or a key.
@Suite("Reflection of cards")
struct ReflectionTests {
  static let cards = Swift.Result { try Fixtures.names(in: "Cards", ending: "").filter { $0 != "README.md" } }

  /// A shipped card in every form that this module has.
  struct Forms {
    let file: PersonalisationFile?
    let personalised: PersonalisedCard?
    let profile: CardProfile
    let image: CardImage
    let builders: [ApplicationBuilder]

    init(_ name: String) throws {
      let octets = [UInt8](try Fixtures.data("Cards/\(name)"))
      file = PersonalisationFile.recognises(octets) ? try PersonalisationFile(parsing: octets) : nil
      personalised = try file.map { try PersonalisedCard($0) }
      profile = try personalised?.profile ?? CardProfile(json: octets)
      let compiled = Builders()
      let schemes = CardScheme.shipped.map { scheme in
        CardScheme(
          scheme.name, kernelIdentifier: scheme.kernelIdentifier, keys: scheme.keys,
          recordLengths: scheme.recordLengths
        ) { reader, builder in
          scheme.compile(&reader, &builder)
          compiled.list.append(builder)
        }
      }
      image = try CardImage(json: profile.json, schemes: schemes)
      builders = compiled.list
    }

    /// One value or more of every public type of this module that can be copied.
    var values: [(name: String, value: Any)] {
      let applications = profile.applications
      let programs = builders.flatMap(\.commands)
      let accounts = image.applications.map(\.accountNumber)
      let tracks = builders.flatMap(\.objects).compactMap { Track2EquivalentData($0.value) }
      return [
        ("profile", profile), ("applications", applications), ("records", applications.flatMap(\.records)),
        ("cryptogram", applications.map(\.cryptogram)), ("faults", profile.faults as Any),
        ("image", image), ("image applications", image.applications), ("key roles", image.applications.map(\.keyRoles)),
        ("builders", builders), ("tracks", builders.map { [$0.track1, $0.track2] }),
        ("card records", builders.flatMap(\.records)), ("programs", programs), ("answers", programs.map(\.answer)),
        ("account numbers", accounts), ("account numbers by name", Dictionary(grouping: accounts) { $0 }),
        ("track 2", tracks), ("file", file as Any), ("groupings", file?.groupings as Any),
        ("personalised card", personalised as Any), ("schemes", CardScheme.shipped),
      ]
    }

    /// What no text may hold: account numbers and tracks as digits, as characters and as bytes, and the keys of the
    /// personalisation files.
    var secrets: [String] {
      let numbers = image.applications.map(\.accountNumber)
      let objects = builders.flatMap(\.objects).filter { [0x57, 0x56, 0x9F6B].contains($0.tag.rawValue) }.map(\.value)
      let octets = numbers.map(\.compressedNumeric) + numbers.map { Array($0.exposedDigits.utf8) } + objects
      return numbers.map(\.exposedDigits) + objects.map(\.hex)
        + octets.map { $0.prefix(8).map(String.init).joined(separator: ",") } + ["0123456789ABCDEF", "1,35,69,103,137"]
    }
  }

  // @unchecked: a profile is compiled on one thread.
  private final class Builders: @unchecked Sendable {
    var list: [ApplicationBuilder] = []
  }

  /// All texts of a value, in a form in which bytes of arrays are joined by commas.
  static func texts(_ value: Any) -> [String] {
    var dumped = ""
    dump(value, to: &dumped)
    return [dumped, "\(value)", String(reflecting: value), walk(Mirror(reflecting: value), depth: 0)].flatMap { text in
      let listed = text.replacing("\n", with: "").replacing(" ", with: "").replacing("-", with: ",")
      return [text, listed]
    }
  }

  private static func walk(_ mirror: Mirror, depth: Int) -> String {
    guard depth < 12 else { return "" }
    return mirror.children.map { child in
      let nested = walk(Mirror(reflecting: child.value), depth: depth + 1)
      return "\(child.label ?? ""),\(child.value),\(nested)"
    }.joined(separator: ",")
  }

  @Test(arguments: try cards.get())
  func `no text of a card holds an account number, a track or a key`(_ name: String) throws {
    let forms = try Forms(name)
    #expect(forms.builders.count == forms.profile.applications.count)
    let secrets = forms.secrets
    for (place, value) in forms.values {
      for text in Self.texts(value) {
        for secret in secrets { #expect(!text.contains(secret), "\(place): \(secret.prefix(6))…") }
      }
    }
  }

  @Test func `the search finds an account number in every way in which a text can hold it`() throws {
    let forms = try Forms("mastercard-cvn16.json")
    let number = forms.image.applications[0].accountNumber
    let raw: [Any] = [
      number.exposedDigits, number.compressedNumeric, Array(number.exposedDigits.utf8), forms.profile.json,
      forms.builders.flatMap(\.objects).map(\.value), forms.profile.applications[0].records[0].data,
    ]
    for value in raw {
      let found = Self.texts(value).filter { text in forms.secrets.contains { text.contains($0) } }
      #expect(!found.isEmpty)
    }
  }

  @Test func `a description names a card and masks its account number`() throws {
    let forms = try Forms("visa-cvn18.json")
    #expect("\(forms.image)" == "card image \"Visa wallet card, CVN 18\", applications: 1")
    #expect("\(forms.image.applications[0])" == "application A0000000031010 \"VISA DEBIT\" of 476173******0010")
    #expect("\(forms.profile)" == "card profile \"Visa wallet card, CVN 18\", applications: 1, faults: 0")
    #expect("\(forms.profile.applications[0])" == "application A0000000031010 \"VISA DEBIT\", records: 2")
    #expect(String(reflecting: forms.profile.applications[0].records[0]) == "SFI 1 record 1, data objects: 6")
    #expect(String(reflecting: forms.image.applications[0].accountNumber) == "476173******0010")
    #expect(Mirror(reflecting: forms.image).children.isEmpty)
  }
}
