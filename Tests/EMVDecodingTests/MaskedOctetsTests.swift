import Octets
import Testing

@testable import EMVDecoding

@Suite("Masked bytes")
struct MaskedOctetsTests {
  private static func text(_ hex: String, hiding hidden: Set<Int> = [], runsFrom minimum: Int? = nil) throws -> String {
    MaskedOctets(try [UInt8](hex: hex), hiding: hidden, runsFrom: minimum).text
  }

  private static func stars(_ count: Int) -> String { String(repeating: "*", count: count) }

  @Test func `a number with a right check digit is masked, and other digits are shown`() throws {
    #expect(try Self.text("F1084761739001010010AA") == "F108\(Self.stars(16))AA")
    #expect(try Self.text("F11234567890123456AA") == "F11234567890123456AA")
    #expect(try Self.text("672590441500001111") == "\(Self.stars(16))11")
    #expect(try Self.text("") == "")
  }

  @Test func `a run of digits without a check digit is masked where the caller asks for it`() throws {
    #expect(try Self.text("672590441500001111", runsFrom: 13) == Self.stars(18))
    #expect(try Self.text("A0123456A1", runsFrom: 8) == "A0123456A1")
    #expect(try Self.text("A012345678A1", runsFrom: 8) == "A\(Self.stars(9))A1")
  }

  @Test func `the digits of track 2 after a number are masked`() throws {
    #expect(try Self.text("4761739001010010D2212201123456789F") == "\(Self.stars(16))D\(Self.stars(16))F")
    // The number is known from another data object: its check digit is wrong.
    #expect(try Self.text("1234567890123456D2212201FF", hiding: Set(0..<16)) == "\(Self.stars(16))D\(Self.stars(7))FF")
  }

  @Test(arguments: [
    (";4761739001010010=2212201123456789?", ";", "=2212201123456789", "?"),
    ("4761739001010010D2212201", "", "D2212201", ""),
    ("4761739001010010^DOE/JOHN^2212201123?", "", "^DOE/JOHN^2212201123", "?"),
    ("4761739001010010=", "", "=", ""), ("4761739001010010 2212201", "", "", " 2212201"),
  ])
  func `the rest of a track in text is masked after its number`(
    _ text: String, _ before: String, _ rest: String, _ after: String
  ) throws {
    let number = String(repeating: "3*", count: 16)
    let separator = Array(rest.utf8.prefix(1)).hex
    let masked = separator + Self.stars(max(rest.utf8.count - 1, 0) * 2)
    #expect(try Self.text(Array(text.utf8).hex) == Array(before.utf8).hex + number + masked + Array(after.utf8).hex)
  }
}
