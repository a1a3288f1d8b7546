import Documents
import ISO7816
import JSON
import Octets
import Testing

extension ExampleTests {
  @Test func `the article about octets: a cursor reads and a clock is advanced`() throws {
    let octets = try [UInt8](hex: "9F02 06 000000001234")
    var cursor = Cursor(octets.span)
    try cursor.skip(3)
    let amount = try BinaryCodedDecimal.value(of: cursor.take(6))
    try cursor.finish()
    print(amount)  // 1234

    #expect(amount == 1234)

    let clock = ManualClock()
    let deadline = clock.now + .seconds(60)
    clock.advance(by: .milliseconds(2500))
    print("\((deadline - clock.now).text) left")  // 57.5 s left

    let random = SeededRandomSource(seed: 1)
    print(random.octets(4).hex)  // the same four bytes in every run

    #expect((deadline - clock.now).text == "57.5 s")
  }

  @Test func `the article about ISO 7816: a record is requested and read`() throws {
    let octets = try [UInt8](hex: "70065F24033012319000")

    let command = CommandAPDU.readRecord(1, sfi: 2)
    print(command.encoded.hex)  // 00B2011400

    let response = try ResponseAPDU(parsing: octets.span)
    print(response.status, response.status.text)  // 9000 normal processing
    let record = try [TLVNode](parsing: response.data.span)
    print(record.first(0x5F24)?.value.hex ?? "no expiry")  // 301231

    #expect(record.first(0x5F24)?.value == [0x30, 0x12, 0x31])

    func exchange(_ command: CommandAPDU) -> ResponseAPDU {
      command.ins == Instruction.getResponse ? response : ResponseAPDU(status: StatusWord(rawValue: 0x6108))
    }

    var assembly = ResponseAssembly(command: command)
    var step = try assembly.receive(exchange(command))
    while case .transmit(let next) = step { step = try assembly.receive(exchange(next)) }

    guard case .complete(let whole) = step else {
      Issue.record("the response is not complete")
      return
    }
    #expect(whole.data == response.data)
  }

  @Test func `the article about documents: an object is read and its problems are reported`() throws {
    let text = """
      {"name": "kiosk",
       "limits": [{"currency": "EUR", "floor": -1}],
        "limit": 1}
      """

    var reader = ObjectReader(try JSONValue(parsing: text))
    let name = reader.text("name", characters: 1...40)
    let limits = reader.objects("limits") { limit in
      let currency = limit.text("currency", characters: 3...3)
      let floor = limit.optionalInteger("floor", in: 0...100_000) ?? 0
      return "\(currency) \(floor)"
    }
    for problem in reader.finish() { print(problem) }
    // line 2, column 42, $.limits[0].floor: -1: the range is 0...100000
    // line 3, column 3, $.limit: no such key; did you mean limits? there are name, limits

    #expect(name == "kiosk")
    #expect(limits == ["EUR 0"])
    #expect(
      reader.finish().map(\.description) == [
        "line 2, column 42, $.limits[0].floor: -1: the range is 0...100000",
        "line 3, column 3, $.limit: no such key; did you mean limits? there are name, limits",
      ])

    struct Order: JSONMessage {
      let name: String
      let count: Int?

      static let fields = MessageTable(
        Self.init(name:count:),
        .text("name", \.name, 1...40),
        .number("count", \.count, 1...9))
    }

    let error = #expect(throws: DocumentError.self) { try Order(["name": "", "count": 10]) }
    #expect(error?.description == "$.name: 0 characters: the range is 1...40; $.count: 10: the range is 1...9")
  }

  @Test func `the article about JSON: a value is written as it was built`() {
    let report: JSONValue = ["outcome": "approved", "exchanges": 5, "host": nil]
    print(report.compact)  // {"outcome": "approved", "exchanges": 5, "host": null}

    #expect(report.compact == #"{"outcome": "approved", "exchanges": 5, "host": null}"#)
  }
}
