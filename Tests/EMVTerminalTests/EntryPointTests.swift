import Documents
import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

/// What Entry Point does before a kernel starts: skipped entries, combination sets, autorun, the terminal's floor limit.
@Suite struct EntryPointTests {
  @Test(
    arguments: [
      // Of a kernel that the terminal lacks.
      ("A0000001523010", "06", "kernelMissing", "asks for kernel 6 (Discover)"),
      ("A0000001523010", nil, "kernelMissing", "asks for kernel 6 (Discover)"),
      ("A0000000031010", "2D", "kernelMissing", "asks for kernel 2D,"),
      ("A0000000031010", "812345", "kernelMissing", "asks for kernel 812345,"),
      // The terminal has the kernel, but not for this application.
      ("A0000000031010", "02", "kernelMissing", "asks for kernel 2 (Mastercard)"),
      // Of a wrong length.
      ("A0000000031010", "83", "kernelIdentifier", "has 1 byte, 83, and"),
      ("A0000000031010", "8312", "kernelIdentifier", "has 2 bytes, 8312, and"),
      ("A0000000031010", "030000000000000000", "kernelIdentifier", "has 9 bytes, 0300000000000000…, and"),
      ("A0000000031010", "801234", "kernelIdentifier", "has 3 bytes, 801234, and"),
    ] as [(String, String?, String, String)])
  func `an entry without a kernel of the terminal is skipped and named, and the next one pays`(
    aid: String, identifier: String?, code: String, words: String
  ) throws {
    var card = CardDouble(
      [.init(name: CardDouble.electron)],
      directory: [
        CardDouble.entry(octets(aid), priority: 1, kernel: identifier.map(octets)),
        CardDouble.entry(CardDouble.electron, priority: 2),
      ])
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.kind == .onlineRequest)
    let skipped = try #require(tap.outcome.rejectedApplications.first)
    #expect(tap.outcome.rejectedApplications.count == 1)
    #expect(skipped.name == octets(aid) && skipped.failure.phase == .selectDirectory)
    #expect(skipped.failure.code.name == code && skipped.description.contains(words), "\(skipped)")
    // It was never selected, and is no failed step.
    #expect(tap.commands.dropFirst().first?.data == CardDouble.electron && tap.failures.isEmpty)
  }

  @Test func `a card with no other entry ends the application, with the kernel named`() throws {
    var card = CardDouble(directory: [CardDouble.entry(octets("A0000001523010"), kernel: [6])])
    let outcome = try Terminals.tap(&card).outcome
    #expect(outcome.failure == StepFailure(.selectApplication, .noCandidate))
    #expect(outcome.rejectedApplications.map(\.failure.code.name) == ["kernelMissing"])
  }

  @Test func `an application that the terminal does not take is not named, nor one over its limit`() throws {
    // Kernel 3 is there, and the amount is too high for it.
    let configuration = try Terminals.configuration(setting: ["applications[0].limits[0].transaction": "10"])
    var card = CardDouble(directory: [
      CardDouble.entry(CardDouble.visa, kernel: [3]), CardDouble.entry(octets("A0000009990101"), kernel: [3]),
    ])
    #expect(try Terminals.tap(&card, "12.34", "EUR", configuration).outcome.rejectedApplications.isEmpty)
  }

  @Test(
    arguments: [
      (["00", "09"], ["20"], nil), (["00", "09"], ["20", "09"], "comes twice for one type of transaction"),
      (["00"], nil, "comes twice for one type of transaction"),
    ] as [([String], [String]?, String?)])
  func `one AID has limits of its own for each type of transaction`(
    first: [String], second: [String]?, problem: String?
  ) throws {
    let profile = try Terminals.profile("signature-usd")
    let visa = try #require(profile["applications"]?.list?.first)
    func application(_ types: [String]?, _ limit: String) -> JSONValue {
      visa.setting("transactionTypes", to: types.map { JSONValue($0.map { JSONValue($0) }) })
        .setting("limits[0].transaction", to: JSONValue(limit))
    }
    let both = profile.setting("applications", to: [application(first, "100.00"), application(second, "50.00")])
    guard problem == nil else {
      let error = #expect(throws: TerminalProfileError.self) { try TerminalConfiguration(both) }
      #expect(error?.problems.map(\.reason).contains { $0.contains(problem ?? "") } == true)
      return
    }
    let configuration = try TerminalConfiguration(both)
    for (type, isTaken) in [(TransactionType.purchase, true), (.refund, false)] {
      var transaction = try TerminalTransaction(
        Terminals.request("75.00", "USD", configuration, type: type), configuration: configuration, random: Numbers())
      let isSent = if case .transmit = transaction.start() { true } else { false }
      #expect(isSent == isTaken)
    }
  }

  @Test(arguments: [
    (["00"], TransactionType.purchase, true), (["09"], .purchase, false), (["00", "20"], .refund, true),
  ])
  func `an application takes the transaction types of its set`(
    types: [String], type: TransactionType, isTaken: Bool
  ) throws {
    let configuration = try Terminals.configuration(setting: [
      "applications[0].transactionTypes": .init(types.map { JSONValue($0) }),
      "applications[1].transactionTypes": ["01"],
    ])
    var transaction = try TerminalTransaction(
      Terminals.request("12.34", "EUR", configuration, type: type), configuration: configuration, random: Numbers())
    switch transaction.start() {
    case .transmit: #expect(isTaken)
    case .outcome(let outcome):
      #expect(!isTaken && outcome.kind == .otherInterface)
      #expect(
        outcome.failure?.description
          == "pre-processing: the terminal does not take a purchase (type 00) with this application")
    }
  }

  // 3.1.1.6: the amount is above the floor limit of the reader, or of the terminal where the reader has none.
  @Test(
    arguments: [
      ("40.00", "50.00", "45.00", true), (nil, "50.00", "45.00", false), (nil, "40.00", "45.00", true),
      (nil, nil, "45.00", false),
    ]
      as [(String?, String?, String, Bool)])
  func `the terminal's floor limit counts where the reader has none`(
    reader: String?, terminal: String?, amount: String, isOnline: Bool
  ) throws {
    let configuration = try Terminals.configuration(
      "signature-usd",
      setting: [
        "applications[0].limits[0].floor": reader.map { JSONValue($0) } ?? nil,
        "currencies[0].floorLimit": terminal.map { JSONValue($0) } ?? nil,
      ])
    let prepared = try PreparedCombination(
      configuration.combinations[0], for: Terminals.request(amount, "USD", configuration))
    #expect(prepared.qualifiers.contains(.onlineCryptogramRequired) == isOnline)
  }

  @Test func `autorun starts without pre-processing: every indicator of it is zero`() throws {
    var card = CardDouble()
    let configuration = try Terminals.configuration(setting: ["autorun": true])
    // Above every limit of the profile.
    let tap = try Terminals.tap(&card, "20000.00", "EUR", configuration)
    #expect(tap.outcome.kind == .onlineRequest)
    let options = try #require(tap.commands.last)
    #expect(options.data.dropFirst(2).prefix(4).elementsEqual(octets("36004000")))
    card = CardDouble()
    #expect(try Terminals.tap(&card, "20000.00").outcome.kind == .otherInterface)
  }

  /// Kernel, tag, value.
  @Test(
    arguments: [
      (3, 0x9F66, "36004000"), (4, 0x9F6E, "D8E00003"), (5, 0x9F53, "720000"), (6, 0x9F66, "36000000"),
      (7, 0x9F66, "36004080"),
    ] as [(Int, Tag, String)])
  func `autorun states no required verification, above every limit`(kernel: Int, tag: Tag, value: String) throws {
    let configuration = try TerminalConfiguration(Terminals.profile("all-kernels"))
    let found = try #require(configuration.combinations.first { $0.identifier.number == kernel })
    let request = try Terminals.request("20000.00", "EUR", configuration)
    #expect(found.kernel.dataWithoutPreprocessing(for: request)[tag]?.hex == value)
    #expect(throws: StepFailure.self) { try found.kernel.prepare(request) }
  }

  @Test func `autorun sends kernel 2 the same data as pre-processing does`() throws {
    var (first, second) = (MastercardDouble(), MastercardDouble())
    let autorun = try Terminals.tap(&first, "12.34", "EUR", Terminals.configuration(setting: ["autorun": true]))
    #expect(try autorun.commands == Terminals.tap(&second).commands)
  }
}
