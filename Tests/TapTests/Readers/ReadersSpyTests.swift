import Foundation
import TestSupport
import Testing

/// A payment under pcsc-spy, which takes libpcsclite's place and ends its program over arguments that are nil.
@Suite("tap at a PC/SC reader, under pcsc-spy", .blocks, .serialized, .timeLimit(.minutes(20)))
struct ReadersSpyTests {
  private static let spy = "/usr/lib/\(architecture)-linux-gnu/libpcscspy.so.0"

  private static var architecture: String {
    #if arch(x86_64)
      "x86_64"
    #else
      "aarch64"
    #endif
  }

  @Test func `a payment and a list of readers go through, and the spy's log of the payment is one of ours`() throws {
    #expect(FileManager.default.fileExists(atPath: Self.spy), "\(Self.spy) is missing: run tools/setup")
    let scratch = try Scratch()
    let log = try scratch.write("pcsc-spy", "")
    let pcscd = try IsolatedPCSCD()
    let environment = pcscd.environment.merging(["LD_PRELOAD": Self.spy, "HOME": scratch.directory.path]) { $1 }
    let card = try TapProgram.start(
      ["present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--card", TapProgram.card("visa-cvn18")])
    #expect(card.wait(timeout: .seconds(120)) { _ in pcscd.log.contains("Card ATR") })
    let run = try TapProgram.run(
      "accept", "--reader", "pcsc:\(pcscd.readerNames[0])", "--amount", "12.34", "--currency", "EUR",
      environment: environment)
    #expect(run.code == 0, "\(run.errors)")
    let converted = try TapProgram.run("convert", log, "--to", "dump", "--unredacted")
    #expect(converted.code == 0, "\(converted.errors)")
    for command in ["00A404000E325041592E5359532E444446303100", "80A80000"] {
      #expect(converted.output.contains("\n\(command)"), "\(converted.output)")
    }
    let list = try TapProgram.run("readers", environment: environment)
    #expect(list.code == 0 && list.output.contains("pcsc:\(pcscd.readerNames[1])  no card\n"), "\(list.errors)")
    card.signal(SIGTERM)
    #expect(try card.finish(timeout: .seconds(60)) != .killed(signal: SIGKILL))
  }
}
