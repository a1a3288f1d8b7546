import EMVData
import Fixtures
import Foundation
import ISO7816
import Testing

/// The dictionary compared with another one (`Vectors/emvpt/emv_tags.yaml`).
@Suite("Dictionary against a public list")
struct DictionaryListTests {
  struct Entry {
    var tag = ""
    var name = ""
    var minimum: Int?
    var maximum: Int?
    var source = ""
  }

  static func entries() throws -> [Entry] {
    var entries: [Entry] = []
    for line in String(decoding: try Fixtures.data("Vectors/emvpt/emv_tags.yaml"), as: UTF8.self).split(separator: "\n")
    {
      let parts = line.split(separator: ":", maxSplits: 1).map {
        $0.trimmingCharacters(in: CharacterSet(charactersIn: " '"))
      }
      if !line.hasPrefix(" ") { entries.append(Entry()) }
      guard parts.count == 2, line.hasPrefix(" "), !entries.isEmpty else { continue }
      switch parts[0] {
      case "tag": entries[entries.count - 1].tag = parts[1]
      case "name": entries[entries.count - 1].name = parts[1]
      case "min": entries[entries.count - 1].minimum = Int(parts[1])
      case "max": entries[entries.count - 1].maximum = Int(parts[1])
      case "source": entries[entries.count - 1].source = parts[1]
      default: break
      }
    }
    return entries
  }

  /// The differences of the two lists with their reasons.
  static let differences: [String: String] = [
    "5F30": "three digits take two bytes (Book 3, annex A: n 3, length 2); the list counts digits",
    "9F1D": "contactless kernels have eight bytes",
    "9F21": "the time is the terminal's, not the card's (Book 3, annex A)",
    "94": "the list says nothing of the source",
  ]

  /// Names with the same meaning in other words.
  static let names: [String: String] = [
    "70": "READ RECORD Response Message Template", "4F": "Application Dedicated File (ADF) Name",
    "9F24": "Payment Account Reference (PAR)",
  ]

  @Test func `the dictionary has all tags of the public list with its lengths and sources`() throws {
    let entries = try Self.entries()
    #expect(entries.count == 80)
    for entry in entries {
      let raw = try #require(UInt32(entry.tag, radix: 16))
      let element = try #require(DataElement.named(ISO7816.Tag(rawValue: raw)), "\(entry.tag) \(entry.name)")
      guard Self.differences[entry.tag] == nil else { continue }
      if let minimum = entry.minimum { #expect(element.lengths.lowerBound == minimum, "\(entry.tag)") }
      if let maximum = entry.maximum { #expect(element.lengths.upperBound == maximum, "\(entry.tag)") }
      switch entry.source {
      case "Icc": #expect(element.source == .card, "\(entry.tag)")
      case "Terminal": #expect(element.source == .terminal, "\(entry.tag)")
      case "Issuer", "IssuerOrTerminal": #expect(element.source == .issuer, "\(entry.tag)")
      default: break
      }
    }
  }

  @Test func `the names equal those of the public list except for words omitted or in brackets`() throws {
    func plain(_ text: String) -> [String] {
      text.replacingOccurrences(of: "–", with: "-").replacingOccurrences(
        of: "Integrated Circuit Card (ICC)", with: "ICC"
      )
      .replacingOccurrences(of: "Primary Account Number (PAN)", with: "PAN").split { !$0.isLetter && !$0.isNumber }
      .map { $0.lowercased() }
    }
    for entry in try Self.entries() where Self.names[entry.tag] == nil {
      let raw = try #require(UInt32(entry.tag, radix: 16))
      let ours = plain(DataElement.named(ISO7816.Tag(rawValue: raw))?.name ?? "")
      let theirs = plain(entry.name)
      let (shorter, longer) = ours.count < theirs.count ? (ours, theirs) : (theirs, ours)
      #expect(shorter.allSatisfy(longer.contains), "\(entry.tag): \(ours) and \(theirs)")
    }
  }
}
