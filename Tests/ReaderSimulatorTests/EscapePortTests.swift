import Octets
import ReaderSimulator
import TestSupport
import Testing

/// The microcontroller of a reader, without driver and chip.
struct EscapePortTests {
  private static func framed(_ octets: [UInt8]) -> [UInt8] {
    [UInt8(octets.count >> 8), UInt8(octets.count & 0xFF)] + octets
  }

  @Test(
    arguments: [
      ("FF00000002D402", .command([0x02])),
      ("FF00000003D43201", .command([0x32, 0x01])),
      ("FF00500000", .send([0x00, 0x02, 0x90, 0xFF])),
      ("FF00510000", .send([0x00, 0x02, 0x90, 0x00])),
      ("FF00410100", .send([0x00, 0x02, 0x90, 0x00])),
      // Too short, no D4, a wrong Lc, an unknown command, no response to fetch.
      ("FF00000001D4", .send([0x00, 0x02, 0x63, 0x00])),
      ("FF00000002D502", .send([0x00, 0x02, 0x63, 0x00])),
      ("FF00000003D402", .send([0x00, 0x02, 0x63, 0x00])),
      ("FF00000001D402", .send([0x00, 0x02, 0x63, 0x00])),
      ("FF00990000", .send([0x00, 0x02, 0x63, 0x00])),
      ("00A4040000", .send([0x00, 0x02, 0x63, 0x00])),
      ("FFC0000004", .send([0x00, 0x02, 0x63, 0x00])),
      ("FF", .send([0x00, 0x02, 0x63, 0x00])),
      ("", .send([0x00, 0x02, 0x63, 0x00])),
    ] as [(String, EscapePort.Step)])
  func `a pseudo-APDU is a command for the chip, a setting or refused`(hex: String, step: EscapePort.Step) throws {
    let frame = Self.framed(try [UInt8](hex: hex))
    var port = EscapePort()
    #expect(port.receive(frame) == [step])
    var slow = EscapePort()
    var steps: [EscapePort.Step] = []
    for octet in frame { steps += slow.receive([octet]) }
    #expect(steps == [step])
    #expect(port.receive(frame + frame).count == 2)
  }

  @Test func `255 bytes after Lc reach the chip, and its answer returns unchanged`() {
    var port = EscapePort()
    let command = [UInt8](repeating: 7, count: 254)
    #expect(port.receive(Self.framed([0xFF, 0, 0, 0, 0xFF, 0xD4] + command)) == [.command(command)])
    let answer = port.answer([UInt8](repeating: 9, count: 264))
    #expect(answer == Self.framed([0xD5] + [UInt8](repeating: 9, count: 264) + [0x90, 0x00]))
    #expect(port.answer([0x03]) == nil)
  }

  @Test func `an error frame and each timeout have their own answers`() throws {
    let ask = Self.framed(try [UInt8](hex: "FF00000002D402"))
    var port = EscapePort()
    _ = port.receive(ask)
    #expect(port.answer([0x7F]) == [0x00, 0x02, 0x63, 0x7F])
    _ = port.receive(ask)
    #expect(port.endByReader() == [0x00, 0x02, 0x63, 0x01])
    _ = port.receive(ask)
    #expect(port.endByDriver() == [0x00, 0x00])
    #expect(port.answer([0x03, 0x32]) == nil)
  }

  @Test func `an announced answer is fetched once`() throws {
    var port = EscapePort(announces: true)
    _ = port.receive(Self.framed(try [UInt8](hex: "FF00000002D402")))
    #expect(port.answer([0x03, 0x32]) == [0x00, 0x02, 0x61, 0x05])
    let fetch = Self.framed(try [UInt8](hex: "FFC0000005"))
    #expect(port.receive(fetch) == [.send([0x00, 0x05, 0xD5, 0x03, 0x32, 0x90, 0x00])])
    #expect(port.receive(fetch) == [.send([0x00, 0x02, 0x63, 0x00])])
  }

  @Test(
    arguments: [(251, [0x00, 0x02, 0x61, 0xFE]), (252, [0x00, 0x02, 0x61, 0xFF]), (253, nil)] as [(Int, [UInt8]?)])
  func `an answer of at most 255 bytes is announced`(count: Int, announcement: [UInt8]?) throws {
    var port = EscapePort(announces: true)
    _ = port.receive(Self.framed(try [UInt8](hex: "FF00000002D402")))
    let response = [UInt8](repeating: 9, count: count)
    #expect(port.answer(response) == announcement ?? Self.framed([0xD5] + response + [0x90, 0x00]))
  }

  @Test func `a driver that disconnects leaves no partial command, no wait and no answer`() throws {
    let ask = Self.framed(try [UInt8](hex: "FF00000002D402"))
    var port = EscapePort()
    #expect(port.receive(ask + ask.dropLast()) == [.command([0x02])])
    port.close()
    #expect(port.answer([0x03]) == nil)
    #expect(port.receive(ask) == [.command([0x02])])
  }

  @Test(arguments: [(0x00, nil), (0x01, .seconds(5)), (0xFE, .seconds(1270)), (0xFF, nil)] as [(UInt8, Duration?)])
  func `the reader waits for its chip for 5 s times its parameter, or without a limit`(
    parameter: UInt8, timeout: Duration?
  ) {
    var port = EscapePort()
    _ = port.receive(Self.framed([0xFF, 0x00, 0x41, parameter, 0x00]))
    #expect(port.escape.chipTimeout == timeout)
  }
}
