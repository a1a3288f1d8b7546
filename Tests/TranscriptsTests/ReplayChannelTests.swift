import EMVData
import ISO7816
import Links
import Octets
import Testing
import Transcripts

@Suite("Replays on the terminal's side")
struct ReplayChannelTests {
  @Test func `the recorded commands receive the recorded responses`() throws {
    var channel = ReplayChannel(SampleTap.transcript)
    #expect(channel.identity.protocolName == "T=CL")
    for (command, response) in SampleTap.pairs { #expect(try channel.send(command) == response) }
    #expect(channel.finish() == nil)
    #expect(throws: LinkError(.stopped, "")) { try channel.send(SampleTap.ppse) }
    channel.close()
    #expect(channel.difference == nil)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let exchange: Int
    let command: String
    let offset: Int
    let tag: ISO7816.Tag?
    let element: String
    let values: (String, String)
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "a value in the GPO data", exchange: 3, command: SampleTap.options.replacing("124D3DCA", with: "124D3DCB"),
      offset: 20, tag: 0x9F37, element: "GPO data › 9F37 Unpredictable Number", values: ("124D3DCA", "124D3DCB")),
    Case(
      name: "the date in the GPO data", exchange: 3, command: SampleTap.options.replacing("260131", with: "260201"),
      offset: 22, tag: 0x9A, element: "GPO data › 9A Transaction Date", values: ("2026-01-31", "2026-02-01")),
    Case(
      name: "the application that is selected", exchange: 2, command: "00A4040007A000000004101000", offset: 9,
      tag: 0x84,
      element: "84 Dedicated File (DF) Name", values: ("A0000000031010", "A0000000041010")),
    Case(
      name: "the record that is read", exchange: 4, command: "00B2020C00", offset: 2, tag: nil, element: "P1",
      values: ("01 record 1", "02 record 2")),
    Case(
      name: "the file that is read", exchange: 4, command: "00B2011400", offset: 3, tag: nil, element: "P2",
      values: ("0C SFI 1", "14 SFI 2")),
    Case(
      name: "another instruction", exchange: 4, command: "00CA010C00", offset: 1, tag: nil, element: "INS",
      values: ("B2 READ RECORD", "CA GET DATA")),
    Case(
      name: "another class", exchange: 4, command: "80B2010C00", offset: 0, tag: nil, element: "CLA",
      values: ("00 interindustry", "80 proprietary")),
    Case(
      name: "another Le", exchange: 4, command: "00B2010C20", offset: 4, tag: nil, element: "Le",
      values: ("up to 256 bytes", "up to 32 bytes")),
    Case(
      name: "a command that goes on", exchange: 4, command: "00B2010C0000", offset: 5, tag: nil, element: "",
      values: ("nothing more", "00")),
    Case(
      name: "a command that ends early", exchange: 4, command: "00B2010C", offset: 4, tag: nil, element: "Le",
      values: ("00", "nothing more")),
  ]

  @Test(arguments: cases)
  func `the first difference is reported with its place and both values`(_ row: Case) throws {
    var channel = ReplayChannel(SampleTap.transcript)
    for (command, _) in SampleTap.pairs.prefix(row.exchange - 1) { _ = try channel.send(command) }
    let error = #expect(throws: LinkError.self) { try channel.send(row.command) }
    let difference = try #require(channel.difference)
    #expect(error == LinkError(.recordingDiffers, ""))
    #expect(error?.reason == difference.description)
    #expect(difference.kind == .command)
    #expect(difference.exchange == row.exchange)
    #expect(difference.offset == row.offset)
    #expect(difference.tag == row.tag)
    #expect(difference.element == row.element)
    #expect(difference.expected == row.values.0)
    #expect(difference.got == row.values.1)
  }

