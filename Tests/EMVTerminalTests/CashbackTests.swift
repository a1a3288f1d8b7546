import EMVData
import EMVTerminal
import JSON
import Testing

@Suite struct CashbackTests {
  private static let cash = TransactionType(rawValue: 0x01)

  /// Additional terminal capabilities, type, cashback of 30.00, expected error.
  static let cases: [(capabilities: String?, type: TransactionType, cashback: String?, error: PaymentRequestError?)] = [
    ("1000000000", .purchaseWithCashback, "0.01", nil), ("1000000000", .purchase, "30.00", nil),
    ("1000000000", .purchaseWithCashback, "30.01", .amountOtherTooLarge),
    ("EFFFFFFFFF", .purchaseWithCashback, "0.01", .cashbackNotOffered),
    (nil, .purchaseWithCashback, "0.01", .cashbackNotOffered), (nil, .purchase, nil, nil),
    (nil, .purchase, "0.00", nil),
    ("1000000000", .refund, "0.01", .cashbackNotOfType(.refund)),
    ("1000000000", cash, "0.01", .cashbackNotOfType(cash)), ("1000000000", .refund, nil, nil),
  ]

  @Test(arguments: cases.indices)
  func `a request is checked before a card is needed, also by the transaction`(_ row: Int) throws {
    let (capabilities, type, cashback, expected) = Self.cases[row]
    let configuration = try Terminals.configuration(setting: [
      "additionalCapabilities": capabilities.map { JSONValue($0) } ?? nil
    ])
    let request = try Terminals.request("30.00", "EUR", configuration, type: type, amountOther: cashback)
    var found: [PaymentRequestError?] = [nil, nil]
    do throws(PaymentRequestError) { try request.check(against: configuration) } catch { found[0] = error }
    do throws(PaymentRequestError) {
      _ = try TerminalTransaction(
        request, configuration: configuration, random: Numbers())
    } catch { found[1] = error }
    #expect(found == [expected, expected])
  }

  @Test func `an error of a request names the remedy`() {
    #expect("\(PaymentRequestError.cashbackNotOffered)".contains("byte 1 bit 5 of tag 9F40"))
    #expect("\(PaymentRequestError.cashbackNotOfType(.refund))".contains("type refund has no cashback"))
  }
}
