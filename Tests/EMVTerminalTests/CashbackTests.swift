import EMVData
import EMVTerminal
import Testing

@Suite("Cashback: what fits the terminal, the type and the amount") struct CashbackTests {
  private static let cash = TransactionType(rawValue: 0x01)

  /// Additional terminal capabilities, type, cashback of 30.00, what is wrong.
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
  func `A request is checked before any card is near, by itself and by the transaction`(_ row: Int) throws {
    let (capabilities, type, cashback, expected) = Self.cases[row]
    let configuration = try Terminals.configuration { $0.additionalCapabilities = capabilities }
    let request = try Terminals.request("30.00", "EUR", configuration, type: type, amountOther: cashback)
    var found: [PaymentRequestError?] = [nil, nil]
    do throws(PaymentRequestError) { try request.check(against: configuration) } catch { found[0] = error }
    do throws(PaymentRequestError) {
      _ = try TerminalTransaction(
        request, configuration: configuration, unpredictableNumber: Terminals.unpredictableNumber)
    } catch { found[1] = error }
    #expect(found == [expected, expected])
  }

  @Test func `What is wrong is said with its remedy`() {
    #expect("\(PaymentRequestError.cashbackNotOffered)".contains("byte 1 bit 5 of tag 9F40"))
    #expect("\(PaymentRequestError.cashbackNotOfType(.refund))".contains("type refund has no cashback"))
  }
}
