import EMVData
import ISO7816
import Testing

@testable import EMVTerminal

@Suite struct CandidateListTests {
  static func combination(_ aid: String, kernel: UInt8 = 3, extended: Bool = false) throws -> PreparedCombination {
    let configuration = try Terminals.configuration()
    let combination = Combination(
      name: aid, aid: try #require(AID(octets(aid))), identifier: KernelIdentifier(kernel), kernel: StubKernel(),
      zeroAmountAllowed: false, extendedSelection: extended, transactionTypes: nil, outcomes: OutcomeSettings())
    return try PreparedCombination(combination, for: Terminals.request("1.00", "EUR", configuration))
  }

  static func list(_ entries: [TLVNode], _ combinations: [PreparedCombination]) throws -> [Candidate] {
    let discretionary = TLVNode(.fciIssuerDiscretionaryData, entries)
    let proprietary = TLVNode(.fciProprietaryTemplate, [discretionary])
    let name = TLVNode(.dfName, FileControlInformation.ppseName)
    let information = try FileControlInformation(parsing: TLVNode(.fciTemplate, [name, proprietary]).encoded)
    return CandidateList(directory: information, combinations: combinations).candidates
  }

  @Test(arguments: [
    ("A0000000031010", "A0000000031010", true), ("A000000003101001", "A0000000031010", true),
    ("A0000000031010", "A000000003", true), ("A00000000310", "A0000000031010", false),
    ("A0000000032010", "A0000000031010", false), ("A0000000041010", "A000000003", false),
  ])
  func `an entry matches when its name is the terminal's AID or begins with it`(
    card: String, terminal: String, matches: Bool
  ) throws {
    let found = try Self.list([CardDouble.entry(octets(card))], [Self.combination(terminal)])
    #expect(found.count == (matches ? 1 : 0))
    #expect(found.allSatisfy { $0.selectedName == octets(card) })
  }

  @Test(
    arguments: [
      ("A0000000031010", "03", 3, true), ("A0000000031010", "02", 3, false), ("A0000000031010", nil, 3, true),
      ("A0000000031010", "", 3, true), ("A0000000031010", "00", 3, true),
      // Bytes after the first have no meaning for kernels of the payment systems.
      ("A0000000031010", "0300000000000000", 3, true), ("A0000000031010", "0312345678ABCDEF", 3, true),
      ("A0000000031010", "030000000000000000", 3, false),
      // Any kernel.
      ("A0000000031010", "000000", 3, true), ("A0000000031010", "000000", 7, true),
      // 01 in bits 8 and 7 is another kernel, 10 and 11 are domestic and need three bytes.
      ("A0000000031010", "43", 3, false), ("A0000000031010", "83", 3, false), ("A0000000031010", "830000", 3, false),
      ("A0000000031010", "C00000", 3, false), ("A0000000031010", "80", 3, false),
      ("A0000000041010", nil, 2, true), ("A0000000041010", nil, 3, false), ("A0000000041010", "03", 3, true),
      ("A00000002501", nil, 4, true), ("A0000000651010", nil, 5, true), ("A0000001523010", nil, 6, true),
      ("A0000003241010", nil, 6, true), ("A000000333010101", nil, 7, true),
      // A network without a default kernel takes any.
      ("A0000002771010", nil, 3, true),
    ] as [(String, String?, UInt8, Bool)])
  func `an entry matches the kernel that it requests, or the default kernel of its network`(
    card: String, wanted: String?, kernel: UInt8, matches: Bool
  ) throws {
    let entry = CardDouble.entry(octets(card), kernel: wanted.map(octets))
    let found = try Self.list([entry], [Self.combination(String(card.prefix(10)), kernel: kernel)])
    #expect(found.count == (matches ? 1 : 0))
  }

  // The directory of emv-utils, test_sorted_app_priority (LGPL-2.1 repository, data only): eight applications in a
  // mixed order, two of them without a priority.
  static let sorted = [
    "61214F08A00000000310100550054150502035870105730B9F0A080001050100000000",
    "61214F08A00000000310100350054150502033870104730B9F0A080001050100000000",
    "61194F07A00000000510105005415050203873079F0A0400010104",
    "61194F07A00000000410105005415050203773079F0A0400010104",
    "61214F08A00000000310100150054150502031870101730B9F0A080001050100000000",
    "61214F08A00000000310100650054150502036870107730B9F0A080001050100000000",
    "61214F08A00000000310100250054150502032870101730B9F0A080001050100000000",
    "61214F08A00000000310100450054150502034870104730B9F0A080001050100000000",
  ]

