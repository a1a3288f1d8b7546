import Fixtures
import Foundation
import TestSupport
import Testing

/// The reader and the link that environment variables name.
@Suite("Readers and links of the environment", .blocks, .timeLimit(.minutes(20)))
struct DefaultPlaceTests {
  static let card = TapProgram.card("visa-cvn18")

  /// Command lines without a reader.
  static let lines = [
    "accept --amount 1 --currency EUR", "send 00A404000E325041592E5359532E444446303100", "dump",
    "test \(ScenarioTests.file("visa-low-value.yaml"))", "shell",
  ]

  func run(_ line: String, _ environment: [String: String]) throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(line.split(separator: " ").map(String.init), environment: environment))
  }

  @Test(arguments: lines)
  func `a command without --reader takes that of CONTACTLESS_READER, which the option overrides`(_ line: String) throws
  {
    let own = try run(line, ["CONTACTLESS_READER": "loopback:\(Self.card)"])
    #expect(own.code == 0, "\(own.output)\(own.errors)")
    let option = try run("\(line) --reader loopback:\(Self.card)", ["CONTACTLESS_READER": "nonsense"])
    #expect(option.code == 0, "\(option.output)\(option.errors)")
    let wrong = try run(line, ["CONTACTLESS_READER": "PCSC:x"])
    #expect(wrong.code == 64 && wrong.output.isEmpty)
    for part in ["CONTACTLESS_READER is 'PCSC:x'", "pcsc:NAME", "unset it, or use --reader", "Usage: tap "] {
      #expect(wrong.errors.contains(part), "\(wrong.errors)")
    }
    let none = try run(line, ["CONTACTLESS_READER": ""])
    #expect(none.code == 64 && none.errors.contains("CONTACTLESS_READER"), "\(none.errors)")
  }

  @Test func `tap test takes loopback from the environment, and needs no reader for --list and --check`() throws {
    let file = ScenarioTests.file("visa-low-value.yaml")
    #expect(try run("test \(file)", ["CONTACTLESS_READER": "loopback"]).code == 0)
    for option in ["--list", "--check"] {
      #expect(try run("test \(file) \(option)", ["CONTACTLESS_READER": "nonsense"]).code == 0)
    }
  }

  @Test func `tap present takes its link from CONTACTLESS_LINK`() throws {
    let line = "present --card \(Self.card)"
    #expect(try run(line, ["CONTACTLESS_LINK": "loopback"]).code == 0)
    #expect(try run("\(line) --link loopback", ["CONTACTLESS_LINK": "x"]).code == 0)
    let wrong = try run(line, ["CONTACTLESS_LINK": "vpcd:localhost:x"])
    #expect(wrong.code == 64)
    for part in ["CONTACTLESS_LINK is 'vpcd:localhost:x'", "vpcd:HOST:PORT", "unset it, or use --link"] {
      #expect(wrong.errors.contains(part), "\(wrong.errors)")
    }
  }

  @Test func `tap bench measures at a device of the environment only when nothing else is asked for`() throws {
    let absent = ["CONTACTLESS_READER": "pcsc:x", "PCSCLITE_CSOCK_NAME": "/nonexistent/pcscd"]
    let device = try run("bench --taps 2", absent)
    #expect(device.code == 3 && device.output.isEmpty, "\(device.output)\(device.errors)")
    #expect(try run("bench --taps 2 --link loopback", absent).code == 0)
    #expect(try run("bench --taps 2", ["CONTACTLESS_READER": "loopback:\(Self.card)"]).code == 0)
    #expect(try run("bench --taps 2", ["CONTACTLESS_READER": "nonsense"]).code == 64)
  }
}