  @Test func `a difference is described in a sentence`() throws {
    var channel = ReplayChannel(SampleTap.transcript)
    for (command, _) in SampleTap.pairs.prefix(2) { _ = try channel.send(command) }
    _ = try? channel.send(SampleTap.options.replacing("124D3DCA", with: "00000000"))
    #expect(
      channel.difference?.description
        == "exchange 3: the command differs from the recording at offset 17, GPO data › 9F37 Unpredictable Number: "
        + "expected 124D3DCA, got 00000000")
  }

  @Test func `after a difference every command fails, and the first difference stays`() throws {
    var channel = ReplayChannel(SampleTap.transcript)
    #expect(throws: LinkError(.recordingDiffers, "")) { try channel.send("00A40400") }
    let first = channel.difference
    #expect(throws: LinkError(.recordingDiffers, "")) { try channel.send(SampleTap.ppse) }
    #expect(channel.finish() == first)
  }

  @Test func `a command beyond the recording is a difference`() throws {
    var channel = ReplayChannel(SampleTap.transcript)
    for (command, _) in SampleTap.pairs { _ = try channel.send(command) }
    #expect(throws: LinkError(.recordingDiffers, "")) { try channel.send("80CA9F3600") }
    let difference = try #require(channel.difference)
    #expect(difference.kind == .unexpectedCommand)
    #expect(difference.exchange == 5)
    #expect(difference.description == "exchange 5: the recording has ended, but another command came: GET DATA")
  }

  @Test func `exchanges that were not replayed are a difference once the channel is closed`() throws {
    var channel = ReplayChannel(SampleTap.transcript)
    _ = try channel.send(SampleTap.ppse)
    #expect(channel.difference == nil)
    channel.close()
    let difference = try #require(channel.difference)
    #expect(difference.kind == .leftover)
    #expect(difference.exchange == 2)
    #expect(difference.description == "exchange 2: the recording goes on with SELECT, but no command came")
  }

  @Test func `only data elements that vary may differ`() throws {
    var transcript = SampleTap.transcript
    transcript.exchanges[2].notes = [.directive(.varies, "9F37 9A")]
    let other = SampleTap.options.replacing("124D3DCA260131", with: "00112233270228")
    var channel = ReplayChannel(transcript)
    for command in [SampleTap.ppse, SampleTap.select, other, SampleTap.read] { _ = try channel.send(command) }
    #expect(channel.finish() == nil)
    var strict = ReplayChannel(transcript)
    for command in [SampleTap.ppse, SampleTap.select] { _ = try strict.send(command) }
    #expect(throws: LinkError(.recordingDiffers, "")) {
      try strict.send(other.replacing("0978", with: "0840"))
    }
    #expect(strict.difference?.tag == .transactionCurrencyCode)
  }

  @Test func `a torn recording ends with the recorded reason, without a difference`() throws {
    var transcript = SampleTap.transcript
    transcript.exchanges[1] = Transcript.Exchange(
      command: try [UInt8](hex: SampleTap.select), response: nil, responseNotes: [.directive(.torn, "timedOut")])
    transcript.exchanges.removeLast(2)
    var channel = ReplayChannel(transcript)
    _ = try channel.send(SampleTap.ppse)
    #expect(throws: LinkError(.timedOut, "")) { try channel.send(SampleTap.select) }
    #expect(channel.finish() == nil)
    transcript.exchanges[1].responseNotes = []
    channel = ReplayChannel(transcript)
    _ = try channel.send(SampleTap.ppse)
    #expect(throws: LinkError(.transmissionFailed, "")) { try channel.send(SampleTap.select) }
  }

  @Test func `the length of a PIN is compared, its digits are not`() throws {
    let transcript = try Transcript(parsing: "0020008008241234FFFFFFFFFF\n9000\n")
    var channel = ReplayChannel(transcript)
    #expect(try channel.send("0020008008249999FFFFFFFFFF") == "9000")
    channel = ReplayChannel(transcript)
    #expect(throws: LinkError(.recordingDiffers, "")) { try channel.send("0020008007249999FFFFFFFF") }
    #expect(channel.difference?.description.contains("9999") == false)
  }

  @Test func `a response that does not fit into the buffer is an error`() throws {
    let transcript = try Transcript(parsing: "00B2010C00\n" + String(repeating: "00", count: 300) + "9000\n")
    var channel = ReplayChannel(transcript)
    #expect(throws: LinkError(.protocolViolation, "")) { try channel.send("00B2010C00") }
  }

  @Test(arguments: [
    ("", "", Int64(0)), ("#@ t: 5\n", "", 5), ("#@ t: 5\n", "#@ t: 70000000\n", 70_000_005),
    ("#@ t: \(Int64.max)\n", "#@ t: \(Int64.max)\n", .max),
  ])
  func `each response advances the clock by its recorded time, up to the end of the clock`(
    _ first: String, _ second: String, _ expected: Int64
  ) throws {
    let exchanges = [first, second].map { "00B2010C00\n\($0)9000\n" }
    let clock = ManualClock()
    var channel = ReplayChannel(try Transcript(parsing: exchanges.joined()), moving: clock)
    for _ in exchanges { _ = try channel.send("00B2010C00") }
    #expect(clock.now == Instant(nanoseconds: expected))
  }

  @Test func `a recording of a replay equals the recording`() throws {
    var channel = RecordingChannel(ReplayChannel(SampleTap.transcript), clock: ManualClock())
    for (command, _) in SampleTap.pairs { _ = try channel.send(command) }
    let again = channel.transcript
    #expect(again.exchanges.map(\.command) == SampleTap.transcript.exchanges.map(\.command))
    #expect(again.exchanges.map(\.response) == SampleTap.transcript.exchanges.map(\.response))
    #expect(again.identity == SampleTap.transcript.identity)
  }

  @Test func `a difference never shows an account number`() throws {
    let text = "00DC010C0A5A084761739001010010\n9000\n"
    var channel = ReplayChannel(try Transcript(parsing: text))
    #expect(throws: LinkError(.recordingDiffers, "")) { try channel.send("00DC010C0A5A084761739001019010") }
    let difference = try #require(channel.difference)
    #expect(difference.tag == .primaryAccountNumber)
    #expect(!difference.description.contains("4761739001010010"))
    #expect(!difference.description.contains("39001010"))
  }
}
