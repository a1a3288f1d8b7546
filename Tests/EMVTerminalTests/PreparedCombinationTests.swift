import EMVData
import EMVTerminal
import ISO7816
import JSON
import Testing

@Suite struct PreparedCombinationTests {
  /// The limits of `attended-eur.json` just below, at and just above, in each exponent.
  struct Boundary: CustomTestStringConvertible {
    let currency: String
    let amount: String
    let verification: Bool
    let taken: Bool
    var testDescription: String { "\(amount) \(currency)" }
  }

  static let boundaries = [
    Boundary(currency: "EUR", amount: "49.99", verification: false, taken: true),
    Boundary(currency: "EUR", amount: "50.00", verification: true, taken: true),
    Boundary(currency: "EUR", amount: "50.01", verification: true, taken: true),
    Boundary(currency: "EUR", amount: "9999.99", verification: true, taken: true),
    Boundary(currency: "EUR", amount: "10000.00", verification: true, taken: false),
    Boundary(currency: "EUR", amount: "10000.01", verification: true, taken: false),
    Boundary(currency: "JPY", amount: "7999", verification: false, taken: true),
    Boundary(currency: "JPY", amount: "8000", verification: true, taken: true),
    Boundary(currency: "JPY", amount: "8001", verification: true, taken: true),
    Boundary(currency: "JPY", amount: "1499999", verification: true, taken: true),
    Boundary(currency: "JPY", amount: "1500000", verification: true, taken: false),
    Boundary(currency: "KWD", amount: "14.999", verification: false, taken: true),
    Boundary(currency: "KWD", amount: "15", verification: true, taken: true),
    Boundary(currency: "KWD", amount: "15.001", verification: true, taken: true),
    Boundary(currency: "KWD", amount: "2999.999", verification: true, taken: true),
    Boundary(currency: "KWD", amount: "3000.000", verification: true, taken: false),
    Boundary(currency: "CLF", amount: "1.2499", verification: false, taken: true),
    Boundary(currency: "CLF", amount: "1.25", verification: true, taken: true),
    Boundary(currency: "CLF", amount: "1.2501", verification: true, taken: true),
    Boundary(currency: "CLF", amount: "249.9999", verification: true, taken: true),
    Boundary(currency: "CLF", amount: "250", verification: true, taken: false),
  ]

  @Test(arguments: boundaries)
  func `an amount at a limit reaches it, for every exponent`(boundary: Boundary) throws {
    let configuration = try Terminals.configuration()
    let request = try Terminals.request(boundary.amount, boundary.currency, configuration)
    guard boundary.taken else {
      #expect(throws: StepFailure.self) { try PreparedCombination(configuration.combinations[0], for: request) }
      return
    }
    let prepared = try PreparedCombination(configuration.combinations[0], for: request)
    #expect(prepared.qualifiers.contains(.cvmRequired) == boundary.verification)
    #expect(prepared.qualifiers.contains(.onlineCryptogramRequired))
  }

  @Test(arguments: [
    ("39.99", false), ("40.00", false), ("40.01", true), ("999999.99", true),
  ])
  func `only an amount above the floor limit requires an online cryptogram`(amount: String, online: Bool) throws {
    let configuration = try Terminals.configuration("signature-usd")
    let request = try Terminals.request(amount, "USD", configuration)
    let prepared = try PreparedCombination(configuration.combinations[0], for: request)
    #expect(prepared.qualifiers.contains(.onlineCryptogramRequired) == online)
  }

  @Test(arguments: ["0", "0.01", "1", "9999.99"])
  func `an online-only profile requires an online cryptogram for every amount`(amount: String) throws {
    let configuration = try Terminals.configuration()
    for combination in configuration.combinations where combination.identifier == KernelIdentifier(3) {
      let prepared = try PreparedCombination(combination, for: Terminals.request(amount, "EUR", configuration))
      #expect(prepared.qualifiers.contains(.onlineCryptogramRequired))
    }
  }

