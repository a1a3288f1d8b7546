import EMVData
import ISO7816
import Octets
import Testing

@Suite("Proximity payment system environment")
struct ProximityPaymentSystemEnvironmentTests {
  typealias Directory = ProximityPaymentSystemEnvironment
  typealias Fault = ProximityPaymentSystemEnvironmentError

  static let visa: AID = {
    guard let aid = AID([0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10]) else {
      preconditionFailure("seven bytes are an AID")
    }
    return aid
  }()

  /// A directory of one application with an unknown data object that gives it a length.
  static func directory(of count: Int) -> [UInt8] {
    let bare = octets(entries: [[aid, TLVNode(0x9F0A, [UInt8](repeating: 0, count: 128))]])
    return octets(entries: [[aid, TLVNode(0x9F0A, [UInt8](repeating: 0, count: 128 + count - bare.count))]])
  }

  @Test(arguments: [
    CardDataTests.phoneDirectory, CardDataTests.cobadgedDirectory,
    "6F28840E325041592E5359532E4444463031DF0101AAA512DF0201BBBF0C0B61074F05A000000003C100",
  ])
  func `a directory may have unknown tags`(_ hex: String) throws {
    try Directory.check([UInt8](hex: hex))
  }

  @Test func `a directory of 256 bytes is accepted and one of 257 is refused`() throws {
    #expect(Self.directory(of: 256).count == 256)
    try Directory.check(Self.directory(of: 256))
    let error = #expect(throws: Fault.self) { try Directory.check(Self.directory(of: 257)) }
    #expect(error?.description.contains("257 bytes: the limit is 256") == true)
  }

  /// A directory, assembled from its parts.
  static func octets(
    name: [TLVNode] = [TLVNode(.dfName, FileControlInformation.ppseName)], entries: [[TLVNode]]
  ) -> [UInt8] {
    let list = TLVNode(.fciIssuerDiscretionaryData, entries.map { TLVNode(.applicationTemplate, $0) })
    return TLVNode(.fciTemplate, name + [TLVNode(.fciProprietaryTemplate, [list])]).encoded
  }

  static let aid = TLVNode(.adfName, visa.octets)

  static func problems(_ octets: [UInt8]) -> [String] {
    do throws(Fault) {
      try Directory.check(octets)
      return []
    } catch { return error.problems.map(\.description) }
  }

  @Test func `three separate problems are one error that names all three`() throws {
    let octets = Self.octets(
      name: [TLVNode(.dfName, Array("2PAY.SYS.DDF02".utf8))],
      entries: [
        [TLVNode(.adfName, [0xA0, 0, 0])], [Self.aid, TLVNode(.applicationPriorityIndicator, [1, 2])],
      ])
    do throws(Fault) {
      try Directory.check(octets)
      Issue.record("the directory was taken")
    } catch {
      #expect(error.problems.map(\.path) == ["6F.84", "6F.A5.BF0C.61[0].4F", "6F.A5.BF0C.61[1].87"])
      for problem in error.problems { #expect(error.description.contains(problem.description)) }
    }
  }

  /// Directories with one problem, and the whole text of the error.
  static let faults: [([UInt8], String)] = [
    ([], "template 6F is missing"),
    ([0x70, 0x00], "template 6F is missing"),
    (octets(entries: [[aid]]) + [0x5A, 0x00], "2 data objects: one template 6F is needed"),
    (octets(entries: []), "6F.A5.BF0C: no application, template 61, is listed"),
    (octets(name: [], entries: [[aid]]), "6F: tag 84 is missing"),
    (octets(entries: [[TLVNode(.applicationLabel, [0x41])]]), "6F.A5.BF0C.61[0]: tag 4F is missing"),
    (octets(entries: [[aid, aid]]), "6F.A5.BF0C.61[0].4F: occurs 2 times: once is allowed"),
    (
      octets(entries: [[aid, TLVNode(.applicationLabel, [UInt8]())]]),
      "6F.A5.BF0C.61[0].50: 0 bytes: 1...16 are needed"
    ),
    (
      octets(entries: [[aid, TLVNode(.kernelIdentifier, [UInt8](repeating: 3, count: 9))]]),
      "6F.A5.BF0C.61[0].9F2A: 9 bytes: 1...8 are needed"
    ),
    (
      octets(entries: [[aid, TLVNode(0xDF8101, [0])]]),
      "6F.A5.BF0C.61: tag DF8101 has 3 bytes: the limit is 2"
    ),
    ([0x6F, 0x81, 0x00], "the length at offset 1 is not in its shortest form"),
    ([0x6F, 0x02, 0x84], "the length at offset 1 states 2 bytes, but 1 are left"),
  ]

  @Test(arguments: faults.indices)
  func `each fault has its place and its limit`(_ row: Int) {
    #expect(Self.problems(Self.faults[row].0) == [Self.faults[row].1])
  }

  @Test func `mutated bytes are accepted or refused`() throws {
    var random = SplitMix64(seed: 33)
    var taken = 0
    for source in [CardDataTests.phoneDirectory, CardDataTests.cobadgedDirectory] {
      let octets = try [UInt8](hex: source)
      for _ in 0..<5_000 {
        var mutated = octets
        mutated[Int.random(in: 0..<octets.count, using: &random)] = .random(in: 0...255, using: &random)
        if Self.problems(mutated).isEmpty { taken += 1 }
      }
    }
    #expect((101..<10_000).contains(taken))
  }
}
