import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite("Torn payments of kernel 2") struct TornTransactionTests {
  private static func configuration(_ count: Int = 1) throws -> TerminalConfiguration {
    try Terminals.configuration(setting: ["applications[1].kernel2.tornTransactions": JSONValue(count)])
  }

  private static func card(list: [UInt8]? = octets("9F3704 9F0206")) -> MastercardDouble {
    var card = MastercardDouble()
    card.records[[2, 1]] = MastercardDouble.chip([0x9F51: list])
    return card
  }

  private struct Payment {
    var commands: [[CommandAPDU]] = [[], []]
    var outcome: PaymentOutcome
    var memory: [UInt8]
  }

  /// Takes a payment whose card leaves at the first GENERATE AC and comes back.
  ///
  /// - Parameters:
  ///   - recovery: The response to RECOVER AC.
  ///   - leaves: Whether the card leaves.
  private static func pay(
    _ configuration: TerminalConfiguration, card: MastercardDouble = card(), recovery: ResponseAPDU, leaves: Bool = true
  ) throws -> Payment {
    var card = card
    var transaction = try TerminalTransaction(
      Terminals.request("12.34", "EUR", configuration), configuration: configuration, random: Numbers())
    var payment = Payment(outcome: .tryAgain(StepFailure(.restart, .linkLost)), memory: [])
    var step = transaction.start()
    for tap in 0...1 {
      while case .transmit(let command, let phase) = step {
        payment.commands[tap].append(command)
        if leaves, tap == 0, phase == .generateCryptogram {
          step = .outcome(transaction.loseCard())
        } else {
          step = transaction.receive(command.ins == 0xD0 ? recovery : card.answer(command))
        }
      }
      guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
      payment.outcome = outcome
      guard outcome.restart == .directory else { break }
      step = transaction.restart()
    }
    payment.memory = transaction.memories[KernelIdentifier(2)]?.octets ?? []
    return payment
  }

  private static let recovered = ResponseAPDU(
    data: TLVNode(0x77, MastercardDouble.generated([0x9F26: octets("8877665544332211"), 0x9F36: [0, 6]])).encoded)

  @Test func `a card that comes back gives the cryptogram of the torn payment, over its old number`() throws {
    let payment = try Self.pay(Self.configuration(), recovery: Self.recovered)
    let recover = try #require(payment.commands[1].last)
    #expect(recover.encoded.hex == "80D000000A124D3DCA00000000123400")
    #expect(payment.outcome.kind == .onlineRequest)
    let request = try #require(payment.outcome.authorizationRequest)
    #expect(request.cryptogram == octets("8877665544332211") && request.transactionCounter == 6)
    #expect(request.unpredictableNumber == Terminals.unpredictableNumber)
    #expect(payment.memory.isEmpty)
  }

  @Test(arguments: [StatusWord.referencedDataNotFound, .instructionNotSupported, .conditionsNotSatisfied])
  func `a card without a torn payment makes a new cryptogram`(_ status: StatusWord) throws {
    let payment = try Self.pay(Self.configuration(), recovery: ResponseAPDU(status: status))
    #expect(payment.commands[1].suffix(2).map(\.ins) == [0xD0, 0xAE])
    #expect(payment.outcome.authorizationRequest?.cryptogram == octets("1122334455667788"))
    #expect(payment.outcome.authorizationRequest?.unpredictableNumber != Terminals.unpredictableNumber)
  }

  @Test func `a recovered cryptogram of a stronger type than was asked for ends the application`() throws {
    let other = ResponseAPDU(data: TLVNode(0x77, MastercardDouble.generated([0x9F27: [0x40]])).encoded)
    #expect(try Self.pay(Self.configuration(), recovery: other).outcome.kind == .endApplication)
  }

  /// The most torn payments, tag 9F51.
  @Test(arguments: [(0, octets("9F3704")), (1, nil)] as [(Int, [UInt8]?)])
  func `without the setting or without tag 9F51 nothing is kept`(_ count: Int, _ list: [UInt8]?) throws {
    let payment = try Self.pay(Self.configuration(count), card: Self.card(list: list), recovery: Self.recovered)
    #expect(payment.commands[1].allSatisfy { $0.ins != 0xD0 })
    #expect(payment.outcome.kind == .onlineRequest && payment.memory.isEmpty)
  }

  @Test func `another payment of the card is not recovered, and a memory of another form is empty`() throws {
    let configuration = try Self.configuration()
    var card = Self.card()
    var first = try TerminalTransaction(
      Terminals.request("12.34", "EUR", configuration), configuration: configuration, random: Numbers())
    var step = first.start()
    while case .transmit(let command, let phase) = step {
      step = phase == .generateCryptogram ? .outcome(first.loseCard()) : first.receive(card.answer(command))
    }
    let kept = first.memories
    #expect(kept[KernelIdentifier(2)]?.octets.isEmpty == false)
    for memories in [kept, [KernelIdentifier(2): KernelMemory(octets: [0xE0, 0x7F, 0x01])]] {
      var second = try TerminalTransaction(
        Terminals.request("5.00", "EUR", configuration), configuration: configuration, memories: memories,
        random: Numbers())
      var instructions: [UInt8] = []
      step = second.start()
      while case .transmit(let command, _) = step {
        instructions.append(command.ins)
        step = second.receive(card.answer(command))
      }
      #expect(!instructions.contains(0xD0) && instructions.last == 0xAE)
    }
  }
}
