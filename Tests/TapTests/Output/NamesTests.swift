import Foundation
import TestSupport
import Testing

/// Names of codes in the output of the program.
@Suite("Names in decode", .blocks, .timeLimit(.minutes(20)))
struct NamesTests {
  @Test(arguments: [
    ("5F2A020978", "EUR (Euro)"), ("9F1A020276", "DE (Germany)"), ("8A023035", "do not honour"),
    ("4F07A0000000031010", "Visa"), ("3B80800101", "ISO 14443 Type B without historical bytes (list of pcsc-tools)"),
  ])
  func `decode names the code`(_ digits: String, _ name: String) throws {
    let text = try TapProgram.run("decode", digits)
    #expect(text.code == 0)
    #expect(text.output.split(separator: "\n").contains { $0.drop { $0 == " " } == name }, "\(text.output)")
    let json = try TapProgram.run("decode", digits, "--format", "json")
    #expect(json.output.contains("\"\(name)\""), "\(json.output)")
  }

  @Test func `accept names the owner of the application`() throws {
    let run = try TapProgram.run(
      "accept", "--reader", "loopback:\(TapProgram.card("visa-cvn18"))", "--amount", "1", "--currency", "EUR")
    #expect(run.output.contains("application: A0000000031010 VISA DEBIT (Visa)"), "\(run.output)")
  }

  @Test func `readers names the card in a reader`() throws {
    let lab = try LabTests.Reader(LabTests.visa)
    for _ in 0..<300 {
      let readers = try lab.ask(TapProgram.path, ["readers", "--format", "json"])
      if readers.output.contains("ISO 14443 Type B without historical bytes (list of pcsc-tools)") {
        lab.program.signal(SIGINT)
        #expect(try lab.program.finish() == .exited(0), "\(lab.program.errors)")
        return
      }
      usleep(100_000)
    }
    Issue.record("the card was not named")
  }
}
