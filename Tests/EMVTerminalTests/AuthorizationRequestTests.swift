import EMVData
import EMVTerminal
import ISO7816
import Octets
import Testing

@Suite struct AuthorizationRequestTests {
  static func request(_ currency: String = "EUR", _ amount: String = "12.34") throws -> AuthorizationRequest {
    var card = CardDouble()
    card.applications[0].options = CardDouble.options([
      0x94: octets("08010100"), 0x5F20: Array("TESTER/TAP".utf8), 0x5F34: [0x27],
    ])
    card.applications[0].records[[1, 1]] = [
      TLVNode(0x5A, octets("4761739001010010")), TLVNode(0x5F24, octets("271231")), TLVNode(0x9F7C, octets("AABB")),
    ]
    return try #require(try Terminals.tap(&card, amount, currency).outcome.authorizationRequest)
  }

  @Test func `a host gets each data element once, with the values that went to the card`() throws {
    let request = try Self.request()
    let expected = """
      57=4761739001010010D27122011234567890 5A=4761739001010010 5F24=271231 5F2A=0978 5F34=27 82=0040 95=0000000000
      9A=261120 9C=00 9F02=000000001234 9F03=000000000000 9F06=A0000000031010 9F10=06011203A00000 9F15=5999
      9F16=54415054455354303030303030303031 9F1A=0276 9F1C=5441503030303031 9F21=090559 9F26=5B3617315A36DABD 9F27=80
      9F33=E06800 9F34=010002 9F35=21 9F36=002D 9F37=124D3DCA 9F39=07
      9F4E=54415020544553542053484F502C204245524C494E 9F66=36804000 9F6C=0080 9F6E=23880000 9F7C=AABB
      """
    let words = expected.split(whereSeparator: \.isWhitespace).filter { !$0.hasPrefix("9F16") }
    let elements = request.elements.filter { $0.tag != 0x9F16 }.map { "\($0.tag)=\($0.value.hex)" }
    #expect(elements == words.map(String.init))
    #expect(request.value(0x9F16) == Array("TAPTEST00000001".utf8))
    #expect(Set(request.elements.map(\.tag)).count == request.elements.count)
  }

  @Test func `the properties of a request read its elements`() throws {
    let request = try Self.request()
    #expect(request.accountNumber.exposedDigits == "4761739001010010")
    #expect(request.panSequenceNumber == 27)
    #expect(request.transactionCounter == 0x2D)
    #expect(request.cryptogram.count == 8)
    #expect(request.issuerApplicationData == octets("06011203A00000"))
    #expect(request.unpredictableNumber == Terminals.unpredictableNumber)
    #expect(request.cryptogramType == .arqc)
    #expect(request.payment.amount.description == "12.34")
    #expect(request.value(.cardholderName) == nil)
  }

  @Test func `a sequence number that is not decimal is nil`() throws {
    var card = CardDouble()
    card.applications[0].options = CardDouble.options([0x5F34: [0x0A]])
    #expect(try Terminals.tap(&card).outcome.authorizationRequest?.panSequenceNumber == nil)
  }

  @Test(arguments: [
    ("JPY", "7999", "000000007999", "0392"), ("KWD", "1.234", "000000001234", "0414"),
    ("CLF", "1.2345", "000000012345", "0990"), ("EUR", "0", "000000000000", "0978"),
  ])
  func `the amount is in minor units for every exponent of a currency`(
    currency: String, amount: String, numeric: String, code: String
  ) throws {
    let request = try Self.request(currency, amount)
    #expect(request.value(.amountAuthorised)?.hex == numeric)
    #expect(request.value(.transactionCurrencyCode)?.hex == code)
  }

  @Test func `cashback is in tag 9F03 and goes to the card`() throws {
    let configuration = try Terminals.configuration()
    let request = try Terminals.request(
      "30.00", "EUR", configuration, type: TransactionType(rawValue: 0x09), amountOther: "10.00")
    var transaction = try TerminalTransaction(
      request, configuration: configuration, random: Numbers())
    var card = CardDouble()
    var step = transaction.start()
    while case .transmit(let command, _) = step { step = transaction.receive(card.answer(command)) }
    guard case .outcome(let outcome) = step else { return }
    #expect(outcome.authorizationRequest?.value(.amountOther)?.hex == "000000001000")
    #expect(card.commands[2].data.hex.contains("000000003000000000001000"))
    #expect(outcome.authorizationRequest?.value(.transactionType) == [0x09])
  }

  @Test func `descriptions, dumps and errors show no account number, track or name`() throws {
    let request = try Self.request()
    var dumped = ""
    dump(request, to: &dumped)
    var card = CardDouble()
    let outcome = try Terminals.tap(&card).outcome
    var outcomeDump = ""
    dump(outcome, to: &outcomeDump)
    for text in ["\(request)", String(reflecting: request), "\([request])", dumped, "\(outcome)", outcomeDump] {
      #expect(!text.contains("4761739001010010"))
      #expect(!text.contains("D2712201"))
      #expect(!text.contains("TESTER"))
    }
    #expect(request.description.contains("476173******0010"))
    #expect(request.description.contains("9F26 Application Cryptogram: 5B3617315A36DABD"))
  }
}
