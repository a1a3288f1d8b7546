import EMVCard
import EMVData
import Fixtures
import ISO7816
import Octets
import Testing

extension ExampleTests {
  @Test func `the example of the EMVCard article shows an unarmed card`() throws {
    let profile = [UInt8](try Fixtures.data("Cards/visa-cvn18.json"))

    let image = try CardImage(json: profile)
    var card = Card(image: image)
    let clock = SystemClock()
    card.fieldChanged(.powered, at: clock.now)

    let command = CommandAPDU.select(name: FileControlInformation.ppseName).encoded
    var room = [UInt8](repeating: 0, count: shortResponseCapacity)
    let count = room.withMutableOctets { card.respond(to: command.span, at: clock.now, into: &$0) }
    print(room[..<count].hex)  // 6F … 9000: the applications of the card, ordered by priority

    #expect(room[..<count].suffix(2) == [0x90, 0x00])
  }

  @Test func `the example of the EMVCard article reports all problems of a profile`() {
    let profile: [UInt8] = Array(#"{"format": "contactless-card/0", "name": "", "applications": []}"#.utf8)

    do throws(CardProfileError) {
      _ = try CardImage(json: profile)
    } catch {
      for problem in error.problems { print(problem) }
    }

    #expect(throws: CardProfileError.self) { try CardImage(json: profile) }
  }
}
