import Foundation
import Testing

/// Imports point one way: each target depends only on the targets in its row.
@Suite("Arrows between targets")
struct ArrowTests {
  static let bytes: Set = ["Octets", "ISO7816", "JSON"]
  static let allowed: [String: Set<String>] = [
    "Octets": [],
    "ISO7816": ["Octets"],
    "JSON": [],
    "EMVData": bytes,
    "EMVDecoding": bytes.union(["EMVData"]),
    "EMVCryptography": ["Octets", "EMVData", "CNettle"],
    "EMVCard": bytes.union(["EMVData", "EMVCryptography"]),
    "EMVTerminal": bytes.union(["EMVData", "EMVCryptography"]),
    "EMVIssuer": bytes.union(["EMVData", "EMVCryptography"]),
    "DeviceAuthentication": ["Octets"],
    "Links": bytes,
    "Transcripts": bytes.union(["EMVData", "EMVDecoding", "Links"]),
    "CardEmulation": bytes.union(["Links"]),
    "PCSCReader": bytes.union(["Links", "CPCSC"]),
    "NFCReader": bytes.union(["Links"]),
    "VirtualCard": bytes.union(["Links"]),
    "ReaderSimulator": bytes.union(["Links"]),
    "ReaderDiagnostics": ["Octets", "Links", "PCSCReader", "NFCReader"],
    "ContactlessPayment": bytes.union(
      ["EMVData", "EMVCryptography", "EMVCard", "DeviceAuthentication", "Links"]),
    "WalletDatabase": ["Octets", "EMVCryptography", "EMVCard", "ContactlessPayment", "GRDB"],
    "PaymentAcceptance": bytes.union(["EMVData", "EMVTerminal", "Links", "Transcripts"]),
    // Both sides of a tap.
    "PaymentSimulation": bytes.union(
      [
        "EMVData", "EMVCryptography", "EMVCard", "EMVTerminal", "EMVIssuer", "DeviceAuthentication", "Links",
        "Transcripts", "ContactlessPayment", "PaymentAcceptance",
      ]),
    "TapReplay": bytes.union(
      [
        "EMVData", "EMVCard", "EMVTerminal", "Links", "Transcripts", "ContactlessPayment", "PaymentAcceptance",
        "PaymentSimulation",
      ]),
    "TapScenarios": bytes.union(
      ["EMVData", "EMVDecoding", "EMVTerminal", "Links", "Transcripts", "PaymentAcceptance", "Yams"]),
    "CIFDHandler": [],
    "CNFC": [],
    "CNettle": [],
    "CPCSC": [],
    "IFDSimulatedChip": ["CIFDHandler"],
  ]
  /// Programs and tests see both sides of a tap.
  static let outermost = ["executable", "test"]
  static let supports: Set = ["Fixtures", "TestSupport"]

  struct Description: Decodable {
    struct Target: Decodable {
      /// `{"byName": [NAME, CONDITION]}`, or `target` or `product` in place of `byName`.
      struct Dependency: Decodable {
        let name: String

        init(from decoder: any Decoder) throws {
          let container = try decoder.container(keyedBy: Kind.self)
          let kind = try #require(container.allKeys.first, "a dependency of an unknown kind")
          var values = try container.nestedUnkeyedContainer(forKey: kind)
          name = try values.decode(String.self)
        }

        enum Kind: String, CodingKey { case byName, target, product }
      }
      let name: String
      let type: String
      let dependencies: [Dependency]
    }
    let targets: [Target]
  }

  static func description() throws -> Description {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let file = root.appending(path: ".build/package-description.json")
    guard let data = try? Data(contentsOf: file) else {
      throw MissingDescription()
    }
    return try JSONDecoder().decode(Description.self, from: data)
  }

  struct MissingDescription: Error, CustomStringConvertible {
    let description =
      "no package description: run `swift package dump-package > .build/package-description.json` first, as tools/test does"
  }

  @Test func `every target depends only on what its place allows`() throws {
    var seen: Set<String> = []
    for target in try Self.description().targets {
      seen.insert(target.name)
      if Self.outermost.contains(target.type) || Self.supports.contains(target.name) { continue }
      let allowed = try #require(Self.allowed[target.name], "\(target.name) has no place in the house yet")
      let forbidden = Set(target.dependencies.map(\.name)).subtracting(allowed)
      #expect(forbidden.isEmpty, "\(target.name) must not depend on \(forbidden)")
    }
    #expect(Set(Self.allowed.keys).isSubset(of: seen))
  }

  @Test func `a C library is imported by exactly one target`() throws {
    let targets = try Self.description().targets
    for library in targets where library.type == "system" {
      let users = targets.filter { $0.dependencies.contains { $0.name == library.name } }
      #expect(users.count == 1, "\(library.name) is used by \(users.map(\.name))")
    }
  }

  @Test func `no source outside Octets reads a clock of its own`() throws {
    let root = ExampleTests.root.appending(path: "Sources")
    let clocks = ["ContinuousClock", "SuspendingClock", "DispatchTime.now", "Date()", "Date.now", "clock_gettime"]
    // A wait on a condition variable ends at a time of its own clock.
    let exceptions = ["Readers/Links/Threads/WaitableState.swift"]
    let files = (FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Bytes/Octets/") && !exceptions.contains($0) }
    #expect(files.count > 300)
    for file in files {
      let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
      for clock in clocks { #expect(!text.contains(clock), "\(file) uses \(clock): take the time from MonotonicClock") }
    }
  }
}