  @Test func `zero is refused where the profile says so, and goes online elsewhere`() throws {
    let kiosk = try Terminals.configuration("unattended-kiosk")
    let failure = #expect(throws: StepFailure.self) {
      try PreparedCombination(kiosk.combinations[0], for: Terminals.request("0", "EUR", kiosk))
    }
    #expect(failure?.code == .zeroAmount)
    let inn = try Terminals.configuration("signature-usd")
    let prepared = try PreparedCombination(inn.combinations[0], for: Terminals.request("0", "USD", inn))
    #expect(prepared.qualifiers.contains(.onlineCryptogramRequired))
  }

  /// Kernels 3, 7 and 6 in the profile with all kernels (Book B v2.11, 3.1.1.11).
  @Test(arguments: [(0, "Visa"), (4, "UnionPay"), (6, "Discover")])
  func `a reader that is offline only refuses zero before any command`(index: Int, name: String) throws {
    let configuration = try Terminals.configuration(
      "all-kernels", setting: ["applications[\(index)].qualifiers": "3E004000"])
    let combination = try #require(configuration.combinations.first { $0.name == name })
    let failure = #expect(throws: StepFailure.self) {
      try PreparedCombination(combination, for: Terminals.request("0", "EUR", configuration))
    }
    #expect(failure?.code == .zeroAmountOffline)
    #expect(throws: Never.self) {
      try PreparedCombination(combination, for: Terminals.request("0.01", "EUR", configuration))
    }
  }

  @Test func `zero is taken where the profile says nothing`() throws {
    let configuration = try Terminals.configuration(
      "signature-usd", setting: ["applications[0].zeroAmountAllowed": JSONValue(.null)])
    #expect(configuration.combinations.allSatisfy { $0.zeroAmountAllowed })
  }

  @Test(arguments: [
    ("0.99", false), ("1.00", true), ("1.01", false),
  ])
  func `a status check is an amount of exactly one unit`(amount: String, online: Bool) throws {
    let configuration = try Terminals.configuration("signature-usd", setting: ["applications[0].statusCheck": true])
    let prepared = try PreparedCombination(
      configuration.combinations[0], for: Terminals.request(amount, "USD", configuration))
    #expect(prepared.qualifiers.contains(.onlineCryptogramRequired) == online)
  }

  @Test func `the required bits of tag 9F66 are set anew for each payment`() throws {
    let configuration = try Terminals.configuration(
      "signature-usd", setting: ["applications[0].qualifiers": "32C04000"])
    let prepared = try PreparedCombination(
      configuration.combinations[0], for: Terminals.request("1.00", "USD", configuration))
    #expect(prepared.qualifiers.rawValue == 0x3200_4000)
    let both = try PreparedCombination(
      configuration.combinations[0], for: Terminals.request("40.01", "USD", configuration))
    #expect(both.qualifiers.rawValue == 0x32C0_4000)
  }

  @Test func `an amount that no combination takes needs another interface, before any command`() throws {
    var card = CardDouble()
    let tap = try Terminals.tap(&card, "10000.00")
    #expect(tap.outcome.kind == .otherInterface)
    #expect(tap.outcome.message == .insertOrSwipe)
    #expect(tap.outcome.failure?.code == .transactionLimit)
    #expect(tap.failures.count == 5)
    #expect(tap.commands.isEmpty)
  }

  @Test func `a combination that does not take the amount does not exclude the others`() throws {
    let visa = try #require(try Terminals.profile()["applications"]?.list?[0])
    let electron = visa.setting("aids", to: ["A0000000032010"]).setting("limits[0].transaction", to: "10")
    let configuration = try Terminals.configuration(setting: [
      "applications": [electron, visa.setting("aids", to: ["A0000000031010"])]
    ])
    var card = CardDouble([.init(name: CardDouble.electron), .init(name: CardDouble.visa)])
    let tap = try Terminals.tap(&card, "12.34", "EUR", configuration)
    #expect(tap.failures == [StepFailure(.preprocessing, .transactionLimit)])
    #expect(tap.commands[1].data == CardDouble.visa)
    #expect(tap.outcome.kind == .onlineRequest)
  }
}
