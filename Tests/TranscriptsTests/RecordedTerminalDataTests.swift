import EMVData
import ISO7816
import Octets
import Testing
import Transcripts

@Suite("Recorded terminal data")
struct RecordedTerminalDataTests {
  @Test func `the values are those that the card asked for, and other needed tags are missing`() {
    let data = RecordedTerminalData(SampleTap.transcript)
    #expect(data[.terminalTransactionQualifiers] == [0x36, 0x00, 0x40, 0x00])
    #expect(data[.amountAuthorised] == [0x00, 0x00, 0x00, 0x00, 0x12, 0x34])
    #expect(data[.unpredictableNumber] == [0x12, 0x4D, 0x3D, 0xCA])
    #expect(data[.transactionCurrencyCode] == [0x09, 0x78])
    #expect(data[.transactionType] == [0x00])
    #expect(data.clock?.description == "2026-01-31T00:00:00")
    #expect(data.missing == [.terminalCountryCode])
    #expect(data.description == "decode only: the recording does not have 9F1A Terminal Country Code")
    #expect(data.values.count == 6)
  }

  @Test func `directives add values that the card did not ask for, and replace none`() throws {
    var transcript = SampleTap.transcript
    transcript.exchanges.removeLast(2)
    #expect(RecordedTerminalData(transcript).missing == RecordedTerminalData.needed)
    transcript.clock = TransactionMoment("2026-02-03T04:05:06")
    transcript[.type] = "20"
    transcript[.currency] = "826"
    let data = RecordedTerminalData(transcript)
    #expect(data.clock?.description == "2026-02-03T04:05:06")
    #expect(data[.transactionType] == [0x20])
    #expect(data[.transactionCurrencyCode] == [0x08, 0x26])
    transcript = SampleTap.transcript
    transcript[.currency] = "826"
    #expect(RecordedTerminalData(transcript)[.transactionCurrencyCode] == [0x09, 0x78])
  }

  @Test func `a terminal of kernel 4 needs tag 9F6E and one of kernel 5 tag 9F53 in place of tag 9F66`() {
    let common = RecordedTerminalData.needed.filter { $0 != .terminalTransactionQualifiers }
    #expect(RecordedTerminalData.needed(by: .mastercard) == common)
    #expect(RecordedTerminalData.needed(by: .americanExpress) == common + [0x9F6E])
    #expect(RecordedTerminalData.needed(by: .jcb) == common + [0x9F53])
    #expect(RecordedTerminalData.needed(by: .visa) == RecordedTerminalData.needed)
  }

  @Test func `without a data object list of the card there are no values`() throws {
    let transcript = try Transcript(parsing: SampleTap.options + "\n" + SampleTap.answer + "\n")
    let data = RecordedTerminalData(transcript)
    #expect(data.values.isEmpty)
    #expect(data.missing == RecordedTerminalData.needed)
    #expect(!data.isComplete)
    #expect(data.clock == nil)
  }

  @Test func `GENERATE AC has values too`() throws {
    let text = """
      00B2010C00
      70078C059F1A029C019000
      80AE80000308260000
      6985

      """
    let data = RecordedTerminalData(try Transcript(parsing: text))
    #expect(data[.terminalCountryCode] == [0x08, 0x26])
    #expect(data[.transactionType] == [0x00])
  }

  @Test(arguments: [
    ("2026-01-31T23:59:59", true), ("2026-01-31T23:59:60", false), ("2026-01-31T23:60:00", false),
    ("2026-01-31 23:59:59", false), ("", false), ("2026-01-31T23:59", false),
  ])
  func `a transaction moment is a date and a time of day`(_ text: String, _ isMoment: Bool) {
    #expect((TransactionMoment(text) != nil) == isMoment)
    #expect(TransactionMoment(text)?.description == (isMoment ? text : nil))
  }

  @Test func `a transaction moment is read from valid tags 9A and 9F21 only`() {
    #expect(
      TransactionMoment(date: [0x26, 0x01, 0x31], time: [0x12, 0x34, 0x56])?.description == "2026-01-31T12:34:56")
    #expect(TransactionMoment(date: [0x26, 0x01, 0x32], time: [0x12, 0x34, 0x56]) == nil)
    #expect(TransactionMoment(date: [0x26, 0x01, 0x31], time: [0x24, 0x00, 0x00]) == nil)
    #expect(TransactionMoment(date: [0x26, 0x01, 0x31], time: [0x1A, 0x00, 0x00]) == nil)
    #expect(TransactionMoment(date: [0x26, 0x01, 0x31], time: [0x12, 0x34]) == nil)
  }
}
