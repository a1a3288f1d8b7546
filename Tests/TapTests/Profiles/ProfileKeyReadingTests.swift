import CardFaults
import Documents
import EMVCard
import EMVTerminal
import Fixtures
import Foundation
import JSON
import Testing

/// The declared keys of profiles, from which schema and table are made, and the code that reads the profiles.
@Suite("The declared keys of profiles and their readers", .timeLimit(.minutes(5)))
struct ProfileKeyReadingTests {
  struct Problem {
    let path: String
    let reason: String
  }

  struct Case: CustomTestStringConvertible {
    let file: String
    let keys: [ProfileKey]
    let problems: @Sendable (JSONValue) -> [Problem]

    var testDescription: String { file }

    /// Without keys of authorities: a problem of one of their values is one of the whole key.
    func document() throws -> JSONValue {
      try JSONValue(parsing: Fixtures.data(file)).setting("certificationAuthorities", to: nil)
    }

    static func card(_ name: String) -> Case {
      Case(file: "Cards/\(name).json", keys: CardProfile.keys(schemes: CardScheme.shipped) + [CardFaultPlan.profileKey])
      { document in
        do throws(CardProfileError) {
          _ = try CardFaultPlan.checkedImage(json: Array(document.pretty.utf8))
          return []
        } catch { return error.problems.map { Problem(path: $0.path, reason: $0.message) } }
      }
    }

    static func terminal(_ name: String) -> Case {
      Case(file: "Terminals/\(name).json", keys: TerminalConfiguration.keys()) { document in
        do throws(TerminalProfileError) {
          _ = try TerminalConfiguration(document)
          return []
        } catch {
          return error.problems.map {
            Problem(path: $0.path.hasPrefix("$.") ? String($0.path.dropFirst(2)) : "", reason: $0.reason)
          }
        }
      }
    }
  }

  static let cases =
    [
      "visa-cvn18", "visa-cvn10", "co-badged", "mastercard-cvn16", "mastercard-cvn21", "mastercard-magstripe",
      "amex-mobile", "jcb-mobile", "faulty-chained", "faulty-cryptogram", "faulty-records", "faulty-link",
    ].map(Case.card) + ["attended-eur", "unattended-kiosk", "signature-usd", "all-kernels"].map(Case.terminal)

  @Test(arguments: cases)
  func `the readers ask for exactly the declared keys`(_ profile: Case) throws {
    let document = try profile.document()
    #expect(profile.problems(document).isEmpty)
    for place in DeclaredKeys(profile.keys, of: document).places {
      let path = place.path.isEmpty ? "zzzzzz" : place.path + ".zzzzzz"
      let found = profile.problems(document.setting(path, to: true)).first { $0.path == path }
      let asked = try #require(found?.reason.split(separator: "there are ").last, "\(path)")
      let (names, declared) = (Set(asked.split(separator: ", ").map(String.init)), Set(place.keys.map(\.name)))
      // A fault is asked for the parameters of all kinds, so that each wrong one is named.
      let isFault = place.path.hasSuffix(".what")
      #expect(isFault ? names.isSuperset(of: declared) : names == declared, "\(profile.file), \(place.path)")
    }
  }

  @Test(arguments: cases)
  func `a value of another kind than declared, and a missing required value, is a problem at its place`(
    _ profile: Case
  ) throws {
    let document = try profile.document()
    for place in DeclaredKeys(profile.keys, of: document).places {
      for key in place.keys {
        let path = place.path.isEmpty ? key.name : "\(place.path).\(key.name)"
        // The parameters of a fault depend on its kind, and the keys of an application on its kernel.
        let wrong = profile.problems(document.setting(path, to: key.wrongValue))
        #expect(wrong.contains { $0.path == path }, "\(profile.file), \(path): \(wrong)")
        guard key.isRequired else { continue }
        let missing = profile.problems(document.setting(path, to: nil))
        #expect(missing.contains { $0.path == path }, "\(profile.file), \(path): \(missing)")
      }
    }
  }

  @Test(arguments: cases)
  func `values outside of a declared range are problems`(_ profile: Case) throws {
    let document = try profile.document()
    for place in DeclaredKeys(profile.keys, of: document).places {
      for key in place.keys where document.value(at: place.path)?[key.name] != nil {
        let path = place.path.isEmpty ? key.name : "\(place.path).\(key.name)"
        for value in key.valuesOutside {
          let problems = profile.problems(document.setting(path, to: value))
          #expect(problems.contains { $0.path.hasPrefix(path) }, "\(profile.file), \(path): \(value.compact)")
        }
      }
    }
  }
}

extension JSONValue {
  /// The value at a path such as `applications[0].cryptogram`; the value itself for an empty path.
  func value(at path: String) -> JSONValue? {
    path.split(whereSeparator: { ".[]".contains($0) }).reduce(self as JSONValue?) { value, part in
      value?[String(part)]
        ?? Int(part).flatMap { index in
          value?.list.flatMap { $0.indices.contains(index) ? $0[index] : nil }
        }
    }
  }
}