  @Test func `candidates are in the order of priority, then of the card; those without a priority are last`() throws {
    let entries = try [TLVNode](parsing: octets(Self.sorted.joined()).span)
    let combinations = [try Self.combination("A0000000031010"), try Self.combination("A000000004", kernel: 2)]
    let found = try Self.list(entries, combinations)
    #expect(
      found.map(\.adfName.description) == [
        "A000000003101001", "A000000003101002", "A000000003101003", "A000000003101004", "A000000003101005",
        "A000000003101006", "A0000000041010",
      ])
    #expect(found.map(\.priority) == [1, 1, 4, 4, 5, 7, 0])
  }

  @Test func `cardholder confirmation, bit 8 of the priority, has no effect`() throws {
    let entries = [
      CardDouble.entry(CardDouble.electron, priority: 0x82), CardDouble.entry(CardDouble.visa, priority: 1),
    ]
    let found = try Self.list(entries, [Self.combination("A000000003")])
    #expect(found.map(\.priority) == [1, 2])
  }

  @Test func `the longest of several matching AIDs is the candidate, once for each kernel`() throws {
    let combinations = try [
      Self.combination("A000000003"), Self.combination("A0000000031010"), Self.combination("A00000000310"),
      Self.combination("A000000003", kernel: 7),
    ]
    let entry = CardDouble.entry(CardDouble.visa, kernel: [0, 0, 0])
    let found = try Self.list([entry], combinations)
    #expect(found.map(\.combination.combination.aid.description) == ["A0000000031010", "A000000003"])
    #expect(found.map(\.combination.combination.identifier.number) == [3, 7])
  }

  @Test func `entries without a valid name are ignored`() throws {
    let entries = [
      TLVNode(.applicationTemplate, [TLVNode(.applicationLabel, Array("none".utf8))]),
      CardDouble.entry(octets("A0000000")), CardDouble.entry([UInt8](repeating: 0xA0, count: 17)),
      TLVNode(.applicationTemplate, [TLVNode]()), TLVNode(.applicationLabel, [0x41]),
      CardDouble.entry(CardDouble.visa),
    ]
    #expect(try Self.list(entries, [Self.combination("A000000003")]).map(\.adfName.octets) == [CardDouble.visa])
  }

  @Test func `extended selection is appended only where the combination says so`() throws {
    let entry = CardDouble.entry(CardDouble.visa, extended: octets("112233"))
    #expect(try Self.list([entry], [Self.combination("A000000003")])[0].selectedName == CardDouble.visa)
    let extended = try Self.list([entry], [Self.combination("A000000003", extended: true)])
    #expect(extended[0].selectedName == octets("A0000000031010112233"))
    #expect(extended[0].adfName.octets == CardDouble.visa)
  }

  @Test(arguments: [(9, 1), (10, 0), (240, 0)])
  func `a name of more than 16 bytes is not a candidate`(count: Int, found: Int) throws {
    let entry = CardDouble.entry(CardDouble.visa, extended: [UInt8](repeating: 0x11, count: count))
    #expect(try Self.list([entry], [Self.combination("A000000003", extended: true)]).count == found)
  }

  @Test(arguments: [27, 28, 29, 200])
  func `a directory with too many applications is cut`(count: Int) throws {
    let entries = (0..<count).map { CardDouble.entry(CardDouble.visa + [UInt8($0)]) }
    let found = try Self.list(entries, [Self.combination("A000000003")])
    #expect(found.count == min(count, CandidateList.maximumCount))
  }

  @Test func `the list returns each candidate once and then nil`() throws {
    let found = try Self.list(
      [CardDouble.entry(CardDouble.visa), CardDouble.entry(CardDouble.electron)], [Self.combination("A000000003")])
    let information = try FileControlInformation(
      parsing: TLVNode(
        .fciTemplate, [TLVNode(.dfName, [1, 2, 3, 4, 5]), TLVNode(.fciProprietaryTemplate, [TLVNode]())]
      ).encoded)
    var empty = CandidateList(directory: information, combinations: [])
    #expect(empty.next() == nil)
    #expect(found.count == 2)
  }
}

/// A kernel that takes every payment and is never activated.
struct StubKernel: ConfiguredKernel {
  func prepare(_ request: PaymentRequest) throws(StepFailure) -> TerminalData { TerminalData() }
  func dataWithoutPreprocessing(for request: PaymentRequest) -> TerminalData { TerminalData() }
  func activate(_ application: SelectedApplication) -> any KernelMachine { preconditionFailure("not activated") }
}
