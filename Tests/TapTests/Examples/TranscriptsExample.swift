import Fixtures
import ISO7816
import Links
import Octets
import Testing
import Transcripts

extension ExampleTests {
  @Test func `the article of Transcripts: a transcript is read, redacted and replayed`() throws {
    let text = String(decoding: try Fixtures.data("Transcripts/visa-cvn18-terminal.txt"), as: UTF8.self)

    let transcript = try Transcript(parsing: text)
    print(transcript.exchanges.count, transcript.identity.protocolName)
    let publishable = transcript.text(redactedBy: .complete)

    #expect(!publishable.contains("4761739001010010"))

    let channel = ReplayChannel(transcript)
    let command: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x00]
    var room = [UInt8](repeating: 0, count: shortResponseCapacity)
    do throws(LinkError) {
      _ = try room.withMutableOctets { (response) throws(LinkError) in
        try channel.transmit(command.span, into: &response)
      }
    } catch {
      print(error.reason)  // exchange 1 differs: where, in which data element, expected and got
    }

    #expect(channel.difference?.exchange == 1)
  }
}
