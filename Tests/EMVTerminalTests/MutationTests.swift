import EMVData
import EMVTerminal
import Fixtures
import Foundation
import ISO7816
import Octets
import TestSupport
import Testing

@Suite struct MutationTests {
  /// 4 x 50,000 mutated responses with CONTACTLESS_SOAK; 4 x 2,000 without.
  static let answersPerSeed = Soak.isOn ? 50_000 : 2_000

  static func card() -> CardDouble {
    var card = CardDouble([.init(name: CardDouble.visa), .init(name: CardDouble.electron)])
    for index in card.applications.indices {
      card.applications[index].options = CardDouble.options([0x94: octets("0801020010010100")])
      card.applications[index].records = [
        [1, 1]: [TLVNode(0x5F24, octets("271231")), TLVNode(0x5A, octets("4761739001010010"))],
        [1, 2]: [TLVNode(0x5F28, octets("0276"))], [2, 1]: [TLVNode(0x9F69, octets("01DEADBEEF0080"))],
      ]
    }
    return card
  }

  static func mutate(_ answer: ResponseAPDU, _ generator: inout SplitMix64) -> ResponseAPDU {
    var data = answer.data
    var status = answer.status
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0 where !data.isEmpty:
        data[Int.random(in: data.indices, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1 where !data.isEmpty:
        data[Int.random(in: data.indices, using: &generator)] = UInt8.random(in: .min ... .max, using: &generator)
      case 2 where !data.isEmpty: data.removeLast(Int.random(in: 1...data.count, using: &generator))
      case 3 where !data.isEmpty: data.remove(at: Int.random(in: data.indices, using: &generator))
      case 4:
        data.insert(
          UInt8.random(in: .min ... .max, using: &generator), at: Int.random(in: 0...data.count, using: &generator))
      case 5: data += data.prefix(Int.random(in: 0...data.count, using: &generator))
      case 6: status = StatusWord(rawValue: UInt16.random(in: .min ... .max, using: &generator))
      default:
        data += (0..<Int.random(in: 0...40, using: &generator)).map { _ in
          UInt8.random(in: .min ... .max, using: &generator)
        }
      }
    }
    return ResponseAPDU(data: data, status: status)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `mutated responses never trap, never loop, and always end in an outcome`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let configuration = try Terminals.configuration()
    let request = try Terminals.request("12.34", "EUR", configuration)
    let fresh = Self.card()
    var kinds: Set<PaymentOutcome.Kind> = []
    var count = 0
    while count < Self.answersPerSeed {
      var transaction = try TerminalTransaction(
        request, configuration: configuration, random: Numbers())
      var card = fresh
      var step = transaction.start()
      // The responses up to this number are not mutated.
      let honest = Int.random(in: 0..<6, using: &generator)
      while case .transmit(let command, _) = step {
        let answer = card.answer(command)
        let mutates = card.commands.count > honest
        count += mutates ? 1 : 0
        step = transaction.receive(mutates ? Self.mutate(answer, &generator) : answer)
      }
      try #require(transaction.commandCount <= configuration.maximumCommandCount)
      guard case .outcome(let outcome) = step else { continue }
      kinds.insert(outcome.kind)
    }
    // Some mutated payments still reach each of these outcomes.
    #expect(kinds.isSuperset(of: [.onlineRequest, .declined, .endApplication]), "seed \(seed): \(kinds)")
  }

  @Test func `a mutated profile compiles or throws one error`() throws {
    let whole = try Array(Fixtures.data("Terminals/attended-eur.json"))
    var generator = SplitMix64(seed: 5)
    var refused = 0
    for _ in 0..<1500 {
      var octets = whole
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        let index = Int.random(in: octets.indices, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: octets[index] = UInt8.random(in: .min ... .max, using: &generator)
        case 1: octets.remove(at: index)
        default: octets.insert(octets[Int.random(in: octets.indices, using: &generator)], at: index)
        }
      }
      do throws(TerminalProfileError) {
        _ = try TerminalConfiguration(json: octets)
      } catch {
        refused += error.problems.isEmpty ? 0 : 1
      }
    }
    #expect((500..<1500).contains(refused), "\(refused)")
  }

  @Test func `a card with the most records in the most applications stays within the bound`() throws {
    let names = (0..<UInt8(CandidateList.maximumCount)).map { CardDouble.visa + [$0] }
    var card = CardDouble(
      names.map { CardDouble.Application(name: $0, optionsStatus: .conditionsNotSatisfied) },
      directory: names.map { CardDouble.entry($0) })
    let last = card.applications.count - 1
    card.applications[last].optionsStatus = nil
    card.applications[last].options = CardDouble.options([0x94: octets("0801FF00")])
    card.applications[last].records = Dictionary(
      uniqueKeysWithValues: (1...UInt8.max).map { ([1, $0], [TLVNode]()) })
    let configuration = try Terminals.configuration()
    let tap = try Terminals.tap(&card, "12.34", "EUR", configuration)
    #expect(tap.outcome.kind == .onlineRequest)
    // Kernel 3 has no relay resistance exchange and no command for the cryptogram; no host answered, and nothing is read or recovered.
    #expect(tap.commandCount == configuration.maximumCommandCount - 4 - 23 - 3)
    #expect(configuration.maximumCommandCount == 342)
  }

  @Test func `a hostile card with very large responses ends quickly`() throws {
    let many = (0..<16_000).map { TLVNode(Tag(rawValue: 0xDF80_00 | UInt32($0 >> 7) << 8 | UInt32($0 & 0x7F)), [0]) }
    var card = CardDouble()
    card.applications[0].options = CardDouble.options([0x94: octets("0801FF00")])
    let record = ResponseAPDU(data: TLVNode(.recordTemplate, [TLVNode]()).encoded)
    for index in 3..<258 { card.replacements[index] = record }
    card.replacements[3] = ResponseAPDU(data: TLVNode(.recordTemplate, many).encoded)
    let tap = try Terminals.tap(&card)
    #expect(tap.commandCount == 258)
  }
}
