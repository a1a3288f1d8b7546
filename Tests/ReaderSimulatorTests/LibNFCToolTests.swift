import Links
import Octets
import ReaderSimulator
import TestSupport
import Testing

/// The tools of libnfc, unmodified, on simulated chips.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct LibNFCToolTests {
  @Test func `nfc-list opens a chip on a pseudo-terminal`() throws {
    let simulator = try ReaderSimulator(.chip)
    let chip = DedicatedThread(named: "chip") { () throws(LinkError) in try simulator.run() }
    let run = try ProgramRun(
      "nfc-list", ["-v"], environment: ["LIBNFC_DEVICE": simulator.connstrings[0], "LIBNFC_LOG_LEVEL": "3"])
    let ending = try run.finish(timeout: .seconds(20))
    print(run.output, run.errors)
    #expect(ending == .exited(0))
    #expect(run.output.contains("NFC device: user defined device opened"))
    simulator.stop()
    try chip.join()
  }
}
