import EMVData
import EMVTerminal
import ISO7816
import Octets
import Testing

/// Why an application of the card was left out.
@Suite struct RejectedApplicationTests {
  /// Visa is selected first, Electron follows. The number is that of the response that is replaced.
  static let cases: [(response: Int, answer: ResponseAPDU, reason: String)] = [
    (1, ResponseAPDU(status: .notFound), "SELECT AID: the card answered 6A82"),
    (1, ResponseAPDU(data: octets("6F0D 8407A0000000032010 A502 8700")), "SELECT AID: tag 84 holds another name"),
    (1, ResponseAPDU(data: octets("6F1A 8407A0000000031010 A50F 50")), "SELECT AID: the FCI is malformed"),
    (1, ResponseAPDU(data: octets("6F0F 8407A0000000031010 A504 9F38 01 9F")), "SELECT AID: "),
    (1, ResponseAPDU(data: octets("6F0B 8407A0000000031010 A500")), "SELECT AID: the list of wanted data (9F38)"),
    (
      1, ResponseAPDU(data: octets("6F14 8407A0000000031010 8407A0000000031010 A500")), "SELECT AID: tag 84 occurs more"
    ),
    (
      1, ResponseAPDU(data: octets("6F17 8407A0000000031010 A50C 9F38039F6604 9F38039F6604")),
      "SELECT AID: tag 9F38 occurs more"
    ),
    (2, ResponseAPDU(status: .conditionsNotSatisfied), "GET PROCESSING OPTIONS: the card answered 6985"),
  ]

  @Test(arguments: cases.indices) func `an application that is left out keeps its name and its reason`(row: Int) throws
  {
    let (response, answer, reason) = Self.cases[row]
    var card = CardDouble([.init(name: CardDouble.visa), .init(name: CardDouble.electron)])
    card.replacements[response] = answer
    let outcome = try Terminals.tap(&card).outcome
    #expect(outcome.kind == .onlineRequest)
    let lines = outcome.rejectedApplications.map(\.description)
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("A0000000031010: \(reason)") == true, "\(lines)")
  }

  @Test func `a directory with two templates BF0C ends the payment`() throws {
    var card = CardDouble()
    let list = "BF0C 0B 6109 4F07A0000000031010"
    card.replacements[0] = ResponseAPDU(
      data: octets("6F2E 840E325041592E5359532E4444463031 A51C \(list) \(list)"))
    let outcome = try Terminals.tap(&card).outcome
    #expect(outcome.kind == .endApplication)
    #expect(outcome.failure == StepFailure(.selectDirectory, .malformed("tag BF0C occurs more than once in the FCI")))
  }

  @Test func `a payment without an application left has one line for each candidate`() throws {
    var card = CardDouble([
      .init(name: CardDouble.visa, selectStatus: .notFound),
      .init(name: CardDouble.electron, optionsStatus: .conditionsNotSatisfied),
    ])
    let outcome = try Terminals.tap(&card).outcome
    #expect(outcome.failure == StepFailure(.selectApplication, .noCandidate))
    #expect(outcome.rejectedApplications.map(\.name) == [CardDouble.visa, CardDouble.electron])
    #expect(outcome.rejectedApplications.map(\.failure.phase) == [.selectApplication, .processingOptions])
  }
}
