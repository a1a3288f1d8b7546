import EMVCard
import EMVData
import Fixtures
import JSON
import ProfileAuthoring
import Testing

/// Profiles for the people who write them.
@Suite("Profiles that people write")
struct ProfileTests {
  static func octets(_ file: String) throws -> [UInt8] { [UInt8](try Fixtures.data(file)) }
  static func visa() throws -> [UInt8] { try octets("Cards/visa-cvn18.json") }

  @Test(arguments: [
    "Cards/visa-cvn18.json", "Cards/mastercard-cvn16.json", "Cards/amex-mobile.json", "Cards/jcb-mobile.json",
  ])
  func `a new profile without changes is that of the known card`(_ file: String) throws {
    let known = try Self.octets(file)
    #expect(try ProfileTemplate(known).profile(named: nil, number: nil) == JSONValue(parsing: known))
  }

  @Test func `an account number replaces the known one everywhere`() throws {
    let profile = try ProfileTemplate(Self.visa()).profile(named: "Mine", number: "4761739001010119")
    let image = try CardImage(json: Array(profile.compact.utf8))
    #expect(image.name == "Mine")
    #expect(image.applications.map(\.accountNumber.exposedDigits) == ["4761739001010119"])
    let known = try #require(CardImage(json: Self.visa()).applications.first).accountNumber.exposedDigits
    #expect(!profile.compact.contains(known))
  }

  @Test(arguments: [
    ("476173900101011", ProfileTemplate.Failure.numberLength(count: 15, expected: 16)),
    ("47617390010101190", .numberLength(count: 17, expected: 16)),
    ("476173900101011x", .numberLength(count: 16, expected: 16)), ("4761739001010118", .checkDigit),
  ])
  func `a wrong account number is refused without being shown`(_ number: String, _ failure: ProfileTemplate.Failure) {
    #expect(throws: failure) { try ProfileTemplate(Self.visa()).profile(named: nil, number: number) }
    #expect(!"\(failure)".contains(number))
  }

  @Test func `a check names all problems with line, column and place`() throws {
    let text = String(decoding: try Self.visa(), as: UTF8.self)
      .replacing("\"aip\"", with: "\"apl\"").replacing("\"kernel\": \"visa\"", with: "\"kernel\": \"vsa\"")
    guard case .problems(let problems) = ProfileKind.card.check(Array(text.utf8)) else {
      Issue.record("the profile was accepted")
      return
    }
    #expect(problems.count >= 2)
    #expect(problems.allSatisfy { $0.line != nil && $0.column != nil && !$0.path.isEmpty })
    let first = try #require(problems.first)
    #expect(first.text(in: "card.json").hasPrefix("card.json:\(first.line ?? 0):\(first.column ?? 0): \(first.path): "))
  }

  @Test func `the paths of a terminal profile begin as those of a card profile`() throws {
    let text = String(decoding: try Self.octets("Terminals/attended-eur.json"), as: UTF8.self)
      .replacing("\"countryCode\": \"276\"", with: "\"countryCode\": \"27\"")
    guard case .problems(let problems) = ProfileKind.terminal.check(Array(text.utf8)) else {
      Issue.record("the profile was accepted")
      return
    }
    #expect(problems.map(\.path) == ["countryCode"])
  }

  @Test func `a card in words masks account numbers unless they may be shown`() throws {
    let (image, profile) = (try CardImage(json: Self.visa()), try CardProfile(json: Self.visa()))
    let number = try #require(image.applications.first).accountNumber.exposedDigits
    #expect(CardText(image, profile) { _ in true }.lines.contains { $0.contains(number) })
    let masked = CardText(image, profile) { _ in false }.lines
    #expect(!masked.contains { $0.contains(number) })
    #expect(masked.contains { $0.contains(number.suffix(4)) })
  }

  @Test func `a terminal in words has the default values of absent keys`() throws {
    let profile = try JSONValue(parsing: Self.octets("Terminals/attended-eur.json"))
    let lines = TerminalText(profile).lines
    #expect(lines.contains("countryCode: 276"))
    #expect(lines.contains { $0.hasSuffix("(default)") })
  }
}
