import CardFaults
import EMVCard
import Fixtures
import ISO7816
import JSON
import Octets
import Testing

extension ExampleTests {
  @Test func `the article of CardFaults: a card refuses its selection as the plan says`() throws {
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))

    let plan = try CardFaultPlan(json: [["when": ["command": "SELECT"], "what": ["kind": "status", "status": "6A82"]]])
    let ports = FaultPorts(sleep: { _ in }, leave: {}, report: { print($0) })
    var faulty = FaultInjector(Card(image: image), plan: plan, ports: ports)

    let command = try [UInt8](hex: "00A404000E325041592E5359532E444446303100")
    var response = [UInt8](repeating: 0, count: shortResponseCapacity)
    let count = response.withMutableOctets {
      faulty.respond(to: command.span, at: Instant(nanoseconds: 0), into: &$0)
    }
    #expect(response.prefix(count) == [0x6A, 0x82])
  }
}
